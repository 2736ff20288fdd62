// SPDX-License-Identifier: GPL-2.0-only
/* policy.conf: what is accepted, what is said of what is not, how it merges. */
#include <stdlib.h>
#include <unistd.h>

#include "conf.h"
#include "plan.h"
#include "say.h"
#include "unit.h"

static char said[8192];

/* Read @text as a policy file; what was said of it is in said[]. */
static struct conf read_text(const char *text, size_t len)
{
	char file[] = "/tmp/policy.XXXXXX";
	int fd = mkstemp(file), out = dup(STDERR_FILENO), log;
	char log_file[] = "/tmp/said.XXXXXX";
	struct conf conf;
	ssize_t n;

	if (fd < 0 || write(fd, text, len) != (ssize_t)len)
		abort();
	close(fd);
	log = mkstemp(log_file);
	fflush(stderr);
	dup2(log, STDERR_FILENO);
	CHECK_INT(conf_read(&conf, file), 0);
	fflush(stderr);
	dup2(out, STDERR_FILENO);
	n = pread(log, said, sizeof(said) - 1, 0);
	said[n > 0 ? n : 0] = '\0';
	close(log);
	close(out);
	unlink(file);
	unlink(log_file);
	return conf;
}

/* @text has one error, in @line, which says @what. */
static void one_error(const char *text, int line, const char *what)
{
	struct conf conf = read_text(text, strlen(text));
	char wanted[512];
	const char *at = strchr(said, ':');

	CHECK_INT(conf.errors, 1);
	snprintf(wanted, sizeof(wanted), ":%d: %s\n", line, what);
	CHECK_STR(at ? at : "", wanted);
	conf_free(&conf);
}

static void test_errors(void)
{
	one_error("[default]\nmetod = auto\n", 2,
		  "unknown key, found \"metod\", allowed: method, tenancy, bus_port, ready_timeout or mailbox (did you mean \"method\"?)");
	one_error("[default]\nmethod = mode2\n", 2,
		  "wrong value of method, found \"mode2\", allowed: auto, mode1, quiesce, bus or flr (did you mean \"mode1\"?)");
	one_error("[default]\n\ntenancy =\n", 3,
		  "wrong value of tenancy, found \"\", allowed: single or multi");
	one_error("[default]\nready_timeout = 60\n", 2,
		  "wrong value of ready_timeout, found \"60\", allowed: 1s to 600s, with a unit: ms, s or min");
	one_error("[default]\nready_timeout = 601s\n", 2,
		  "wrong value of ready_timeout, found \"601s\", allowed: 1s to 600s, with a unit: ms, s or min");
	one_error("[default]\nmailbox = 0x58002\n", 2,
		  "wrong value of mailbox, found \"0x58002\", allowed: discovery, or a dword-aligned byte offset below 0x80000 such as 0x58000");
	one_error("method = auto\n", 1,
		  "key outside a section, found \"method\", allowed: after [default], [family NAME] or [device BDF]");
	one_error("[defaults]\n", 1,
		  "unknown section, found [defaults], allowed: [default], [family NAME] or [device BDF]");
	one_error("[family mi400]\n", 1,
		  "unknown family, found \"mi400\", allowed: mi300a, mi300x, mi308x, mi325x, mi350p, mi350x, mi355x");
	one_error("[device c1:00]\n", 1,
		  "not a PCI address, found \"c1:00\", allowed: such as 0000:c1:00.0");
	one_error("[default]\nmethod = auto\nmethod = flr\n", 3,
		  "key given twice, found \"method\", allowed: once in a section; the first is in line 2");
	one_error("[device c1:00.0]\n[device 0000:c1:00.0]\n", 2,
		  "section given twice, found [device 0000:c1:00.0], allowed: once; the first is in line 1");
	one_error("[default\n", 1,
		  "section without its end, found \"[default\", allowed: [NAME]");
	one_error("[default]\nmethod auto\n", 2,
		  "not a setting, found \"method auto\", allowed: KEY = VALUE");
}

static void test_all_errors_in_one_run(void)
{
	static const char text[] =
		"[default]\nmetod = auto\ntenancy = many\n[family x]\nmethod = y\n";
	struct conf conf = read_text(text, sizeof(text) - 1);

	CHECK_INT(conf.errors, 4);
	conf_free(&conf);
}

