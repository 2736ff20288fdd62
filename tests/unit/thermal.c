// SPDX-License-Identifier: GPL-2.0-only
/* Temperatures: registers, thresholds, and what is told of them. */
#include <stdlib.h>

#include "policy.h"
#include "unit.h"

#define MS	1000000ull
#define HOT	INSTINCT_VFIO_SENSOR_HOTSPOT

static struct instinct_thermal_policy policy;
static struct instinct_thermal_alarms alarms;
static char told[64];

/* Feeds a sample, and adds to told: W or C for raised, w or c for cleared. */
static void feed(s32 temperature, u64 ms)
{
	struct instinct_thermal_change change[INSTINCT_ALARMS];
	unsigned int n = instinct_thermal_step(&policy, HOT, &alarms, temperature,
					       ms * MS, change), i;
	size_t at = strlen(told);

	for (i = 0; i < n && at < sizeof(told) - 1; i++) {
		const char *letters = change[i].raised ? "-WC" : "-wc";

		told[at++] = letters[change[i].alarm];
	}
	told[at] = '\0';
}

static void begin(void)
{
	struct instinct_policy defaults;

	instinct_policy_defaults(&defaults);
	policy = defaults.thermal;
	memset(&alarms, 0, sizeof(alarms));
	told[0] = '\0';
}

