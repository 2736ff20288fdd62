// SPDX-License-Identifier: GPL-2.0-only
/* Whose data a device holds: rule by rule, and in every order in which things can happen. */
#include <errno.h>
#include <stdlib.h>

#include "tenure.h"
#include "touch.h"
#include "unit.h"

static const struct instinct_tenure scrubbed = {
	.cleaned_by = INSTINCT_VFIO_METHOD_MODE1,
};

static struct instinct_tenure_ask asked(enum instinct_vfio_cause cause)
{
	return (struct instinct_tenure_ask) {
		.state = INSTINCT_VFIO_STATE_READY,
		.cause = cause,
		.tenancy = INSTINCT_VFIO_TENANCY_MULTI,
		.open = cause == INSTINCT_VFIO_CAUSE_OPEN,
		.first = INSTINCT_VFIO_METHOD_MODE1,
	};
}

static struct instinct_tenure_done well(void)
{
	return (struct instinct_tenure_done) {
		.method = INSTINCT_VFIO_METHOD_MODE1,
		.triggered = true,
		.alive = true,
	};
}

static enum instinct_vfio_state state_of(bool owed, const struct instinct_tenure_ask *ask,
					 const struct instinct_tenure_done *done)
{
	const struct instinct_tenure tenure = { .owed = owed };
	const char *why = NULL;
	enum instinct_vfio_state state = instinct_tenure_outcome(&tenure, ask, done, &why);

	CHECK(why);
	CHECK((state == INSTINCT_VFIO_STATE_READY) == (why && !*why));
	return state;
}

static void test_outcome(void)
{
	struct instinct_tenure_ask ask = asked(INSTINCT_VFIO_CAUSE_OPEN);
	struct instinct_tenure_done done = well();

	CHECK_INT(state_of(false, &ask, &done), INSTINCT_VFIO_STATE_READY);
	ask.state = INSTINCT_VFIO_STATE_LOST;
	CHECK_INT(state_of(true, &ask, &done), INSTINCT_VFIO_STATE_READY);
	done.alive = false;
	CHECK_INT(state_of(true, &ask, &done), INSTINCT_VFIO_STATE_LOST);
	done.error = -ETIMEDOUT;
	CHECK_INT(state_of(true, &ask, &done), INSTINCT_VFIO_STATE_LOST);
	done.alive = true;
	CHECK_INT(state_of(true, &ask, &done), INSTINCT_VFIO_STATE_QUARANTINED);
}

/* What was refused changes nothing, but a close that was not reset does. */
static void test_outcome_refused(void)
{
	struct instinct_tenure_ask ask = asked(INSTINCT_VFIO_CAUSE_NETLINK);
	struct instinct_tenure_done done = {
		.error = -EOPNOTSUPP, .method = INSTINCT_VFIO_METHOD_AUTO, .alive = true,
	};

	CHECK_INT(state_of(false, &ask, &done), INSTINCT_VFIO_STATE_READY);
	ask.state = INSTINCT_VFIO_STATE_QUARANTINED;
	CHECK_INT(state_of(false, &ask, &done), INSTINCT_VFIO_STATE_QUARANTINED);
	ask = asked(INSTINCT_VFIO_CAUSE_CLOSE);
	CHECK_INT(state_of(false, &ask, &done), INSTINCT_VFIO_STATE_QUARANTINED);
}

