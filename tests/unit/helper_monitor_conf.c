// SPDX-License-Identifier: GPL-2.0-only
/* monitor.conf: every key, each kind of error word for word, and noise. */
#include "helper_util.h"
#include "model.h"
#include "monitor_conf.h"
#include "say.h"

#define FILE_NAME	"m.conf"
#define KEYS	"journal, json, textfile, listen, hooks, hook_timeout, state, sample_interval, metrics_interval, redfish, redfish_credentials, redfish_ca or oam"

/* Reads @text; the messages are in util_caught. */
static int read_bytes(const void *text, size_t size, struct monitor_conf *conf)
{
	int code;

	util_write_bytes(FILE_NAME, text, size);
	util_catch(STDERR_FILENO);
	code = monitor_conf_read(FILE_NAME, conf);
	util_caught_text();
	return code;
}

static struct monitor_conf good(const char *text)
{
	struct monitor_conf conf = { 0 };

	CHECK_INT(read_bytes(text, strlen(text), &conf), EXIT_OK);
	CHECK_STR(util_caught, "");
	return conf;
}

/* Expects the helper to refuse @text with @errors, and to leave the configuration alone. */
static void expect(const char *text, const char *errors)
{
	struct monitor_conf conf, before;

	memset(&conf, 0x5a, sizeof(conf));
	before = conf;
	CHECK_INT(read_bytes(text, strlen(text), &conf), EXIT_ERROR);
	CHECK_STR(util_caught, errors);
	CHECK(!memcmp(&conf, &before, sizeof(conf)));
}

static void test_defaults(void)
{
	struct monitor_conf conf = good("");

	CHECK(conf.journal);
	CHECK_STR(conf.json, "/var/log/instinct-vfio/events.jsonl");
	CHECK_STR(conf.textfile, "");
	CHECK_STR(conf.listen, "");
	CHECK_STR(conf.hooks, "/etc/instinct-vfio/hooks.d");
	CHECK_INT(conf.hook_timeout, 30000);
	CHECK_STR(conf.state, "/var/lib/instinct-vfio/monitor.json");
	CHECK_INT(conf.sample_interval, 10000);
	CHECK_INT(conf.metrics_interval, 15000);
	CHECK_STR(conf.redfish.url, "");
	CHECK_STR(conf.redfish.credentials, "/etc/instinct-vfio/redfish.credentials");
	CHECK_STR(conf.redfish.ca, "system");
	CHECK_STR(text_of(conf.oam), "");
	conf = good("[monitor]\noam = 0000:05:00.0=7 0000:15:00.0=6\nredfish = https://bmc:8080/slot1/hmc\n");
	CHECK_STR(text_of(conf.oam), "0000:05:00.0=7 0000:15:00.0=6");
	CHECK_STR(conf.redfish.url, "https://bmc:8080/slot1/hmc");
	expect("[monitor]\noam = 0000:05:00.0=7 0000:15:00.0=7\n",
	       "m.conf:2: wrong value of oam, found \"0000:05:00.0=7 0000:15:00.0=7\", allowed: BDF=NUMBER for each GPU, with blanks between them, each number from 0 to 63 once; or none\n");
}

static void test_every_key(void)
{
	struct monitor_conf conf = good("# ours\n[monitor]\njournal = no\njson=/a\n"
		"textfile = /b ; why\nlisten = [::1]:9100\nhooks = /c\nhook_timeout = 1min\n"
		"state = /d\nsample_interval = 1500ms\nmetrics_interval = 600s\n"
		"redfish = https://bmc:8443\nredfish_credentials = /e\nredfish_ca = /f\n");

	CHECK(!conf.journal);
	CHECK_STR(conf.json, "/a");
	CHECK_STR(conf.textfile, "/b");
	CHECK_STR(conf.listen, "[::1]:9100");
	CHECK_STR(conf.hooks, "/c");
	CHECK_INT(conf.hook_timeout, 60000);
	CHECK_STR(conf.state, "/d");
	CHECK_INT(conf.sample_interval, 1500);
	CHECK_INT(conf.metrics_interval, 600000);
	CHECK_STR(conf.redfish.url, "https://bmc:8443");
	CHECK_STR(conf.redfish.credentials, "/e");
	CHECK_STR(conf.redfish.ca, "/f");
	conf = good("[monitor]\njson = none\ntextfile = none\nlisten = none\nhooks = none\n");
	CHECK_STR(conf.json, "");
	CHECK_STR(conf.textfile, "");
	CHECK_STR(conf.listen, "");
	CHECK_STR(conf.hooks, "");
	conf = good("[monitor]\nredfish = none\nredfish_ca = sha256//0123456789012345678901234567890123456789abc=\n");
	CHECK_STR(conf.redfish.url, "");
	CHECK_STR(conf.redfish.ca, "sha256//0123456789012345678901234567890123456789abc=");
}

