// SPDX-License-Identifier: GPL-2.0-only
/* Output: events for people and programs, devices for programs. */
#include <errno.h>
#include <time.h>

#include "helper_util.h"
#include "host_clock.h"
#include "out.h"
#include "say.h"

static const struct event reset_done = {
	.seq = 12,
	.epoch = 99,
	.time = 5000000000,
	.kind = INSTINCT_VFIO_EVENT_RESET_DONE,
	.bdf = "0000:c1:00.0",
	.serial = 0x1122,
	.cause = INSTINCT_VFIO_CAUSE_VFIO_RESET,
	.method = INSTINCT_VFIO_METHOD_MODE1,
	.duration = 1004000000,
	.phase = {
		{ INSTINCT_VFIO_PHASE_QUIESCE, 1900000 },
		{ INSTINCT_VFIO_PHASE_TRIGGER, 999999 },
		{ INSTINCT_VFIO_PHASE_READY, 1001000000 },
	},
	.phases = 3,
};

/* Returns the printed line without its time, which is that of the wall clock. */
static const char *event_text(const struct event *event)
{
	char *device;

	util_catch(STDOUT_FILENO);
	out_event_text(event);
	util_caught_text();
	device = strstr(util_caught, event->bdf);
	CHECK(device);
	return device ? device : "";
}

static void test_event_text(void)
{
	struct event event = reset_done;

	CHECK_STR(event_text(&event), "0000:c1:00.0  reset-done       mode1 (vfio-reset) in 1.004 s: quiesce 1 ms, ready 1001 ms\n");
	CHECK(!strncmp(util_caught, "#12    ", 7));
	event.kind = INSTINCT_VFIO_EVENT_RESET_FAILED;
	event.error = ETIMEDOUT;
	snprintf(event.reason, sizeof(event.reason), "no sign of life");
	event.phases = 0;
	CHECK_STR(event_text(&event), "0000:c1:00.0  reset-failed     mode1 (vfio-reset) in 1.004 s; Connection timed out; no sign of life\n");
	event = (struct event) { .kind = INSTINCT_VFIO_EVENT_DEVICE_LOST,
		.bdf = "0000:c1:00.0", .state = INSTINCT_VFIO_STATE_LOST };
	CHECK_STR(event_text(&event), "0000:c1:00.0  device-lost      lost\n");
	event.kind = 1000;
	event.state = 1000;
	CHECK_STR(event_text(&event), "0000:c1:00.0  unknown          unknown\n");
}

/* An event of one of the GPUs of a hive: its number, kind and cause. */
static struct event of_hive(unsigned int gpu, uint64_t seq, uint32_t kind, uint32_t cause)
{
	struct event event = {
		.seq = seq, .kind = kind, .cause = cause, .method = INSTINCT_VFIO_METHOD_MODE1,
		.state = INSTINCT_VFIO_STATE_READY,
	};

	if (kind == INSTINCT_VFIO_EVENT_RESET_DONE)
		event.duration = (500 + seq) * 1000000;
	snprintf(event.bdf, sizeof(event.bdf), "0000:c%u:00.0", gpu);
	return event;
}

#define BEGUN	INSTINCT_VFIO_EVENT_RESET_BEGUN
#define DONE	INSTINCT_VFIO_EVENT_RESET_DONE
#define FAILED	INSTINCT_VFIO_EVENT_RESET_FAILED
#define ASKED	INSTINCT_VFIO_CAUSE_NETLINK
#define HIVE	INSTINCT_VFIO_CAUSE_HIVE

