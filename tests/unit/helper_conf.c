// SPDX-License-Identifier: GPL-2.0-only
/* policy.conf: the exact text of each kind of error, and the meaning of valid files. */
#include "conf.h"
#include "helper_util.h"
#include "say.h"

#define FILE_NAME	"p.conf"

static const char *families =
	"mi300x, mi308x, mi325x, mi350x, mi355x or mi350p";

/* Reads @text, and leaves the errors in util_caught. */
static int read_bytes(struct conf *conf, const void *text, size_t size)
{
	int code;

	util_write_bytes(FILE_NAME, text, size);
	util_catch(STDERR_FILENO);
	code = conf_open(conf, FILE_NAME);
	util_caught_text();
	return code;
}

static void expect(const char *text, const char *errors)
{
	struct conf conf;

	CHECK_INT(read_bytes(&conf, text, strlen(text)), EXIT_OK);
	CHECK_STR(util_caught, errors);
	CHECK_INT(!conf.errors, !*errors);
	conf_free(&conf);
}

static void expect_sections(const char *text, size_t count)
{
	struct conf conf;

	CHECK_INT(read_bytes(&conf, text, strlen(text)), EXIT_OK);
	CHECK_STR(util_caught, "");
	CHECK_INT(conf.count, count);
	conf_free(&conf);
}

static void test_valid_files(void)
{
	expect_sections("", 0);
	expect_sections("\n\n# nothing\n; at all\n", 0);
	expect_sections("[default]\n", 1);
	expect_sections("[default]\nmethod = auto\ntenancy=multi\nbus_port =switch\n"
			"ready_timeout = 1500ms\nmailbox = 0x58000\n", 1);
	expect_sections("\xef\xbb\xbf[default]\r\nmethod = mode1\r\n", 1);
	expect_sections("  [ default ]  # why\n\tmethod = mode1 ; why\n tenancy = multi\t# why\n", 1);
	expect_sections("[family mi300x]\n[family\tmi355x]\n[device c1:00.0]\n"
			"[device 0000:C2:00.0]\n[device 10000:01:00.0]\n", 5);
	expect_sections("[default]\nmethod = auto", 1);
}

static void test_unknown_key(void)
{
	expect("[default]\nmetod = mode1\n",
	       "p.conf:2: unknown key, found \"metod\"; did you mean \"method\"? See instinctctl show-policy --keys\n");
	expect("[default]\n\n= 3\n",
	       "p.conf:3: unknown key, found \"\", allowed: method, tenancy, bus_port, ready_timeout, mailbox, overlap, scope, hive, partition, first_reset, xgmi, contain, config_verify, config_unblock, config_timeout, acs, acs_root_port, acs_switch_upstream, acs_downstream, acs_peer_downstream, acs_package, allow_isolation_loss, ats, check_interval, peer, hotspot_warning, hotspot_critical, memory_warning, memory_critical, board_warning, board_critical, thermal_hysteresis, thermal_hold, thermal_stale, hotspot_sensor, memory_sensor, board_sensor or expect_gpus\n");
}

static void test_wrong_words(void)
{
	expect("[default]\nmethod = mode2\n",
	       "p.conf:2: wrong value of method, found \"mode2\", allowed: auto, mode1, quiesce or bus; did you mean \"mode1\"?\n");
	expect("[default]\nmethod =\n",
	       "p.conf:2: wrong value of method, found \"\", allowed: auto, mode1, quiesce or bus\n");
	expect("[default]\ntenancy = many\nbus_port = SWITCH\n",
	       "p.conf:2: wrong value of tenancy, found \"many\", allowed: single or multi\n"
	       "p.conf:3: wrong value of bus_port, found \"SWITCH\", allowed: swds or switch; did you mean \"switch\"?\n");
}

