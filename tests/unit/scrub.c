// SPDX-License-Identifier: GPL-2.0-only
/* The scrub state of a device: rule by rule, and in every order of events. */
#include <errno.h>
#include <stdlib.h>

#include "device/scrub.h"
#include "unit.h"

static const struct instinct_scrub scrubbed = {
	.cleaned_by = INSTINCT_VFIO_METHOD_MODE1,
};

static struct instinct_scrub_ask asked(enum instinct_vfio_cause cause)
{
	return (struct instinct_scrub_ask) {
		.state = INSTINCT_VFIO_STATE_READY,
		.cause = cause,
		.tenancy = INSTINCT_VFIO_TENANCY_MULTI,
		.open = cause == INSTINCT_VFIO_CAUSE_OPEN,
		.first = INSTINCT_VFIO_METHOD_MODE1,
	};
}

static struct instinct_scrub_done well(void)
{
	return (struct instinct_scrub_done) {
		.method = INSTINCT_VFIO_METHOD_MODE1,
		.triggered = true,
		.alive = true,
	};
}

static enum instinct_vfio_state state_of(bool needs_scrub, const struct instinct_scrub_ask *ask,
					 const struct instinct_scrub_done *done)
{
	const struct instinct_scrub scrub = { .needs_scrub = needs_scrub };
	const char *why = NULL;
	enum instinct_vfio_state state = instinct_scrub_outcome(&scrub, ask, done, &why);

	CHECK(why);
	CHECK((state == INSTINCT_VFIO_STATE_READY) == (why && !*why));
	return state;
}