/* Returns what is printed of events, without their times; @late: a second passes after so many. */
static const char *folded(const struct event *events, size_t count, size_t late)
{
	static char text[2048];
	struct fold fold = { 0 };
	char *line, *rest;
	size_t i, at = 0;

	util_catch(STDOUT_FILENO);
	for (i = 0; i < count; i++) {
		out_fold_event(&fold, &events[i]);
		if (i + 1 == late && out_fold_due(&fold))
			out_fold_late(&fold);
	}
	out_fold_end(&fold);
	util_caught_text();
	*text = '\0';
	for (line = strtok_r(util_caught, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		int number = atoi(line + 1);

		line = strstr(line, "0000:");
		CHECK(line);
		at += snprintf(text + at, sizeof(text) - at, "%d %s|", number, line ? line + 5 : "");
	}
	return text;
}

static void test_fold(void)
{
	struct event hive[] = {
		of_hive(1, 1, BEGUN, ASKED), of_hive(0, 2, BEGUN, HIVE), of_hive(2, 3, BEGUN, HIVE),
		of_hive(0, 4, DONE, HIVE), of_hive(1, 5, DONE, ASKED), of_hive(2, 6, DONE, HIVE),
	};
	struct event alone[] = {
		of_hive(1, 1, BEGUN, ASKED), of_hive(1, 2, DONE, ASKED), of_hive(2, 3, BEGUN, HIVE),
		of_hive(2, 4, DONE, HIVE),
	};
	struct event two[] = {
		of_hive(1, 1, BEGUN, ASKED), of_hive(2, 2, BEGUN, ASKED), of_hive(0, 3, BEGUN, HIVE),
		of_hive(0, 4, DONE, HIVE), of_hive(1, 5, DONE, ASKED), of_hive(2, 6, DONE, ASKED),
	};

	CHECK_STR(folded(hive, 6, 0), "6 c1:00.0  reset-done       mode1 (on request) in 0.506 s, with 2 more GPUs of its hive|");
	/* A reset that takes long is told of when it has begun, and no GPU's end waits for another's. */
	CHECK_STR(folded(hive, 4, 3), "1 c1:00.0  reset-begun      mode1 (on request), with 2 more GPUs of its hive|"
		  "4 c0:00.0  reset-done       mode1 (hive) in 0.504 s|");
	CHECK_STR(folded(hive, 6, 4), "1 c1:00.0  reset-begun      mode1 (on request), with 2 more GPUs of its hive|"
		  "4 c0:00.0  reset-done       mode1 (hive) in 0.504 s|5 c1:00.0  reset-done       mode1 (on request) in 0.505 s|"
		  "6 c2:00.0  reset-done       mode1 (hive) in 0.506 s|");
	/* One that is not over yet. */
	CHECK_STR(folded(hive, 4, 0), "1 c1:00.0  reset-begun      mode1 (on request)|2 c0:00.0  reset-begun      mode1 (hive)|"
		  "3 c2:00.0  reset-begun      mode1 (hive)|4 c0:00.0  reset-done       mode1 (hive) in 0.504 s|");
	/* Resets of one GPU, and of two hives at once, are not folded. */
	CHECK_STR(folded(alone, 4, 1), "1 c1:00.0  reset-begun      mode1 (on request)|2 c1:00.0  reset-done       mode1 (on request) in 0.502 s|"
		  "3 c2:00.0  reset-begun      mode1 (hive)|4 c2:00.0  reset-done       mode1 (hive) in 0.504 s|");
	CHECK(!strstr(folded(two, 6, 0), "more"));
	CHECK(strstr(folded(two, 6, 0), "6 c2:00.0  reset-done"));
	/* A GPU that does not come back well is seen, with all that has happened. */
	hive[3].state = INSTINCT_VFIO_STATE_QUARANTINED;
	CHECK_STR(folded(hive, 4, 0), "1 c1:00.0  reset-begun      mode1 (on request)|2 c0:00.0  reset-begun      mode1 (hive)|"
		  "3 c2:00.0  reset-begun      mode1 (hive)|4 c0:00.0  reset-done       mode1 (hive) in 0.504 s|");
	hive[3] = of_hive(0, 4, FAILED, HIVE);
	CHECK(strstr(folded(hive, 6, 0), "|4 c0:00.0  reset-failed     mode1 (hive)|5 c1:00.0  reset-done"));
	/* Events of another kind come after those that were held back. */
	hive[3] = of_hive(0, 4, INSTINCT_VFIO_EVENT_CONFIG_VERIFIED, 0);
	CHECK_STR(folded(hive, 4, 0), "1 c1:00.0  reset-begun      mode1 (on request)|2 c0:00.0  reset-begun      mode1 (hive)|"
		  "3 c2:00.0  reset-begun      mode1 (hive)|4 c0:00.0  config-verified  after 0 ms|");
}

static void test_event_json(void)
{
	util_catch(STDOUT_FILENO);
	out_json(out_event_json(&reset_done), JSON_COMPACT);
	util_caught_text();
	CHECK_STR(util_undated(util_caught), "{\"seq\":12,\"epoch\":99,\"time_ns\":5000000000,\"time\":\"0000-00-00T00:00:00.000Z\",\"kind\":\"reset-done\",\"bdf\":\"0000:c1:00.0\",\"serial\":\"0x0000000000001122\",\"state\":\"ready\",\"cause\":\"vfio-reset\",\"method\":\"mode1\",\"error\":0,\"duration_ns\":1004000000,\"phases\":[{\"phase\":\"quiesce\",\"duration_ns\":1900000},{\"phase\":\"trigger\",\"duration_ns\":999999},{\"phase\":\"ready\",\"duration_ns\":1001000000}],\"reason\":\"\"}\n");
}

/* An event's time becomes wall-clock time, to within two seconds. */
static void test_event_time(void)
{
	struct event event = { 0 };
	struct timespec up;
	struct tm utc = { 0 };
	double off;

	clock_gettime(CLOCK_BOOTTIME, &up);
	event.time = up.tv_sec * 1000000000ull;
	CHECK(strptime(out_event_time(&event), "%Y-%m-%dT%H:%M:%S.", &utc));
	off = difftime(time(NULL), timegm(&utc));
	CHECK(off >= -2 && off <= 2);
}

static void expect_message(const struct event *event, const char *wanted)
{
	char *text = out_event_message(event);

	CHECK_STR(text, wanted);
	free(text);
}

static void test_event_message(void)
{
	struct event heat = {
		.seq = 3, .bdf = "0000:c1:00.0", .thermal = true,
		.kind = INSTINCT_VFIO_EVENT_THERMAL_WARNING,
		.sensor = INSTINCT_VFIO_SENSOR_HOTSPOT,
		.source = INSTINCT_VFIO_SOURCE_IPMI, .temperature = 101000,
		.alarm = INSTINCT_VFIO_ALARM_WARNING, .threshold = 100000,
	};
	struct gap gap = { 7, 3, 4 };
	json_t *json = out_gap_json(&gap);
	char *text = json_dumps(json, JSON_COMPACT);

	expect_message(&reset_done, "0000:c1:00.0 reset-done: mode1 (vfio-reset) in 1.004 s: quiesce 1 ms, ready 1001 ms");
	expect_message(&heat, "0000:c1:00.0 thermal-warning: hotspot 101.0 C reached its warning threshold of 100.0 C (ipmi)");
	heat.temperature = 96000;
	heat.kind = INSTINCT_VFIO_EVENT_THERMAL_CLEARED;
	expect_message(&heat, "0000:c1:00.0 thermal-cleared: hotspot 96.0 C, warning (100.0 C) cleared (ipmi)");
	heat.kind = INSTINCT_VFIO_EVENT_THERMAL_STALE;
	expect_message(&heat, "0000:c1:00.0 thermal-stale: hotspot is not known any more: ipmi says nothing, its last was 96.0 C");
	heat.kind = INSTINCT_VFIO_EVENT_THERMAL_FRESH;
	expect_message(&heat, "0000:c1:00.0 thermal-fresh: hotspot 96.0 C, known again (ipmi)");
	CHECK_STR(text, "{\"gap\":{\"epoch\":7,\"first\":3,\"last\":4}}");
	free(text);
	json_decref(json);
}

static struct device managed(void)
{
	struct device dev = {
		.bdf = "0000:c1:00.0", .vendor = 0x1002, .device = 0x74a1,
		.model = "MI300X", .family = "mi300x", .driver = "instinct_vfio_pci",
		.state = INSTINCT_VFIO_STATE_QUARANTINED, .reason = "not scrubbed",
		.numa_node = 1, .iommu_group = 42, .open = 1, .serial = 0xabc,
		.lost_by = 1u << INSTINCT_VFIO_METHOD_MODE1 | 1u << INSTINCT_VFIO_METHOD_BUS,
		.port = { { "0000:c0:01.0", 0x1022, 0x1500, PORT_SWUS } },
		.ports = 1,
		.resets = { .hardware = 5, .failed = 1 },
	};

	return dev;
}

static void test_device_json(void)
{
	struct device list[] = { managed() };
	struct devices devices = { list, 1 };
	json_t *json, *dev;

	util_catch(STDOUT_FILENO);
	out_json(out_devices_json(&devices), JSON_INDENT(2));
	json = json_loads(util_caught_text(), 0, NULL);
	CHECK(json);
	CHECK_INT(json_integer_value(json_object_get(json, "version")), 1);
	CHECK_INT(json_object_size(json), 2);
	dev = json_array_get(json_object_get(json, "devices"), 0);
	CHECK_INT(json_object_size(dev), 24);
	CHECK(json_is_null(json_object_get(dev, "answers")));
	CHECK(json_is_null(json_object_get(dev, "users")));
	CHECK(json_is_null(json_object_get(dev, "persist")));
	CHECK_STR(json_string_value(json_object_get(dev, "vendor")), "0x1002");
	CHECK_STR(json_string_value(json_object_get(dev, "state")), "quarantined");
	CHECK_INT(json_integer_value(json_object_get(dev, "iommu_group")), 42);
	CHECK_INT(json_array_size(json_object_get(dev, "lost_by")), 2);
	CHECK_STR(json_string_value(json_array_get(json_object_get(dev, "lost_by"), 0)), "mode1");
	CHECK_INT(json_object_size(json_object_get(dev, "policy")), 25);
	CHECK_INT(json_object_size(json_object_get(dev, "resets")), 4);
	CHECK_STR(json_string_value(json_object_get(json_array_get(
		json_object_get(dev, "path"), 0), "role")), "swus");
	json_decref(json);
}

static void test_users(void)
{
	struct user users[] = {
		{ .pid = 4242, .comm = "qemu-system-x86", .manager = "libvirt", .vm = "vm1",
		  .guest = "0000:05:00.0" },
		{ .pid = 99, .comm = "orphan", .maybe = true },
	};
	struct device list[] = { managed() };
	struct devices devices = { list, 1 };
	json_t *json, *user;
	const char *text;

	list[0].users = (struct users) { users, 2 };
	list[0].users_known = true;
	list[0].persist = PERSIST_UDEV;
	util_catch(STDOUT_FILENO);
	out_devices_text(&devices, false);
	text = util_caught_text();
	CHECK(strstr(text, "\n  open by qemu-system-x86 (process 4242), libvirt VM vm1, at 0000:05:00.0 in the\n    guest\n"));
	CHECK(strstr(text, "\n  open, maybe by orphan (process 99)\n"));
	CHECK(strstr(text, "\n  bound at each boot (udev)\n"));
	CHECK(!strstr(text, "does not answer"));
	list[0].listened = true;
	list[0].silent = true;
	list[0].users.count = 0;
	util_catch(STDOUT_FILENO);
	out_devices_text(&devices, false);
	text = util_caught_text();
	CHECK(strstr(text, "\n  open by a process that cannot be seen from here\n"));
	CHECK(strstr(text, "\n  does not answer config reads: "));
	list[0].users.count = 2;
	util_catch(STDOUT_FILENO);
	out_json(out_devices_json(&devices), JSON_INDENT(2));
	json = json_loads(util_caught_text(), 0, NULL);
	user = json_array_get(json_object_get(json_array_get(json_object_get(json, "devices"), 0),
					      "users"), 1);
	CHECK_INT(json_object_size(user), 6);
	CHECK(json_is_false(json_object_get(user, "certain")));
	CHECK(json_is_null(json_object_get(user, "vm")));
	json_decref(json);
}

/* A table stays within 80 columns, even with long values. */
static void test_table_width(void)
{
	struct device list[] = { managed() };
	struct devices devices = { list, 1 };
	char *line, *rest;

	strcpy(list[0].driver, "a_driver_with_quite_a_long_name");
	list[0].reason[0] = '\0';
	util_catch(STDOUT_FILENO);
	out_devices_text(&devices, false);
	util_caught_text();
	for (line = strtok_r(util_caught, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest))
		CHECK(strlen(line) <= 80);
}

static void test_wide(void)
{
	struct user users[] = { { .pid = 4242, .comm = "qemu-system-x86", .manager = "libvirt" },
				{ .pid = 4243, .comm = "x", .vm = "a-vm-with-a-long-name" } };
	struct device list[] = { managed() };
	struct devices devices = { list, 1 };
	uint64_t now = host_clock_now().boottime;

	util_catch(STDOUT_FILENO);
	out_devices_text(&devices, true);
	CHECK(strstr(util_caught_text(), " OPEN RESETS   FAILED  VM               NUMA  HIVE HOTSPOT  LAST RESET\n"));
	CHECK(strstr(util_caught, "  -                   1     -       -  -\n"));
	list[0].users = (struct users) { users, 2 };
	list[0].numa_node = -1;
	list[0].hive_nodes = 8;
	list[0].hive_node = 3;
	list[0].sensor[0] = (struct sensor) { .kind = INSTINCT_VFIO_SENSOR_MEMORY, .known = true, .temperature = 50000 };
	list[0].sensor[1] = (struct sensor) { .kind = INSTINCT_VFIO_SENSOR_HOTSPOT, .known = true, .temperature = 101500 };
	list[0].sensors = 2;
	list[0].reset_at = now > 200000000000 ? now - 200000000000 : 1;
	list[0].reset_method = INSTINCT_VFIO_METHOD_MODE1;
	util_catch(STDOUT_FILENO);
	out_devices_text(&devices, true);
	CHECK(strstr(util_caught_text(), "  a-vm-with-a-long    -   3/8 101.5 C  mode1 "));
	CHECK(now <= 200000000000 || strstr(util_caught, "mode1 3 min ago\n"));
	list[0].sensor[1].stale = true;
	list[0].reset_failed = true;
	list[0].users.count = 1;
	util_catch(STDOUT_FILENO);
	out_devices_text(&devices, true);
	CHECK(strstr(util_caught_text(), "  qemu-system-x86     -   3/8       -  failed "));
}

static void test_color_only_when_asked(void)
{
	struct device list[] = { managed() };
	struct devices devices = { list, 1 };

	util_catch(STDOUT_FILENO);
	out_devices_text(&devices, false);
	CHECK(!strchr(util_caught_text(), '\033'));
	opt_color = true;
	util_catch(STDOUT_FILENO);
	out_devices_text(&devices, false);
	CHECK(strstr(util_caught_text(), "\033[31mquarantined"));
	opt_color = false;
}

/* The reason of a blocked GPU stands alone; a ready GPU's reason is that of a postponed reset. */
static void test_blocked(void)
{
	struct device list[] = { managed() };
	struct devices devices = { list, 1 };

	list[0].state = INSTINCT_VFIO_STATE_BLOCKED;
	list[0].open = 0;
	util_catch(STDOUT_FILENO);
	out_devices_text(&devices, false);
	CHECK(strstr(util_caught_text(), " blocked      instinct_vfio_pci    no      5        1\n  not scrubbed\n"));
	list[0].state = INSTINCT_VFIO_STATE_READY;
	util_catch(STDOUT_FILENO);
	out_devices_text(&devices, false);
	CHECK(strstr(util_caught_text(), "\n  reset postponed: not scrubbed\n"));
	opt_color = true;
	list[0].state = INSTINCT_VFIO_STATE_BLOCKED;
	util_catch(STDOUT_FILENO);
	out_devices_text(&devices, false);
	CHECK(strstr(util_caught_text(), "\033[33mblocked"));
	opt_color = false;
}

/* The module cuts a reason after 95 bytes. */
static void test_reason(void)
{
	char text[TEXT_BYTES];

	CHECK_STR(out_reason("the GPU is lost", text), "the GPU is lost");
	CHECK_STR(out_reason("a switch of this host does not answer for the devices below it, and so the module keeps from wr",
			     text),
		  "a switch of this host does not answer for the devices below it, and so the module keeps from ...");
	memset(text, 0, sizeof(text));
	CHECK_STR(out_reason("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", text),
		  "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
}

int main(void)
{
	util_begin();
	RUN(test_event_text);
	RUN(test_fold);
	RUN(test_event_json);
	RUN(test_event_time);
	RUN(test_event_message);
	RUN(test_device_json);
	RUN(test_users);
	RUN(test_table_width);
	RUN(test_wide);
	RUN(test_color_only_when_asked);
	RUN(test_blocked);
	RUN(test_reason);
	return unit_end();
}
