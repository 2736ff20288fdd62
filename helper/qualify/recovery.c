// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "qualify.h"
#include "sysfs.h"

#define BIT_OF(n)	(1u << (n))
#define PAUSE_MIN_MS	500
#define PAUSE_MAX_MS	10000
/* By then the module has begun what it is going to do for a lost GPU. */
#define RESCAN_BEGINS_MS	2000

static const char *const rungs[] = {
	[RUNG_NONE] = "none", [RUNG_WAIT] = "wait", [RUNG_RESCAN] = "rescan",
	[RUNG_MODE1] = "mode1", [RUNG_QUIESCE] = "quiesce", [RUNG_RELEASE] = "release",
};

const struct names rung_names = { rungs, RUNGS };

static bool is_tried(const struct recovery_facts *facts, enum rung rung)
{
	return facts->tried & BIT_OF(rung);
}

/* mode1 is on every family's ladder, but not for who goes no further than quiesce. */
static bool may_mode1(const struct recovery_facts *facts)
{
	return facts->max_risk >= RISK_LOW && !facts->mode1_bad &&
	       !(facts->lost_by & BIT_OF(INSTINCT_VFIO_METHOD_MODE1));
}

/*
 * A release makes the module forget which methods lost the GPU, so one of which it
 * remembers any stays quarantined: that is for the operator to decide.
 */
static bool may_release(const struct recovery_facts *facts)
{
	return facts->state == INSTINCT_VFIO_STATE_QUARANTINED && !facts->lost_by &&
	       !is_tried(facts, RUNG_RELEASE);
}

/**
 * recovery_next() - what to do for a GPU that may not be ready
 * @facts: of it
 *
 * Return: the next rung, RUNG_NONE when it is ready or nothing is left.
 */
enum rung recovery_next(const struct recovery_facts *facts)
{
	bool lost = facts->state == INSTINCT_VFIO_STATE_LOST;

	if (facts->state == INSTINCT_VFIO_STATE_READY)
		return RUNG_NONE;
	if (facts->state < 0 || facts->state == INSTINCT_VFIO_STATE_RESETTING)
		return facts->late ? RUNG_NONE : RUNG_WAIT;
	if (facts->late)
		return may_release(facts) ? RUNG_RELEASE : RUNG_NONE;
	if (lost && facts->rescan && !is_tried(facts, RUNG_RESCAN))
		return RUNG_RESCAN;
	if (may_mode1(facts) && !is_tried(facts, RUNG_MODE1))
		return RUNG_MODE1;
	if (!is_tried(facts, RUNG_QUIESCE))
		return RUNG_QUIESCE;
	if (may_release(facts))
		return RUNG_RELEASE;
	return lost ? RUNG_WAIT : RUNG_NONE;
}

/* Until the module has removed and found it again, and reset it, or will not. */
static void await_rescan(const struct qualify *qualify, const char *bdf)
{
	int64_t began = qualify->calls->now(), lost = began, now;
	struct device dev;
	int state;

	do {
		qualify->calls->pause(QUALIFY_POLL_MS);
		state = qualify_look(qualify, bdf, &dev);
		now = qualify->calls->now();
		if (state != INSTINCT_VFIO_STATE_LOST)
			lost = now;
	} while (state != INSTINCT_VFIO_STATE_READY && now - began < qualify->wait &&
		 now - lost < RESCAN_BEGINS_MS);
}

static int reset(const struct qualify *qualify, const char *bdf, uint32_t method)
{
	struct nl_reset_asked asked = {
		.method = method, .ready_timeout = qualify->wait,
		.bus_port = NL_BUS_PORT_POLICY,
	};
	struct nl_reset_done done = { 0 };

	return qualify->calls->reset(qualify->nl, bdf, &asked, &done);
}

static int do_rung(const struct qualify *qualify, const char *bdf, enum rung rung)
{
	switch (rung) {
	case RUNG_RESCAN:
		await_rescan(qualify, bdf);
		return 0;
	case RUNG_MODE1:
		return reset(qualify, bdf, INSTINCT_VFIO_METHOD_MODE1);
	case RUNG_QUIESCE:
		return reset(qualify, bdf, INSTINCT_VFIO_METHOD_QUIESCE);
	case RUNG_RELEASE:
		return qualify->calls->release(qualify->nl, bdf);
	default:
		return 0;
	}
}

/* Of several goes at one rung the last one is kept. */
static struct recovery_step *step_of(struct recovery *recovery, enum rung rung)
{
	size_t i;

	for (i = 0; i < recovery->steps; i++)
		if (recovery->step[i].rung == rung)
			return &recovery->step[i];
	recovery->step[i] = (struct recovery_step) { .rung = rung };
	recovery->steps++;
	return &recovery->step[i];
}