/* For a synonym of a value, the error suggests the key's own word. */
static void test_meant_words(void)
{
	expect("[default]\nacs = VM\nconfig_verify = yes\nallow_isolation_loss = true\nhotspot_warning = off\n",
	       "p.conf:2: wrong value of acs, found \"VM\", allowed: kernel, vm-p2p, vm or bare-metal; did you mean \"vm\"?\n"
	       "p.conf:3: wrong value of config_verify, found \"yes\", allowed: off or on; did you mean \"on\"?\n"
	       "p.conf:4: wrong value of allow_isolation_loss, found \"true\", allowed: no or yes; did you mean \"yes\"?\n"
	       "p.conf:5: wrong value of hotspot_warning, found \"off\", allowed: none, or 0.001 to 200 degrees Celsius; did you mean \"none\"?\n");
}

static void test_times(void)
{
	static const char *const wrong[] = {
		"60", "0s", "999ms", "601s", "11min", "600001ms", "-1s", "1h",
		"s", "1.5s", "0x10s", "99999999999999999999s", "60s60",
	};
	char text[128], error[256];
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		snprintf(text, sizeof(text), "[default]\nready_timeout = %s\n", wrong[i]);
		snprintf(error, sizeof(error), "p.conf:2: wrong value of ready_timeout, found \"%s\", allowed: auto, or 1s to 600s, with a unit: ms, s or min\n",
			 wrong[i]);
		expect(text, error);
	}
	expect("[default]\nready_timeout = auto\n", "");
	expect("[default]\nready_timeout = 1s\n", "");
	expect("[default]\nready_timeout = 600 s\n", "");
	expect("[default]\nready_timeout = 10min\n", "");
	expect("[default]\nready_timeout = 1000ms\n", "");
}

static void test_mailboxes(void)
{
	static const char *const wrong[] = {
		"58000", "0x", "0x0", "0x58002", "0x200000", "0x58000x", "-0x4",
		"0x-4", "0xffffffffffffffffff",
	};
	char text[128], error[256];
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		snprintf(text, sizeof(text), "[default]\nmailbox = %s\n", wrong[i]);
		snprintf(error, sizeof(error), "p.conf:2: wrong value of mailbox, found \"%s\", allowed: discovery, or a byte offset below 0x200000, a multiple of 4, such as 0x58000\n",
			 wrong[i]);
		expect(text, error);
	}
	expect("[default]\nmailbox = Discovery\n",
	       "p.conf:2: wrong value of mailbox, found \"Discovery\", allowed: discovery, or a byte offset below 0x200000, a multiple of 4, such as 0x58000; did you mean \"discovery\"?\n");
	expect("[default]\nmailbox = discovery\n", "");
	expect("[default]\nmailbox = 0x1ffffc\n", "");
}

static void test_wrong_sections(void)
{
	char error[512];

	expect("[defualt]\n",
	       "p.conf:1: unknown section, found [defualt], allowed: [default], [family NAME], [device BDF] or [device serial=NUMBER]; did you mean \"default\"?\n");
	expect("[family]\n[]\n[gpu 0]\n",
	       "p.conf:1: unknown section, found [family], allowed: [default], [family NAME], [device BDF] or [device serial=NUMBER]\n"
	       "p.conf:2: unknown section, found [], allowed: [default], [family NAME], [device BDF] or [device serial=NUMBER]\n"
	       "p.conf:3: unknown section, found [gpu 0], allowed: [default], [family NAME], [device BDF] or [device serial=NUMBER]\n");
	snprintf(error, sizeof(error), "p.conf:1: unknown family, found \"mi300\", allowed: %s; did you mean \"mi300x\"?\n",
		 families);
	expect("[family mi300]\n", error);
	expect("[device c1:00]\n",
	       "p.conf:1: not a PCI address, found \"c1:00\", allowed: such as 0000:c1:00.0, or serial=NUMBER\n");
	expect("[default\nmethod = quiesce\n",
	       "p.conf:1: section without its end, found \"[default\", allowed: [NAME]\n");
	expect("[default] method = quiesce\n",
	       "p.conf:1: section without its end, found \"[default] method = quiesce\", allowed: [NAME]\n");
}