static void test_odd_bytes(void)
{
	static const char nul[] = "[default]\nmethod = au\0to\n";
	static const char bom[] = "\xef\xbb\xbf[default]\r\nmethod = flr ; why\r\n";
	struct policy policy;
	struct device dev = { 0 };
	struct conf conf = read_text(nul, sizeof(nul) - 1);
	char *longest = malloc(100000);

	CHECK_INT(conf.errors, 1);
	conf_free(&conf);

	conf = read_text(bom, sizeof(bom) - 1);
	CHECK_INT(conf.errors, 0);
	conf_merge(&conf, &dev, &policy);
	CHECK_INT(policy.method, INSTINCT_VFIO_METHOD_FLR);
	conf_free(&conf);

	memset(longest, 'a', 100000);
	conf = read_text(longest, 100000);
	CHECK_INT(conf.errors, 1);
	conf_free(&conf);
	free(longest);
}

static void test_merge(void)
{
	static const char text[] =
		"[device c1:00.0]\nmethod = flr\n"
		"[default]\nmethod = quiesce\ntenancy = multi\nready_timeout = 90s\n"
		"# a comment\n[family mi300x]\nready_timeout = 2min\nmailbox = 0x58000\n";
	struct conf conf = read_text(text, sizeof(text) - 1);
	struct device a = { .bdf = "0000:c1:00.0", .family = "mi300x" };
	struct device b = { .bdf = "0000:c2:00.0", .family = "mi355x" };
	struct policy policy;

	CHECK_INT(conf.errors, 0);
	conf_merge(&conf, &a, &policy);
	CHECK_INT(policy.method, INSTINCT_VFIO_METHOD_FLR);
	CHECK_INT(policy.tenancy, INSTINCT_VFIO_TENANCY_MULTI);
	CHECK_INT(policy.ready_timeout, 120000);
	CHECK_INT(policy.mailbox, 0x58000);
	conf_merge(&conf, &b, &policy);
	CHECK_INT(policy.method, INSTINCT_VFIO_METHOD_QUIESCE);
	CHECK_INT(policy.ready_timeout, 90000);
	CHECK_INT(policy.mailbox, 0);
	conf_free(&conf);
}

static uint32_t pick(uint32_t n)
{
	return rand() % n;
}

/* A plan carried out leaves nothing to do, and names only what differs. */
static void test_plan_property(void)
{
	int round;

	srand(7);
	for (round = 0; round < 2000; round++) {
		struct devices devices = { 0 };
		struct policy wanted[8];
		struct changes changes;
		size_t i, n = pick(9), differ = 0;

		for (i = 0; i < n; i++) {
			struct device *dev = devices_add(&devices);

			snprintf(dev->bdf, sizeof(dev->bdf), "%04x:00:00.0",
				 (unsigned int)i & 0xff);
			dev->policy.method = pick(2);
			dev->policy.tenancy = pick(2);
			wanted[i] = dev->policy;
			if (pick(2))
				wanted[i].method ^= 1;
			differ += !policy_equal(&wanted[i], &dev->policy);
		}
		plan_make(&devices, wanted, &changes);
		CHECK_INT(changes.count, differ);
		for (i = 0; i < changes.count; i++)
			devices_find(&devices, changes.list[i].bdf)->policy =
				changes.list[i].wanted;
		free(changes.list);
		plan_make(&devices, wanted, &changes);
		CHECK_INT(changes.count, 0);
		free(changes.list);
		devices_free(&devices);
	}
}

static void test_format(void)
{
	char text[64];

	conf_key_format(3, 1500, text, sizeof(text));
	CHECK_STR(text, "1500ms");
	conf_key_format(3, 60000, text, sizeof(text));
	CHECK_STR(text, "60s");
	conf_key_format(4, 0, text, sizeof(text));
	CHECK_STR(text, "discovery");
}

int main(void)
{
	RUN(test_errors);
	RUN(test_all_errors_in_one_run);
	RUN(test_odd_bytes);
	RUN(test_merge);
	RUN(test_plan_property);
	RUN(test_format);
	return unit_end();
}
