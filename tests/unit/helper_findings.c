// SPDX-License-Identifier: GPL-2.0-only
/* Judging the GPUs of a host: their states, their number, and those that are missing. */
#include <errno.h>
#include <string.h>

#include "findings.h"
#include "helper_util.h"
#include "missing.h"
#include "say.h"

static struct device gpus[] = {
	{ .bdf = "0000:c1:00.0", .family = "mi300x", .state = INSTINCT_VFIO_STATE_READY },
	{ .bdf = "0000:c2:00.0", .family = "mi300x", .state = INSTINCT_VFIO_STATE_RESETTING },
	{ .bdf = "0000:c3:00.0", .family = "mi355x", .state = STATE_UNMANAGED },
	{ .bdf = "0000:c4:00.0", .unmanaged = true, .state = STATE_UNMANAGED },
};

/* Judge the GPUs, with expect_gpus = @all in [default] and = @family for mi300x; -1: not set. */
static struct findings judge(int all, int family)
{
	static const struct devices devices = { gpus, 4 };
	struct findings findings = { 0 };
	struct conf_section *section;
	int i, counts[] = { all, family };

	for (i = 0; i < 2; i++) {
		if (counts[i] < 0)
			continue;
		section = list_add((void **)&findings.conf.section, &findings.conf.count,
				   sizeof(*section));
		section->kind = i ? CONF_FAMILY : CONF_DEFAULT;
		strcpy(section->name, i ? "mi300x" : "");
		section->at[CONF_EXPECT_GPUS] = 1 + i;
		section->value[CONF_EXPECT_GPUS] = counts[i];
	}
	findings_gpus(&findings, &devices);
	findings_expect(&findings);
	return findings;
}

static bool drifts(int all, int family)
{
	struct findings findings = judge(all, family);
	bool drift = findings.drift;

	findings_free(&findings);
	return drift;
}

static void test_numbers(void)
{
	struct findings findings = judge(4, 2);

	CHECK_INT(findings.gpus, 3);
	CHECK_INT(findings.counts, 2);
	CHECK_STR(findings.count[0].family, "mi300x");
	CHECK_INT(findings.count[0].found, 2);
	CHECK(!findings.count[1].family);
	CHECK_INT(findings.count[1].found, 3);
	CHECK_INT(findings.count[1].wanted, 4);
	findings_free(&findings);
	CHECK(drifts(4, 2));
	CHECK(!drifts(3, 2));
	CHECK(!drifts(0, 0));
	CHECK(drifts(3, 3));
	CHECK(drifts(-1, 3));
	CHECK(!drifts(-1, -1));
}

static void test_no_gpu(void)
{
	struct devices none = { 0 };
	struct findings findings = { 0 };

	findings_gpus(&findings, &none);
	findings_expect(&findings);
	CHECK(findings.drift);
	CHECK_INT(findings.count[0].wanted, 1);
	findings_free(&findings);
}

/* A GPU that no guest gets until an operator acts; one in reset will be ready by itself. */
static void test_states(void)
{
	static const int unusable[] = {
		INSTINCT_VFIO_STATE_LOST, INSTINCT_VFIO_STATE_QUARANTINED, INSTINCT_VFIO_STATE_BLOCKED,
	};
	struct findings findings;
	int i;

	for (i = 0; i < 3; i++) {
		gpus[0].state = unusable[i];
		findings = judge(-1, -1);
		CHECK(findings.drift);
		CHECK_INT(findings.unusable, 1);
		CHECK(findings.gpu[0].unusable && !findings.gpu[1].unusable);
		findings_free(&findings);
	}
	/* A blocked GPU is ready again once the user of another one of its hive is gone. */
	gpus[1].state = INSTINCT_VFIO_STATE_READY;
	gpus[1].open = 1;
	CHECK(!drifts(-1, -1));
	gpus[1].open = 0;
	CHECK(drifts(-1, -1));
	gpus[0].state = INSTINCT_VFIO_STATE_READY;
	/* The config space of a GPU of another driver reads as all ones. */
	gpus[2].silent = true;
	findings = judge(-1, -1);
	CHECK(findings.drift);
	CHECK_INT(findings.gpu[2].state, INSTINCT_VFIO_STATE_LOST);
	findings_free(&findings);
	gpus[2].silent = false;
	CHECK(!drifts(-1, -1));
}

/* A missing GPU counts for no expected number, and the host drifts without any. */
static void test_missing_is_no_number(void)
{
	struct findings findings;

	gpus[1].state = STATE_MISSING;
	findings = judge(-1, -1);
	CHECK(findings.drift);
	CHECK_INT(findings.missing, 1);
	CHECK_INT(findings.unusable, 0);
	CHECK_INT(findings.gpus, 3);
	CHECK_INT(findings.count[0].found, 2);
	findings_free(&findings);
	CHECK(drifts(-1, 2));
	gpus[1].state = INSTINCT_VFIO_STATE_RESETTING;
}

/* The fake host's functions; the known serial numbers are those of @here. */
static void host_has(const struct devices *here)
{
	char path[128];
	size_t i;

	CHECK_INT(system("rm -rf sys && mkdir -p sys/bus/pci/devices var/lib"), 0);
	for (i = 0; i < here->count; i++) {
		snprintf(path, sizeof(path), "sys/bus/pci/devices/%s", here->list[i].bdf);
		CHECK_INT(mkdir(path, 0755), 0);
		snprintf(path, sizeof(path), "sys/bus/pci/devices/%s/vendor", here->list[i].bdf);
		util_write(path, "0x1002\n");
		snprintf(path, sizeof(path), "sys/bus/pci/devices/%s/device", here->list[i].bdf);
		util_write(path, "0x74a1\n");
	}
}