static void test_twice(void)
{
	expect("[default]\nmethod = quiesce\nmethod = bus\n",
	       "p.conf:3: key given twice, found \"method\", allowed: once in a section; the first is in line 2\n");
	expect("[default]\n[family mi300x]\n[default]\n",
	       "p.conf:3: section given twice, found [default], allowed: once in a file; the first is in line 1\n");
	/* Both sections name the same device. */
	expect("[device c1:00.0]\n[device 0000:C1:00.0]\n",
	       "p.conf:2: section given twice, found [device 0000:C1:00.0], allowed: once in a file; the first is in line 1\n");
}

static void test_wrong_lines(void)
{
	struct conf conf;
	char text[1024], error[256];

	expect("method = quiesce\n",
	       "p.conf:1: key outside a section, found \"method\", allowed: after [default], [family NAME], [device BDF] or [device serial=NUMBER]\n");
	expect("[default]\nmethod\n",
	       "p.conf:2: not a setting, found \"method\", allowed: KEY = VALUE\n");
	CHECK_INT(read_bytes(&conf, "[default]\nmethod = a\0b\n", 23), EXIT_OK);
	CHECK_STR(util_caught, "p.conf:2: found a NUL byte, allowed: text\n");
	conf_free(&conf);

	memset(text, 'x', 600);
	memcpy(text, "[default]\nmethod = ", 19);
	strcpy(text + 600, "\n");
	snprintf(error, sizeof(error), "p.conf:2: line too long, found 590 bytes, allowed: 199\n");
	expect(text, error);
	/* A comment may have any length. */
	text[10] = '#';
	expect(text, "");
}

static void test_all_errors_in_one_run(void)
{
	struct conf conf;
	const char *text = "method = quiesce\n[defualt]\nmetod = x\ntenancy = many\n"
			   "[family mi300x]\nmailbox = 3\nmailbox = discovery\n";

	read_bytes(&conf, text, strlen(text));
	CHECK_INT(conf.errors, 6);
	conf_free(&conf);
}

static void test_unreadable(void)
{
	struct conf conf;

	util_catch(STDERR_FILENO);
	CHECK_INT(conf_open(&conf, "absent"), EXIT_ERROR);
	CHECK_STR(util_caught_text(), "instinctctl: cannot read the policy absent: No such file or directory\n");
	CHECK_STR(conf.name, "absent");
	CHECK_INT(conf.errors, 1);
	CHECK_STR(conf.error[0].file, "absent");
	CHECK_STR(conf.error[0].text, "No such file or directory");
	conf_free(&conf);
	util_catch(STDERR_FILENO);
	CHECK_INT(conf_open(&conf, "."), EXIT_ERROR);
	CHECK_STR(util_caught_text(), "instinctctl: cannot read the policy .: Is a directory\n");
	conf_free(&conf);
}

static const struct device mi300x = {
	.bdf = "0000:c1:00.0", .family = "mi300x", .vendor = 0x1002, .device = 0x74a1,
};
static const struct device mi355x = {
	.bdf = "0000:c2:00.0", .family = "mi355x", .vendor = 0x1002, .device = 0x75a3,
};

static void test_defaults(void)
{
	struct policy policy;
	struct conf conf;

	read_bytes(&conf, "", 0);
	conf_merge(&conf, &mi300x, &policy);
	CHECK_INT(policy.method, INSTINCT_VFIO_METHOD_AUTO);
	CHECK_INT(policy.tenancy, INSTINCT_VFIO_TENANCY_MULTI);
	CHECK_INT(policy.bus_port, INSTINCT_VFIO_BUS_PORT_SWDS);
	CHECK_INT(policy.ready_timeout, 0);
	CHECK_INT(policy.mailbox, 0);
	conf_free(&conf);
}