/* Among tenants only what was scrubbed is handed on. */
static void test_outcome_quiesced(void)
{
	struct instinct_tenure_ask ask = asked(INSTINCT_VFIO_CAUSE_OPEN);
	struct instinct_tenure_done done = well();

	done.method = INSTINCT_VFIO_METHOD_QUIESCE;
	CHECK_INT(state_of(false, &ask, &done), INSTINCT_VFIO_STATE_READY);
	/* If the close before has put its reset off. */
	CHECK_INT(state_of(true, &ask, &done), INSTINCT_VFIO_STATE_QUARANTINED);
	ask = asked(INSTINCT_VFIO_CAUSE_CLOSE);
	CHECK_INT(state_of(false, &ask, &done), INSTINCT_VFIO_STATE_QUARANTINED);
	ask.tenancy = INSTINCT_VFIO_TENANCY_SINGLE;
	CHECK_INT(state_of(true, &ask, &done), INSTINCT_VFIO_STATE_READY);
	ask = asked(INSTINCT_VFIO_CAUSE_RECOVERY);
	ask.state = INSTINCT_VFIO_STATE_LOST;
	CHECK_INT(state_of(false, &ask, &done), INSTINCT_VFIO_STATE_QUARANTINED);
	/* A quarantined device does not get out by being quiesced again. */
	ask = asked(INSTINCT_VFIO_CAUSE_NETLINK);
	ask.state = INSTINCT_VFIO_STATE_QUARANTINED;
	CHECK_INT(state_of(false, &ask, &done), INSTINCT_VFIO_STATE_QUARANTINED);
	/* Who has it may have it quiesced: what is in it is his. */
	ask = asked(INSTINCT_VFIO_CAUSE_VFIO_RESET);
	ask.open = true;
	CHECK_INT(state_of(true, &ask, &done), INSTINCT_VFIO_STATE_READY);
}

static void test_spares(void)
{
	struct instinct_tenure tenure = scrubbed;
	struct instinct_tenure_ask ask = asked(INSTINCT_VFIO_CAUSE_OPEN);

	CHECK(instinct_tenure_spares(&tenure, &ask));
	ask.touched = BIT(INSTINCT_TOUCHED_DIRTY);
	CHECK(!instinct_tenure_spares(&tenure, &ask));
	ask.touched = BIT(INSTINCT_TOUCHED_SHARED);
	CHECK(!instinct_tenure_spares(&tenure, &ask));
	ask.touched = BIT(INSTINCT_TOUCHED_MAPPED);
	CHECK(instinct_tenure_spares(&tenure, &ask));
	ask.forced = true;
	CHECK(!instinct_tenure_spares(&tenure, &ask));
	ask.forced = false;
	ask.unproven = true;
	CHECK(!instinct_tenure_spares(&tenure, &ask));

	ask = asked(INSTINCT_VFIO_CAUSE_OPEN);
	tenure.owed = true;
	CHECK(!instinct_tenure_spares(&tenure, &ask));
	ask.tenancy = INSTINCT_VFIO_TENANCY_SINGLE;
	CHECK(instinct_tenure_spares(&tenure, &ask));
	ask = asked(INSTINCT_VFIO_CAUSE_GUEST_FLR);
	ask.open = true;
	CHECK(instinct_tenure_spares(&tenure, &ask));

	ask = asked(INSTINCT_VFIO_CAUSE_OPEN);
	tenure = scrubbed;
	ask.state = INSTINCT_VFIO_STATE_QUARANTINED;
	CHECK(!instinct_tenure_spares(&tenure, &ask));
	ask = asked(INSTINCT_VFIO_CAUSE_HIVE);
	CHECK(!instinct_tenure_spares(&tenure, &ask));
	ask = asked(INSTINCT_VFIO_CAUSE_OPEN);
	tenure.cleaned_by = INSTINCT_VFIO_METHOD_AUTO;
	CHECK(!instinct_tenure_spares(&tenure, &ask));
	/* Quiesced is clean only where nothing better could be tried now. */
	tenure.cleaned_by = INSTINCT_VFIO_METHOD_QUIESCE;
	CHECK(!instinct_tenure_spares(&tenure, &ask));
	ask.first = INSTINCT_VFIO_METHOD_QUIESCE;
	CHECK(instinct_tenure_spares(&tenure, &ask));
}

/*
 * Every order. A world is a device as the driver knows it, and the truth about it, which
 * the driver is not told. From the world after a bind all worlds are visited that any
 * sequence of acts leads to; in each what must never be is looked for.
 */

