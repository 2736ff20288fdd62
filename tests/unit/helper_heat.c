// SPDX-License-Identifier: GPL-2.0-only
/* Temperatures: thresholds, sources, alarms, and the service's file and socket. */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "conf.h"
#include "heat.h"
#include "helper_util.h"
#include "push.h"

#define MS	1000000ull
#define BDF	"0000:c1:00.0"

static struct heat_policy policy;
static struct heat_sensor sensor;
static char told[64];

/* Appends to told: W or C for raised, w or c for cleared, S for stale, F for fresh. */
static void judge(uint64_t ms)
{
	size_t at = strlen(told);
	struct heat_alarm alarm;

	while (heat_next(&policy, &sensor, ms * MS, &alarm) && at < sizeof(told) - 1) {
		switch (alarm.kind) {
		case INSTINCT_VFIO_EVENT_THERMAL_STALE:
		case INSTINCT_VFIO_EVENT_THERMAL_FRESH:
			told[at++] = alarm.kind == INSTINCT_VFIO_EVENT_THERMAL_STALE ? 'S' : 'F';
			CHECK_INT(alarm.alarm, INSTINCT_VFIO_ALARM_NONE);
			break;
		case INSTINCT_VFIO_EVENT_THERMAL_CLEARED:
			told[at++] = "-wc"[alarm.alarm];
			break;
		default:
			told[at++] = "-WC"[alarm.alarm];
			CHECK_INT(alarm.kind, alarm.alarm == INSTINCT_VFIO_ALARM_WARNING ?
				  INSTINCT_VFIO_EVENT_THERMAL_WARNING :
				  INSTINCT_VFIO_EVENT_THERMAL_CRITICAL);
		}
		heat_told(&sensor, &alarm, ms * MS);
	}
	told[at] = '\0';
}

static void feed_from(uint32_t source, int32_t temperature, uint64_t ms)
{
	heat_take(&sensor, source, temperature, ms * MS);
	judge(ms);
}

static void feed(int32_t temperature, uint64_t ms)
{
	feed_from(INSTINCT_VFIO_SOURCE_IPMI, temperature, ms);
}

static uint32_t level(void)
{
	struct sensor shown;

	heat_show(&policy, &sensor, 0, &shown);
	return shown.alarm;
}

static void begin(void)
{
	struct policy defaults;

	conf_defaults(&defaults);
	heat_policy_of(&defaults, INSTINCT_VFIO_SENSOR_HOTSPOT, &policy);
	sensor = (struct heat_sensor) { 0 };
	told[0] = '\0';
}

/* By default, a hotspot below 100 degrees raises no alarm. */
static void test_defaults(void)
{
	struct policy defaults;
	struct heat_policy heat;

	begin();
	CHECK_INT(policy.warning, 100000);
	CHECK_INT(policy.critical, 105000);
	feed(99900, 0);
	CHECK_STR(told, "");
	conf_defaults(&defaults);
	heat_policy_of(&defaults, INSTINCT_VFIO_SENSOR_MEMORY, &heat);
	CHECK_INT(heat.warning, 95000);
	CHECK_INT(heat.critical, 105000);
	heat_policy_of(&defaults, INSTINCT_VFIO_SENSOR_BOARD, &heat);
	CHECK_INT(heat.warning, 0);
	CHECK_INT(heat.critical, 0);
}

/* A ramp to 106 degrees and back reports each alarm once, in order. */
static void test_ramp(void)
{
	int32_t t;
	uint64_t ms = 0;

	begin();
	for (t = 90000; t <= 101000; t += 500)
		feed(t, ms += 1000);
	CHECK_STR(told, "W");
	for (; t <= 106000; t += 500)
		feed(t, ms += 1000);
	CHECK_STR(told, "WC");
	CHECK_INT(level(), INSTINCT_VFIO_ALARM_CRITICAL);
	for (; t >= 90000; t -= 500)
		feed(t, ms += 1000);
	CHECK_STR(told, "WCcw");
	CHECK_INT(level(), INSTINCT_VFIO_ALARM_NONE);
}

