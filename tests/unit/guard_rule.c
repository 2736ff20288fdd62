// SPDX-License-Identifier: GPL-2.0-only
/* Which config writes start an FLR, and what a bridge's header should hold. */
#include "bridge_header.h"
#include "guard_rule.h"
#include "unit.h"

#define DEVCTL	0x68

/* Every write of every size near the register, against its bytes. */
static void test_flr_exhaustive(void)
{
	static const int sizes[] = { 1, 2, 4 };
	unsigned int s;
	int where, bit;

	for (s = 0; s < ARRAY_SIZE(sizes); s++)
	for (where = DEVCTL - 8; where < DEVCTL + 8; where += sizes[s])
	for (bit = 0; bit < 8 * sizes[s]; bit++) {
		int at = where * 8 + bit;
		bool flr = at == (DEVCTL + 1) * 8 + 7;
		u32 val = 1u << bit;

		CHECK_INT(instinct_guard_rule_is_flr(DEVCTL, where, sizes[s], val), flr);
		if (flr)
			CHECK_INT(instinct_guard_rule_without_flr(DEVCTL, where, val), 0);
	}
}

static void test_flr_keeps_the_rest(void)
{
	CHECK_INT(instinct_guard_rule_without_flr(DEVCTL, DEVCTL, 0xa810), 0x2810);
	CHECK_INT(instinct_guard_rule_without_flr(DEVCTL, DEVCTL, 0xffffffff),
		  0xffff7fff);
	CHECK(!instinct_guard_rule_is_flr(0, 0, 4, ~0u));
}

static void test_d3(void)
{
	CHECK_INT(instinct_guard_rule_without_d3(0x54, 0x54, 2, 0x8103), 0x8100);
	CHECK_INT(instinct_guard_rule_without_d3(0x54, 0x54, 1, 0x03), 0);
	CHECK_INT(instinct_guard_rule_without_d3(0x54, 0x50, 4, 0x03), 0x03);
	CHECK_INT(instinct_guard_rule_without_d3(0x54, 0x55, 1, 0x03), 0x03);
	CHECK_INT(instinct_guard_rule_without_d3(0, 0, 4, 0x03), 0x03);
}

static void test_bridge_buses(void)
{
	struct instinct_bridge_header h = {
		.primary = 0x21, .secondary = 0x22, .subordinate = 0x25,
	};

	CHECK_INT(instinct_bridge_header_buses(&h), 0x252221);
}

static void test_bridge_windows(void)
{
	struct instinct_window closed = { .start = 0x1000, .end = 0x1fff };
	struct instinct_window mem = {
		.start = 0xfe000000, .end = 0xfe3fffff, .open = true,
	};
	struct instinct_window pref = {
		.start = 0x3800000000, .end = 0x38ffefffff, .open = true,
	};
	u32 base, limit;

	CHECK_INT(instinct_bridge_header_mem(&mem), 0xfe30fe00);
	CHECK_INT(instinct_bridge_header_mem(&closed), 0x0000fff0);
	CHECK_INT(instinct_bridge_header_pref(&pref, &base, &limit), 0xffe10001);
	CHECK_INT(base, 0x38);
	CHECK_INT(limit, 0x38);
	CHECK_INT(instinct_bridge_header_pref(&closed, &base, &limit), 0x0001fff1);
	CHECK_INT(base, 0);
	CHECK_INT(limit, 0);
}

int main(void)
{
	RUN(test_flr_exhaustive);
	RUN(test_flr_keeps_the_rest);
	RUN(test_d3);
	RUN(test_bridge_buses);
	RUN(test_bridge_windows);
	return unit_end();
}