/**
 * struct world - a device, and the truth
 * @tenure: what the driver knows
 * @state: of it
 * @touched: bits
 * @tenancy: policy
 * @open: a user has it
 * @zaps: his mappings are taken away for resets
 * @closed: he has closed it, and the reset for that is yet to come; nobody can open it
 * @others: truth: in it is what somebody else than who has it has left, or anybody if
 *	nobody has it, for which nobody answers
 * @own: truth: in it is what its user has left
 * @unseen: truth: and what he has written through what is still mapped or shared, which
 *	nobody sees
 * @spared: truth: a scrubbing was spared, though there was something to scrub
 * @forged: truth: since its last mode-1 somebody could have written a table there
 */
struct world {
	struct instinct_tenure tenure;
	enum instinct_vfio_state state;
	unsigned int touched;
	enum instinct_vfio_tenancy tenancy;
	bool open;
	bool zaps;
	bool closed;
	bool others;
	bool own;
	bool unseen;
	bool spared;
	bool forged;
};

/* Each with the one that it was reached from, and by what. */
static struct { struct world world; unsigned int from; const char *by; } worlds[1 << 14];
static unsigned int world_count, now;

static bool same(const struct world *a, const struct world *b)
{
	return a->tenure.cleaned_by == b->tenure.cleaned_by && a->tenure.owed == b->tenure.owed &&
	       a->tenure.used == b->tenure.used && a->state == b->state &&
	       a->touched == b->touched && a->tenancy == b->tenancy && a->open == b->open &&
	       a->zaps == b->zaps && a->closed == b->closed && a->others == b->others &&
	       a->own == b->own && a->unseen == b->unseen &&
	       a->spared == b->spared && a->forged == b->forged;
}

/* What must be so in every world. */
static void must_hold(const struct world *world)
{
	/* Where a table is believed, nobody can have written it. */
	CHECK(world->tenure.used || !world->forged);
	/* Nobody has what another has left. */
	CHECK(!world->open || !world->others);
	CHECK(!world->spared);
}

static void print_way(unsigned int to)
{
	if (to)
		print_way(worlds[to].from);
	printf("#   %s\n", worlds[to].by);
}

static void reach(const struct world *world, const char *by)
{
	bool failed = unit_test_failed;
	unsigned int i;

	for (i = 0; i < world_count; i++)
		if (same(&worlds[i].world, world))
			return;
	if (world_count == ARRAY_SIZE(worlds))
		abort();
	worlds[world_count].world = *world;
	worlds[world_count].from = now;
	worlds[world_count].by = by;
	must_hold(world);
	if (unit_test_failed && !failed)
		print_way(world_count);
	world_count++;
}

/*
 * What a reset that goes as @done says does: to the truth, and to what is known. Return:
 * its error, 0 if it was spared.
 */
static int reset_as(struct world *world, enum instinct_vfio_cause cause,
		    enum instinct_vfio_method first, bool forced,
		    struct instinct_tenure_done done)
{
	const struct instinct_tenure_ask ask = {
		.state = world->state,
		.cause = cause,
		.tenancy = world->tenancy,
		.open = world->open || cause == INSTINCT_VFIO_CAUSE_OPEN,
		.touched = world->touched,
		.first = first,
		.forced = forced,
	};
	const char *why;

	if (instinct_tenure_spares(&world->tenure, &ask)) {
		world->spared = world->own && instinct_plan_scrubs(world->tenure.cleaned_by);
		return 0;
	}
	done.zapped = world->open && world->zaps;
	if (!done.error && instinct_plan_scrubs(done.method)) {
		world->others = false;
		/*
		 * Whose mapping is live may write as soon as it is back; after it was taken
		 * away he needs a page fault for that, which is seen.
		 */
		world->own = world->own && world->open && !done.zapped &&
			     world->touched & BIT(INSTINCT_TOUCHED_DIRTY) &&
			     world->touched & BIT(INSTINCT_TOUCHED_MAPPED);
		world->unseen = false;
	}
	if (!done.error && done.method == INSTINCT_VFIO_METHOD_MODE1)
		world->forged = world->own;
	world->state = instinct_tenure_outcome(&world->tenure, &ask, &done, &why);
	instinct_tenure_account(&world->tenure, &ask, &done);
	world->touched &= ~instinct_tenure_untouches(&ask, &done, world->state);
	if (world->state == INSTINCT_VFIO_STATE_LOST)
		instinct_tenure_owe(&world->tenure);
	return done.error;
}