static void test_jump(void)
{
	begin();
	feed(110000, 0);
	CHECK_STR(told, "WC");
	feed(40000, 5000);
	CHECK_STR(told, "WCcw");
}

static void test_exactly_at(void)
{
	begin();
	feed(99999, 0);
	CHECK_STR(told, "");
	feed(100000, 1);
	CHECK_STR(told, "W");
	feed(97001, 60000);
	CHECK_STR(told, "W");
	feed(97000, 60001);
	CHECK_STR(told, "Ww");
}

/* Jitter of two degrees around a threshold raises one alarm. */
static void test_jitter(void)
{
	uint64_t ms = 0;
	int i;

	begin();
	srandom(7);
	for (i = 0; i < 10000; i++)
		feed(100000 - 2000 + random() % 4001, ms += 100);
	CHECK_STR(told, "W");
}

/* An alarm stands at least for the policy's hold time, and can be raised again at once. */
static void test_hold(void)
{
	begin();
	feed(101000, 0);
	feed(50000, 4999);
	CHECK_STR(told, "W");
	feed(50000, 5000);
	CHECK_STR(told, "Ww");
	feed(101000, 5001);
	CHECK_STR(told, "WwW");
}

/* Even without hysteresis, one sample never both clears and raises an alarm. */
static void test_no_hysteresis(void)
{
	begin();
	policy.hysteresis = 0;
	policy.critical = policy.warning;
	feed(106000, 0);
	CHECK_STR(told, "WC");
	feed(100000, 60000);
	CHECK_STR(told, "WC");
	feed(99999, 60001);
	CHECK_STR(told, "WCcw");
}

static void test_no_threshold(void)
{
	begin();
	policy.warning = 0;
	feed(104999, 0);
	CHECK_STR(told, "");
	feed(105000, 1);
	CHECK_STR(told, "C");
	CHECK_INT(level(), INSTINCT_VFIO_ALARM_CRITICAL);
	/* An alarm without a threshold is cleared at any temperature. */
	policy.critical = 0;
	feed(120000, 2);
	CHECK_STR(told, "Cc");
	CHECK_INT(level(), INSTINCT_VFIO_ALARM_NONE);
}

/* On a random walk, raised and cleared alternate, and an alarm stands for its hold time. */
static void test_any_walk(void)
{
	uint64_t since[HEAT_ALARMS + 1] = { 0 }, now = 0;
	bool raised[HEAT_ALARMS + 1];
	struct heat_alarm alarm;
	int32_t t = 90000;
	int round, step;

	srandom(11);
	for (round = 0; round < 200; round++) {
		begin();
		policy.warning = random() % 120000;
		policy.critical = random() % 5 ? policy.warning + random() % 20000 : 0;
		policy.hysteresis = random() % 2 ? random() % 10000 : 0;
		policy.hold = random() % 5000;
		memset(raised, 0, sizeof(raised));
		for (step = 0; step < 1000; step++) {
			now += random() % (2000 * MS);
			/* Many samples are exactly at a threshold. */
			t = random() % 4 ? t + random() % 8001 - 4000 : policy.warning;
			heat_take(&sensor, INSTINCT_VFIO_SOURCE_HWMON, t, now);
			while (heat_next(&policy, &sensor, now, &alarm)) {
				bool up = alarm.kind != INSTINCT_VFIO_EVENT_THERMAL_CLEARED;

				CHECK(raised[alarm.alarm] != up);
				raised[alarm.alarm] = up;
				CHECK_INT(alarm.temperature, t);
				CHECK_INT(alarm.threshold,
					  alarm.alarm == INSTINCT_VFIO_ALARM_WARNING ?
					  policy.warning : policy.critical);
				if (up) {
					CHECK(t >= alarm.threshold);
					since[alarm.alarm] = now;
				} else {
					CHECK(t < alarm.threshold &&
					      t <= alarm.threshold - policy.hysteresis);
					CHECK(now - since[alarm.alarm] >= policy.hold * MS);
				}
				heat_told(&sensor, &alarm, now);
			}
			/* A sample at or above a threshold always raises the alarm. */
			if (policy.warning && t >= policy.warning)
				CHECK(raised[INSTINCT_VFIO_ALARM_WARNING]);
			if (policy.critical && t >= policy.critical)
				CHECK(raised[INSTINCT_VFIO_ALARM_CRITICAL]);
		}
	}
}

