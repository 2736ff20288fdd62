// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "qualify.h"
#include "say.h"
#include "sysfs.h"
#include "under_load.h"

/* One reboot of a guest can reset its GPU several times, no longer apart than this. */
#define QUIET_MS	3000
#define MS_PER_S	1000

/* Facts from the events about one reboot. */
struct seen {
	const struct qualify *qualify;
	struct round *round;
	uint64_t last;		/* number of the last event that was read */
	bool fresh;		/* this look has found an event of a reset */
	bool lost;
	char lost_bdf[BDF_BYTES];
};

/**
 * under_load_blocked() - check whether a GPU cannot be watched under load
 * @dev: current state of the GPU
 * @why: receives the reason and the remedy, or ""
 * @size: bytes of @why
 *
 * Return: true if there is a reason.
 */
bool under_load_blocked(const struct device *dev, char *why, size_t size)
{
	*why = '\0';
	if (!dev->open)
		snprintf(why, size, "no user has the GPU open: start its guest and a load in it, then run this again");
	else if (dev->state == INSTINCT_VFIO_STATE_LOST)
		snprintf(why, size, "the GPU is lost already%s%s: stop its guest, and run instinctctl reset %s",
			 *dev->reason ? ": " : "", dev->reason, dev->bdf);
	return *why;
}

/* A reset by a user, or with another GPU of that user's hive. */
static bool is_users(uint32_t cause)
{
	return cause == INSTINCT_VFIO_CAUSE_OPEN || cause == INSTINCT_VFIO_CAUSE_CLOSE ||
	       cause == INSTINCT_VFIO_CAUSE_VFIO_RESET || cause == INSTINCT_VFIO_CAUSE_GUEST_FLR ||
	       cause == INSTINCT_VFIO_CAUSE_HOT_RESET || cause == INSTINCT_VFIO_CAUSE_HIVE;
}

/* The first reset of a reboot meets the load; a later one counts only if it is the first to fail. */
static void see(const struct event *event, void *data)
{
	struct seen *seen = data;
	struct round *round = seen->round;
	bool ours = !strcmp(event->bdf, seen->qualify->bdf);
	bool failed = event->kind == INSTINCT_VFIO_EVENT_RESET_FAILED;
	bool done = event->kind == INSTINCT_VFIO_EVENT_RESET_DONE;

	seen->last = event->seq;
	if (event->kind == INSTINCT_VFIO_EVENT_DEVICE_LOST && !seen->lost &&
	    (ours || qualify_concerns(seen->qualify, event->bdf))) {
		seen->lost = true;
		seen->fresh = true;
		snprintf(seen->lost_bdf, sizeof(seen->lost_bdf), "%s", event->bdf);
		snprintf(round->why, sizeof(round->why), "%.200s", event->reason);
	}
	if (!ours || !is_users(event->cause))
		return;
	seen->fresh |= failed || done || event->kind == INSTINCT_VFIO_EVENT_RESET_BEGUN;
	if ((done || failed) && (!round->event.seq ||
				 (failed && round->event.kind == INSTINCT_VFIO_EVENT_RESET_DONE)))
		round->event = *event;
	if (done && event->duration > round->slowest)
		round->slowest = event->duration;
}

/* Wait for a reboot, and until the resets of it are over. Return: false if none came. */
static bool watch(struct qualify *qualify, struct seen *seen)
{
	const struct qualify_calls *calls = qualify->calls;
	int64_t since = calls->now();
	struct device dev, mate;
	bool begun = false;

	for (;;) {
		seen->fresh = false;
		calls->replay(qualify->nl, seen->last + 1, see, seen);
		if (seen->fresh) {
			seen->round->state = qualify_settle(qualify, false, &dev, &mate);
			begun = true;
			since = calls->now();
			continue;
		}
		if (begun && (seen->lost || calls->now() - since >= QUIET_MS))
			return true;
		if (!begun && (qualify_is_stopped(qualify) ||
			       calls->now() - since >= qualify->wait))
			return false;
		calls->pause(QUALIFY_POLL_MS);
	}
}

