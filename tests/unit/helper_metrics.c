// SPDX-License-Identifier: GPL-2.0-only
/*
 * Metrics: their content, and whether Prometheus can read them for any snapshot. With --print
 * the test prints the metrics of a rich snapshot.
 */
#include <stdlib.h>

#include "metrics.h"
#include "prom_reader.h"
#include "say.h"

#define GOLDEN		"tests/golden/expected/metrics.prom"
#define MS		1000000ull
#define S		1000000000ull

static struct device rich_devices[] = {
	{
		.bdf = "0000:c1:00.0", .serial = 0xabc, .model = "MI300X", .family = "mi300x",
		.state = INSTINCT_VFIO_STATE_READY, .numa_node = 1, .open = 1,
		.resets = { .hardware = 9, .coalesced = 4, .quiesced = 1, .failed = 1 },
		.config = { .blocked = 12, .retried = 30, .verified = 3,
			    .failed = 0, .longest = 1250 * MS },
		.sensor = {
			{ .kind = INSTINCT_VFIO_SENSOR_HOTSPOT,
			  .source = INSTINCT_VFIO_SOURCE_HWMON, .known = true,
			  .temperature = 101500, .age = 2 * S,
			  .warning = 100000, .critical = 105000,
			  .alarm = INSTINCT_VFIO_ALARM_WARNING },
			{ .kind = INSTINCT_VFIO_SENSOR_MEMORY,
			  .source = INSTINCT_VFIO_SOURCE_IPMI, .known = true,
			  .temperature = 80000, .age = 90 * S, .stale = true,
			  .warning = 95000, .critical = 105500 },
			{ .kind = INSTINCT_VFIO_SENSOR_BOARD, .known = true,
			  .source = INSTINCT_VFIO_SOURCE_IPMI, .temperature = -500,
			  .age = 500 * MS },
		},
		.sensors = 3,
	},
	{
		.bdf = "0000:c6:00.0", .model = "MI300X", .family = "mi300x",
		.state = INSTINCT_VFIO_STATE_LOST, .reason = "no sign of life",
		.numa_node = -1,
		.sensor = { { .kind = INSTINCT_VFIO_SENSOR_HOTSPOT } },
		.sensors = 1,
	},
};

/* The address of the second one is another GPU's by now. */
static struct device rich_missing[] = {
	{ .bdf = "0000:c9:00.0", .serial = 0xdef, .model = "MI300X", .family = "mi300x",
	  .state = STATE_MISSING },
	{ .bdf = "0000:c6:00.0", .serial = 0x123, .model = "MI300X", .family = "mi300x",
	  .state = STATE_MISSING },
};

static struct tally rich_resets[] = {
	{ .method = INSTINCT_VFIO_METHOD_MODE1, .cause = INSTINCT_VFIO_CAUSE_OPEN,
	  .result = INSTINCT_VFIO_RESULT_DONE, .count = 5 },
	{ .method = INSTINCT_VFIO_METHOD_MODE1, .cause = INSTINCT_VFIO_CAUSE_CLOSE,
	  .result = INSTINCT_VFIO_RESULT_FAILED, .count = 1 },
	{ .method = INSTINCT_VFIO_METHOD_AUTO, .cause = INSTINCT_VFIO_CAUSE_VFIO_RESET,
	  .result = INSTINCT_VFIO_RESULT_COALESCED, .count = 4 },
};

static struct tally rich_events[] = {
	{ .event = INSTINCT_VFIO_EVENT_RESET_DONE, .count = 5 },
	{ .event = INSTINCT_VFIO_EVENT_POLICY_REJECTED, .count = 1 },
	{ .event = INSTINCT_VFIO_EVENT_ATS_UNMET, .count = 1 },
};

static struct device_stats rich_stats[] = {
	{ .bdf = "0000:c1:00.0", .reset = rich_resets, .resets = 3, .event = rich_events,
	  .events = 3, .policy_time = 1790000000 },
	{ .bdf = "0000:c6:00.0" },
};

