// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "qualify.h"
#include "sysfs.h"

#define BIT_OF(n)	(1u << (n))
#define PAUSE_MIN_MS	500
#define PAUSE_MAX_MS	10000

static const char *const remedies[] = {
	[REMEDY_NONE] = "none", [REMEDY_WAIT] = "wait", [REMEDY_MODE1] = "mode1",
	[REMEDY_QUIESCE] = "quiesce", [REMEDY_RELEASE] = "release",
};

const struct names remedy_names = { remedies, REMEDIES };

static bool is_tried(const struct recovery_facts *facts, enum remedy remedy)
{
	return facts->tried & BIT_OF(remedy);
}

/* --max-risk none allows only quiesce. */
static bool may_mode1(const struct recovery_facts *facts)
{
	return facts->max_risk >= RISK_LOW && !facts->mode1_bad &&
	       !(facts->lost_by & BIT_OF(INSTINCT_VFIO_METHOD_MODE1));
}

/* A GPU that a method has lost stays quarantined, and the operator decides on its release. */
static bool may_release(const struct recovery_facts *facts)
{
	return facts->state == INSTINCT_VFIO_STATE_QUARANTINED && !facts->lost_by &&
	       !is_tried(facts, REMEDY_RELEASE);
}

/**
 * recovery_next() - choose the next remedy for a GPU that may not be ready
 * @facts: facts about the GPU
 *
 * Return: the next remedy, REMEDY_NONE if the GPU is ready or no remedy is left.
 */
enum remedy recovery_next(const struct recovery_facts *facts)
{
	bool lost = facts->state == INSTINCT_VFIO_STATE_LOST;

	if (facts->state == INSTINCT_VFIO_STATE_READY)
		return REMEDY_NONE;
	if (facts->state < 0 || facts->state == INSTINCT_VFIO_STATE_RESETTING)
		return facts->late ? REMEDY_NONE : REMEDY_WAIT;
	if (facts->late)
		return may_release(facts) ? REMEDY_RELEASE : REMEDY_NONE;
	if (may_mode1(facts) && !is_tried(facts, REMEDY_MODE1))
		return REMEDY_MODE1;
	if (!is_tried(facts, REMEDY_QUIESCE))
		return REMEDY_QUIESCE;
	if (may_release(facts))
		return REMEDY_RELEASE;
	return lost ? REMEDY_WAIT : REMEDY_NONE;
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

static int do_remedy(const struct qualify *qualify, const char *bdf, enum remedy remedy)
{
	switch (remedy) {
	case REMEDY_MODE1:
		return reset(qualify, bdf, INSTINCT_VFIO_METHOD_MODE1);
	case REMEDY_QUIESCE:
		return reset(qualify, bdf, INSTINCT_VFIO_METHOD_QUIESCE);
	case REMEDY_RELEASE:
		return qualify->calls->release(qualify->nl, bdf, 0);
	default:
		return 0;
	}
}

/* A remedy that is tried several times has one step, which describes the last try. */
static struct recovery_step *step_of(struct recovery *recovery, enum remedy remedy)
{
	size_t i;

	for (i = 0; i < recovery->steps; i++)
		if (recovery->step[i].remedy == remedy)
			return &recovery->step[i];
	recovery->step[i] = (struct recovery_step) { .remedy = remedy };
	recovery->steps++;
	return &recovery->step[i];
}

static void climb(struct qualify *qualify, struct recovery *recovery, enum remedy remedy)
{
	struct recovery_step *step = step_of(recovery, remedy);
	bool again = *step->why;
	struct device dev;
	int ret;

	ret = do_remedy(qualify, recovery->bdf, remedy);
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
		recovery->by = remedy;
	if (again && !step->ok)
		return;
	qualify_tell(qualify, "  %s to bring %s back: %s%s%s", name_of(&remedy_names, remedy),
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

static bool run(struct qualify *qualify, struct recovery *recovery)
{
	const struct trial *mode1 = trial_of(qualify->trial, INSTINCT_VFIO_METHOD_MODE1);
	struct recovery_facts facts = {
		.mode1_bad = mode1->outcome == OUTCOME_FAILED ||
			     mode1->outcome == OUTCOME_LOST,
		.max_risk = qualify->max_risk,
	};
	int64_t began = qualify->calls->now();
	unsigned int pause = PAUSE_MIN_MS;
	struct device dev;
	enum remedy remedy;

	for (;;) {
		facts.state = qualify_look(qualify, recovery->bdf, &dev);
		facts.lost_by = dev.lost_by;
		facts.late = qualify->calls->now() - began > qualify->wait;
		remedy = recovery_next(&facts);
		if (remedy == REMEDY_NONE)
			break;
		if (remedy == REMEDY_WAIT) {
			pause = rest(qualify, facts.state, pause);
			facts.tried &= BIT_OF(REMEDY_RELEASE);
			continue;
		}
		facts.tried |= BIT_OF(remedy);
		climb(qualify, recovery, remedy);
	}
	return facts.state == INSTINCT_VFIO_STATE_READY;
}

/* Facts about the GPU from events since the begin of the trial. */
struct told {
	const char *bdf;
	bool lost;
};

static void see(const struct event *event, void *data)
{
	struct told *told = data;

	if (strcmp(event->bdf, told->bdf))
		return;
	told->lost |= event->kind == INSTINCT_VFIO_EVENT_DEVICE_LOST;
}

/**
 * recovery_run() - bring a GPU back after a trial
 * @qualify: run; the recovery is added to it
 * @trial: trial after which the GPU may not be ready
 * @bdf: address of the GPU, or of another member of its hive
 *
 * A GPU that is ready and was not lost needs no recovery. For another one the helper repeats all
 * remedies that policy allows until the GPU is ready or the time is over, even if a signal stops
 * the run.
 *
 * Return: true if the GPU is ready.
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
	if (!ready)
		ready = run(qualify, &recovery);
	if (ready && !recovery.by)
		recovery.by = REMEDY_WAIT;
	*(struct recovery *)list_add((void **)&qualify->recovery, &qualify->recoveries,
				     sizeof(recovery)) = recovery;
	return ready;
}
