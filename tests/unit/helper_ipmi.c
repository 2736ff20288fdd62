// SPDX-License-Identifier: GPL-2.0-only
/* Sensors of a BMC, read through a fake library. */
#include <errno.h>
#include <math.h>

#include "bmc.h"
#include "ipmi_fake.h"

static struct ipmi *begin(void)
{
	char why[TEXT_BYTES];

	fails_at = 0;
	fails_with = 0;
	asked_for = 0;
	calls_made = 0;
	return ipmi_open(&library, ".", why, sizeof(why));
}

static void test_temperature(void)
{
	double value = 41.25;
	unsigned int whole = 60;
	int32_t t;

	CHECK(ipmi_temperature(CELSIUS, DOUBLE, &value, &t));
	CHECK_INT(t, 41250);
	value = -12.3456;
	CHECK(ipmi_temperature(CELSIUS, DOUBLE, &value, &t));
	CHECK_INT(t, -12346);
	value = 122;
	CHECK(ipmi_temperature(FAHRENHEIT, DOUBLE, &value, &t));
	CHECK_INT(t, 50000);
	value = -40;
	CHECK(ipmi_temperature(FAHRENHEIT, DOUBLE, &value, &t));
	CHECK_INT(t, -40000);
	CHECK(ipmi_temperature(CELSIUS, IPMI_MONITORING_SENSOR_READING_TYPE_UNSIGNED_INTEGER32,
			       &whole, &t));
	CHECK_INT(t, 60000);
}

static void test_no_temperature(void)
{
	const double wrong[] = { NAN, INFINITY, -INFINITY, 1e300, -1e300, 251, -61, 1e9 };
	double value = 20;
	int32_t t;
	size_t i;

	CHECK(!ipmi_temperature(CELSIUS, DOUBLE, NULL, &t));
	CHECK(!ipmi_temperature(IPMI_MONITORING_SENSOR_UNITS_VOLTS, DOUBLE, &value, &t));
	CHECK(!ipmi_temperature(-1, DOUBLE, &value, &t));
	CHECK(!ipmi_temperature(CELSIUS, IPMI_MONITORING_SENSOR_READING_TYPE_UNKNOWN, &value, &t));
	CHECK(!ipmi_temperature(CELSIUS, -1, &value, &t));
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		CHECK(!ipmi_temperature(CELSIUS, DOUBLE, &wrong[i], &t));
}

static void test_scan(void)
{
	struct ipmi *ipmi = begin();
	struct found found = { 0 };

	CHECK_INT(ipmi_scan(ipmi, &found), 0);
	CHECK_INT(found.count, 4);
	CHECK_STR(found.list[0].name, "GPU0_TEMP");
	CHECK_INT(found.list[0].source, INSTINCT_VFIO_SOURCE_IPMI);
	CHECK_INT(found.list[0].record, 1);
	CHECK(found.list[0].known);
	CHECK_INT(found.list[0].temperature, 41500);
	CHECK_INT(found.list[1].temperature, 100000);
	CHECK_STR(found.list[2].name, "GPU0_HBM");
	CHECK(!found.list[2].known);
	CHECK_INT(found.list[3].record, 0xfffe);
	CHECK_INT(last_flags, 0);
	found_free(&found);
	ipmi_close(ipmi);
}

static void test_scan_fails(void)
{
	struct ipmi *ipmi = begin();
	struct found found = { 0 };

	fails_at = 2;
	fails_with = IPMI_MONITORING_ERR_INTERNAL_ERROR;
	CHECK_INT(ipmi_scan(ipmi, &found), -EIO);
	CHECK_INT(found.count, 1);
	CHECK_STR(ipmi_message(ipmi), "made?up");
	/* A scan that has found a sensor keeps the library's list of sensors. */
	ipmi_scan(ipmi, &found);
	CHECK_INT(last_flags, 0);
	fails_at = 1;
	ipmi_scan(ipmi, &found);
	fails_at = 0;
	ipmi_scan(ipmi, &found);
	CHECK_INT(last_flags, IPMI_MONITORING_SENSOR_READING_FLAGS_REREAD_SDR_CACHE);
	ipmi_scan(ipmi, &found);
	CHECK_INT(last_flags, 0);
	found_free(&found);
	ipmi_close(ipmi);
}

