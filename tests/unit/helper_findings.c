// SPDX-License-Identifier: GPL-2.0-only
/* Judging the GPUs of a host: their states and their number. */
#include <string.h>

#include "findings.h"
#include "unit.h"

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

int main(void)
{
	RUN(test_numbers);
	RUN(test_no_gpu);
	RUN(test_states);
	return unit_end();
}