static struct devices two(const char *one, uint64_t serial, const char *other, uint64_t other_serial)
{
	static struct device list[2];
	struct devices here = { list, 0 };

	list[0] = (struct device) { .device = 0x74a1, .serial = serial };
	list[1] = (struct device) { .device = 0x74a1, .serial = other_serial };
	if (one)
		strcpy(list[here.count++].bdf, one);
	if (other) {
		list[here.count] = list[1];
		strcpy(list[here.count++].bdf, other);
	}
	return here;
}

/* Returns the addresses of the missing GPUs, after a record of C1 with serial 1 and C2 with serial 2. */
static const char *missing_of(struct devices here)
{
	struct devices before, all = { 0 };
	struct device kept[2];
	static char text[256];
	size_t used = 0, i;

	/* two() has one list. */
	if (here.count)
		memcpy(kept, here.list, here.count * sizeof(*kept));
	remove("var/lib/instinct-vfio/gpus");
	before = two("0000:c1:00.0", 1, "0000:c2:00.0", 2);
	host_has(&before);
	CHECK_INT(missing_record(&before), 0);
	here.list = kept;
	host_has(&here);
	devices_append(&all, &here);
	missing_add(&all);
	*text = '\0';
	for (i = 0; i < all.count; i++)
		if (all.list[i].state == STATE_MISSING)
			used += snprintf(text + used, sizeof(text) - used, "%s %d %s;", all.list[i].bdf,
					 (int)all.list[i].serial, all.list[i].model);
	devices_free(&all);
	return text;
}

static void test_missing(void)
{
	CHECK_STR(missing_of(two("0000:c1:00.0", 1, "0000:c2:00.0", 2)), "");
	CHECK_STR(missing_of(two(NULL, 0, "0000:c2:00.0", 2)), "0000:c1:00.0 1 MI300X;");
	CHECK_STR(missing_of(two(NULL, 0, NULL, 0)), "0000:c1:00.0 1 MI300X;0000:c2:00.0 2 MI300X;");
	/* The buses were numbered anew: the first GPU is dead, and the second has its address. */
	CHECK_STR(missing_of(two("0000:c1:00.0", 2, NULL, 0)), "0000:c1:00.0 1 MI300X;");
	CHECK_STR(missing_of(two("0000:c1:00.0", 2, "0000:c9:00.0", 1)), "");
	/* Another GPU is at its place, or nobody knows which one. */
	CHECK_STR(missing_of(two("0000:c1:00.0", 9, "0000:c2:00.0", 2)), "");
	CHECK_STR(missing_of(two("0000:c1:00.0", 0, "0000:c2:00.0", 0)), "");
	CHECK_STR(missing_of(two("0000:c1:00.0", 0, NULL, 0)), "0000:c2:00.0 2 MI300X;");
}

static const char *recorded(void)
{
	static char text[512];
	FILE *in = fopen("var/lib/instinct-vfio/gpus", "r");

	text[in ? fread(text, 1, sizeof(text) - 1, in) : 0] = '\0';
	if (in)
		fclose(in);
	return text;
}

/* Later runs of apply do not forget a missing GPU, an operator does. */
static void test_forget(void)
{
	struct devices here;

	missing_of(two(NULL, 0, "0000:c2:00.0", 2));
	here = two("0000:c2:00.0", 0, NULL, 0);
	CHECK_INT(missing_record(&here), 0);
	CHECK_STR(recorded(), "0000:c1:00.0 74a1 serial=0000000000000001\n"
		  "0000:c2:00.0 74a1 serial=0000000000000002\n");
	CHECK_INT(missing_forget("0000:c2:00.0"), -EBUSY);
	CHECK_INT(missing_forget("0000:c3:00.0"), -ENODEV);
	CHECK_INT(missing_forget("0000:c1:00.0"), 0);
	CHECK_STR(recorded(), "0000:c2:00.0 74a1 serial=0000000000000002\n");
	CHECK_INT(missing_forget("0000:c1:00.0"), -ENODEV);
	/* A replacement ends it, too. */
	missing_of(two("0000:c1:00.0", 9, "0000:c2:00.0", 2));
	here = two("0000:c1:00.0", 9, "0000:c2:00.0", 2);
	CHECK_INT(missing_record(&here), 0);
	CHECK_STR(recorded(), "0000:c1:00.0 74a1 serial=0000000000000009\n"
		  "0000:c2:00.0 74a1 serial=0000000000000002\n");
	CHECK_INT(missing_forget("0000:c1:00.0"), -EBUSY);
}

/* A file that somebody else has written ends nothing. */
static void test_wrong_record(void)
{
	struct devices here = two("0000:c1:00.0", 1, NULL, 0), all = { 0 };

	host_has(&here);
	util_write("var/lib/instinct-vfio/gpus", "\n0000:c9:00.0\nno address 74a1 serial=1\n"
		   "0000:c9:00.0 ffff serial=0\n0000:c8:00.0 74a1 serial=0000000000000000\n");
	missing_add(&all);
	CHECK_INT(all.count, 1);
	CHECK_STR(all.list[0].bdf, "0000:c8:00.0");
	CHECK_STR(all.list[0].reason, "an earlier apply found it");
	devices_free(&all);
}

int main(void)
{
	util_begin();
	opt_sysroot = ".";
	RUN(test_numbers);
	RUN(test_no_gpu);
	RUN(test_states);
	RUN(test_missing_is_no_number);
	RUN(test_missing);
	RUN(test_forget);
	RUN(test_wrong_record);
	return unit_end();
}