static void test_read(void)
{
	const bool none[5] = { false }, some[5] = { true, false, true, true, true };
	struct ipmi *ipmi = begin();
	struct found found = { 0 };

	ipmi_scan(ipmi, &found);
	found_add(&found, INSTINCT_VFIO_SOURCE_HWMON, "nvme/Composite")->known = true;
	calls_made = 0;
	CHECK_INT(ipmi_read(ipmi, &found, none), 0);
	CHECK_INT(calls_made, 0);
	bmc_sensors[0].value = 55;
	CHECK_INT(ipmi_read(ipmi, &found, some), 0);
	CHECK_INT(calls_made, 1);
	CHECK_INT(asked_for, 3);
	CHECK_INT(found.list[0].temperature, 55000);
	CHECK(!found.list[2].known);
	CHECK(found.list[3].known);
	CHECK(found.list[4].known);
	bmc_sensors[0].value = 41.5;
	found_free(&found);
	ipmi_close(ipmi);
}

/* A failing sensor does not affect the others; ipmi_read() fails if every sensor fails. */
static void test_read_fails(void)
{
	const bool all[4] = { true, true, true, true };
	struct ipmi *ipmi = begin();
	struct found found = { 0 };

	ipmi_scan(ipmi, &found);
	fails_at = 1;
	fails_with = IPMI_MONITORING_ERR_IPMI_ERROR;
	CHECK_INT(ipmi_read(ipmi, &found, all), 0);
	CHECK(!found.list[0].known);
	CHECK(found.list[1].known);
	CHECK(found.list[3].known);
	found.count = 1;
	CHECK_INT(ipmi_read(ipmi, &found, all), -EIO);
	CHECK_STR(ipmi_message(ipmi), "made?up");
	found_free(&found);
	ipmi_close(ipmi);
}

/* The BMC's list has changed: a record is gone, or belongs to another sensor. */
static void test_read_changed(void)
{
	const bool all[4] = { true, true, true, true };
	struct ipmi *ipmi = begin();
	struct found found = { 0 };

	ipmi_scan(ipmi, &found);
	bmc_sensors[5].record = 9;
	CHECK_INT(ipmi_read(ipmi, &found, all), -ENOENT);
	bmc_sensors[5].record = 0xfffe;
	bmc_sensors[0].name = "INLET";
	CHECK_INT(ipmi_read(ipmi, &found, all), -ENOENT);
	CHECK(!found.list[0].known);
	CHECK_STR(ipmi_message(ipmi), "its list of sensors has changed");
	bmc_sensors[0].name = "GPU0_TEMP";
	found_free(&found);
	ipmi_close(ipmi);
}

static void test_open_fails(void)
{
	char why[TEXT_BYTES];

	fails_with = 7;
	CHECK(!ipmi_open(&library, ".", why, sizeof(why)));
	CHECK(strstr(why, "error 7"));
	fails_with = 0;
	CHECK(!ipmi_open(&library, "absent/folder", why, sizeof(why)));
	CHECK(strstr(why, "absent/folder"));
	ipmi_close(NULL);
}

static unsigned int remarks;
static char remarked[2 * TEXT_BYTES];
static bool library_missing;

static void on_remark(int priority, const char *text, void *data)
{
	CHECK(data == &remarks);
	CHECK(priority >= 0 && priority <= 7);
	remarks++;
	snprintf(remarked, sizeof(remarked), "%s", text);
}

static const struct ipmi_calls *get_library(char *why, size_t size)
{
	snprintf(why, size, "no library");
	return library_missing ? NULL : &library;
}

static struct bmc bmc_new(void)
{
	fails_at = 0;
	fails_with = 0;
	remarks = 0;
	library_missing = false;
	setenv("STATE_DIRECTORY", "state:other", 1);
	return (struct bmc){ .way = &bmc_by_ipmi, .library = get_library, .say = on_remark, .data = &remarks };
}

/* Runs a round; returns true if the first sensor's temperature is known at its end. */
static bool round_of(struct bmc *bmc, struct found *found, bool scan)
{
	static const bool all[8] = { true, true, true, true, true, true, true, true };
	struct found before = *found;

	if (scan) {
		*found = (struct found) { 0 };
		bmc_scan(bmc, &before, found);
		found_free(&before);
	}
	calls_made = 0;
	bmc_read(bmc, found, all);
	scan = found->count && found->list[0].known;
	if (found->count)
		found->list[0].known = false;
	return scan;
}

static void test_bmc(void)
{
	struct bmc bmc = bmc_new();
	struct found found = { 0 };

	CHECK(round_of(&bmc, &found, true));
	CHECK_INT(calls_made, 0);
	CHECK(!access("state/sdr", W_OK));
	CHECK(round_of(&bmc, &found, false));
	CHECK_INT(calls_made, 1);
	CHECK_INT(remarks, 0);
	found_free(&found);
	ipmi_close(bmc.link);
}

