// SPDX-License-Identifier: GPL-2.0-only
/* The plan of a reset: its methods, and their refusals. */
#include "reset/plan.h"
#include "unit.h"

static struct instinct_plan_facts healthy(enum instinct_vfio_method wanted)
{
	return (struct instinct_plan_facts) {
		.wanted = wanted,
		.family = instinct_profile_find(0x1002, 0x74a1)->family,
		.mailbox = true,
		.package = true,
		.flr = true,
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

/* MI300A has no mode-1 reset; MI350P uses it only if the operator names it. */
static void test_families(void)
{
	struct instinct_plan_facts facts = healthy(INSTINCT_VFIO_METHOD_AUTO);
	struct instinct_plan plan;

	facts.family = instinct_profile_find(0x1002, 0x74a0)->family;
	CHECK_INT(instinct_plan_make(&facts, &plan), INSTINCT_VFIO_METHOD_QUIESCE);
	CHECK_INT(plan.steps, 1);
	facts.wanted = INSTINCT_VFIO_METHOD_MODE1;
	CHECK_INT(instinct_plan_make(&facts, &plan), INSTINCT_VFIO_METHOD_AUTO);
	CHECK_STR(plan.step[0].refusal,
		  "mode1: MI300A has no mode-1 reset (amdgpu resets it by mode-2)");
	CHECK(!facts.family->solitary);

	facts.family = instinct_profile_find(0x1002, 0x75a8)->family;
	CHECK(facts.family->solitary);
	facts.wanted = INSTINCT_VFIO_METHOD_AUTO;
	CHECK_INT(instinct_plan_make(&facts, &plan), INSTINCT_VFIO_METHOD_QUIESCE);
	facts.wanted = INSTINCT_VFIO_METHOD_MODE1;
	CHECK_INT(instinct_plan_make(&facts, &plan), INSTINCT_VFIO_METHOD_MODE1);
}

/* No family's own list holds a method that is known to lose devices. */
static void test_auto_never_flr_or_bus(void)
{
	u32 device;

	for (device = 0; device <= 0xffff; device++) {
		const struct instinct_profile *p =
			instinct_profile_find(0x1002, device);
		unsigned int i;

		for (i = 0; p && i < p->family->methods.count; i++) {
			CHECK(p->family->methods.method[i] !=
			      INSTINCT_VFIO_METHOD_FLR);
			CHECK(p->family->methods.method[i] !=
			      INSTINCT_VFIO_METHOD_BUS);
		}
	}
}

static void test_explicit(void)
{
	enum instinct_vfio_method m;

	for (m = INSTINCT_VFIO_METHOD_MODE1; m <= INSTINCT_VFIO_METHOD_FLR; m++) {
		struct instinct_plan_facts facts = healthy(m);
		struct instinct_plan plan;

		CHECK_INT(instinct_plan_make(&facts, &plan), m);
		CHECK_INT(plan.steps, 1);

		facts.lost_by = BIT(m);
		CHECK_INT(instinct_plan_make(&facts, &plan), INSTINCT_VFIO_METHOD_AUTO);
		CHECK_STR(plan.step[0].refusal,
			  "this method lost the device before; release it to try again");
	}
}

static void test_no_package(void)
{
	struct instinct_plan_facts facts = healthy(INSTINCT_VFIO_METHOD_BUS);

	facts.package = false;
	CHECK_STR(instinct_plan_refusal(&facts, INSTINCT_VFIO_METHOD_BUS),
		  "bus: no package switch (SWUS, SWDS) above the GPU to restore");
	CHECK_STR(instinct_plan_refusal(&facts, INSTINCT_VFIO_METHOD_FLR),
		  "flr: no package switch (SWUS, SWDS) above the GPU to restore");
	CHECK(!instinct_plan_refusal(&facts, INSTINCT_VFIO_METHOD_MODE1));
	CHECK(!instinct_plan_refusal(&facts, INSTINCT_VFIO_METHOD_QUIESCE));
	facts.package = true;
	facts.flr = false;
	CHECK(!instinct_plan_refusal(&facts, INSTINCT_VFIO_METHOD_BUS));
	CHECK_STR(instinct_plan_refusal(&facts, INSTINCT_VFIO_METHOD_FLR),
		  "flr: the function has no FLR capability");
	CHECK_STR(instinct_plan_refusal(&facts, INSTINCT_VFIO_METHOD_AUTO), "unknown method");
}

static void test_lost_method_is_skipped(void)
{
	struct instinct_plan_facts facts = healthy(INSTINCT_VFIO_METHOD_AUTO);
	struct instinct_plan plan;

	facts.lost_by = BIT(INSTINCT_VFIO_METHOD_MODE1);
	CHECK_INT(instinct_plan_make(&facts, &plan), INSTINCT_VFIO_METHOD_QUIESCE);
	CHECK(plan.step[0].refusal);
}

int main(void)
{
	RUN(test_auto_is_the_list);
	RUN(test_auto_without_mailbox);
	RUN(test_families);
	RUN(test_auto_never_flr_or_bus);
	RUN(test_explicit);
	RUN(test_no_package);
	RUN(test_lost_method_is_skipped);
	return unit_end();
}