static void test_merge_whatever_the_order(void)
{
	const char *text = "[device c1:00.0]\nmethod = quiesce\n"
			   "[family mi300x]\nmethod = bus\ntenancy = multi\n"
			   "[default]\nmethod = mode1\ntenancy = single\nready_timeout = 2s\n";
	struct device other = mi300x;
	struct policy policy;
	struct conf conf;

	CHECK_INT(read_bytes(&conf, text, strlen(text)), EXIT_OK);
	conf_merge(&conf, &mi300x, &policy);
	CHECK_INT(policy.method, INSTINCT_VFIO_METHOD_QUIESCE);
	CHECK_INT(policy.tenancy, INSTINCT_VFIO_TENANCY_MULTI);
	CHECK_INT(policy.ready_timeout, 2000);
	strcpy(other.bdf, "0001:c1:00.0");
	conf_merge(&conf, &other, &policy);
	CHECK_INT(policy.method, INSTINCT_VFIO_METHOD_BUS);
	conf_merge(&conf, &mi355x, &policy);
	CHECK_INT(policy.method, INSTINCT_VFIO_METHOD_MODE1);
	CHECK_INT(policy.tenancy, INSTINCT_VFIO_TENANCY_SINGLE);
	conf_free(&conf);
}

static void test_devices(void)
{
	const char *text = "[device c1:00.0]\n[device c2:00.0]\nacs = vm\nmethod = bus\n"
			   "[device c3:00.0]\n[family mi350p]\n";
	struct devices managed = { 0 };
	struct conf conf;

	*devices_add(&managed) = mi300x;
	mkdir("sys", 0700);
	mkdir("sys/bus", 0700);
	mkdir("sys/bus/pci", 0700);
	mkdir("sys/bus/pci/devices", 0700);
	mkdir("sys/bus/pci/devices/0000:c1:00.0", 0700);
	mkdir("sys/bus/pci/devices/0000:c2:00.0", 0700);
	opt_sysroot = ".";
	read_bytes(&conf, text, strlen(text));
	util_catch(STDERR_FILENO);
	conf_check_present(&conf);
	conf_check_managed(&conf, &managed);
	CHECK_STR(util_caught_text(),
		  "p.conf:5: warning: this host has no PCI device with the address, found [device 0000:c3:00.0]; instinctctl ignores this section\n"
		  "p.conf:4: no GPU that instinct-vfio knows, found method of 0000:c2:00.0, allowed: only ACS and ATS keys\n");
	CHECK_INT(conf.errors, 1);
	CHECK_INT(conf_absent(&conf), 1);
	conf_add_unmanaged(&conf, &managed);
	CHECK_INT(managed.count, 2);
	CHECK_STR(managed.list[1].bdf, "0000:c2:00.0");
	devices_free(&managed);
	conf_free(&conf);
}

/* A line has room for the maximum of 16 peers only if it omits their domains. */
static void test_peers(void)
{
	char text[512] = "[default]\npeer =", *at = text + strlen(text);
	struct policy policy;
	struct conf conf;
	int i;

	for (i = 0; i < 16; i++)
		at += sprintf(at, " %02x:00.0", i + 1);
	strcpy(at, "\n");
	expect_sections(text, 1);
	strcpy(at, " 15b3:1021\n");
	CHECK_INT(read_bytes(&conf, text, strlen(text)), EXIT_OK);
	CHECK(strstr(util_caught, "and IDs such as 15b3:1021; peer names more than 16 functions\n"));
	conf_free(&conf);

	strcpy(text, "[default]\npeer = C1:00.0  15b3:1021\nhotspot_warning = none\n");
	CHECK_INT(read_bytes(&conf, text, strlen(text)), EXIT_OK);
	conf_merge(&conf, &mi300x, &policy);
	CHECK_STR(text_of(policy.peer), "0000:c1:00.0 15b3:1021");
	conf_free(&conf);
}