/* An alarm that the module did not accept is reported again, before any later one. */
static void test_not_taken(void)
{
	struct heat_alarm alarm;

	begin();
	heat_take(&sensor, INSTINCT_VFIO_SOURCE_IPMI, 110000, 0);
	CHECK(heat_next(&policy, &sensor, 0, &alarm));
	CHECK_INT(alarm.alarm, INSTINCT_VFIO_ALARM_WARNING);
	CHECK(heat_next(&policy, &sensor, 0, &alarm));
	CHECK_INT(alarm.alarm, INSTINCT_VFIO_ALARM_WARNING);
	CHECK_INT(level(), INSTINCT_VFIO_ALARM_NONE);
	judge(1);
	CHECK_STR(told, "WC");
}

static void test_stale(void)
{
	struct sensor shown;

	begin();
	feed(101000, 0);
	judge(60000);
	CHECK_STR(told, "W");
	judge(60001);
	CHECK_STR(told, "WS");
	heat_show(&policy, &sensor, 60001 * MS, &shown);
	CHECK(shown.known && shown.stale);
	CHECK_INT(shown.alarm, INSTINCT_VFIO_ALARM_WARNING);
	feed(50000, 70000);
	CHECK_STR(told, "WSFw");
	/* A source that stays silent is forgotten. */
	judge(131000);
	CHECK_STR(told, "WSFwS");
	judge(670001);
	CHECK_STR(told, "WSFwS");
	CHECK(!heat_show(&policy, &sensor, 670001 * MS, &shown));
	feed(50000, 700000);
	CHECK_STR(told, "WSFwS");
}

/* An alarm ends when its source is forgotten. */
static void test_forgotten(void)
{
	struct heat_alarm alarm;

	begin();
	feed(110000, 0);
	judge(61000);
	CHECK_STR(told, "WCS");
	CHECK(heat_next(&policy, &sensor, 600001 * MS, &alarm));
	CHECK_STR(alarm.reason, "no source measures it any more");
	CHECK_INT(alarm.temperature, 110000);
	judge(600001);
	CHECK_STR(told, "WCScw");
}

/* The first source that is not stale counts. */
static void test_sources(void)
{
	struct sensor shown;

	begin();
	feed_from(INSTINCT_VFIO_SOURCE_OTHER, 101000, 0);
	CHECK_STR(told, "W");
	feed_from(INSTINCT_VFIO_SOURCE_HWMON, 90000, 6000);
	CHECK_STR(told, "Ww");
	feed_from(INSTINCT_VFIO_SOURCE_OTHER, 110000, 7000);
	CHECK_STR(told, "Ww");
	heat_show(&policy, &sensor, 7000 * MS, &shown);
	CHECK_INT(shown.source, INSTINCT_VFIO_SOURCE_HWMON);
	CHECK_INT(shown.temperature, 90000);
	CHECK_INT(shown.age, 1000 * MS);
	CHECK_INT(shown.warning, 100000);
	feed_from(INSTINCT_VFIO_SOURCE_OTHER, 101000, 66001);
	CHECK_STR(told, "WwW");
	/* A temperature that the service reads by Redfish comes before one that a script pushes. */
	feed_from(INSTINCT_VFIO_SOURCE_REDFISH, 91000, 67000);
	feed_from(INSTINCT_VFIO_SOURCE_OTHER, 102000, 67001);
	heat_show(&policy, &sensor, 67001 * MS, &shown);
	CHECK_INT(shown.source, INSTINCT_VFIO_SOURCE_REDFISH);
	CHECK_INT(shown.temperature, 91000);
}