static struct duration rich_durations[] = {
	{ .of = INSTINCT_VFIO_METHOD_MODE1, .count = 5, .sum = 5500 * MS },
	{ .of = INSTINCT_VFIO_METHOD_QUIESCE, .count = 1, .sum = 1500000 },
};

static struct duration rich_phases[] = {
	{ .of = INSTINCT_VFIO_PHASE_QUIESCE, .count = 6, .sum = 12 * MS },
	{ .of = INSTINCT_VFIO_PHASE_READY, .count = 5, .sum = 5001 * MS },
};

static struct isolated rich_isolation[] = {
	{ .bdf = "0000:c0:00.0", .role = INSTINCT_VFIO_ACS_ROLE_DOWNSTREAM, .capable = 0x5f,
	  .found = 0x5d, .wanted = 0x5d, .mask = 0x5f, .drifts = 1, .looked = 90 * S },
	{ .bdf = "0000:c0:01.0", .role = INSTINCT_VFIO_ACS_ROLE_PEER_DOWNSTREAM,
	  .capable = 0x5f, .found = 0x11, .wanted = 0x15, .mask = 0x5f, .drifts = 7, .looked = 90 * S },
	{ .bdf = "0000:c1:00.0", .of = "0000:c1:00.0", .ats = INSTINCT_VFIO_ATS_REQUIRED,
	  .ats_state = INSTINCT_VFIO_ATS_STATE_ON, .looked = 91 * S },
	{ .bdf = "0000:c2:00.0", .of = "0000:c1:00.0", .ats = INSTINCT_VFIO_ATS_REQUIRED,
	  .ats_state = INSTINCT_VFIO_ATS_STATE_LOST, .drifts = 2, .looked = 91 * S },
	{ .bdf = "0000:c6:00.0", .of = "0000:c6:00.0", .ats = INSTINCT_VFIO_ATS_IGNORE,
	  .ats_state = INSTINCT_VFIO_ATS_STATE_ABSENT },
};

static struct gpu_link rich_links[] = {
	{ .bdf = "0000:c1:00.0", .port = "0000:be:01.0",
	  .aer = { .known = true, .fatal = 1, .kind = { { "RxErr", 3 } }, .kinds = 1 } },
	{ .bdf = "0000:c1:00.0", .port = "0000:bf:00.0", .link = { 16000, 8, 32000, 16 },
	  .aer = { .known = true, .correctable = 7, .nonfatal = 2,
		   .kind = { { "RxErr", 5 }, { "BadTLP", 2 } }, .kinds = 2 } },
	{ .bdf = "0000:c1:00.0", .port = "0000:c1:00.0", .link = { 2500, 16, 32000, 16 } },
	{ .bdf = "0000:c6:00.0", .port = "0000:c6:00.0", .aer = { .known = true } },
};

/* The snapshot's lists are static, so the caller frees nothing. */
/* A sensor of a GPU that nobody knows, with its alarm raised. */
static struct heat_loose rich_loose[] = {
	{
		.name = "OAM_3/GPU_3_DIE_TEMP", .source = INSTINCT_VFIO_SOURCE_REDFISH,
		.kind = INSTINCT_VFIO_SENSOR_HOTSPOT,
		.policy = { .warning = 100000, .critical = 105000, .stale = 60000 },
		.sensor = {
			.sample[INSTINCT_VFIO_SOURCE_REDFISH] = { true, 106000, 99 * S },
			.source = INSTINCT_VFIO_SOURCE_REDFISH,
			.raised = 1 << INSTINCT_VFIO_ALARM_WARNING | 1 << INSTINCT_VFIO_ALARM_CRITICAL,
		},
	},
};
static const struct heat rich_heat = { .loose = rich_loose, .looses = 1 };