static void climb(struct qualify *qualify, struct recovery *recovery, enum rung rung)
{
	struct recovery_step *step = step_of(recovery, rung);
	bool again = *step->why;
	struct device dev;
	int ret;

	ret = do_rung(qualify, recovery->bdf, rung);
	*step->why = '\0';
	if (ret)
		snprintf(step->why, sizeof(step->why), "%s",
			 *qualify->calls->message(qualify->nl) ?
			 qualify->calls->message(qualify->nl) : strerror(-ret));
	qualify_look(qualify, recovery->bdf, &dev);
	if (!ret && dev.state != INSTINCT_VFIO_STATE_READY)
		snprintf(step->why, sizeof(step->why), "%.240s", dev.reason);
	sysfs_make_plain(step->why);
	step->ok = dev.state == INSTINCT_VFIO_STATE_READY;
	if (step->ok)
		recovery->by = rung;
	if (again && !step->ok)
		return;
	qualify_tell(qualify, "  %s to bring %s back: %s%s%s", name_of(&rung_names, rung),
		     recovery->bdf, step->ok ? "it is ready" : "not ready",
		     *step->why ? ": " : "", step->why);
}

static unsigned int rest(const struct qualify *qualify, int state, unsigned int pause)
{
	if (state != INSTINCT_VFIO_STATE_LOST) {
		qualify->calls->pause(QUALIFY_POLL_MS);
		return pause;
	}
	qualify->calls->pause(pause);
	return pause * 2 < PAUSE_MAX_MS ? pause * 2 : PAUSE_MAX_MS;
}

/* By the policy that it was under before, since it may not be there now. */
static bool is_rescanned(const struct qualify *qualify, const char *bdf)
{
	const struct device *dev = devices_find(&qualify->others, bdf);

	if (!dev)
		dev = &qualify->before;
	return dev->policy.rescan == INSTINCT_VFIO_RESCAN_YES;
}

static bool run(struct qualify *qualify, struct recovery *recovery)
{
	const struct trial *mode1 = trial_of(qualify->trial, INSTINCT_VFIO_METHOD_MODE1);
	struct recovery_facts facts = {
		.rescan = is_rescanned(qualify, recovery->bdf),
		.mode1_bad = mode1->outcome == OUTCOME_FAILED ||
			     mode1->outcome == OUTCOME_LOST,
		.max_risk = qualify->max_risk,
	};
	int64_t began = qualify->calls->now();
	unsigned int pause = PAUSE_MIN_MS;
	struct device dev;
	enum rung rung;

	for (;;) {
		facts.state = qualify_look(qualify, recovery->bdf, &dev);
		facts.lost_by = dev.lost_by;
		facts.late = qualify->calls->now() - began > qualify->wait;
		rung = recovery_next(&facts);
		if (rung == RUNG_NONE)
			break;
		if (rung == RUNG_WAIT) {
			pause = rest(qualify, facts.state, pause);
			facts.tried &= BIT_OF(RUNG_RESCAN) | BIT_OF(RUNG_RELEASE);
			continue;
		}
		facts.tried |= BIT_OF(rung);
		climb(qualify, recovery, rung);
	}
	return facts.state == INSTINCT_VFIO_STATE_READY;
}

/* What the events since the trial began tell of the GPU. */
struct told {
	const char *bdf;
	bool lost;
	bool added;
};

static void see(const struct event *event, void *data)
{
	struct told *told = data;

	if (strcmp(event->bdf, told->bdf))
		return;
	told->lost |= event->kind == INSTINCT_VFIO_EVENT_DEVICE_LOST;
	told->added |= event->kind == INSTINCT_VFIO_EVENT_DEVICE_ADDED;
}

/**
 * recovery_run() - bring a GPU back
 * @qualify: the run; what is done is added to its recoveries
 * @trial: after which it may not be ready
 * @bdf: the GPU, or another one of its hive
 *
 * Nothing for one that is ready and was not lost. Else all that the engine has and policy allows, over and over, until it is ready or its
 * time is over; also when the run is to stop.
 *
 * Return: true if it is ready.
 */
bool recovery_run(struct qualify *qualify, const struct trial *trial, const char *bdf)
{
	struct recovery recovery = { .of = trial->kind };
	struct told told = { .bdf = bdf };
	struct device dev;
	bool ready;

	snprintf(recovery.bdf, sizeof(recovery.bdf), "%s", bdf);
	ready = qualify_look(qualify, bdf, &dev) == INSTINCT_VFIO_STATE_READY;
	qualify->calls->replay(qualify->nl, trial->since + 1, see, &told);
	if (ready && !told.lost)
		return true;
	if (!ready) {
		ready = run(qualify, &recovery);
		qualify->calls->replay(qualify->nl, trial->since + 1, see, &told);
	}
	recovery.rescanned = told.added;
	/* The module may have been quicker. */
	if (ready && !recovery.by)
		recovery.by = recovery.rescanned ? RUNG_RESCAN : RUNG_WAIT;
	*(struct recovery *)list_add((void **)&qualify->recovery, &qualify->recoveries,
				     sizeof(recovery)) = recovery;
	return ready;
}
