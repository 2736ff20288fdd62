// SPDX-License-Identifier: GPL-2.0-only
/* The ladder that may bring a switch to let config writes through. */
#include "unblock.h"
#include "unit.h"

#define MS	1000000ull

static struct instinct_unblock climbed;

static enum instinct_vfio_unblock due(enum instinct_vfio_unblock allowed, u64 ms)
{
	return instinct_unblock_due(&climbed, allowed, ms * MS);
}

static void test_each_in_its_time(void)
{
	climbed = (struct instinct_unblock) { 0 };
	CHECK_INT(due(INSTINCT_VFIO_UNBLOCK_RETRAIN, 0), INSTINCT_VFIO_UNBLOCK_READ);
	CHECK_INT(due(INSTINCT_VFIO_UNBLOCK_RETRAIN, 9), INSTINCT_VFIO_UNBLOCK_READ);
	CHECK_INT(due(INSTINCT_VFIO_UNBLOCK_RETRAIN, 10), INSTINCT_VFIO_UNBLOCK_BUSES);
	CHECK_INT(due(INSTINCT_VFIO_UNBLOCK_RETRAIN, 99), INSTINCT_VFIO_UNBLOCK_BUSES);
	CHECK_INT(climbed.rung, INSTINCT_VFIO_UNBLOCK_BUSES);
}

/* Retraining stalls all below the link: twice, and the second time much later. */
static void test_retrained_twice(void)
{
	int retrained = 0;

	climbed = (struct instinct_unblock) { 0 };
	for (u64 ms = 0; ms < 20000; ms++) {
		if (due(INSTINCT_VFIO_UNBLOCK_RETRAIN, ms) !=
		    INSTINCT_VFIO_UNBLOCK_RETRAIN)
			continue;
		CHECK_INT(ms, retrained ? 1000 : 100);
		retrained++;
	}
	CHECK_INT(retrained, 2);
	CHECK_INT(climbed.rung, INSTINCT_VFIO_UNBLOCK_RETRAIN);
}

static void test_as_policy_allows(void)
{
	static const enum instinct_vfio_unblock words[] = {
		INSTINCT_VFIO_UNBLOCK_NONE, INSTINCT_VFIO_UNBLOCK_READ,
		INSTINCT_VFIO_UNBLOCK_BUSES,
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		climbed = (struct instinct_unblock) { 0 };
		for (u64 ms = 0; ms < 5000; ms += 10)
			CHECK(due(words[i], ms) <= words[i]);
		CHECK_INT(climbed.rung, words[i]);
		CHECK_INT(climbed.retrained, 0);
	}
}

/* Who comes late begins with the gentlest too. */
static void test_none_left_out(void)
{
	climbed = (struct instinct_unblock) { 0 };
	CHECK_INT(due(INSTINCT_VFIO_UNBLOCK_RETRAIN, 500), INSTINCT_VFIO_UNBLOCK_READ);
	CHECK_INT(climbed.retrained, 0);
	CHECK_INT(due(INSTINCT_VFIO_UNBLOCK_RETRAIN, 501), INSTINCT_VFIO_UNBLOCK_BUSES);
	CHECK_INT(due(INSTINCT_VFIO_UNBLOCK_RETRAIN, 502), INSTINCT_VFIO_UNBLOCK_RETRAIN);
}

int main(void)
{
	RUN(test_each_in_its_time);
	RUN(test_none_left_out);
	RUN(test_retrained_twice);
	RUN(test_as_policy_allows);
	return unit_end();
}