/* Up to 101, 106 and back: one of each, in order. */
static void test_ramp(void)
{
	s32 t;
	u64 ms = 0;

	begin();
	for (t = 90000; t <= 101000; t += 500)
		feed(t, ms += 1000);
	CHECK_STR(told, "W");
	for (; t <= 106000; t += 500)
		feed(t, ms += 1000);
	CHECK_STR(told, "WC");
	CHECK_INT(instinct_thermal_level(alarms.raised), INSTINCT_VFIO_ALARM_CRITICAL);
	for (; t >= 90000; t -= 500)
		feed(t, ms += 1000);
	CHECK_STR(told, "WCcw");
	CHECK_INT(instinct_thermal_level(alarms.raised), INSTINCT_VFIO_ALARM_NONE);
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

/* Two degrees up and down round a threshold. */
static void test_jitter(void)
{
	u64 ms = 0;
	int i;

	begin();
	srandom(7);
	for (i = 0; i < 10000; i++)
		feed(100000 - 2000 + random() % 4001, ms += 100);
	CHECK_STR(told, "W");
}

/* An alarm stands for as long as policy wants, and comes again at once. */
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

/* Without hysteresis too, nothing is cleared and raised in one step. */
static void test_no_hysteresis(void)
{
	begin();
	policy.hysteresis = 0;
	policy.limits[HOT].critical = policy.limits[HOT].warning;
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
	policy.limits[HOT].warning = 0;
	feed(104999, 0);
	CHECK_STR(told, "");
	feed(105000, 1);
	CHECK_STR(told, "C");
	CHECK_INT(instinct_thermal_level(alarms.raised), INSTINCT_VFIO_ALARM_CRITICAL);
	/* One that policy takes away is cleared, whatever the temperature. */
	policy.limits[HOT].critical = 0;
	feed(120000, 2);
	CHECK_STR(told, "Cc");
	CHECK_INT(instinct_thermal_level(alarms.raised), INSTINCT_VFIO_ALARM_NONE);
}

/* Whatever comes: raised and cleared alternate, and no pair in less than the hold. */
static void test_any_walk(void)
{
	struct instinct_thermal_change change[INSTINCT_ALARMS];
	u64 since[3] = { 0 }, now = 0;
	bool raised[3];
	s32 t = 90000;
	int round, step;
	unsigned int n, i;

	srandom(11);
	for (round = 0; round < 200; round++) {
		begin();
		policy.limits[HOT].warning = random() % 120000;
		policy.limits[HOT].critical = random() % 5 ? policy.limits[HOT].warning +
					      random() % 20000 : 0;
		policy.hysteresis = random() % 2 ? random() % 10000 : 0;
		policy.hold = random() % 5000;
		memset(raised, 0, sizeof(raised));
		for (step = 0; step < 1000; step++) {
			now += random() % (2000 * MS);
			/* Often right at a threshold. */
			t = random() % 4 ? t + random() % 8001 - 4000 :
			    (s32)policy.limits[HOT].warning;
			n = instinct_thermal_step(&policy, HOT, &alarms, t, now, change);
			CHECK(n <= INSTINCT_ALARMS);
			for (i = 0; i < n; i++) {
				enum instinct_vfio_alarm alarm = change[i].alarm;
				s32 limit = change[i].threshold;

				CHECK(raised[alarm] != change[i].raised);
				raised[alarm] = change[i].raised;
				CHECK_INT(limit, alarm == INSTINCT_VFIO_ALARM_WARNING ?
					  policy.limits[HOT].warning : policy.limits[HOT].critical);
				if (raised[alarm]) {
					CHECK(t >= limit);
					since[alarm] = now;
				} else {
					CHECK(t < limit && t <= limit - (s32)policy.hysteresis);
					CHECK(now - since[alarm] >= policy.hold * MS);
				}
			}
			/* Nothing hot goes unsaid. */
			if (policy.limits[HOT].warning && t >= (s32)policy.limits[HOT].warning)
				CHECK(raised[INSTINCT_VFIO_ALARM_WARNING]);
			if (policy.limits[HOT].critical && t >= (s32)policy.limits[HOT].critical)
				CHECK(raised[INSTINCT_VFIO_ALARM_CRITICAL]);
		}
	}
}

static bool value(const char *text, u32 read, s32 *temperature)
{
	struct instinct_thermal_register reg;
	const char *why;

	CHECK_INT(instinct_thermal_register_parse(&reg, text, &why), 0);
	return instinct_thermal_register_value(&reg, read, temperature);
}

static void test_register(void)
{
	s32 t;

	CHECK(value("5:0x59800", 101, &t));
	CHECK_INT(t, 101000);
	/* k10temp's Tctl. */
	CHECK(value("5:0x59800,mask=0xffe00000,shift=21,scale=125,add=-49000",
		    1200u << 21 | 0x1fffff, &t));
	CHECK_INT(t, 101000);
	CHECK(value("5:0x59800,mask=0xff,scale=-1000,add=100000", 30, &t));
	CHECK_INT(t, 70000);
	/* Of a device that is gone, or nonsense. */
	CHECK(!value("5:0x59800,mask=0xff", 0xffffffff, &t));
	CHECK(!value("5:0x59800", 0x80000000, &t));
	CHECK(!value("5:0x59800,scale=1000000,add=-1000000", 0xfffffffe, &t));
	CHECK(!value("5:0x59800,scale=-1000000", 0xfffffffe, &t));
}

static void check_wrong(const char *text)
{
	struct instinct_thermal_register reg;
	const char *why = NULL;

	CHECK(instinct_thermal_register_parse(&reg, text, &why));
	CHECK(why);
}

static void test_wrong_registers(void)
{
	check_wrong("");
	check_wrong("5");
	check_wrong("5:");
	check_wrong("5:0x");
	check_wrong(":0x59800");
	check_wrong("6:0x59800");
	check_wrong("5:0x59801");
	check_wrong("5:0x159800000");
	check_wrong("5:0x59800,");
	check_wrong("5:0x59800,mask");
	check_wrong("5:0x59800,mask=");
	check_wrong("5:0x59800,mask=0");
	check_wrong("5:0x59800,shift=32");
	check_wrong("5:0x59800,mask=0xff,shift=8");
	check_wrong("5:0x59800,mask=g");
	check_wrong("5:0x59800,scale=0");
	check_wrong("5:0x59800,scale=1000001");
	check_wrong("5:0x59800,add=--1");
	check_wrong("5:0x59800,add=99999999999999999999");
	check_wrong("5:0x59800,speed=1");
	check_wrong("5:0x59800 ");
	check_wrong("none ");
}

/* What is written is read back the same. */
static void test_register_text(void)
{
	struct instinct_thermal_register reg, again;
	char text[INSTINCT_MMIO_BYTES], written[INSTINCT_MMIO_BYTES];
	const char *why;
	int round;

	reg = (struct instinct_thermal_register) { };
	instinct_thermal_register_format(&reg, text, sizeof(text));
	CHECK_STR(text, "none");
	reg.set = true;
	CHECK_INT(instinct_thermal_register_parse(&reg, text, &why), 0);
	CHECK(!reg.set);
	srandom(3);
	for (round = 0; round < 20000; round++) {
		reg = (struct instinct_thermal_register) {
			.set = true, .bar = random() % 6,
			.offset = (u32)random() << 2, .mask = random() | 0x80000000,
			.shift = random() % 32,
			.scale = random() % 1000000 + 1, .add = random() % 2000001 - 1000000,
		};
		instinct_thermal_register_format(&reg, text, sizeof(text));
		CHECK_INT(instinct_thermal_register_parse(&again, text, &why), 0);
		CHECK_INT(again.bar, reg.bar);
		CHECK_INT(again.offset, reg.offset);
		CHECK_INT(again.mask, reg.mask);
		CHECK_INT(again.scale, reg.scale);
		CHECK_INT(again.add, reg.add);
		instinct_thermal_register_format(&again, written, sizeof(written));
		CHECK_STR(written, text);
	}
}

static int check_policy(void)
{
	const struct instinct_family *family = instinct_profile_find(0x1002, 0x74a1)->family;
	struct instinct_policy all;
	const char *why = NULL;
	int ret;

	instinct_policy_defaults(&all);
	all.thermal = policy;
	ret = instinct_policy_check(&all, family, &why);

	CHECK(!ret == !why);
	return ret;
}

static void test_policy(void)
{
	begin();
	CHECK_INT(check_policy(), 0);
	policy.limits[HOT].warning = 105001;
	CHECK_INT(check_policy(), -ERANGE);
	policy.limits[HOT].critical = 0;
	CHECK_INT(check_policy(), 0);
	begin();
	policy.mmio[HOT] = (struct instinct_thermal_register) {
		.set = true, .bar = 5, .offset = 2, .mask = 1, .scale = 1,
	};
	CHECK_INT(check_policy(), -ERANGE);
}

static void test_same(void)
{
	struct instinct_thermal_policy a, b;
	struct instinct_policy defaults;
	const char *why = NULL;

	instinct_policy_defaults(&defaults);
	a = defaults.thermal;
	b = defaults.thermal;
	CHECK(instinct_thermal_same(&a, &b));
	b.limits[INSTINCT_VFIO_SENSOR_BOARD].critical = 1;
	CHECK(!instinct_thermal_same(&a, &b));
	b = a;
	b.interval++;
	CHECK(!instinct_thermal_same(&a, &b));
	b = a;
	CHECK_INT(instinct_thermal_register_parse(&b.mmio[INSTINCT_VFIO_SENSOR_MEMORY],
						  "5:0x59800,shift=21", &why), 0);
	CHECK(!instinct_thermal_same(&a, &b));
	a.mmio[INSTINCT_VFIO_SENSOR_MEMORY] = b.mmio[INSTINCT_VFIO_SENSOR_MEMORY];
	CHECK(instinct_thermal_same(&a, &b));
}

int main(void)
{
	RUN(test_ramp);
	RUN(test_jump);
	RUN(test_exactly_at);
	RUN(test_jitter);
	RUN(test_hold);
	RUN(test_no_hysteresis);
	RUN(test_no_threshold);
	RUN(test_any_walk);
	RUN(test_register);
	RUN(test_wrong_registers);
	RUN(test_register_text);
	RUN(test_policy);
	RUN(test_same);
	return unit_end();
}
