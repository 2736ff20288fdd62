// SPDX-License-Identifier: GPL-2.0-only
/* What state a device is in after a reset. */
#include <linux/errno.h>

#include "outcome.h"
#include "unit.h"

static struct instinct_outcome_facts well(void)
{
	return (struct instinct_outcome_facts) {
		.before = INSTINCT_VFIO_STATE_READY,
		.cause = INSTINCT_VFIO_CAUSE_OPEN,
		.tenancy = INSTINCT_VFIO_TENANCY_MULTI,
		.method = INSTINCT_VFIO_METHOD_MODE1,
		.triggered = true,
		.alive = true,
	};
}

static enum instinct_vfio_state state_of(const struct instinct_outcome_facts *facts)
{
	const char *why;
	enum instinct_vfio_state state = instinct_outcome_state(facts, &why);

	CHECK(!*why == (state == INSTINCT_VFIO_STATE_READY));
	return state;
}

static void test_reset(void)
{
	struct instinct_outcome_facts f = well();

	CHECK(state_of(&f) == INSTINCT_VFIO_STATE_READY);
	f.before = INSTINCT_VFIO_STATE_LOST;
	f.owed = true;
	CHECK(state_of(&f) == INSTINCT_VFIO_STATE_READY);
	f.alive = false;
	CHECK(state_of(&f) == INSTINCT_VFIO_STATE_LOST);
	f.error = -ETIMEDOUT;
	CHECK(state_of(&f) == INSTINCT_VFIO_STATE_LOST);
	f.alive = true;
	CHECK(state_of(&f) == INSTINCT_VFIO_STATE_QUARANTINED);
}

/* Refused before the hardware was touched: nothing has changed, but for who had it. */
static void test_refused(void)
{
	struct instinct_outcome_facts f = well();

	f.error = -EOPNOTSUPP;
	f.triggered = false;
	CHECK(state_of(&f) == INSTINCT_VFIO_STATE_READY);
	f.before = INSTINCT_VFIO_STATE_QUARANTINED;
	CHECK(state_of(&f) == INSTINCT_VFIO_STATE_QUARANTINED);
	f = well();
	f.error = -EOPNOTSUPP;
	f.triggered = false;
	f.cause = INSTINCT_VFIO_CAUSE_CLOSE;
	CHECK(state_of(&f) == INSTINCT_VFIO_STATE_QUARANTINED);
}

/* Among tenants only what was scrubbed is handed on. */
static void test_quiesced(void)
{
	struct instinct_outcome_facts f = well();

	f.method = INSTINCT_VFIO_METHOD_QUIESCE;
	CHECK(state_of(&f) == INSTINCT_VFIO_STATE_READY);
	f.owed = true;
	CHECK(state_of(&f) == INSTINCT_VFIO_STATE_QUARANTINED);
	f.owed = false;
	f.cause = INSTINCT_VFIO_CAUSE_CLOSE;
	CHECK(state_of(&f) == INSTINCT_VFIO_STATE_QUARANTINED);
	f.cause = INSTINCT_VFIO_CAUSE_RECOVERY;
	f.before = INSTINCT_VFIO_STATE_LOST;
	CHECK(state_of(&f) == INSTINCT_VFIO_STATE_QUARANTINED);
	f.owed = true;
	f.tenancy = INSTINCT_VFIO_TENANCY_SINGLE;
	CHECK(state_of(&f) == INSTINCT_VFIO_STATE_READY);
}

int main(void)
{
	RUN(test_reset);
	RUN(test_refused);
	RUN(test_quiesced);
	return unit_end();
}