static const enum instinct_vfio_method methods[] = {
	INSTINCT_VFIO_METHOD_MODE1, INSTINCT_VFIO_METHOD_FLR, INSTINCT_VFIO_METHOD_QUIESCE,
};

typedef void after_fn(struct world *world, int error);

/* By every method, and in every way in which it can end. */
static void each_reset(const struct world *world, enum instinct_vfio_cause cause,
		       const char *by, after_fn *after)
{
	static const struct { int error; bool triggered, alive; } ends[] = {
		{ 0, true, true }, { -ETIMEDOUT, true, true }, { -EOPNOTSUPP, false, true },
		{ -EIO, true, false }, { -EIO, false, false },
	};
	unsigned int i, j, forced;
	int error;

	for (i = 0; i < ARRAY_SIZE(methods); i++)
		for (j = 0; j < ARRAY_SIZE(ends); j++)
			for (forced = 0; forced < 2; forced++) {
				struct world next = *world;

				error = reset_as(&next, cause, methods[i], forced,
						 (struct instinct_tenure_done) {
							.error = ends[j].error,
							.method = methods[i],
							.triggered = ends[j].triggered,
							.alive = ends[j].alive,
						 });
				if (after)
					after(&next, error);
				reach(&next, by);
			}
}

/* An open hands the device out if the reset before it went well, and has left it ready. */
static void hand_out(struct world *world, int error)
{
	if (error || world->state != INSTINCT_VFIO_STATE_READY)
		return;
	instinct_tenure_begin(&world->tenure);
	world->open = true;
	/* Where all are one tenant, that is his own, too. */
	if (world->tenancy == INSTINCT_VFIO_TENANCY_SINGLE) {
		world->own = world->own || world->others;
		world->others = false;
	}
}

static void close_ends(struct world *world, int error)
{
	(void)error;
	world->closed = false;
}

static void use(const struct world *world)
{
	struct world next = *world;

	next.touched |= BIT(INSTINCT_TOUCHED_DIRTY);
	next.own = true;
	next.forged = true;
	reach(&next, "touch");
	next.touched |= BIT(INSTINCT_TOUCHED_MAPPED);
	reach(&next, "map");
	next.touched |= BIT(INSTINCT_TOUCHED_SHARED);
	reach(&next, "share");
	next = *world;
	if (next.touched & (BIT(INSTINCT_TOUCHED_MAPPED) | BIT(INSTINCT_TOUCHED_SHARED))) {
		next.unseen = true;
		next.forged = true;
		reach(&next, "write from elsewhere");
	}
	each_reset(world, INSTINCT_VFIO_CAUSE_VFIO_RESET, "reset by its user", NULL);

	next = *world;
	next.zaps = !next.zaps;
	reach(&next, "mappings are taken away or not");

	next = *world;
	next.open = false;
	next.closed = true;
	if (instinct_tenure_end(&next.tenure, next.touched))
		next.touched |= BIT(INSTINCT_TOUCHED_DIRTY);
	next.others = next.own || next.unseen;
	next.own = false;
	next.unseen = false;
	reach(&next, "close");
}

static void rebind(const struct world *world)
{
	struct world next = *world;

	next.touched = BIT(INSTINCT_TOUCHED_DIRTY);
	reach(&next, "bind anew");
	if (next.state == INSTINCT_VFIO_STATE_LOST) {
		/* It shows life at bind. */
		next.state = INSTINCT_VFIO_STATE_READY;
		reach(&next, "shows life");
	}
}