static struct event event_of(uint32_t kind, uint32_t alarm, uint64_t ms)
{
	return (struct event) { .kind = kind, .thermal = true, .alarm = alarm, .time = ms * MS,
		.source = INSTINCT_VFIO_SOURCE_IPMI, .temperature = 101000 };
}

static void recall(uint32_t kind, uint32_t alarm, uint64_t ms, uint64_t now)
{
	struct event event = event_of(kind, alarm, ms);

	heat_recall(&sensor, &event, now * MS);
}

/* A restarted service neither repeats an alarm nor forgets one. */
static void test_restart(void)
{
	struct event strange = event_of(INSTINCT_VFIO_EVENT_THERMAL_WARNING, 77, 0);

	begin();
	heat_recall(&sensor, &strange, 0);
	CHECK_INT(sensor.raised, 0);
	recall(INSTINCT_VFIO_EVENT_THERMAL_WARNING, INSTINCT_VFIO_ALARM_WARNING, 1000, 500000);
	judge(505000);
	feed(101000, 510000);
	CHECK_STR(told, "");
	CHECK_INT(level(), INSTINCT_VFIO_ALARM_WARNING);
	feed(50000, 520000);
	CHECK_STR(told, "w");

	/* The hold time continues across the restart. */
	begin();
	recall(INSTINCT_VFIO_EVENT_THERMAL_WARNING, INSTINCT_VFIO_ALARM_WARNING, 499000, 500000);
	feed(50000, 503999);
	CHECK_STR(told, "");
	feed(50000, 504000);
	CHECK_STR(told, "w");

	/* A cleared alarm stays cleared. */
	begin();
	recall(INSTINCT_VFIO_EVENT_THERMAL_WARNING, INSTINCT_VFIO_ALARM_WARNING, 1000, 500000);
	recall(INSTINCT_VFIO_EVENT_THERMAL_CLEARED, INSTINCT_VFIO_ALARM_WARNING, 9000, 500000);
	feed(50000, 510000);
	CHECK_STR(told, "");

	/* A source that has gone meanwhile becomes stale first, and its alarm ends later. */
	begin();
	recall(INSTINCT_VFIO_EVENT_THERMAL_WARNING, INSTINCT_VFIO_ALARM_WARNING, 1000, 500000);
	judge(560000);
	CHECK_STR(told, "");
	judge(560001);
	CHECK_STR(told, "S");
	judge(1100001);
	CHECK_STR(told, "Sw");

	/* A stale source becomes fresh with its first sample. */
	begin();
	recall(INSTINCT_VFIO_EVENT_THERMAL_STALE, INSTINCT_VFIO_ALARM_NONE, 1000, 500000);
	judge(505000);
	CHECK_STR(told, "");
	feed(50000, 510000);
	CHECK_STR(told, "F");

	/* Another source that is earlier after the restart clears no alarm of a better one. */
	begin();
	recall(INSTINCT_VFIO_EVENT_THERMAL_WARNING, INSTINCT_VFIO_ALARM_WARNING, 1000, 500000);
	feed_from(INSTINCT_VFIO_SOURCE_OTHER, 20000, 501000);
	CHECK_STR(told, "");
	feed(101000, 502000);
	feed_from(INSTINCT_VFIO_SOURCE_OTHER, 20000, 503000);
	CHECK_STR(told, "");
	CHECK_INT(level(), INSTINCT_VFIO_ALARM_WARNING);

	/* If the better one does not come, the other one counts after the stale time. */
	begin();
	recall(INSTINCT_VFIO_EVENT_THERMAL_WARNING, INSTINCT_VFIO_ALARM_WARNING, 1000, 500000);
	feed_from(INSTINCT_VFIO_SOURCE_OTHER, 20000, 559000);
	CHECK_STR(told, "");
	judge(560001);
	CHECK_STR(told, "w");
}