/* One GPU has a serial number, one has none, and that of the third cannot be read. */
static void test_unknown_serials(void)
{
	struct device list[] = {
		{ .bdf = "0000:c1:00.0", .serial = 0x1122334455667788 },
		{ .bdf = "0000:c2:00.0" },
		{ .bdf = "0000:c3:00.0", .serial_unknown = true },
	};
	const struct devices devices = { list, 3 };
	struct conf conf;

	read_bytes(&conf, "[device serial=1122334455667799]\n", 33);
	CHECK(!conf_is_unsure(&conf, &list[0]));
	CHECK(!conf_is_unsure(&conf, &list[1]));
	CHECK(conf_is_unsure(&conf, &list[2]));
	util_catch(STDERR_FILENO);
	conf_check_managed(&conf, &devices);
	CHECK_STR(util_caught_text(),
		  "instinctctl: warning: cannot read the serial number of 0000:c3:00.0 (lost? in reset? not root?): a section [device serial=...] may be meant for it, so it gets no policy\n");
	CHECK_INT(conf.errors, 0);
	conf_free(&conf);

	read_bytes(&conf, "[device c3:00.0]\n", 17);
	CHECK(!conf_is_unsure(&conf, &list[2]));
	conf_free(&conf);
}

static void test_values(void)
{
	const char *text = "[default]\nmailbox = 0x80000\n[device c2:00.0]\nmailbox = 0x58000\n";
	struct device list[] = { mi300x, mi355x, mi300x };
	struct devices devices = { list, 3 };
	struct conf conf;

	read_bytes(&conf, text, strlen(text));
	util_catch(STDERR_FILENO);
	conf_check_values(&conf, &devices);
	CHECK_STR(util_caught_text(),
		  "p.conf:2: wrong value of mailbox for 0000:c1:00.0 (mi300x), found \"0x80000\", allowed: mailbox must be a dword-aligned offset inside the register BAR\n");
	CHECK_INT(conf.errors, 1);
	conf_free(&conf);

	/* The error names the key that was set last, or the only one that was set. */
	text = "[default]\nboard_warning = 80\nboard_critical = 70\nhotspot_critical = 99\n";
	read_bytes(&conf, text, strlen(text));
	util_catch(STDERR_FILENO);
	conf_check_values(&conf, &devices);
	CHECK_STR(util_caught_text(),
		  "p.conf:4: wrong value of hotspot_critical for 0000:c1:00.0 (mi300x), found \"99\", allowed: a warning threshold must not be above the critical one of its sensor\n"
		  "p.conf:3: wrong value of board_critical for 0000:c1:00.0 (mi300x), found \"70\", allowed: a warning threshold must not be above the critical one of its sensor\n");
	CHECK_INT(conf.errors, 2);
	conf_free(&conf);
}

/* The count belongs to the host or to a family; a later file's section of the same name wins. */
static void test_expected_gpus(void)
{
	const char *text = "[default]\nexpect_gpus = 8\n[family mi300x]\nexpect_gpus = 0\n"
			   "[family mi355x]\nexpect_gpus = any\n";
	const struct conf_section *section;
	struct conf conf;

	CHECK_INT(read_bytes(&conf, text, strlen(text)), EXIT_OK);
	CHECK_INT(conf.errors, 0);
	section = conf_expected(&conf, NULL);
	CHECK(section && section->value[CONF_EXPECT_GPUS] == 8);
	section = conf_expected(&conf, "mi300x");
	CHECK(section && section->value[CONF_EXPECT_GPUS] == 0);
	CHECK(!conf_expected(&conf, "mi355x"));
	CHECK(!conf_expected(&conf, "mi325x"));
	conf_free(&conf);
	expect("[default]\nexpect_gpus = 257\n",
	       "p.conf:2: wrong value of expect_gpus, found \"257\", allowed: any, or a number from 0 to 256\n");
	expect("[default]\nexpect_gpus = 4294967295\n",
	       "p.conf:2: wrong value of expect_gpus, found \"4294967295\", allowed: any, or a number from 0 to 256\n");
	expect("[device c1:00.0]\nexpect_gpus = 1\n",
	       "p.conf:2: key of a whole host in the section of a device, found \"expect_gpus\", allowed: in [default] and [family NAME]\n");
}