static void act(const struct world *world)
{
	struct world next = *world;

	next.tenancy = world->tenancy == INSTINCT_VFIO_TENANCY_MULTI ?
		INSTINCT_VFIO_TENANCY_SINGLE : INSTINCT_VFIO_TENANCY_MULTI;
	reach(&next, "tenancy is another");
	if (world->open)
		use(world);
	else if (world->closed)
		each_reset(world, INSTINCT_VFIO_CAUSE_CLOSE, "reset for the close", close_ends);
	else
		rebind(world);
	/* The rest of the hive is in use: the reset is put off. */
	if (world->closed && world->state == INSTINCT_VFIO_STATE_READY) {
		next = *world;
		instinct_tenure_owe(&next.tenure);
		next.closed = false;
		reach(&next, "the reset for the close is put off");
	}
	if (!world->open && !world->closed && world->state == INSTINCT_VFIO_STATE_READY)
		each_reset(world, INSTINCT_VFIO_CAUSE_OPEN, "open", hand_out);

	each_reset(world, INSTINCT_VFIO_CAUSE_NETLINK, "operator's reset", NULL);
	each_reset(world, INSTINCT_VFIO_CAUSE_HIVE, "reset of the hive", NULL);
	each_reset(world, INSTINCT_VFIO_CAUSE_RECOVERY, "recovery", NULL);

	next = *world;
	next.state = INSTINCT_VFIO_STATE_LOST;
	instinct_tenure_owe(&next.tenure);
	reach(&next, "loss");

	if (world->state == INSTINCT_VFIO_STATE_QUARANTINED && !world->closed) {
		next = *world;
		next.state = INSTINCT_VFIO_STATE_READY;
		/* The operator answers for what it holds, if nobody has it. */
		if (!next.open)
			instinct_tenure_forgive(&next.tenure);
		next.others = false;
		reach(&next, "release");
	}
}

/* From everywhere a mode-1 that goes well leads to a device that is handed out clean. */
static void comes_back(const struct world *world)
{
	struct world next = *world;

	if (world->open || world->closed)
		return;
	reset_as(&next, INSTINCT_VFIO_CAUSE_NETLINK, INSTINCT_VFIO_METHOD_MODE1, true, well());
	CHECK_INT(next.state, INSTINCT_VFIO_STATE_READY);
	CHECK(!next.others);
	/* And needs no other one then. */
	reset_as(&next, INSTINCT_VFIO_CAUSE_OPEN, INSTINCT_VFIO_METHOD_MODE1, false,
		 (struct instinct_tenure_done) { .error = -EIO, .triggered = true });
	CHECK_INT(next.state, INSTINCT_VFIO_STATE_READY);
}

static void test_every_order(void)
{
	struct world bound = {
		.state = INSTINCT_VFIO_STATE_READY,
		.touched = BIT(INSTINCT_TOUCHED_DIRTY),
		.tenancy = INSTINCT_VFIO_TENANCY_MULTI,
		.others = true,
	};
	unsigned int i;

	instinct_tenure_owe(&bound.tenure);
	reach(&bound, "bind");
	for (i = 0; i < world_count && !unit_test_failed; i++) {
		now = i;
		act(&worlds[i].world);
		comes_back(&worlds[i].world);
	}
	CHECK(world_count > 1000);
}

/* What is known of one device in two places. */
static void test_merge(void)
{
	struct instinct_tenure tenure = scrubbed;

	instinct_tenure_merge(&tenure, &(struct instinct_tenure) { .owed = true });
	CHECK(tenure.owed && !tenure.used);
	instinct_tenure_merge(&tenure, &(struct instinct_tenure) { .used = true });
	CHECK(tenure.owed && tenure.used);
	instinct_tenure_forgive(&tenure);
	instinct_tenure_merge(&tenure, &scrubbed);
	CHECK(!tenure.owed && tenure.used);
}

int main(void)
{
	RUN(test_outcome);
	RUN(test_outcome_refused);
	RUN(test_outcome_quiesced);
	RUN(test_spares);
	RUN(test_every_order);
	RUN(test_merge);
	return unit_end();
}