static struct snapshot rich(void)
{
	struct snapshot snapshot = {
		.module = true,
		.heat = &rich_heat,
		.taken = 1790000100500000000,
		.taken_boottime = 100 * S,
		.info = { .version = "0.1.0", .epoch = 1789000000123456789, .oldest = 905,
			  .newest = 5000, .capacity = 4096 },
		.devices = { rich_devices, 2 },
		.missing = { rich_missing, 2 },
		.links = { rich_links, 4 },
		.isolation = { rich_isolation, 5 },
		.stats = {
			.duration = rich_durations, .durations = 2,
			.phase = rich_phases, .phases = 2,
			.device = rich_stats, .devices = 2,
		},
		.has_place = true,
		.place = {
			.epoch = 1789000000123456789,
			.sink = {
				{ "journal", 5001, 5000, 0, 0 },
				{ "json", 4991, 4985, 5, 12 },
			},
			.sinks = 2, .samples = 10000, .samples_refused = 3,
		},
	};

	return snapshot;
}

/* The next call frees the returned text. */
static const char *text_of_snapshot(const struct snapshot *snapshot)
{
	static char *text;
	size_t length = 0;

	free(text);
	text = metrics_text(snapshot, &length);
	CHECK_INT(strlen(text), length);
	return text;
}

static bool has_line(const char *text, const char *line)
{
	size_t length = strlen(line);

	for (; text; text = strchr(text, '\n') ? strchr(text, '\n') + 1 : NULL)
		if (!strncmp(text, line, length) && text[length] == '\n')
			return true;
	printf("# no line: %s\n", line);
	return false;
}

/* Returns @text without the version, which differs from release to release. */
static char *versionless(const char *text)
{
	const char *mine = "build_info{version=\"" INSTINCT_VERSION "\"}";
	const char *at = strstr(text, mine);
	char *result = NULL;

	if (!at || asprintf(&result, "%.*sbuild_info{version=\"VERSION\"}%s", (int)(at - text),
			    text, at + strlen(mine)) < 0)
		return NULL;
	return result;
}

static void test_golden(void)
{
	struct snapshot snapshot = rich();
	char *found = versionless(text_of_snapshot(&snapshot));
	static char golden[65536];
	FILE *in = fopen(GOLDEN, "r");

	CHECK(in);
	if (in) {
		golden[fread(golden, 1, sizeof(golden) - 1, in)] = '\0';
		fclose(in);
	}
	if (!found || strcmp(found, golden))
		unit_fail(__FILE__, __LINE__, "not as " GOLDEN
			  "; build/unit/helper_metrics --print writes it anew");
	free(found);
	CHECK(check_readable(text_of_snapshot(&snapshot)) > 100);
}

static void test_no_module(void)
{
	struct snapshot snapshot;
	struct place place = { .sinks = 1 };

	/* A missing GPU of the machine that runs the test is none of its concern. */
	opt_sysroot = ".";
	CHECK_INT(snapshot_take(NULL, &place, &snapshot), 0);
	opt_sysroot = "";
	CHECK(snapshot.has_place && !snapshot.module);
	CHECK_INT(check_readable(text_of_snapshot(&snapshot)), 3);
	/* The timestamp shows a reader that nothing writes the file any more. */
	CHECK(snapshot.taken && strstr(text_of_snapshot(&snapshot), "\ninstinct_vfio_snapshot_timestamp_seconds 1"));
	CHECK(has_line(text_of_snapshot(&snapshot), "instinct_vfio_module_loaded 0"));
	*devices_add(&snapshot.missing) = rich_missing[0];
	CHECK(has_line(text_of_snapshot(&snapshot), "instinct_vfio_device_state{bdf=\"0000:c9:00.0\",state=\"missing\"} 1"));
	CHECK(has_line(text_of_snapshot(&snapshot), "instinct_vfio_device_missing{bdf=\"0000:c9:00.0\",serial=\"0x0000000000000def\",model=\"MI300X\",family=\"mi300x\"} 1"));
	snapshot_free(&snapshot);
}