static void test_outcome(void)
{
	struct instinct_scrub_ask ask = asked(INSTINCT_VFIO_CAUSE_OPEN);
	struct instinct_scrub_done done = well();

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

/* A refused reset changes neither state nor reason, except after a close. */
static void test_outcome_refused(void)
{
	struct instinct_scrub_ask ask = asked(INSTINCT_VFIO_CAUSE_NETLINK);
	struct instinct_scrub_done done = {
		.error = -EOPNOTSUPP, .method = INSTINCT_VFIO_METHOD_AUTO, .alive = true,
	};
	const struct instinct_scrub scrub = { 0 };
	const char *why = "";

	CHECK_INT(instinct_scrub_outcome(&scrub, &ask, &done, &why), INSTINCT_VFIO_STATE_READY);
	CHECK(!why);
	why = "";
	ask.state = INSTINCT_VFIO_STATE_QUARANTINED;
	CHECK_INT(instinct_scrub_outcome(&scrub, &ask, &done, &why), INSTINCT_VFIO_STATE_QUARANTINED);
	CHECK(!why);
	ask = asked(INSTINCT_VFIO_CAUSE_CLOSE);
	CHECK_INT(state_of(false, &ask, &done), INSTINCT_VFIO_STATE_QUARANTINED);
}

/* With tenancy = multi the next user gets only a scrubbed device. */
static void test_outcome_quiesced(void)
{
	struct instinct_scrub_ask ask = asked(INSTINCT_VFIO_CAUSE_OPEN);
	struct instinct_scrub_done done = well();

	done.method = INSTINCT_VFIO_METHOD_QUIESCE;
	CHECK_INT(state_of(false, &ask, &done), INSTINCT_VFIO_STATE_READY);
	/* The last close has put its reset off. */
	CHECK_INT(state_of(true, &ask, &done), INSTINCT_VFIO_STATE_QUARANTINED);
	ask = asked(INSTINCT_VFIO_CAUSE_CLOSE);
	CHECK_INT(state_of(false, &ask, &done), INSTINCT_VFIO_STATE_QUARANTINED);
	ask.tenancy = INSTINCT_VFIO_TENANCY_SINGLE;
	CHECK_INT(state_of(true, &ask, &done), INSTINCT_VFIO_STATE_READY);
	ask = asked(INSTINCT_VFIO_CAUSE_RECOVERY);
	ask.state = INSTINCT_VFIO_STATE_LOST;
	CHECK_INT(state_of(false, &ask, &done), INSTINCT_VFIO_STATE_QUARANTINED);
	/* A quarantined device stays so if it is quiesced again. */
	ask = asked(INSTINCT_VFIO_CAUSE_NETLINK);
	ask.state = INSTINCT_VFIO_STATE_QUARANTINED;
	CHECK_INT(state_of(false, &ask, &done), INSTINCT_VFIO_STATE_QUARANTINED);
	/* The user of an open device may have it quiesced: the data are that user's own. */
	ask = asked(INSTINCT_VFIO_CAUSE_VFIO_RESET);
	ask.open = true;
	CHECK_INT(state_of(true, &ask, &done), INSTINCT_VFIO_STATE_READY);
}

/* A reset that did no more than quiesce failed, unless policy asks for that method. */
static void test_outcome_quiesced_in_place(void)
{
	struct instinct_scrub_ask ask = asked(INSTINCT_VFIO_CAUSE_NETLINK);
	const struct instinct_scrub scrub = { 0 };
	struct instinct_scrub_done done = well();
	const char *why;

	done.error = -EIO;
	done.method = INSTINCT_VFIO_METHOD_QUIESCE;
	CHECK_INT(instinct_scrub_outcome(&scrub, &ask, &done, &why),
		  INSTINCT_VFIO_STATE_QUARANTINED);
	CHECK_STR(why, "only quiesced, which scrubs nothing (policy: method = quiesce accepts that)");
	done.method = INSTINCT_VFIO_METHOD_MODE1;
	CHECK_INT(instinct_scrub_outcome(&scrub, &ask, &done, &why),
		  INSTINCT_VFIO_STATE_QUARANTINED);
	CHECK_STR(why, "the reset that policy asks for was not done");
}

static void test_spares(void)
{
	struct instinct_scrub scrub = scrubbed;
	struct instinct_scrub_ask ask = asked(INSTINCT_VFIO_CAUSE_OPEN);

	CHECK(instinct_scrub_spares(&scrub, &ask));
	ask.touched = BIT(INSTINCT_TOUCHED_DIRTY);
	CHECK(!instinct_scrub_spares(&scrub, &ask));
	ask.touched = BIT(INSTINCT_TOUCHED_SHARED);
	CHECK(!instinct_scrub_spares(&scrub, &ask));
	ask.touched = BIT(INSTINCT_TOUCHED_REACHED);
	CHECK(!instinct_scrub_spares(&scrub, &ask));
	ask.touched = BIT(INSTINCT_TOUCHED_MAPPED);
	CHECK(!instinct_scrub_spares(&scrub, &ask));
	ask.touched = 0;
	ask.forced = true;
	CHECK(!instinct_scrub_spares(&scrub, &ask));

	ask = asked(INSTINCT_VFIO_CAUSE_OPEN);
	scrub.needs_scrub = true;
	CHECK(!instinct_scrub_spares(&scrub, &ask));
	ask.tenancy = INSTINCT_VFIO_TENANCY_SINGLE;
	CHECK(instinct_scrub_spares(&scrub, &ask));
	ask = asked(INSTINCT_VFIO_CAUSE_GUEST_FLR);
	ask.open = true;
	CHECK(instinct_scrub_spares(&scrub, &ask));
	/* A mapping that its own user has not accessed yet changed nothing. */
	ask.touched = BIT(INSTINCT_TOUCHED_MAPPED);
	CHECK(instinct_scrub_spares(&scrub, &ask));
	ask.touched |= BIT(INSTINCT_TOUCHED_REACHED);
	CHECK(!instinct_scrub_spares(&scrub, &ask));
	/* The hive was reset already for this user: a VMM asks for its GPUs one by one. */
	scrub.answered = true;
	CHECK(instinct_scrub_spares(&scrub, &ask));
	ask.touched |= BIT(INSTINCT_TOUCHED_DIRTY);
	CHECK(!instinct_scrub_spares(&scrub, &ask));

	ask = asked(INSTINCT_VFIO_CAUSE_OPEN);
	scrub = scrubbed;
	ask.state = INSTINCT_VFIO_STATE_QUARANTINED;
	CHECK(!instinct_scrub_spares(&scrub, &ask));
	ask = asked(INSTINCT_VFIO_CAUSE_HIVE);
	CHECK(!instinct_scrub_spares(&scrub, &ask));
	ask = asked(INSTINCT_VFIO_CAUSE_OPEN);
	scrub.cleaned_by = INSTINCT_VFIO_METHOD_AUTO;
	CHECK(!instinct_scrub_spares(&scrub, &ask));
	/* A quiesced device is clean only if no better method could be tried now. */
	scrub.cleaned_by = INSTINCT_VFIO_METHOD_QUIESCE;
	CHECK(!instinct_scrub_spares(&scrub, &ask));
	ask.first = INSTINCT_VFIO_METHOD_QUIESCE;
	CHECK(instinct_scrub_spares(&scrub, &ask));
}

static bool owes_after(enum instinct_vfio_method method, unsigned long touched)
{
	struct instinct_scrub scrub = { .needs_scrub = true, .used = true };
	struct instinct_scrub_ask ask = asked(INSTINCT_VFIO_CAUSE_VFIO_RESET);
	struct instinct_scrub_done done = well();

	ask.open = true;
	ask.touched = touched;
	done.method = method;
	instinct_scrub_account(&scrub, &ask, &done, INSTINCT_VFIO_STATE_READY);
	/* The user may write a table at any time. */
	CHECK(scrub.used);
	return scrub.needs_scrub;
}

/* A scrubbed user leaves no data. */
static void test_scrubbed_user(void)
{
	CHECK(!owes_after(INSTINCT_VFIO_METHOD_MODE1, BIT(INSTINCT_TOUCHED_DIRTY)));
	CHECK(!owes_after(INSTINCT_VFIO_METHOD_BUS, BIT(INSTINCT_TOUCHED_REACHED)));
	CHECK(owes_after(INSTINCT_VFIO_METHOD_QUIESCE, BIT(INSTINCT_TOUCHED_DIRTY)));
}

static bool answers_after(enum instinct_vfio_cause cause, bool decodes)
{
	struct instinct_scrub scrub = { .used = true };
	struct instinct_scrub_ask ask = asked(cause);
	struct instinct_scrub_done done = well();

	ask.open = true;
	ask.decodes = decodes;
	ask.touched = BIT(INSTINCT_TOUCHED_REACHED);
	instinct_scrub_account(&scrub, &ask, &done, INSTINCT_VFIO_STATE_READY);
	return instinct_scrub_spares(&scrub, &ask);
}

/* A BAR that DMA may reach counts as touched as long as it decodes. */
static void test_answered(void)
{
	CHECK(answers_after(INSTINCT_VFIO_CAUSE_VFIO_RESET, false));
	CHECK(!answers_after(INSTINCT_VFIO_CAUSE_VFIO_RESET, true));
	CHECK(!answers_after(INSTINCT_VFIO_CAUSE_OPEN, false));
}

static void test_untouches(void)
{
	struct instinct_scrub scrub = scrubbed;
	struct instinct_scrub_ask ask = asked(INSTINCT_VFIO_CAUSE_OPEN);
	const unsigned long dirty = BIT(INSTINCT_TOUCHED_DIRTY);
	struct instinct_scrub_done done = well();

	/* A new user does not have the last user's mappings. */
	CHECK_INT(instinct_scrub_account(&scrub, &ask, &done, INSTINCT_VFIO_STATE_READY),
		  dirty | BIT(INSTINCT_TOUCHED_MAPPED) |
		  BIT(INSTINCT_TOUCHED_REACHED) | BIT(INSTINCT_TOUCHED_SHARED));
	CHECK_INT(instinct_scrub_account(&scrub, &ask, &done, INSTINCT_VFIO_STATE_QUARANTINED), 0);
	ask.cause = INSTINCT_VFIO_CAUSE_VFIO_RESET;
	CHECK_INT(instinct_scrub_account(&scrub, &ask, &done, INSTINCT_VFIO_STATE_READY), dirty);
}

/*
 * Every order of events. A world is a device as the driver knows it, with the truth about it,
 * which the driver does not know. From the world after a bind, the test visits all worlds that
 * any sequence of acts leads to, and checks the invariants in each.
 */

/**
 * struct world - a device as the driver knows it, and the truth
 * @scrub: scrub state
 * @state: state of the device
 * @touched: bits INSTINCT_TOUCHED_*
 * @tenancy: policy
 * @open: a user has the device
 * @closed: the user has closed the device, and its reset is yet to come; nobody can open it
 * @others: truth: the device holds data that anybody but its current user has left, and no
 *	operator answers for them
 * @own: truth: the device holds data that its user has written
 * @unseen: truth: the device holds data that its user has written through other devices, which
 *	the driver does not see
 * @live: truth: the user has the device mapped, and writes without a page fault
 * @reached: truth: the user's other devices can reach this one until the close
 * @spared: truth: the driver has spared a reset, though there were data to scrub
 * @forged: truth: a user could have written a table since the last mode-1 reset
 */
struct world {
	struct instinct_scrub scrub;
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

/* Each world with the one before it, and the act that leads from that one to it. */
static struct { struct world world; unsigned int from; const char *by; } worlds[1 << 15];
static unsigned int world_count, now;
static bool visited[1 << 22];

static unsigned int number_of(const struct world *world)
{
	const bool bits[] = {
		world->scrub.needs_scrub, world->scrub.used, world->scrub.waived, world->open, world->closed,
		world->others, world->own, world->unseen, world->live, world->reached,
		world->spared, world->forged,
		world->tenancy == INSTINCT_VFIO_TENANCY_MULTI,
	};
	unsigned int i, number = world->scrub.cleaned_by;

	number = number << 2 | world->state;
	number = number << 4 | world->touched;
	for (i = 0; i < ARRAY_SIZE(bits); i++)
		number = number << 1 | bits[i];
	return number;
}

/* Checks the invariants of every world. */
static void must_hold(const struct world *world)
{
	/* The driver trusts a table only if no user can have written it. */
	CHECK(world->scrub.used || !world->forged);
	/* No user gets data that another tenant has left. */
	CHECK(!world->open || !world->others);
	/* An operator answers for the data of users before this one, not for this one's. */
	CHECK(!world->open || !world->scrub.waived);
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

/* The user leaves: the user's data are another's from here on. */
static void let_go(struct world *world)
{
	if (instinct_scrub_end(&world->scrub, world->touched))
		world->touched |= BIT(INSTINCT_TOUCHED_DIRTY);
	world->others |= world->own | world->unseen;
	world->own = false;
	world->unseen = false;
	world->live = false;
	world->reached = false;
	world->open = false;
	world->closed = true;
}

/* The effect of the reset on the truth. VFIO zaps the user's mappings, and a close waits for the end. */
static void scrub(struct world *world, const struct instinct_scrub_done *done)
{
	world->live = false;
	if (done->error || !instinct_method_scrubs(done->method))
		return;
	world->others = false;
	world->own = false;
	world->unseen = false;
	if (done->method == INSTINCT_VFIO_METHOD_MODE1)
		world->forged = false;
}

/*
 * Resets as the engine does: updates the truth, and the driver's knowledge of it.
 * Return: error of the reset, 0 if the driver has spared it.
 */
static int reset_as(struct world *world, enum instinct_vfio_cause cause,
		    enum instinct_vfio_method first, bool forced,
		    const struct instinct_scrub_done *done)
{
	struct instinct_scrub_ask ask = {
		.state = world->state,
		.cause = cause,
		.tenancy = world->tenancy,
		.open = world->open || cause == INSTINCT_VFIO_CAUSE_OPEN,
		.touched = world->touched,
		.decodes = true,
		.first = first,
		.forced = forced,
	};
	const struct instinct_scrub before = world->scrub;
	const char *why;

	if (instinct_scrub_spares(&world->scrub, &ask)) {
		world->spared = instinct_method_scrubs(world->scrub.cleaned_by) &&
				(world->own || (cause == INSTINCT_VFIO_CAUSE_CLOSE && world->others));
		return 0;
	}
	scrub(world, done);
	world->state = instinct_scrub_outcome(&before, &ask, done, &why);
	world->touched &= ~instinct_scrub_account(&world->scrub, &ask, done, world->state);
	if (world->state == INSTINCT_VFIO_STATE_LOST) {
		world->scrub.needs_scrub = true;
		world->scrub.waived = false;
	}
	return done->error;
}

static const enum instinct_vfio_method methods[] = {
	INSTINCT_VFIO_METHOD_MODE1, INSTINCT_VFIO_METHOD_BUS, INSTINCT_VFIO_METHOD_QUIESCE,
};

static const struct instinct_scrub_done ends[] = {
	{ .error = 0, .triggered = true, .alive = true },
	{ .error = -ETIMEDOUT, .triggered = true, .alive = true },
	{ .error = -EOPNOTSUPP, .triggered = false, .alive = true },
	{ .error = -EIO, .triggered = true, .alive = false },
	{ .error = -EIO, .triggered = false, .alive = false },
};

typedef void after_fn(struct world *world, int error);

static void reset_each(const struct world *world, enum instinct_vfio_cause cause,
		       const char *by, after_fn *after, const struct instinct_scrub_done *done)
{
	unsigned int forced;
	int error;

	for (forced = 0; forced < 2; forced++) {
		struct world next = *world;

		error = reset_as(&next, cause, done->method, forced, done);
		if (after)
			after(&next, error);
		reach(&next, by);
	}
}

/* Resets by every method, with every result. */
static void each_reset(const struct world *world, enum instinct_vfio_cause cause,
		       const char *by, after_fn *after)
{
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(methods); i++)
		for (j = 0; j < ARRAY_SIZE(ends); j++) {
			struct instinct_scrub_done done = ends[j];

			done.method = methods[i];
			reset_each(world, cause, by, after, &done);
		}
}

/* An open hands the device out if the reset before it succeeds, and leaves it ready. */
static void hand_out(struct world *world, int error)
{
	if (error || world->state != INSTINCT_VFIO_STATE_READY)
		return;
	instinct_scrub_begin(&world->scrub);
	world->open = true;
	/* With one tenant, data of earlier users are the tenant's own. */
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
	next.scrub.needs_scrub = true;
	next.scrub.waived = false;
	reach(&next, "bind anew");
	if (next.state == INSTINCT_VFIO_STATE_LOST) {
		next.state = INSTINCT_VFIO_STATE_READY;
		reach(&next, "shows life at bind");
	}
	/* The module keeps a table once read; only a newly loaded one would trust a forged table. */
	next.others = true;
	reach(&next, "another driver and its user have the device");
}

static void act(const struct world *world)
{
	struct world next = *world;

	next.tenancy = world->tenancy == INSTINCT_VFIO_TENANCY_MULTI ?
		INSTINCT_VFIO_TENANCY_SINGLE : INSTINCT_VFIO_TENANCY_MULTI;
	reach(&next, "policy changes the tenancy");
	if (world->open)
		use(world);
	else if (world->closed)
		each_reset(world, INSTINCT_VFIO_CAUSE_CLOSE, "reset for the close", close_ends);
	else
		rebind(world);
	if (world->closed && world->state == INSTINCT_VFIO_STATE_READY) {
		next = *world;
		next.scrub.needs_scrub = true;
		next.closed = false;
		reach(&next, "the reset for the close is put off");
	}
	if (!world->open && !world->closed && world->state == INSTINCT_VFIO_STATE_READY)
		each_reset(world, INSTINCT_VFIO_CAUSE_OPEN, "open", hand_out);

	if (!world->open)
		each_reset(world, INSTINCT_VFIO_CAUSE_SYSFS, "operator's reset", NULL);
	each_reset(world, INSTINCT_VFIO_CAUSE_HIVE, "reset of the hive", NULL);
	each_reset(world, INSTINCT_VFIO_CAUSE_RECOVERY, "recovery", NULL);

	next = *world;
	next.state = INSTINCT_VFIO_STATE_LOST;
	next.scrub.needs_scrub = true;
	next.scrub.waived = false;
	reach(&next, "loss");

	if (world->state == INSTINCT_VFIO_STATE_QUARANTINED && !world->closed) {
		next = *world;
		next.state = INSTINCT_VFIO_STATE_READY;
		next.scrub.waived = !next.open;
		next.others = false;
		reach(&next, "release");
	}
}

/* From every world a mode-1 reset that succeeds leads to a device that an open hands out clean. */
static void comes_back(const struct world *world)
{
	const struct instinct_scrub_done mode1 = well(), fails = { .error = -EIO, .triggered = true };
	struct world next = *world;

	if (world->open || world->closed)
		return;
	reset_as(&next, INSTINCT_VFIO_CAUSE_NETLINK, INSTINCT_VFIO_METHOD_MODE1, true, &mode1);
	CHECK_INT(next.state, INSTINCT_VFIO_STATE_READY);
	CHECK(!next.others);
	/* The device is clean, so the open spares its reset. */
	CHECK(!next.scrub.needs_scrub && !next.scrub.used && !next.touched);
	reset_as(&next, INSTINCT_VFIO_CAUSE_OPEN, INSTINCT_VFIO_METHOD_MODE1, false, &fails);
	CHECK_INT(next.state, INSTINCT_VFIO_STATE_READY);
	/* A user that has done nothing leaves nothing to scrub. */
	hand_out(&next, 0);
	let_go(&next);
	reset_as(&next, INSTINCT_VFIO_CAUSE_CLOSE, INSTINCT_VFIO_METHOD_MODE1, false, &fails);
	CHECK_INT(next.state, INSTINCT_VFIO_STATE_READY);
	CHECK(!next.scrub.needs_scrub);
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

	bound.scrub.needs_scrub = true;
	reach(&bound, "bind");
	for (i = 0; i < world_count && !unit_test_failed; i++) {
		now = i;
		act(&worlds[i].world);
		comes_back(&worlds[i].world);
	}
	CHECK(world_count > 1000);
}

static bool accepts(bool waived, enum instinct_vfio_tenancy tenancy, enum instinct_vfio_cause cause,
		    enum instinct_vfio_state state)
{
	const struct instinct_scrub scrub = { .needs_scrub = true, .waived = waived };
	struct instinct_scrub_ask ask = asked(cause);

	ask.tenancy = tenancy;
	ask.state = state;
	return instinct_scrub_accepts(&scrub, &ask);
}

/* A mere quiesce between two users takes an operator's word, or a policy with one tenant. */
static void test_accepts(void)
{
	const enum instinct_vfio_tenancy multi = INSTINCT_VFIO_TENANCY_MULTI;
	const enum instinct_vfio_tenancy single = INSTINCT_VFIO_TENANCY_SINGLE;
	enum instinct_vfio_cause cause;

	for (cause = INSTINCT_VFIO_CAUSE_NONE; cause <= INSTINCT_VFIO_CAUSE_RECOVERY; cause++) {
		bool opens = cause == INSTINCT_VFIO_CAUSE_OPEN, closes = cause == INSTINCT_VFIO_CAUSE_CLOSE;

		CHECK(!accepts(false, multi, cause, INSTINCT_VFIO_STATE_READY));
		CHECK(accepts(true, multi, cause, INSTINCT_VFIO_STATE_READY) == opens);
		CHECK(accepts(false, single, cause, INSTINCT_VFIO_STATE_READY) == (opens || closes));
		CHECK(!accepts(true, single, cause, INSTINCT_VFIO_STATE_QUARANTINED));
		CHECK(!accepts(true, single, cause, INSTINCT_VFIO_STATE_LOST));
	}
}

/* A release lets one user in, though the device is only quiesced; that user's close needs a scrub again. */
static void test_waived(void)
{
	struct instinct_scrub_ask ask = asked(INSTINCT_VFIO_CAUSE_OPEN);
	struct instinct_scrub scrub = { .needs_scrub = true };
	struct instinct_scrub_done done = well();
	const char *why;

	done.method = INSTINCT_VFIO_METHOD_QUIESCE;
	CHECK_INT(instinct_scrub_outcome(&scrub, &ask, &done, &why), INSTINCT_VFIO_STATE_QUARANTINED);
	scrub.waived = true;
	CHECK_INT(instinct_scrub_outcome(&scrub, &ask, &done, &why), INSTINCT_VFIO_STATE_READY);
	instinct_scrub_account(&scrub, &ask, &done, INSTINCT_VFIO_STATE_READY);
	CHECK(scrub.waived);
	instinct_scrub_begin(&scrub);
	CHECK(!scrub.waived);
	instinct_scrub_end(&scrub, BIT(INSTINCT_TOUCHED_DIRTY));
	ask = asked(INSTINCT_VFIO_CAUSE_CLOSE);
	CHECK_INT(instinct_scrub_outcome(&scrub, &ask, &done, &why), INSTINCT_VFIO_STATE_QUARANTINED);
	/* A scrubbed device needs nobody's word. */
	scrub.waived = true;
	done.method = INSTINCT_VFIO_METHOD_MODE1;
	instinct_scrub_account(&scrub, &ask, &done, INSTINCT_VFIO_STATE_READY);
	CHECK(!scrub.waived && !scrub.needs_scrub);
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
	RUN(test_accepts);
	RUN(test_waived);
	return unit_end();
}