static void test_wrong_lines(void)
{
	expect("[monitor]\njurnal = no\n",
	       "m.conf:2: unknown key, found \"jurnal\", allowed: " KEYS "; did you mean \"journal\"?\n");
	expect("journal = no\n[monitro]\njournal = no\n[monitor\n",
	       "m.conf:1: key outside a section, found \"journal\", allowed: after [monitor]\n"
	       "m.conf:2: unknown section, found [monitro], allowed: [monitor]\n"
	       "m.conf:4: section without its end, found \"[monitor\", allowed: [NAME]\n");
	expect("[monitor]\n[monitor]\n",
	       "m.conf:2: section given twice, found [monitor], allowed: once; the first is in line 1\n");
	expect("[monitor]\njournal = no\n\njournal = no\nnothing\n",
	       "m.conf:4: key given twice, found \"journal\", allowed: once; the first is in line 2\n"
	       "m.conf:5: not a setting, found \"nothing\", allowed: KEY = VALUE\n");
}

static void test_wrong_values(void)
{
	expect("[monitor]\njournal = maybe\njson = events\nstate = none\nhooks =\n",
	       "m.conf:2: wrong value of journal, found \"maybe\", allowed: yes or no\n"
	       "m.conf:3: wrong value of json, found \"events\", allowed: the full path of a file, or none\n"
	       "m.conf:4: wrong value of state, found \"none\", allowed: the full path of a file\n"
	       "m.conf:5: wrong value of hooks, found \"\", allowed: the full path of a folder, or none\n");
	expect("[monitor]\nhook_timeout = 30\nsample_interval = 999ms\nmetrics_interval = 11min\n",
	       "m.conf:2: wrong value of hook_timeout, found \"30\", allowed: 1s to 10min, with a unit: ms, s or min\n"
	       "m.conf:3: wrong value of sample_interval, found \"999ms\", allowed: 1s to 10min, with a unit: ms, s or min\n"
	       "m.conf:4: wrong value of metrics_interval, found \"11min\", allowed: 1s to 10min, with a unit: ms, s or min\n");
	expect("[monitor]\nredfish = https://u:p@bmc\nredfish_credentials = none\nredfish_ca = no\n",
	       "m.conf:2: wrong value of redfish, found \"...@bmc\", allowed: https://HOST[:PORT][/PATH] without a user and without /redfish, the same with http, or none\n"
	       "m.conf:3: wrong value of redfish_credentials, found \"none\", allowed: the full path of a file\n"
	       "m.conf:4: wrong value of redfish_ca, found \"no\", allowed: system, the full path of a file of certificates, or sha256//HASH of the BMC's public key\n");
}

static void test_loopback_only(void)
{
	static const char *const wrong[] = {
		"0.0.0.0:9100", "[::]:9100", ":9100", "9100", "localhost:9100", "*:9100",
		"127.0.0.1", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:65536", "127.0.0.1:9100x",
		"127.0.0.1: 9100", "127.0.0.1:+9100", "[::1]9100", "::1:9100",
		"10.0.0.1:9100", "unix:", "unix:relative", "/run/x", "127.0.0.1:99999999999999999999",
		"unix:/01234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345",
	};
	char text[256], error[512];
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		snprintf(text, sizeof(text), "[monitor]\nlisten = %s\n", wrong[i]);
		snprintf(error, sizeof(error), "m.conf:2: wrong value of listen, found \"%s\", allowed: 127.0.0.1:PORT, [::1]:PORT, unix:PATH, systemd or none; nothing but this host\n",
			 wrong[i]);
		expect(text, error);
	}
	good("[monitor]\nlisten = 127.0.0.1:65535\n");
	good("[monitor]\nlisten = unix:/run/instinct-vfio/metrics\n");
}

static void test_unreadable(void)
{
	struct monitor_conf conf;

	util_catch(STDERR_FILENO);
	CHECK_INT(monitor_conf_read("absent.conf", &conf), EXIT_ERROR);
	CHECK_STR(util_caught_text(), "instinctctl: cannot read absent.conf: No such file or directory\n");
}

/* The helper accepts or refuses any bytes, and refuses with a message. */
static void test_noise(void)
{
	static const char *const part[] = {
		"[monitor]", "[", "]", "\n", "=", " ", "listen", "json", "state", "none", "/",
		"127.0.0.1:", "[::1]:", "unix:", "1", "s", "#", ";", "\\", "\"", "\r", "\xff",
		"\xef\xbb\xbf", "hook_timeout", "99999999999999999999", "%s%n", "journal",
	};
	struct monitor_conf conf;
	char text[512];
	int i, code;

	srandom(6);
	for (i = 0; i < 1000; i++) {
		size_t size = 0, words = random() % 24;

		while (words--)
			size += snprintf(text + size, sizeof(text) - size, "%s",
					 part[random() % (sizeof(part) / sizeof(part[0]))]);
		if (size && random() % 8 == 0)
			text[random() % size] = random();
		code = read_bytes(text, size, &conf);
		CHECK(code == EXIT_OK ? !*util_caught :
		      code == EXIT_ERROR && !strncmp(util_caught, FILE_NAME ":", 7));
	}
}

int main(void)
{
	util_begin();
	RUN(test_defaults);
	RUN(test_every_key);
	RUN(test_wrong_lines);
	RUN(test_wrong_values);
	RUN(test_loopback_only);
	RUN(test_unreadable);
	RUN(test_noise);
	return unit_end();
}