/* Without GPUs and monitor: the text does not name families without samples. */
static void test_bare_module(void)
{
	struct snapshot snapshot = { .module = true };
	const char *text = text_of_snapshot(&snapshot);

	check_readable(text);
	CHECK(has_line(text, "instinct_vfio_module_loaded 1"));
	CHECK(has_line(text, "instinct_vfio_isolation_compliant 1"));
	CHECK(!strstr(text, "device_info"));
	CHECK(!strstr(text, "monitor"));
}

static void test_escaping(void)
{
	struct device list[] = { {
		.bdf = "0000:c1:00.0", .model = "a\"b\\c\nd\te\x80\xff{},=", .family = "",
	} };
	struct snapshot snapshot = { .module = true, .devices = { list, 1 } };
	const char *text = text_of_snapshot(&snapshot);

	check_readable(text);
	CHECK(has_line(text, "instinct_vfio_device_info{bdf=\"0000:c1:00.0\",serial=\"\",model=\"a\\\"b\\\\c\\nd?e??{},=\",family=\"\",numa_node=\"0\"} 1"));
}

/* Unknown values of a newer module get distinct names, so that no series repeats. */
static void test_unknown_names(void)
{
	struct tally events[] = { { .event = 1000, .count = 1 }, { .event = 1001, .count = 2 } };
	struct device_stats stats[] = { { .bdf = "0000:c1:00.0", .event = events, .events = 2 } };
	struct device list[] = { { .bdf = "0000:c1:00.0", .sensor = { { .kind = 77, .stale = true } },
				   .sensors = 1, .state = 55 } };
	struct snapshot snapshot = { .module = true, .devices = { list, 1 },
				     .stats = { .device = stats, .devices = 1 } };
	const char *text = text_of_snapshot(&snapshot);

	check_readable(text);
	CHECK(has_line(text, "instinct_vfio_events_total{bdf=\"0000:c1:00.0\",kind=\"1001\"} 2"));
	CHECK(has_line(text, "instinct_vfio_temperature_stale{bdf=\"0000:c1:00.0\",sensor=\"77\"} 1"));
	CHECK(has_line(text, "instinct_vfio_device_state{bdf=\"0000:c1:00.0\",state=\"ready\"} 0"));
}

/* The largest numbers */
static void test_extremes(void)
{
	struct duration durations[] = {
		{ .of = 1, .count = UINT64_MAX, .sum = UINT64_MAX },
		{ .of = 2 },
	};
	struct device list[] = { { .bdf = "0000:c1:00.0", .serial = UINT64_MAX,
		.resets = { .hardware = UINT64_MAX }, .config = { .longest = UINT64_MAX },
		.sensor = { { .known = true, .temperature = INT32_MIN, .age = UINT64_MAX } },
		.sensors = 1 } };
	struct snapshot snapshot = { .module = true, .devices = { list, 1 },
		.info = { .epoch = UINT64_MAX, .newest = UINT64_MAX },
		.stats = { .duration = durations, .durations = 2 },
	};
	const char *text = text_of_snapshot(&snapshot);

	check_readable(text);
	CHECK(has_line(text, "instinct_vfio_hardware_resets_total{bdf=\"0000:c1:00.0\"} 18446744073709551615"));
	CHECK(has_line(text, "instinct_vfio_config_write_longest_seconds{bdf=\"0000:c1:00.0\"} 18446744073.709551615"));
	CHECK(has_line(text, "instinct_vfio_temperature_celsius{bdf=\"0000:c1:00.0\",sensor=\"hotspot\"} -2147483.648"));
	CHECK(has_line(text, "instinct_vfio_reset_duration_seconds_sum{method=\"mode1\"} 18446744073.709551615"));
	CHECK(has_line(text, "instinct_vfio_reset_duration_seconds_count{method=\"mode1\"} 18446744073709551615"));
	CHECK(has_line(text, "instinct_vfio_reset_duration_seconds_sum{method=\"quiesce\"} 0"));
	CHECK(has_line(text, "instinct_vfio_reset_duration_seconds_count{method=\"quiesce\"} 0"));
}

static struct isolated ats(uint32_t policy, uint32_t state)
{
	struct isolated item = { .bdf = "0000:c1:00.0", .of = "0000:c1:00.0",
				 .ats = policy, .ats_state = state, .looked = 1 };

