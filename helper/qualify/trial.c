// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/profile.h"
#include "qualify.h"
#include "say.h"
#include "sysfs.h"

#define WORDS_MAX	(PORTS_MAX + 2)

static int compare_ns(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Get the duration of a round or of one of its phases. */
static bool took(const struct round *round, int phase, uint64_t *ns)
{
	unsigned int i;

	if (round->outcome != OUTCOME_SURVIVED || !round->event.seq)
		return false;
	*ns = round->event.duration;
	if (phase < 0)
		return true;
	for (i = 0; i < round->event.phases; i++) {
		*ns = round->event.phase[i].duration;
		if ((int)round->event.phase[i].name == phase)
			return true;
	}
	return false;
}

/**
 * trial_spread() - compute the durations of a method
 * @trial: trial of the method
 * @phase: enum instinct_vfio_phase, or -1 for the whole reset
 * @spread: receives the durations
 *
 * Return: false if the GPU survived no round.
 */
bool trial_spread(const struct trial *trial, int phase, struct spread *spread)
{
	uint64_t ns[ROUNDS_MAX];
	size_t count = 0, i;

	for (i = 0; i < trial->rounds; i++)
		count += took(&trial->round[i], phase, &ns[count]);
	if (!count)
		return false;
	qsort(ns, count, sizeof(*ns), compare_ns);
	*spread = (struct spread) { ns[0], ns[count / 2], ns[count - 1] };
	return true;
}

/**
 * trial_slowest() - find the slowest reset of a method
 * @trial: trial of the method
 *
 * Return: duration in ns, for the GPU or a hive member reset with it; 0 without a reset.
 */
uint64_t trial_slowest(const struct trial *trial)
{
	uint64_t slowest = 0;
	size_t i;

	for (i = 0; i < trial->rounds; i++)
		if (trial->round[i].slowest > slowest)
			slowest = trial->round[i].slowest;
	return slowest;
}

/**
 * trial_of() - look up the first trial of a method
 * @trials: all trials
 * @method: enum instinct_vfio_method
 *
 * Return: the trial, or NULL.
 */
const struct trial *trial_of(const struct trial trials[KINDS], uint32_t method)
{
	unsigned int i;

	for (i = 0; i < KINDS; i++)
		if (trials[i].kind->method == method)
			return &trials[i];
	return NULL;
}

/* Facts from the events of one round. */
struct seen {
	const struct qualify *qualify;
	const struct trial *trial;
	struct round *round;
	bool lost;
	char lost_bdf[BDF_BYTES];
	char lost_why[TEXT_BYTES];
};

static void see(const struct event *event, void *data)
{
	struct seen *seen = data;
	bool ours = !strcmp(event->bdf, seen->qualify->bdf);
	bool mates = seen->trial->wide && qualify_concerns(seen->qualify, event->bdf);
	bool done = event->kind == INSTINCT_VFIO_EVENT_RESET_DONE;
	uint32_t cause = ours ? INSTINCT_VFIO_CAUSE_NETLINK : INSTINCT_VFIO_CAUSE_HIVE;

	if (!ours && !mates)
		return;
	if (event->kind == INSTINCT_VFIO_EVENT_DEVICE_LOST && !seen->lost) {
		seen->lost = true;
		memcpy(seen->lost_bdf, event->bdf, sizeof(seen->lost_bdf));
		snprintf(seen->lost_why, sizeof(seen->lost_why), "%s", event->reason);
	}
	if (event->cause != cause || event->method != seen->trial->kind->method)
		return;
	if (ours && (done || event->kind == INSTINCT_VFIO_EVENT_RESET_FAILED))
		seen->round->event = *event;
	if (done && event->duration > seen->round->slowest)
		seen->round->slowest = event->duration;
}

/**
 * trial_was_triggered() - check whether a reset got as far as the hardware
 * @event: event about the reset
 *
 * Return: true if it has a trigger phase.
 */
bool trial_was_triggered(const struct event *event)
{
	unsigned int i;

	for (i = 0; i < event->phases; i++)
		if (event->phase[i].name == INSTINCT_VFIO_PHASE_TRIGGER)
			return true;
	return false;
}

static void explain(struct round *round, const struct seen *seen, const char *message,
		    const struct device *mate)
{
	char *why = round->why;

	if (seen->lost)
		snprintf(why, TEXT_BYTES, "%s%s%.160s", seen->lost_bdf,
			 *seen->lost_why ? ": " : " was lost", seen->lost_why);
	else if (round->error)
		snprintf(why, TEXT_BYTES, "%s", *message ? message : strerror(-round->error));
	else if (*mate->bdf)
		snprintf(why, TEXT_BYTES, "%s, reset together with the GPU, is %s afterwards", mate->bdf,
			 mate->state < 0 ? "gone" : name_of(&state_names, mate->state));
	else if (round->config.count)
		snprintf(why, TEXT_BYTES, "%u register%s of the config space changed, first %s (0x%x)",
			 round->config.count, plural(round->config.count),
			 round->config.list[0].name, round->config.list[0].where);
	else if (round->outcome == OUTCOME_FAILED)
		snprintf(why, TEXT_BYTES, "the GPU is %s afterwards",
			 round->state < 0 ? "gone" : name_of(&state_names, round->state));
	sysfs_make_plain(why);
}

/*
 * Is the GPU alive and in order? With tenancy = multi the module quarantines a GPU that was
 * only quiesced, since it was not scrubbed; that is no fault of the method.
 */
static bool is_in_order(const struct qualify *qualify, const struct trial *trial,
			const struct round *round)
{
	return round->state == INSTINCT_VFIO_STATE_READY ||
	       (round->state == INSTINCT_VFIO_STATE_QUARANTINED && !round->error &&
		trial->kind->method == INSTINCT_VFIO_METHOD_QUIESCE &&
		qualify->before.policy.tenancy == INSTINCT_VFIO_TENANCY_MULTI);
}

static void look_at_config(const struct qualify *qualify, const struct config_image *before,
			   struct round *round)
{
	struct config_image image = { .bytes = 0 };

	if (!before->bytes)
		return;
	qualify->calls->config(qualify->bdf, &image);
	compare_images(before, &image, &round->config);
}

static void run_round(const struct qualify *qualify, const struct trial *trial,
		      const struct config_image *before, struct round *round)
{
	const struct qualify_calls *calls = qualify->calls;
	struct nl_reset_asked asked = {
		.method = trial->kind->method,
		.ready_timeout = qualify->wait,
		.bus_port = trial->kind->bus_port,
	};
	struct seen seen = { .qualify = qualify, .trial = trial, .round = round };
	struct verdict_facts facts = { 0 };
	struct nl_reset_done done = { 0 };
	char message[TEXT_BYTES] = "";
	struct device dev, mate;
	uint64_t newest = 0;

	qualify_look(qualify, qualify->bdf, &dev);
	round->secure_os_before = dev.secure_os;
	calls->newest(qualify->nl, &newest);
	facts.error = calls->reset(qualify->nl, qualify->bdf, &asked, &done);
	if (facts.error)
		snprintf(message, sizeof(message), "%s", calls->message(qualify->nl));
	round->error = facts.error;
	round->state = qualify_settle(qualify, trial->wide, &dev, &mate);
	calls->replay(qualify->nl, newest + 1, see, &seen);
	facts.state = round->state;
	if (is_in_order(qualify, trial, round)) {
		facts.state = INSTINCT_VFIO_STATE_READY;
		look_at_config(qualify, before, round);
	}
	facts.lost = seen.lost;
	facts.mate = mate.state;
	facts.triggered = trial_was_triggered(&round->event);
	facts.differs = round->config.count;
	round->outcome = verdict_of(&facts);
	explain(round, &seen, message, &mate);
}

static void tell_round(const struct qualify *qualify, const struct trial *trial,
		       const struct round *round)
{
	char time[32] = "", number[64];

	if (round->event.duration)
		snprintf(time, sizeof(time), ", %.3f s", round->event.duration / 1e9);
	snprintf(number, sizeof(number), "%zu of %u", trial->rounds, qualify->rounds);
	qualify_tell(qualify, "  %s %s: %s%s%s%s", trial->kind->name, trial->rounds >
		     qualify->rounds ? "once more, with no secure OS" : number,
		     name_of(&outcome_names, round->outcome), time,
		     *round->why ? ": " : "", round->why);
}

/* Collects the new lines of the kernel log that concern the GPU, which have one of these words. */
static void read_log(const struct qualify *qualify, struct kernel_log *log)
{
	const char *words[WORDS_MAX];
	size_t count = 0;
	unsigned int i;

	words[count++] = "instinct_vfio";
	words[count++] = qualify->bdf;
	for (i = 0; i < qualify->before.ports; i++)
		words[count++] = qualify->before.port[i].bdf;
	kernel_log_read(log, words, count, qualify->serials);
}

/* The module names a placeholder in its log, also where the reset succeeds in the end. */
static bool met_placeholder(const struct qualify *qualify, const struct kernel_log *log,
			    size_t from, const struct round *round)
{
	bool met = strstr(round->why, INSTINCT_PLACEHOLDER_NAME);

	for (; from < log->count; from++)
		met |= strstr(log->line[from], qualify->bdf) &&
		       strstr(log->line[from], INSTINCT_PLACEHOLDER_NAME);
	return met;
}

/**
 * trial_read_log() - collect the kernel's lines about a round
 * @qualify: run
 * @trial: trial, which receives the lines
 * @round: round that is over; it learns from them whether a placeholder has answered
 */
void trial_read_log(const struct qualify *qualify, struct trial *trial, struct round *round)
{
	size_t lines = trial->log.count;

	read_log(qualify, &trial->log);
	round->placeholder = met_placeholder(qualify, &trial->log, lines, round);
}

/**
 * trial_bare_rounds() - count the rounds before which no secure OS ran
 * @trial: trial of the method
 * @survived: count only those that the GPU survived
 *
 * Return: number of rounds.
 */
size_t trial_bare_rounds(const struct trial *trial, bool survived)
{
	size_t count = 0, i;

	for (i = 0; i < trial->rounds; i++)
		count += trial->round[i].secure_os_before == INSTINCT_VFIO_SECURE_OS_ABSENT &&
			 (!survived || trial->round[i].outcome == OUTCOME_SURVIVED);
	return count;
}

/*
 * The proof of a mode-1 is weakest without a secure OS, and a mode-1 leaves none. So if a secure OS
 * ran before each round that the operator asked for, another round follows.
 */
static bool goes_on(const struct qualify *qualify, const struct trial *trial)
{
	const struct round *last = &trial->round[trial->rounds - 1];

	if (last->outcome != OUTCOME_SURVIVED || qualify_is_stopped(qualify))
		return false;
	if (trial->rounds < qualify->rounds)
		return true;
	return trial->kind->method == INSTINCT_VFIO_METHOD_MODE1 &&
	       last->secure_os_before == INSTINCT_VFIO_SECURE_OS_RUNNING &&
	       last->event.secure_os == INSTINCT_VFIO_SECURE_OS_ABSENT &&
	       trial->rounds < ROUNDS_MAX && !trial_bare_rounds(trial, false);
}

/*
 * The module does not reset a clean GPU at an open. A GPU that was only quiesced is reset, by
 * the method of policy.
 */
static void try_open(const struct qualify *qualify, struct trial *trial)
{
	if (trial->kind->method == INSTINCT_VFIO_METHOD_QUIESCE &&
	    qualify->before.policy.method != INSTINCT_VFIO_METHOD_QUIESCE) {
		snprintf(trial->open_why, sizeof(trial->open_why),
			 "an open would reset the GPU by another method");
		return;
	}
	if (trial->round[trial->rounds - 1].state == INSTINCT_VFIO_STATE_QUARANTINED) {
		snprintf(trial->open_why, sizeof(trial->open_why),
			 "the GPU is quarantined, since tenancy = multi and quiesce scrubs nothing");
		return;
	}
	trial->opened = qualify->calls->open(qualify->bdf, trial->open_why,
					     sizeof(trial->open_why));
	if (trial->opened)
		return;
	trial->outcome = OUTCOME_FAILED;
	snprintf(trial->why, sizeof(trial->why), "VFIO cannot open the GPU: %.200s", trial->open_why);
}

/**
 * trial_run() - try a method
 * @qualify: run
 * @trial: trial with its kind; receives the outcome
 *
 * The trial ends after all rounds, at the first round that the GPU does not survive, or when
 * the run is stopped.
 */
void trial_run(struct qualify *qualify, struct trial *trial)
{
	struct config_image before = { .bytes = 0 };
	struct round *round;

	trial->opened = -1;
	trial->wide = methods_is_wide(&qualify->before, trial->kind);
	qualify->calls->newest(qualify->nl, &trial->since);
	kernel_log_begin(&trial->log);
	qualify->calls->config(qualify->bdf, &before);
	do {
		round = list_add((void **)&trial->round, &trial->rounds, sizeof(*round));
		run_round(qualify, trial, &before, round);
		trial_read_log(qualify, trial, round);
		tell_round(qualify, trial, round);
	} while (goes_on(qualify, trial));
	trial->outcome = round->outcome;
	snprintf(trial->why, sizeof(trial->why), "%s", round->why);
	if (trial->outcome == OUTCOME_SURVIVED)
		try_open(qualify, trial);
	if (trial->outcome == OUTCOME_SURVIVED)
		memory_run(qualify, trial);
	read_log(qualify, &trial->log);
	kernel_log_end(&trial->log);
}