/* A value that show-policy prints reads back as the same value. */
static void test_written_values_read_back(void)
{
	static const uint32_t values[][CONF_KEYS] = {
		{ 0, 0, 0, 1000, 0, [CONF_CONFIG_TIMEOUT] = 100,
		  [CONF_THERMAL_STALE] = 1000 },
		{ 1, 1, 1, 1001, 4, [CONF_CONFIG_VERIFY] = 1, [CONF_CONFIG_TIMEOUT] = 2500,
		  [CONF_HOTSPOT_WARNING] = 100000, [CONF_HOTSPOT_CRITICAL] = 200000,
		  [CONF_MEMORY_WARNING] = 1, [CONF_THERMAL_HYSTERESIS] = 50000,
		  [CONF_THERMAL_STALE] = 3600000 },
		{ 3, 0, 1, 600000, 0x1ffffc, [CONF_CONFIG_UNBLOCK] = 3,
		  [CONF_CONFIG_TIMEOUT] = 600000, [CONF_BOARD_WARNING] = 70010,
		  [CONF_BOARD_CRITICAL] = 80500, [CONF_THERMAL_HOLD] = 3600000,
		  [CONF_THERMAL_STALE] = 1001,
		  [CONF_HOTSPOT_SENSOR] = TEXT_NONE },
		{ 2, 1, 0, 60000, 0x58000, [CONF_CONFIG_TIMEOUT] = 10000,
		  [CONF_THERMAL_STALE] = 1000 },
		{ 0, 0, 0, 1000, 0, [CONF_CONFIG_TIMEOUT] = 100, [CONF_ACS] = 1,
		  [CONF_ACS_ROOT_PORT] = 0x1d, [CONF_ACS_PACKAGE] = 0x1fff,
		  [CONF_ACS_DOWNSTREAM] = INSTINCT_VFIO_ACS_BITS_PRESET,
		  [CONF_ATS] = 2, [CONF_CHECK_INTERVAL] = 1500,
		  [CONF_THERMAL_STALE] = 1000 },
	};
	uint32_t value, wanted;
	char text[64];
	size_t i, key;

	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		for (key = 0; key < CONF_KEYS; key++) {
			wanted = values[i][key];
			conf_key_format(&conf_keys[key], wanted, text, sizeof(text));
			CHECK(conf_key_parse(&conf_keys[key], text, &value));
			CHECK_INT(value, wanted);
		}
}

/* Compares the bounds in a text such as "never, or 100ms to 60min" with those of the key. */
static void expect_bounds(const struct conf_key *key)
{
	char low[TEXT_BYTES], high[TEXT_BYTES];
	const char *to = strstr(key->allowed, " to "), *begin = to;
	uint32_t value;

	CHECK(to);
	while (begin > key->allowed && begin[-1] != ' ')
		begin--;
	snprintf(low, sizeof(low), "%.*s", (int)(to - begin), begin);
	snprintf(high, sizeof(high), "%.*s", (int)strcspn(to + 4, " ,"), to + 4);
	CHECK(conf_key_parse(key, low, &value));
	CHECK_INT(value, key->min);
	CHECK(conf_key_parse(key, high, &value));
	CHECK_INT(value, key->max);
}

/* The text of a key's allowed values names the words and bounds that the parser accepts. */
static void test_allowed_is_what_it_says(void)
{
	char text[TEXT_BYTES];
	struct names words;
	uint32_t value;
	size_t i, word;

	for (i = 0; i < CONF_KEYS; i++) {
		const struct conf_key *key = &conf_keys[i];

		conf_key_words(key, &words);
		if (key->kind == INSTINCT_KIND_WORD) {
			name_list(&words, text, sizeof(text));
			CHECK_STR(key->allowed, text);
		}
		for (word = 0; word < words.count; word++) {
			CHECK(strstr(key->allowed, words.name[word]));
			CHECK(conf_key_parse(key, words.name[word], &value));
			conf_key_format(key, value, text, sizeof(text));
			CHECK_STR(text, words.name[word]);
		}
		if (key->kind == INSTINCT_KIND_OFFSET) {
			snprintf(text, sizeof(text), "below 0x%x,", key->max + 4);
			CHECK(strstr(key->allowed, text));
		} else if (key->kind == INSTINCT_KIND_NUMBER) {
			snprintf(text, sizeof(text), "from %u to %u", key->min, key->max);
			CHECK(strstr(key->allowed, text));
		} else if (key->kind != INSTINCT_KIND_WORD && !key->text) {
			expect_bounds(key);
		}
	}
}

