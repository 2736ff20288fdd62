// SPDX-License-Identifier: GPL-2.0-only
/* The plan of a reset: its methods, their refusals, and the members of a hive. */
#include "reset/plan.h"
#include "unit.h"

static struct instinct_plan_facts healthy(enum instinct_vfio_method wanted)
{
	return (struct instinct_plan_facts) {
		.wanted = wanted,
		.family = instinct_profile_find(0x1002, 0x74a1)->family,
		.mailbox = true,
		.package = true,
	};
}

static void test_auto_is_the_list(void)
{
	struct instinct_plan_facts facts = healthy(INSTINCT_VFIO_METHOD_AUTO);
	struct instinct_plan plan;

	CHECK_INT(instinct_plan_make(&facts, &plan), INSTINCT_VFIO_METHOD_MODE1);
	CHECK_INT(plan.steps, 2);
	CHECK_INT(plan.step[0].method, INSTINCT_VFIO_METHOD_MODE1);
	CHECK_INT(plan.step[1].method, INSTINCT_VFIO_METHOD_QUIESCE);
	CHECK(!plan.step[0].refusal && !plan.step[1].refusal);
}

static void test_auto_without_mailbox(void)
{
	struct instinct_plan_facts facts = healthy(INSTINCT_VFIO_METHOD_AUTO);
	struct instinct_plan plan;

	facts.mailbox = false;
	CHECK_INT(instinct_plan_make(&facts, &plan), INSTINCT_VFIO_METHOD_QUIESCE);
	CHECK_INT(plan.steps, 2);
	CHECK(plan.step[0].refusal && !plan.step[1].refusal);
}

/* MI350P uses mode-1 only if the operator names it. */
static void test_families(void)
{
	struct instinct_plan_facts facts = healthy(INSTINCT_VFIO_METHOD_AUTO);
	struct instinct_plan plan;

	facts.family = instinct_profile_find(0x1002, 0x75a8)->family;
	CHECK(facts.family->solitary);
	CHECK_INT(instinct_plan_make(&facts, &plan), INSTINCT_VFIO_METHOD_QUIESCE);
	facts.wanted = INSTINCT_VFIO_METHOD_MODE1;
	CHECK_INT(instinct_plan_make(&facts, &plan), INSTINCT_VFIO_METHOD_MODE1);
}

/* AUTO tries no method that is known to lose devices. */
static void test_auto_never_bus(void)
{
	u32 device;

	for (device = 0; device <= 0xffff; device++) {
		const struct instinct_profile *p =
			instinct_profile_find(0x1002, device);
		struct instinct_plan_facts facts = healthy(INSTINCT_VFIO_METHOD_AUTO);
		struct instinct_plan plan = { .steps = 0 };
		unsigned int i;

		if (p) {
			facts.family = p->family;
			instinct_plan_make(&facts, &plan);
			CHECK(plan.steps);
		}
		for (i = 0; i < plan.steps; i++)
			CHECK(plan.step[i].method != INSTINCT_VFIO_METHOD_BUS);
	}
}

static void test_explicit(void)
{
	enum instinct_vfio_method m;

	for (m = INSTINCT_VFIO_METHOD_MODE1; m <= INSTINCT_VFIO_METHOD_BUS; m++) {
		struct instinct_plan_facts facts = healthy(m);
		struct instinct_plan plan;

		CHECK_INT(instinct_plan_make(&facts, &plan), m);
		CHECK_INT(plan.steps, 1);

		facts.lost_by = BIT(m);
		CHECK_INT(instinct_plan_make(&facts, &plan), INSTINCT_VFIO_METHOD_AUTO);
		CHECK_STR(plan.step[0].refusal,
			  "this method lost the device before (instinctctl forgive lets it be tried again)");
	}
}

static void test_no_package(void)
{
	struct instinct_plan_facts facts = healthy(INSTINCT_VFIO_METHOD_BUS);
	struct instinct_plan plan;

	facts.package = false;
	CHECK_INT(instinct_plan_make(&facts, &plan), INSTINCT_VFIO_METHOD_AUTO);
	CHECK_STR(plan.step[0].refusal,
		  "bus: no package switch (SWUS, SWDS) above the GPU to restore");
	facts.wanted = INSTINCT_VFIO_METHOD_MODE1;
	CHECK_INT(instinct_plan_make(&facts, &plan), INSTINCT_VFIO_METHOD_MODE1);
	facts.wanted = INSTINCT_VFIO_METHOD_QUIESCE;
	CHECK_INT(instinct_plan_make(&facts, &plan), INSTINCT_VFIO_METHOD_QUIESCE);
}

static void test_lost_method_is_skipped(void)
{
	struct instinct_plan_facts facts = healthy(INSTINCT_VFIO_METHOD_AUTO);
	struct instinct_plan plan;

	facts.lost_by = BIT(INSTINCT_VFIO_METHOD_MODE1);
	CHECK_INT(instinct_plan_make(&facts, &plan), INSTINCT_VFIO_METHOD_QUIESCE);
	CHECK(plan.step[0].refusal);
}

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
	CHECK_INT(decide(INSTINCT_VFIO_CAUSE_VFIO_RESET, 0, 6, 1, 0), INSTINCT_HIVE_TAKEN);
	CHECK_INT(decide(INSTINCT_VFIO_CAUSE_GUEST_FLR, 0, 7, 0, 0), INSTINCT_HIVE_NEVER);
	CHECK_INT(decide(INSTINCT_VFIO_CAUSE_GUEST_FLR, 7, 0, 0, 0), INSTINCT_HIVE_TOGETHER);
	CHECK_INT(decide(INSTINCT_VFIO_CAUSE_CLOSE, 0, 7, 0, 0), INSTINCT_HIVE_LATER);
	CHECK_INT(decide(INSTINCT_VFIO_CAUSE_CLOSE, 7, 0, 0, 0), INSTINCT_HIVE_TOGETHER);
	CHECK_INT(decide(INSTINCT_VFIO_CAUSE_CLOSE, 0, 6, 1, 0), INSTINCT_HIVE_TAKEN);
	CHECK_INT(decide(INSTINCT_VFIO_CAUSE_SYSFS, 6, 0, 0, 1), INSTINCT_HIVE_NEVER);
	CHECK_INT(decide(INSTINCT_VFIO_CAUSE_OPEN, 5, 0, 1, 1), INSTINCT_HIVE_TAKEN);
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
	CHECK(!instinct_hive_wide(INSTINCT_VFIO_SCOPE_AUTO, INSTINCT_VFIO_METHOD_QUIESCE));
	CHECK(!instinct_hive_wide(INSTINCT_VFIO_SCOPE_DEVICE, INSTINCT_VFIO_METHOD_MODE1));
	CHECK(instinct_hive_wide(INSTINCT_VFIO_SCOPE_HIVE, INSTINCT_VFIO_METHOD_BUS));
	CHECK(!instinct_hive_wide(INSTINCT_VFIO_SCOPE_HIVE, INSTINCT_VFIO_METHOD_QUIESCE));
}

int main(void)
{
	RUN(test_auto_is_the_list);
	RUN(test_auto_without_mailbox);
	RUN(test_families);
	RUN(test_auto_never_bus);
	RUN(test_explicit);
	RUN(test_no_package);
	RUN(test_lost_method_is_skipped);
	RUN(test_hive);
	RUN(test_reasons);
	RUN(test_scope);
	return unit_end();
}