/* A sensor that is judged no more loses its alarms at once, although its last sample was hot. */
static void test_end(void)
{
	struct heat_alarm alarm;

	begin();
	feed(106000, 5000);
	CHECK_STR(told, "WC");
	CHECK(heat_end(&policy, &sensor, "its GPU is known", &alarm));
	CHECK_INT(alarm.kind, INSTINCT_VFIO_EVENT_THERMAL_CLEARED);
	CHECK_INT(alarm.alarm, INSTINCT_VFIO_ALARM_CRITICAL);
	CHECK_STR(alarm.reason, "its GPU is known");
	heat_told(&sensor, &alarm, 5001 * MS);
	CHECK(heat_end(&policy, &sensor, "", &alarm));
	CHECK_INT(alarm.alarm, INSTINCT_VFIO_ALARM_WARNING);
	heat_told(&sensor, &alarm, 5001 * MS);
	CHECK(!heat_end(&policy, &sensor, "", &alarm));
}

/* The file holds the service's state, and the parser refuses any other JSON. */
static void test_file(void)
{
	static const char *const wrong[] = {
		"", "7", "{}", "{\"version\":2,\"sensors\":[]}", "{\"version\":1,\"sensors\":7}",
		"{\"version\":1,\"sensors\":[7]}",
		"{\"version\":1,\"sensors\":[{\"bdf\":\"0000:c1:00.0\",\"sensor\":\"nose\"}]}",
	};
	struct devices devices = { 0 };
	struct heat heat = { 0 }, again;
	struct heat_gpu *gpu = heat_add(&heat, BDF);
	struct heat_loose *loose;
	struct device *dev;
	json_t *json;
	char *text;
	size_t i;

	begin();
	feed(106000, 5000);
	gpu->policy[0] = policy;
	gpu->sensor[0] = sensor;
	heat_take(&gpu->sensor[2], INSTINCT_VFIO_SOURCE_OTHER, 40000, 9000 * MS);
	gpu->policy[2].stale = 60000;
	loose = heat_loose(&heat, "OAM_3/GPU_3_DIE_TEMP", INSTINCT_VFIO_SOURCE_REDFISH, 0);
	CHECK(loose && loose == heat_loose(&heat, "OAM_3/GPU_3_DIE_TEMP", INSTINCT_VFIO_SOURCE_REDFISH, 0));
	CHECK(loose == heat_loose_find(&heat, "OAM_3/GPU_3_DIE_TEMP", INSTINCT_VFIO_SOURCE_REDFISH, 0));
	CHECK(!heat_loose_find(&heat, "OAM_3/GPU_3_DIE_TEMP", INSTINCT_VFIO_SOURCE_IPMI, 0));
	CHECK(!heat_loose_find(&heat, "OAM_3/GPU_3_DIE_TEMP", INSTINCT_VFIO_SOURCE_REDFISH, 1));
	loose->policy = policy;
	heat_take(&loose->sensor, INSTINCT_VFIO_SOURCE_REDFISH, 99000, 7000 * MS);
	text = heat_text(&heat);
	json = json_loads(text, 0, NULL);
	CHECK(heat_parse(json, 8000 * MS, &again));
	dev = devices_add(&devices);
	snprintf(dev->bdf, sizeof(dev->bdf), BDF);
	dev->state = INSTINCT_VFIO_STATE_READY;
	heat_fill(&again, &devices, 8000 * MS);
	CHECK_INT(dev->sensors, 2);
	CHECK_INT(dev->sensor[0].kind, INSTINCT_VFIO_SENSOR_HOTSPOT);
	CHECK_INT(dev->sensor[0].source, INSTINCT_VFIO_SOURCE_IPMI);
	CHECK_INT(dev->sensor[0].temperature, 106000);
	CHECK_INT(dev->sensor[0].age, 3000 * MS);
	CHECK_INT(dev->sensor[0].alarm, INSTINCT_VFIO_ALARM_CRITICAL);
	CHECK_INT(dev->sensor[0].critical, 105000);
	CHECK_INT(dev->sensor[1].kind, INSTINCT_VFIO_SENSOR_BOARD);
	CHECK_INT(dev->sensor[1].age, 0);
	CHECK_INT(again.looses, 1);
	CHECK_STR(again.loose[0].name, "OAM_3/GPU_3_DIE_TEMP");
	CHECK_INT(again.loose[0].policy.critical, 105000);
	CHECK_INT(again.loose[0].sensor.sample[INSTINCT_VFIO_SOURCE_REDFISH].temperature, 99000);
	/* Without a service that updates the file, its samples become stale. */
	heat_fill(&again, &devices, 66000 * MS);
	CHECK(dev->sensor[0].stale);
	heat_fill(&again, &devices, 700000 * MS);
	CHECK_INT(dev->sensors, 0);
	heat_free(&again);
	json_decref(json);
	free(text);
	devices_free(&devices);
	heat_free(&heat);
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		json = json_loads(wrong[i], JSON_DECODE_ANY, NULL);
		CHECK(!heat_parse(json, 0, &again));
		CHECK_INT(again.gpus, 0);
		json_decref(json);
	}
}