static void test_bmc_missing(void)
{
	struct bmc bmc = bmc_new();
	struct found found = { 0 };

	library_missing = true;
	CHECK(!round_of(&bmc, &found, true));
	CHECK(!round_of(&bmc, &found, true));
	CHECK_INT(remarks, 1);
	CHECK_STR(remarked, "no library");
	library_missing = false;
	CHECK(round_of(&bmc, &found, true));
	CHECK_INT(remarks, 1);
	found_free(&found);
	ipmi_close(bmc.link);
}

/* The helper reports a failing BMC once, and its recovery once, and keeps its sensors. */
static void test_bmc_fails(void)
{
	struct bmc bmc = bmc_new();
	struct found found = { 0 };

	fails_at = 1;
	fails_with = IPMI_MONITORING_ERR_SYSTEM_ERROR;
	CHECK(!round_of(&bmc, &found, true));
	CHECK(!round_of(&bmc, &found, true));
	CHECK(!round_of(&bmc, &found, false));
	CHECK_INT(found.count, 0);
	CHECK_INT(remarks, 1);
	fails_at = 0;
	CHECK(round_of(&bmc, &found, true));
	CHECK_INT(remarks, 2);
	CHECK(strstr(remarked, "again"));
	fails_at = 1;
	CHECK(!round_of(&bmc, &found, true));
	CHECK_INT(found.count, 4);
	CHECK_INT(found.list[0].record, 1);
	/* If the library has gone too, the remark says so. */
	library_missing = true;
	fails_at = 0;
	CHECK(round_of(&bmc, &found, false));
	fails_at = 1;
	found.count = 1;
	CHECK(!round_of(&bmc, &found, false));
	CHECK(strstr(remarked, "no library"));
	found_free(&found);
	ipmi_close(bmc.link);
}

/* After a slow failure the helper pauses for a multiple of the failure's duration. */
static void test_bmc_hangs(void)
{
	struct bmc bmc = bmc_new();
	struct found found = { 0 };
	bool back = false;
	int tries;

	CHECK(round_of(&bmc, &found, true));
	found.count = 1;
	fails_at = 1;
	fails_with = IPMI_MONITORING_ERR_IPMI_ERROR;
	fails_after_ms = 300;
	CHECK(!round_of(&bmc, &found, false));
	CHECK_INT(calls_made, 1);
	fails_at = 0;
	fails_after_ms = 0;
	CHECK(!round_of(&bmc, &found, false));
	CHECK_INT(calls_made, 0);
	CHECK(!round_of(&bmc, &found, true));
	CHECK_INT(found.count, 1);
	/* The pause is four times the hang, which a busy machine makes longer. */
	for (tries = 0; tries < 100 && !back; tries++) {
		usleep(50000);
		back = round_of(&bmc, &found, false);
	}
	CHECK(back);
	CHECK_INT(remarks, 2);
	found_free(&found);
	ipmi_close(bmc.link);
}

static void test_bmc_partial(void)
{
	struct bmc bmc = bmc_new();
	struct found found = { 0 };

	fails_at = 0xfffe;
	fails_with = IPMI_MONITORING_ERR_INTERNAL_ERROR;
	CHECK(round_of(&bmc, &found, true));
	CHECK(round_of(&bmc, &found, true));
	CHECK_INT(found.count, 3);
	CHECK_INT(remarks, 1);
	CHECK(strstr(remarked, "only the first 3"));
	found_free(&found);
	ipmi_close(bmc.link);
}

static void test_bmc_changed(void)
{
	struct bmc bmc = bmc_new();
	struct found found = { 0 };

	CHECK(round_of(&bmc, &found, true));
	bmc_sensors[0].name = "INLET";
	CHECK(!round_of(&bmc, &found, false));
	CHECK(bmc.changed);
	CHECK(round_of(&bmc, &found, true));
	CHECK(!bmc.changed);
	CHECK_STR(found.list[0].name, "INLET");
	bmc_sensors[0].name = "GPU0_TEMP";
	found_free(&found);
	ipmi_close(bmc.link);
}

int main(void)
{
	util_begin();
	RUN(test_temperature);
	RUN(test_no_temperature);
	RUN(test_scan);
	RUN(test_scan_fails);
	RUN(test_read);
	RUN(test_read_fails);
	RUN(test_read_changed);
	RUN(test_open_fails);
	RUN(test_bmc);
	RUN(test_bmc_missing);
	RUN(test_bmc_fails);
	RUN(test_bmc_hangs);
	RUN(test_bmc_partial);
	RUN(test_bmc_changed);
	return unit_end();
}