	return item;
}

static void check_ats(struct isolated item, uint32_t open, bool wanted)
{
	struct device list[] = { { .bdf = "0000:c1:00.0", .open = open } };
	struct snapshot snapshot = { .module = true, .devices = { list, 1 },
				     .isolation = { &item, 1 } };
	char line[128];

	snprintf(line, sizeof(line), "instinct_vfio_ats_compliant{bdf=\"%s\",of=\"%s\"} %d",
		 item.bdf, item.of, wanted);
	CHECK(has_line(text_of_snapshot(&snapshot), line));
	CHECK(has_line(text_of_snapshot(&snapshot), wanted ? "instinct_vfio_isolation_compliant 1" :
		       "instinct_vfio_isolation_compliant 0"));
}

static void test_ats(void)
{
	struct isolated peer = ats(INSTINCT_VFIO_ATS_REQUIRED, INSTINCT_VFIO_ATS_STATE_OFF);

	check_ats(ats(INSTINCT_VFIO_ATS_REQUIRED, INSTINCT_VFIO_ATS_STATE_ON), 1, true);
	check_ats(ats(INSTINCT_VFIO_ATS_REQUIRED, INSTINCT_VFIO_ATS_STATE_OFF), 0, true);
	check_ats(ats(INSTINCT_VFIO_ATS_REQUIRED, INSTINCT_VFIO_ATS_STATE_OFF), 1, false);
	check_ats(ats(INSTINCT_VFIO_ATS_REQUIRED, INSTINCT_VFIO_ATS_STATE_ABSENT), 0, false);
	check_ats(ats(INSTINCT_VFIO_ATS_REQUIRED, INSTINCT_VFIO_ATS_STATE_GONE), 0, false);
	check_ats(ats(INSTINCT_VFIO_ATS_PREFERRED, INSTINCT_VFIO_ATS_STATE_ABSENT), 1, true);
	check_ats(ats(INSTINCT_VFIO_ATS_PREFERRED, INSTINCT_VFIO_ATS_STATE_OFF), 1, true);
	check_ats(ats(INSTINCT_VFIO_ATS_PREFERRED, INSTINCT_VFIO_ATS_STATE_LOST), 0, false);
	check_ats(ats(INSTINCT_VFIO_ATS_PREFERRED, INSTINCT_VFIO_ATS_STATE_ASTRAY), 1, false);
	strcpy(peer.bdf, "0000:c2:00.0");
	check_ats(peer, 1, true);
}

/* Bits that the policy does not cover may have any value. */
static void test_acs(void)
{
	struct isolated list[] = {
		{ .bdf = "0000:c0:00.0", .found = 0x1d, .wanted = 0x0d, .mask = 0x0f,
		  .looked = 1 },
		{ .bdf = "0000:c0:01.0", .found = 0x1d, .wanted = 0x0d, .mask = 0x1f,
		  .looked = 1 },
		{ .bdf = "0000:c1:00.0", .of = "0000:c1:00.0",
		  .ats_state = INSTINCT_VFIO_ATS_STATE_LOST },
	};
	struct snapshot snapshot = { .module = true, .isolation = { list, 3 } };
	const char *text = text_of_snapshot(&snapshot);

	CHECK(has_line(text, "instinct_vfio_acs_compliant{port=\"0000:c0:00.0\"} 1"));
	CHECK(has_line(text, "instinct_vfio_acs_compliant{port=\"0000:c0:01.0\"} 0"));
	CHECK(has_line(text, "instinct_vfio_isolation_compliant 0"));
	CHECK(!strstr(text, "instinct_vfio_ats_"));
	list[1].mask = 0;
	CHECK(has_line(text_of_snapshot(&snapshot), "instinct_vfio_isolation_compliant 1"));
}