static bool takes(size_t key, const char *text, const char *written)
{
	char again[TEXT_BYTES];
	uint32_t value;

	if (!conf_key_parse(&conf_keys[key], text, &value))
		return false;
	conf_key_format(&conf_keys[key], value, again, sizeof(again));
	CHECK_STR(again, written);
	return true;
}

static void test_heat(void)
{
	CHECK(takes(CONF_HOTSPOT_WARNING, "100", "100"));
	CHECK(takes(CONF_HOTSPOT_WARNING, "100 C", "100"));
	CHECK(takes(CONF_HOTSPOT_WARNING, "99.50", "99.5"));
	CHECK(takes(CONF_HOTSPOT_WARNING, "none", "none"));
	CHECK(!takes(CONF_HOTSPOT_WARNING, "0", ""));
	CHECK(!takes(CONF_HOTSPOT_WARNING, "-1", ""));
	CHECK(!takes(CONF_HOTSPOT_WARNING, "201", ""));
	CHECK(!takes(CONF_HOTSPOT_WARNING, "200.001", ""));
	CHECK(!takes(CONF_HOTSPOT_WARNING, "99.5001", ""));
	CHECK(!takes(CONF_HOTSPOT_WARNING, "100 F", ""));
	CHECK(!takes(CONF_HOTSPOT_WARNING, "4294967396", ""));
	CHECK(takes(CONF_HOTSPOT_SENSOR, "ipmi:GPU*_TEMP", "ipmi:GPU*_TEMP"));
	CHECK(takes(CONF_HOTSPOT_SENSOR, "hwmon:amdgpu/junction", "hwmon:amdgpu/junction"));
	CHECK(!takes(CONF_HOTSPOT_SENSOR, "hwmon:amdgpu", ""));
	CHECK(!takes(CONF_HOTSPOT_SENSOR, "hwmon:/junction", ""));
	CHECK(!takes(CONF_HOTSPOT_SENSOR, "ipmi:", ""));
}

/* The parser survives random files, under the sanitizers. */
static void test_noise(void)
{
	static const char *const words[] = {
		"[default]", "[family mi300x]", "[device c1:00.0]", "method", "=",
		"mode1", "\n", "\n", " ", "#", ";", "[", "]", "\r", "\xef\xbb\xbf",
		"mailbox", "0x58000", "60s", "\t", "\x01", "\xff", ":",
	};
	char text[512];
	int round, i;

	srandom(1);
	for (round = 0; round < 1000; round++) {
		struct conf conf;
		struct policy policy;
		size_t at = 0;

		for (i = 0; i < 40; i++)
			at += sprintf(text + at, "%s", words[random() %
				      (long)(sizeof(words) / sizeof(words[0]))]);
		CHECK_INT(read_bytes(&conf, text, at), EXIT_OK);
		CHECK_INT(!conf.errors, !*util_caught);
		conf_merge(&conf, &mi300x, &policy);
		conf_free(&conf);
	}
}

int main(void)
{
	util_begin();
	RUN(test_valid_files);
	RUN(test_unknown_key);
	RUN(test_wrong_words);
	RUN(test_meant_words);
	RUN(test_times);
	RUN(test_mailboxes);
	RUN(test_wrong_sections);
	RUN(test_twice);
	RUN(test_wrong_lines);
	RUN(test_all_errors_in_one_run);
	RUN(test_unreadable);
	RUN(test_defaults);
	RUN(test_merge_whatever_the_order);
	RUN(test_devices);
	RUN(test_peers);
	RUN(test_unknown_serials);
	RUN(test_values);
	RUN(test_expected_gpus);
	RUN(test_written_values_read_back);
	RUN(test_allowed_is_what_it_says);
	RUN(test_heat);
	RUN(test_noise);
	return unit_end();
}