static struct sample_line pushed;

static const char *take(const struct sample_line *line, void *data)
{
	pushed = *line;
	return data;
}

static void test_push(void)
{
	struct sample_line line = { .is_sample = true, .bdf = BDF, .temperature = 97500,
				    .sensor = INSTINCT_VFIO_SENSOR_MEMORY,
				    .source = INSTINCT_VFIO_SOURCE_OTHER };
	int service = push_open("push"), script = push_connect("push");
	char answer[PUSH_ANSWER], text[SAMPLE_LINE_BYTES];

	CHECK(service >= 0);
	CHECK(script >= 0);
	/* The socket buffers messages, so that one process can be script and service. */
	sample_line_format(&line, text, sizeof(text));
	CHECK_INT(send(script, text, strlen(text), 0), strlen(text));
	push_receive(service, take, NULL);
	CHECK_STR(pushed.bdf, BDF);
	CHECK_INT(pushed.temperature, 97500);
	CHECK_INT(pushed.source, INSTINCT_VFIO_SOURCE_OTHER);
	CHECK_INT(push_send(script, &line, answer, sizeof(answer)), 0);
	CHECK_STR(answer, "");
	push_receive(service, take, "no such GPU");
	CHECK_INT(push_send(script, &line, answer, sizeof(answer)), 0);
	CHECK_STR(answer, "no such GPU");
	push_receive(service, take, NULL);
	CHECK_INT(recv(script, answer, sizeof(answer), 0), 0);
	CHECK_INT(send(script, "nonsense", 8, 0), 8);
	push_receive(service, take, NULL);
	CHECK(recv(script, answer, sizeof(answer), 0) > 0);
	close(script);
	close(service);
	CHECK_INT(push_connect("push"), -ECONNREFUSED);
	CHECK_INT(push_connect("absent"), -ENOENT);
}

int main(void)
{
	util_begin();
	RUN(test_defaults);
	RUN(test_ramp);
	RUN(test_jump);
	RUN(test_exactly_at);
	RUN(test_jitter);
	RUN(test_hold);
	RUN(test_no_hysteresis);
	RUN(test_no_threshold);
	RUN(test_any_walk);
	RUN(test_not_taken);
	RUN(test_stale);
	RUN(test_forgotten);
	RUN(test_sources);
	RUN(test_restart);
	RUN(test_end);
	RUN(test_file);
	RUN(test_push);
	return unit_end();
}