/* A port at which the module has never looked does not count as right. */
static void test_never_looked_at(void)
{
	struct isolated list[] = {
		{ .bdf = "0000:c0:00.0", .drifts = 3 },
		{ .bdf = "0000:c1:00.0", .of = "0000:c1:00.0", .ats = INSTINCT_VFIO_ATS_REQUIRED },
	};
	struct snapshot snapshot = { .module = true, .isolation = { list, 2 } };
	const char *text = text_of_snapshot(&snapshot);

	CHECK(!strstr(text, "_compliant"));
	CHECK(!strstr(text, "_checked_timestamp"));
	CHECK(!strstr(text, "ats_enabled"));
	CHECK(has_line(text, "instinct_vfio_acs_drifts_total{port=\"0000:c0:00.0\"} 3"));
	list[0].looked = 5 * S;
	snapshot.taken = 1000 * S;
	snapshot.taken_boottime = 7 * S;
	text = text_of_snapshot(&snapshot);
	CHECK(has_line(text, "instinct_vfio_acs_compliant{port=\"0000:c0:00.0\"} 1"));
	CHECK(has_line(text, "instinct_vfio_acs_checked_timestamp_seconds{port=\"0000:c0:00.0\"} 998"));
	CHECK(!strstr(text, "isolation_compliant"));
}

static void check_behind(uint64_t epoch, uint64_t next, uint64_t newest, const char *wanted)
{
	struct snapshot snapshot = { .module = true, .has_place = true,
		.info = { .epoch = 7, .newest = newest },
		.place = { .epoch = epoch, .sink = { { .name = "json", .next = next } },
			   .sinks = 1 },
	};
	char line[128];

	snprintf(line, sizeof(line), "instinct_vfio_monitor_events_behind{sink=\"json\"} %s", wanted);
	CHECK(has_line(text_of_snapshot(&snapshot), line));
}

static void test_behind(void)
{
	check_behind(7, 11, 10, "0");
	check_behind(7, 10, 10, "1");
	check_behind(7, 1, 10, "10");
	check_behind(7, 0, 10, "10");
	check_behind(7, 50, 10, "0");
	check_behind(6, 50, 10, "10");
	check_behind(7, 1, 0, "0");
}

/* The text does not depend on the order of the module's answers. */
static void test_order(void)
{
	struct snapshot sorted = rich(), shuffled = rich();
	struct device devices[] = { rich_devices[1], rich_devices[0] };
	struct isolated isolation[] = { rich_isolation[3], rich_isolation[4], rich_isolation[1],
					rich_isolation[2], rich_isolation[0] };
	struct tally resets[] = { rich_resets[1], rich_resets[2], rich_resets[0] };
	struct tally events[] = { rich_events[2], rich_events[0], rich_events[1] };
	struct device_stats stats[] = { rich_stats[1], rich_stats[0] };
	struct duration durations[] = { rich_durations[1], rich_durations[0] };
	struct duration phases[] = { rich_phases[1], rich_phases[0] };
	char *wanted;

	stats[1].reset = resets;
	stats[1].event = events;
	shuffled.devices.list = devices;
	shuffled.isolation.list = isolation;
	shuffled.stats.device = stats;
	shuffled.stats.duration = durations;
	shuffled.stats.phase = phases;
	snapshot_sort(&sorted);
	snapshot_sort(&shuffled);
	wanted = strdup(text_of_snapshot(&sorted));
	CHECK_STR(text_of_snapshot(&shuffled), wanted);
	free(wanted);
}

static int print(void)
{
	struct snapshot snapshot = rich();
	char *text = versionless(text_of_snapshot(&snapshot));

	fputs(text, stdout);
	free(text);
	return 0;
}

int main(int argc, char *argv[])
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc == 2 && !strcmp(argv[1], "--print"))
		return print();
	RUN(test_golden);
	RUN(test_no_module);
	RUN(test_bare_module);
	RUN(test_escaping);
	RUN(test_unknown_names);
	RUN(test_extremes);
	RUN(test_ats);
	RUN(test_acs);
	RUN(test_never_looked_at);
	RUN(test_behind);
	RUN(test_order);
	return unit_end();
}
