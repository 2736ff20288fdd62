// SPDX-License-Identifier: GPL-2.0-only
/* The rules that decide whether the members of a hive may be reset together. */
#include "reset/hive_rule.h"
#include "unit.h"

static enum instinct_hive_verdict decide(enum instinct_vfio_cause cause,
					 unsigned int free, unsigned int same,
					 unsigned int other, unsigned int unmanaged)
{
	const unsigned int members[] = {
		[INSTINCT_HIVE_FREE] = free,
		[INSTINCT_HIVE_SAME] = same,
		[INSTINCT_HIVE_OTHER] = other,
		[INSTINCT_HIVE_UNMANAGED] = unmanaged,
	};
	const char *why = NULL;
	enum instinct_hive_verdict verdict = instinct_hive_decide(cause, members, &why);

	CHECK(why);
	CHECK((verdict == INSTINCT_HIVE_ALONE || verdict == INSTINCT_HIVE_TOGETHER) == (why && !*why));
	return verdict;
}

static void test_hive(void)
{
	CHECK_INT(decide(INSTINCT_VFIO_CAUSE_OPEN, 0, 0, 0, 0), INSTINCT_HIVE_ALONE);
	CHECK_INT(decide(INSTINCT_VFIO_CAUSE_OPEN, 7, 0, 0, 0), INSTINCT_HIVE_TOGETHER);
	CHECK_INT(decide(INSTINCT_VFIO_CAUSE_OPEN, 6, 1, 0, 0), INSTINCT_HIVE_NEVER);
	CHECK_INT(decide(INSTINCT_VFIO_CAUSE_VFIO_RESET, 0, 7, 0, 0), INSTINCT_HIVE_TOGETHER);
	CHECK_INT(decide(INSTINCT_VFIO_CAUSE_HOT_RESET, 3, 4, 0, 0), INSTINCT_HIVE_TOGETHER);
	CHECK_INT(decide(INSTINCT_VFIO_CAUSE_VFIO_RESET, 0, 6, 1, 0), INSTINCT_HIVE_NEVER);
	CHECK_INT(decide(INSTINCT_VFIO_CAUSE_GUEST_FLR, 0, 7, 0, 0), INSTINCT_HIVE_NEVER);
	CHECK_INT(decide(INSTINCT_VFIO_CAUSE_GUEST_FLR, 7, 0, 0, 0), INSTINCT_HIVE_TOGETHER);
	CHECK_INT(decide(INSTINCT_VFIO_CAUSE_CLOSE, 0, 7, 0, 0), INSTINCT_HIVE_LATER);
	CHECK_INT(decide(INSTINCT_VFIO_CAUSE_CLOSE, 7, 0, 0, 0), INSTINCT_HIVE_TOGETHER);
	CHECK_INT(decide(INSTINCT_VFIO_CAUSE_CLOSE, 0, 6, 1, 0), INSTINCT_HIVE_NEVER);
	CHECK_INT(decide(INSTINCT_VFIO_CAUSE_SYSFS, 6, 0, 0, 1), INSTINCT_HIVE_NEVER);
}

static void test_reasons(void)
{
	unsigned int members[INSTINCT_HIVE_KINDS] = { [INSTINCT_HIVE_UNMANAGED] = 1 };
	const char *why;

	instinct_hive_decide(INSTINCT_VFIO_CAUSE_OPEN, members, &why);
	CHECK_STR(why, "not all GPUs of the hive are bound to this driver (policy: hive, scope)");
	members[INSTINCT_HIVE_UNMANAGED] = 0;
	members[INSTINCT_HIVE_SAME] = 1;
	instinct_hive_decide(INSTINCT_VFIO_CAUSE_CLOSE, members, &why);
	CHECK_STR(why, "waits for the other GPUs of the hive to be closed");
}

static void test_scope(void)
{
	CHECK(instinct_hive_wide(INSTINCT_VFIO_SCOPE_AUTO, INSTINCT_VFIO_METHOD_MODE1));
	CHECK(instinct_hive_wide(INSTINCT_VFIO_SCOPE_AUTO, INSTINCT_VFIO_METHOD_BUS));
	CHECK(!instinct_hive_wide(INSTINCT_VFIO_SCOPE_AUTO, INSTINCT_VFIO_METHOD_FLR));
	CHECK(!instinct_hive_wide(INSTINCT_VFIO_SCOPE_DEVICE, INSTINCT_VFIO_METHOD_MODE1));
	CHECK(instinct_hive_wide(INSTINCT_VFIO_SCOPE_HIVE, INSTINCT_VFIO_METHOD_BUS));
	CHECK(!instinct_hive_wide(INSTINCT_VFIO_SCOPE_HIVE, INSTINCT_VFIO_METHOD_QUIESCE));
}

int main(void)
{
	RUN(test_hive);
	RUN(test_reasons);
	RUN(test_scope);
	return unit_end();
}