static void judge(const struct seen *seen)
{
	struct round *round = seen->round;
	struct verdict_facts facts = {
		.lost = seen->lost, .state = round->state, .mate = INSTINCT_VFIO_STATE_READY,
		.triggered = trial_was_triggered(&round->event),
	};
	char why[TEXT_BYTES];

	if (round->event.kind == INSTINCT_VFIO_EVENT_RESET_FAILED)
		facts.error = round->event.error ? -(int)round->event.error : -EIO;
	round->error = facts.error;
	round->outcome = verdict_of(&facts);
	memcpy(why, round->why, sizeof(why));
	if (seen->lost)
		snprintf(round->why, sizeof(round->why), "%s%s%.200s", seen->lost_bdf,
			 *why ? ": " : " was lost", why);
	else if (round->error)
		snprintf(round->why, sizeof(round->why), "%.250s", round->event.reason);
	else if (round->outcome != OUTCOME_SURVIVED)
		snprintf(round->why, sizeof(round->why), "the GPU is %s afterwards",
			 round->state < 0 ? "gone" : name_of(&state_names, round->state));
	sysfs_make_plain(round->why);
}

static void tell_round(const struct qualify *qualify, const struct round *round)
{
	const struct event *event = &round->event;

	if (!event->seq)
		qualify_tell(qualify, "  %s: %s", name_of(&outcome_names, round->outcome), round->why);
	else
		qualify_tell(qualify, "  %s: %s for %s, %.3f s%s%s",
			     name_of(&outcome_names, round->outcome),
			     name_of(&method_names, event->method),
			     name_of(&cause_names, event->cause), event->duration / 1e9,
			     *round->why ? ": " : "", round->why);
}

static void end(struct qualify *qualify)
{
	const struct trial *load = &qualify->load;
	const struct round *last = load->rounds ? &load->round[load->rounds - 1] : NULL;

	if (last && last->outcome == OUTCOME_LOST)
		qualify_end(qualify, ENDED_LOST, last->why);
	else if (last && last->outcome != OUTCOME_SURVIVED)
		qualify_end(qualify, ENDED_NOT_READY, last->why);
	else if (load->rounds >= qualify->rounds)
		qualify_end(qualify, ENDED_COMPLETE, "");
	else if (qualify_is_stopped(qualify))
		qualify_end(qualify, ENDED_INTERRUPTED, "a signal stopped the run");
	else
		qualify_end(qualify, ENDED_NO_RESET, "no guest has reset the GPU within the time of --wait");
}

/**
 * under_load_run() - watch the resets that a guest under load causes
 * @qualify: prepared run; its @load receives the rounds
 *
 * The helper cannot see the load: the operator starts it, and resets the guest. The function only
 * reads events and states. It ends after all rounds, at the first one that the GPU does not
 * survive, when no reset comes, or when the run is stopped.
 */
void under_load_run(struct qualify *qualify)
{
	struct trial *load = &qualify->load;
	uint64_t last = 0;
	struct round *round;

	qualify_tell(qualify, "qualify watches %s, and cannot see the load: state it with --note",
		     qualify->bdf);
	qualify->calls->newest(qualify->nl, &last);
	kernel_log_begin(&load->log);
	do {
		struct round seen_round = { .state = STATE_UNKNOWN };
		struct seen seen = { .qualify = qualify, .round = &seen_round, .last = last };

		qualify_tell(qualify, "reset %zu of %u: start the load in the guest, then reset or reboot the guest, within %u s",
			     load->rounds + 1, qualify->rounds, qualify->wait / MS_PER_S);
		if (!watch(qualify, &seen))
			break;
		last = seen.last;
		judge(&seen);
		round = list_add((void **)&load->round, &load->rounds, sizeof(*round));
		*round = seen_round;
		trial_read_log(qualify, load, round);
		tell_round(qualify, round);
	} while (round->outcome == OUTCOME_SURVIVED && load->rounds < qualify->rounds &&
		 !qualify_is_stopped(qualify));
	kernel_log_end(&load->log);
	end(qualify);
}
