// SPDX-License-Identifier: GPL-2.0-only
/* Whose data a device holds: rule by rule, and in every order in which things can happen. */
#include <errno.h>
#include <stdlib.h>

#include "tenure.h"
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

/* A reset that did no more than quiesce failed, unless policy asks for that method. */
static void test_outcome_quiesced_in_place(void)
{
	struct instinct_tenure_ask ask = asked(INSTINCT_VFIO_CAUSE_NETLINK);
	const struct instinct_tenure tenure = { 0 };
	struct instinct_tenure_done done = well();
	const char *why;

	done.error = -EIO;
	done.method = INSTINCT_VFIO_METHOD_QUIESCE;
	CHECK_INT(instinct_tenure_outcome(&tenure, &ask, &done, &why),
		  INSTINCT_VFIO_STATE_QUARANTINED);
	CHECK_STR(why, "only quiesced, which scrubs nothing (policy: method = quiesce accepts that)");
	done.method = INSTINCT_VFIO_METHOD_MODE1;
	CHECK_INT(instinct_tenure_outcome(&tenure, &ask, &done, &why),
		  INSTINCT_VFIO_STATE_QUARANTINED);
	CHECK_STR(why, "the reset that policy asks for was not done");
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
	ask.touched = BIT(INSTINCT_TOUCHED_REACHED);
	CHECK(!instinct_tenure_spares(&tenure, &ask));
	ask.touched = BIT(INSTINCT_TOUCHED_MAPPED);
	CHECK(!instinct_tenure_spares(&tenure, &ask));
	ask.touched = 0;
	ask.forced = true;
	CHECK(!instinct_tenure_spares(&tenure, &ask));

	ask = asked(INSTINCT_VFIO_CAUSE_OPEN);
	tenure.owed = true;
	CHECK(!instinct_tenure_spares(&tenure, &ask));
	ask.tenancy = INSTINCT_VFIO_TENANCY_SINGLE;
	CHECK(instinct_tenure_spares(&tenure, &ask));
	ask = asked(INSTINCT_VFIO_CAUSE_GUEST_FLR);
	ask.open = true;
	CHECK(instinct_tenure_spares(&tenure, &ask));
	/* A mapping that its own user has not accessed yet changed nothing. */
	ask.touched = BIT(INSTINCT_TOUCHED_MAPPED);
	CHECK(instinct_tenure_spares(&tenure, &ask));
	ask.touched |= BIT(INSTINCT_TOUCHED_REACHED);
	CHECK(!instinct_tenure_spares(&tenure, &ask));
	/* The hive was reset for this user already, who asks for its members one by one. */
	tenure.answered = true;
	CHECK(instinct_tenure_spares(&tenure, &ask));
	ask.touched |= BIT(INSTINCT_TOUCHED_DIRTY);
	CHECK(!instinct_tenure_spares(&tenure, &ask));

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

static bool owes_after(bool zapped, unsigned long touched)
{
	struct instinct_tenure tenure = { .owed = true, .used = true };
	struct instinct_tenure_ask ask = asked(INSTINCT_VFIO_CAUSE_VFIO_RESET);
	struct instinct_tenure_done done = well();

	ask.open = true;
	ask.touched = touched;
	done.zapped = zapped;
	instinct_tenure_account(&tenure, &ask, &done, INSTINCT_VFIO_STATE_READY);
	/* He may write a table at any time. */
	CHECK(tenure.used);
	return tenure.owed;
}

/* Who is scrubbed owes nothing, unless he could write on meanwhile. */
static void test_scrubbed_user(void)
{
	CHECK(!owes_after(true, BIT(INSTINCT_TOUCHED_DIRTY)));
	CHECK(!owes_after(true, BIT(INSTINCT_TOUCHED_REACHED)));
	CHECK(!owes_after(false, 0));
	CHECK(owes_after(false, BIT(INSTINCT_TOUCHED_DIRTY)));
}

static bool answers_after(enum instinct_vfio_cause cause, bool decodes, bool zapped)
{
	struct instinct_tenure tenure = { .used = true };
	struct instinct_tenure_ask ask = asked(cause);
	struct instinct_tenure_done done = well();

	ask.open = true;
	ask.decodes = decodes;
	ask.touched = BIT(INSTINCT_TOUCHED_REACHED);
	done.zapped = zapped;
	instinct_tenure_account(&tenure, &ask, &done, INSTINCT_VFIO_STATE_READY);
	return instinct_tenure_spares(&tenure, &ask);
}

/* A BAR that DMA may reach counts as touched as long as it decodes. */
static void test_answered(void)
{
	CHECK(answers_after(INSTINCT_VFIO_CAUSE_VFIO_RESET, false, true));
	CHECK(!answers_after(INSTINCT_VFIO_CAUSE_VFIO_RESET, true, true));
	CHECK(!answers_after(INSTINCT_VFIO_CAUSE_VFIO_RESET, false, false));
	CHECK(!answers_after(INSTINCT_VFIO_CAUSE_OPEN, false, true));
}

static void test_untouches(void)
{
	struct instinct_tenure tenure = scrubbed;
	struct instinct_tenure_ask ask = asked(INSTINCT_VFIO_CAUSE_OPEN);
	const unsigned long dirty = BIT(INSTINCT_TOUCHED_DIRTY);
	struct instinct_tenure_done done = well();

	done.zapped = true;
	/* What the last one had mapped is not his who opens it. */
	CHECK_INT(instinct_tenure_account(&tenure, &ask, &done, INSTINCT_VFIO_STATE_READY),
		  dirty | BIT(INSTINCT_TOUCHED_MAPPED) |
		  BIT(INSTINCT_TOUCHED_REACHED) | BIT(INSTINCT_TOUCHED_SHARED));
	CHECK_INT(instinct_tenure_account(&tenure, &ask, &done, INSTINCT_VFIO_STATE_QUARANTINED), 0);
	ask.cause = INSTINCT_VFIO_CAUSE_VFIO_RESET;
	CHECK_INT(instinct_tenure_account(&tenure, &ask, &done, INSTINCT_VFIO_STATE_READY), dirty);
	done.zapped = false;
	CHECK_INT(instinct_tenure_account(&tenure, &ask, &done, INSTINCT_VFIO_STATE_READY), 0);
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
 * @closed: he has closed it, and the reset for that is yet to come; nobody can open it
 * @others: truth: in it is what somebody else than who has it has left, or anybody if
 *	nobody has it, for which nobody answers
 * @own: truth: in it is what its user has left
 * @unseen: truth: and what he has written through others that reach it, which nobody sees
 * @live: truth: he has it mapped, and needs no page fault to write
 * @reached: truth: others of his can reach it, until he closes it
 * @spared: truth: a scrubbing was spared, though there was something to scrub
 * @forged: truth: since its last mode-1 somebody could have written a table there
 */
struct world {
	struct instinct_tenure tenure;
	enum instinct_vfio_state state;
	unsigned int touched;
	enum instinct_vfio_tenancy tenancy;
	bool open;
	bool closed;
	bool others;
	bool own;
	bool unseen;
	bool live;
	bool reached;
	bool spared;
	bool forged;
};

/* Each with the one that it was reached from, and by what. */
static struct { struct world world; unsigned int from; const char *by; } worlds[1 << 15];
static unsigned int world_count, now;
static bool visited[1 << 22];

static unsigned int number_of(const struct world *world)
{
	const bool bits[] = {
		world->tenure.owed, world->tenure.used, world->open, world->closed,
		world->others, world->own, world->unseen, world->live, world->reached,
		world->spared, world->forged,
		world->tenancy == INSTINCT_VFIO_TENANCY_MULTI,
	};
	unsigned int i, number = world->tenure.cleaned_by;

	number = number << 2 | world->state;
	number = number << 4 | world->touched;
	for (i = 0; i < ARRAY_SIZE(bits); i++)
		number = number << 1 | bits[i];
	return number;
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
	unsigned int number = number_of(world);

	if (visited[number] || unit_test_failed)
		return;
	if (world_count == ARRAY_SIZE(worlds))
		abort();
	visited[number] = true;
	worlds[world_count].world = *world;
	worlds[world_count].from = now;
	worlds[world_count].by = by;
	must_hold(world);
	if (unit_test_failed)
		print_way(world_count);
	world_count++;
}

/* What its user has left is another's from here on. */
static void let_go(struct world *world)
{
	if (instinct_tenure_end(&world->tenure, world->touched))
		world->touched |= BIT(INSTINCT_TOUCHED_DIRTY);
	world->others |= world->own | world->unseen;
	world->own = false;
	world->unseen = false;
	world->live = false;
	world->reached = false;
	world->open = false;
	world->closed = true;
}

/**
 * struct how - a reset goes in one way or another
 * @done: as the engine sees it
 * @writes: meanwhile its user writes through a mapping that is live
 * @closes: and closes it
 */
struct how {
	struct instinct_tenure_done done;
	bool writes;
	bool closes;
};

/* By a method that has done what it does. */
static void scrub(struct world *world, const struct how *how)
{
	if (how->done.zapped)
		world->live = false;
	if (how->done.error || !instinct_plan_scrubs(how->done.method))
		return;
	world->others = false;
	world->own = false;
	world->unseen = false;
	if (how->done.method == INSTINCT_VFIO_METHOD_MODE1)
		world->forged = false;
}

static void meanwhile(struct world *world, const struct how *how)
{
	if (how->writes && world->live) {
		world->own = true;
		world->forged = true;
	}
	if (how->closes)
		let_go(world);
}

/*
 * A reset, as the engine does one: what it does to the truth, and what is known of it then.
 * Return: its error, 0 if it was spared.
 */
static int reset_as(struct world *world, enum instinct_vfio_cause cause,
		    enum instinct_vfio_method first, bool forced, const struct how *how)
{
	struct instinct_tenure_ask ask = {
		.state = world->state,
		.cause = cause,
		.tenancy = world->tenancy,
		.open = world->open || cause == INSTINCT_VFIO_CAUSE_OPEN,
		.touched = world->touched,
		.decodes = true,
		.first = first,
		.forced = forced,
	};
	const struct instinct_tenure before = world->tenure;
	const char *why;

	if (instinct_tenure_spares(&world->tenure, &ask)) {
		world->spared = instinct_plan_scrubs(world->tenure.cleaned_by) &&
				(world->own || (cause == INSTINCT_VFIO_CAUSE_CLOSE && world->others));
		return 0;
	}
	scrub(world, how);
	meanwhile(world, how);
	ask.touched = world->touched;
	world->state = instinct_tenure_outcome(&before, &ask, &how->done, &why);
	world->touched &= ~instinct_tenure_account(&world->tenure, &ask, &how->done, world->state);
	if (world->state == INSTINCT_VFIO_STATE_LOST)
		instinct_tenure_owe(&world->tenure);
	return how->done.error;
}

static const enum instinct_vfio_method methods[] = {
	INSTINCT_VFIO_METHOD_MODE1, INSTINCT_VFIO_METHOD_FLR, INSTINCT_VFIO_METHOD_QUIESCE,
};

static const struct instinct_tenure_done ends[] = {
	{ .error = 0, .triggered = true, .alive = true },
	{ .error = -ETIMEDOUT, .triggered = true, .alive = true },
	{ .error = -EOPNOTSUPP, .triggered = false, .alive = true },
	{ .error = -EIO, .triggered = true, .alive = false },
	{ .error = -EIO, .triggered = false, .alive = false },
};

typedef void after_fn(struct world *world, int error);

static void reset_each(const struct world *world, enum instinct_vfio_cause cause,
		       const char *by, after_fn *after, const struct how *how)
{
	unsigned int forced;
	int error;

	for (forced = 0; forced < 2; forced++) {
		struct world next = *world;

		error = reset_as(&next, cause, how->done.method, forced, how);
		if (after)
			after(&next, error);
		reach(&next, by);
	}
}

/*
 * By every method, and in every way in which it can end. vfio takes a user's mappings away
 * for resets that it does itself, and for them waits until he has closed; for others not.
 */
static void each_reset(const struct world *world, enum instinct_vfio_cause cause,
		       const char *by, after_fn *after)
{
	bool held = world->open && cause != INSTINCT_VFIO_CAUSE_OPEN;
	bool own = cause == INSTINCT_VFIO_CAUSE_VFIO_RESET || cause == INSTINCT_VFIO_CAUSE_HIVE;
	unsigned int i, j, k;

	for (i = 0; i < ARRAY_SIZE(methods); i++)
		for (j = 0; j < ARRAY_SIZE(ends); j++)
			for (k = 0; k < (held && !own ? 4 : 1); k++) {
				struct how how = {
					.done = ends[j], .writes = k & 1, .closes = k & 2,
				};

				how.done.method = methods[i];
				how.done.zapped = own || cause == INSTINCT_VFIO_CAUSE_OPEN;
				reset_each(world, cause, by, after, &how);
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
		world->unseen = world->others;
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
	next = *world;
	next.touched |= BIT(INSTINCT_TOUCHED_MAPPED);
	reach(&next, "map");
	if (next.touched & BIT(INSTINCT_TOUCHED_MAPPED)) {
		next.touched |= BIT(INSTINCT_TOUCHED_DIRTY) | BIT(INSTINCT_TOUCHED_REACHED);
		next.own = true;
		next.forged = true;
		next.live = true;
		next.reached = true;
		reach(&next, "access by mapping");
	}
	next = *world;
	next.touched |= BIT(INSTINCT_TOUCHED_SHARED);
	next.reached = true;
	reach(&next, "share");
	next = *world;
	if (next.reached) {
		next.unseen = true;
		next.forged = true;
		reach(&next, "write from elsewhere");
	}
	next = *world;
	if (next.live) {
		next.own = true;
		next.forged = true;
		reach(&next, "write by mapping");
	}
	each_reset(world, INSTINCT_VFIO_CAUSE_VFIO_RESET, "reset by its user", NULL);
	next = *world;
	let_go(&next);
	reach(&next, "close");
}

static void rebind(const struct world *world)
{
	struct world next = *world;

	next.touched = BIT(INSTINCT_TOUCHED_DIRTY);
	instinct_tenure_owe(&next.tenure);
	reach(&next, "bind anew");
	if (next.state == INSTINCT_VFIO_STATE_LOST) {
		next.state = INSTINCT_VFIO_STATE_READY;
		reach(&next, "shows life at bind");
	}
	/* A table that another driver's user has forged is believed only by a new module. */
	next.others = true;
	reach(&next, "another driver has it, and its user");
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
	if (world->closed && world->state == INSTINCT_VFIO_STATE_READY) {
		next = *world;
		instinct_tenure_owe(&next.tenure);
		next.closed = false;
		reach(&next, "the reset for the close is put off");
	}
	if (!world->open && !world->closed && world->state == INSTINCT_VFIO_STATE_READY)
		each_reset(world, INSTINCT_VFIO_CAUSE_OPEN, "open", hand_out);

	each_reset(world, INSTINCT_VFIO_CAUSE_SYSFS, "operator's reset", NULL);
	each_reset(world, INSTINCT_VFIO_CAUSE_HIVE, "reset of the hive", NULL);
	each_reset(world, INSTINCT_VFIO_CAUSE_RECOVERY, "recovery", NULL);

	next = *world;
	next.state = INSTINCT_VFIO_STATE_LOST;
	instinct_tenure_owe(&next.tenure);
	reach(&next, "loss");

	if (world->state == INSTINCT_VFIO_STATE_QUARANTINED && !world->closed) {
		next = *world;
		next.state = INSTINCT_VFIO_STATE_READY;
		instinct_tenure_forgive(&next.tenure, next.open);
		next.others = false;
		reach(&next, "release");
	}
}

/* From everywhere a mode-1 that goes well leads to a device that is handed out clean. */
static void comes_back(const struct world *world)
{
	const struct how mode1 = { .done = well() };
	const struct how fails = { .done = { .error = -EIO, .triggered = true } };
	struct world next = *world;

	if (world->open || world->closed)
		return;
	reset_as(&next, INSTINCT_VFIO_CAUSE_NETLINK, INSTINCT_VFIO_METHOD_MODE1, true, &mode1);
	CHECK_INT(next.state, INSTINCT_VFIO_STATE_READY);
	CHECK(!next.others);
	/* Nothing is owed, nothing is in doubt, and it needs no other one. */
	CHECK(!next.tenure.owed && !next.tenure.used && !next.touched);
	reset_as(&next, INSTINCT_VFIO_CAUSE_OPEN, INSTINCT_VFIO_METHOD_MODE1, false, &fails);
	CHECK_INT(next.state, INSTINCT_VFIO_STATE_READY);
	/* Who has done nothing owes nothing. */
	hand_out(&next, 0);
	let_go(&next);
	reset_as(&next, INSTINCT_VFIO_CAUSE_CLOSE, INSTINCT_VFIO_METHOD_MODE1, false, &fails);
	CHECK_INT(next.state, INSTINCT_VFIO_STATE_READY);
	CHECK(!next.tenure.owed);
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
	instinct_tenure_forgive(&tenure, true);
	CHECK(tenure.owed);
	instinct_tenure_forgive(&tenure, false);
	instinct_tenure_merge(&tenure, &scrubbed);
	CHECK(!tenure.owed && tenure.used);
}

int main(void)
{
	RUN(test_outcome);
	RUN(test_outcome_refused);
	RUN(test_outcome_quiesced);
	RUN(test_outcome_quiesced_in_place);
	RUN(test_spares);
	RUN(test_scrubbed_user);
	RUN(test_answered);
	RUN(test_untouches);
	RUN(test_every_order);
	RUN(test_merge);
	return unit_end();
}
