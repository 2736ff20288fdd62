// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "conf_key.h"
#include "core/profile.h"
#include "qualify.h"

/* The module begins the reset after a close at once, in the background. */
#define CLOSE_MS	10000
#define NS_PER_MS	1000000ull
/* A deadline of policy must be that much longer than the slowest reset of the trial. */
#define MARGIN		2

static const char *const verdicts[] = {
	[MEMORY_UNTRIED] = "not-tried", [MEMORY_UNKNOWN] = "unknown", [MEMORY_GONE] = "gone",
	[MEMORY_KEPT] = "kept",
};

const struct names memory_names = { verdicts, sizeof(verdicts) / sizeof(verdicts[0]) };

/**
 * memory_verdict() - judge what a reset has done to the memory
 * @facts: facts about the trial
 * @why: receives the reason if nothing follows from the facts, or ""
 * @size: bytes of @why
 *
 * Return: MEMORY_GONE, MEMORY_KEPT or MEMORY_UNKNOWN.
 */
enum memory_verdict memory_verdict(const struct memory_facts *facts, char *why, size_t size)
{
	*why = '\0';
	if (!facts->lines)
		snprintf(why, size, "the memory does not hold what is written into it");
	else if (facts->others)
		snprintf(why, size, "another reset came before the memory was read");
	else if (!facts->resets)
		snprintf(why, size, "no reset by the method came before the memory was read");
	else if (facts->counted != facts->resets)
		snprintf(why, size, "the module counts %" PRIu64 " hardware resets, and its events tell of %" PRIu64,
			 facts->counted, facts->resets);
	else
		return facts->kept ? MEMORY_KEPT : MEMORY_GONE;
	return MEMORY_UNKNOWN;
}

/* Does policy have the GPU reset by this method after each user? */
static bool follows_users(const struct device *dev, const struct kind *kind,
			  const struct instinct_family *family)
{
	if (dev->policy.method == INSTINCT_VFIO_METHOD_AUTO)
		return kind->method == INSTINCT_VFIO_METHOD_MODE1 && !family->mode1_by_name;
	return dev->policy.method == kind->method && (kind->method != INSTINCT_VFIO_METHOD_BUS ||
						      dev->policy.bus_port == kind->bus_port);
}

/**
 * memory_is_refused() - check whether the memory cannot be tried with a method
 * @dev: current state of the GPU, with the policy in force
 * @trial: trial of the method, which the GPU has survived
 * @why: receives the reason, or ""
 * @size: bytes of @why
 *
 * The module resets the GPU after the pattern is written, by the method and the deadline of policy.
 *
 * Return: true if there is a reason.
 */
bool memory_is_refused(const struct device *dev, const struct trial *trial, char *why, size_t size)
{
	const struct instinct_profile *profile = instinct_profile_find(dev->vendor, dev->device);
	const struct kind *kind = trial->kind;
	bool bus = kind->method == INSTINCT_VFIO_METHOD_BUS;

	*why = '\0';
	if (kind->method == INSTINCT_VFIO_METHOD_QUIESCE)
		snprintf(why, size, "quiesce resets no hardware, so the memory stays");
	else if (trial->opened <= 0)
		snprintf(why, size, "%.240s", trial->open_why);
	else if (!profile)
		snprintf(why, size, "this instinctctl does not know the registers of the GPU");
	else if (dev->policy.method == INSTINCT_VFIO_METHOD_QUIESCE)
		return false;
	else if (!follows_users(dev, kind, profile->family))
		snprintf(why, size, "policy has the GPU reset after each user, and not by this method; to have it tried, apply a policy with method = %s%s%s",
			 name_of(&method_names, kind->method), bus ? " and bus_port = " : "",
			 bus ? conf_key_word(CONF_BUS_PORT, kind->bus_port) : "");
	else if (dev->policy.ready_timeout &&
		 dev->policy.ready_timeout < MARGIN * trial_slowest(trial) / NS_PER_MS)
		snprintf(why, size, "ready_timeout of policy is %u ms, too short for the reset after a user: the slowest one took %" PRIu64 " ms",
			 dev->policy.ready_timeout, (uint64_t)(trial_slowest(trial) / NS_PER_MS));
	return *why;
}

/* A trial of the memory under way, with the facts from the events since its begin. */
struct course {
	struct qualify *qualify;
	struct trial *trial;
	uint64_t since;
	struct device dev;
	struct device mate;
	bool closed;
	bool lost;
	struct memory_facts facts;
};

static void see(const struct event *event, void *data)
{
	struct course *course = data;
	bool ours = !strcmp(event->bdf, course->qualify->bdf);
	bool done = event->kind == INSTINCT_VFIO_EVENT_RESET_DONE;
	bool failed = event->kind == INSTINCT_VFIO_EVENT_RESET_FAILED;

	if (event->kind == INSTINCT_VFIO_EVENT_DEVICE_LOST)
		course->lost |= ours || (course->trial->wide &&
					 qualify_concerns(course->qualify, event->bdf));
	if (!ours)
		return;
	/* The reset after an earlier open, which has touched nothing, may be spared only now. */
	course->closed |= event->cause == INSTINCT_VFIO_CAUSE_CLOSE &&
			  event->kind != INSTINCT_VFIO_EVENT_RESET_COALESCED;
	if (done && event->method == course->trial->kind->method)
		course->facts.resets++;
	else if ((done || (failed && trial_was_triggered(event))) &&
		 event->method != INSTINCT_VFIO_METHOD_QUIESCE)
		course->facts.others++;
}

static void look(struct course *course)
{
	const struct qualify *qualify = course->qualify;

	course->closed = false;
	course->lost = false;
	course->facts = (struct memory_facts) { 0 };
	qualify->calls->replay(qualify->nl, course->since + 1, see, course);
}

static void settle(struct course *course)
{
	qualify_settle(course->qualify, course->trial->wide, &course->dev, &course->mate);
	look(course);
}

/* Wait for the end of the reset that the module does after a close. */
static void await_close(struct course *course)
{
	const struct qualify_calls *calls = course->qualify->calls;
	int64_t began = calls->now();

	for (look(course); !course->closed && calls->now() - began < CLOSE_MS; look(course))
		calls->pause(QUALIFY_POLL_MS);
	settle(course);
}

static void reset(struct course *course)
{
	const struct qualify *qualify = course->qualify;
	struct nl_reset_asked asked = {
		.method = course->trial->kind->method,
		.ready_timeout = qualify->wait,
		.bus_port = course->trial->kind->bus_port,
	};
	struct nl_reset_done done = { 0 };

	qualify->calls->reset(qualify->nl, qualify->bdf, &asked, &done);
	settle(course);
}

/* Read the memory after the reset. Later events count from the close after that. */
static void read_back(struct course *course, struct pattern *pattern, uint64_t hardware)
{
	const struct qualify *qualify = course->qualify;
	struct memory *memory = &course->trial->memory;
	struct memory_facts facts = course->facts;

	if (course->dev.state != INSTINCT_VFIO_STATE_READY) {
		snprintf(memory->why, sizeof(memory->why), "the GPU was not ready after the reset");
		return;
	}
	facts.counted = course->dev.resets.hardware - hardware;
	qualify->calls->newest(qualify->nl, &course->since);
	if (qualify->calls->read(pattern, memory->why, sizeof(memory->why)) <= 0) {
		settle(course);
		return;
	}
	facts.lines = pattern->holding;
	facts.kept = pattern->kept;
	memory->kept = pattern->kept;
	if (!*memory->why)
		memory->verdict = memory_verdict(&facts, memory->why, sizeof(memory->why));
	await_close(course);
}

static void write_and_read(struct course *course, struct pattern *pattern)
{
	const struct qualify *qualify = course->qualify;
	struct memory *memory = &course->trial->memory;
	uint64_t hardware = course->dev.resets.hardware;

	qualify->calls->newest(qualify->nl, &course->since);
	if (qualify->calls->write(pattern, memory->why, sizeof(memory->why)) <= 0)
		return;
	memory->verdict = MEMORY_UNKNOWN;
	memory->memory = pattern->memory;
	memory->bytes = pattern->bytes;
	memory->lines = pattern->holding;
	await_close(course);
	/* Policy may have had it quiesced only. */
	if (!course->facts.resets && !course->facts.others && !course->lost)
		reset(course);
	if (!*memory->why && !pattern->holding)
		memory_verdict(&course->facts, memory->why, sizeof(memory->why));
	if (!*memory->why && !course->lost)
		read_back(course, pattern, hardware);
}

/* A GPU that these resets have lost is lost by the method. */
static void judge(struct course *course)
{
	struct trial *trial = course->trial;
	bool ready = course->dev.state == INSTINCT_VFIO_STATE_READY;

	if (!course->lost && ready && !*course->mate.bdf)
		return;
	trial->outcome = course->lost ? OUTCOME_LOST : OUTCOME_FAILED;
	snprintf(trial->why, sizeof(trial->why), "%s %s in the trial of the memory",
		 ready && *course->mate.bdf ? course->mate.bdf : course->qualify->bdf,
		 course->lost ? "or another GPU of its hive was lost" : "did not become ready");
}

static void tell(const struct qualify *qualify, const struct trial *trial)
{
	const struct memory *memory = &trial->memory;

	if (memory->verdict > MEMORY_UNKNOWN)
		qualify_tell(qualify, "  %s, memory: %s, %zu of %zu lines are left",
			     trial->kind->name, name_of(&memory_names, memory->verdict),
			     memory->kept, memory->lines);
	else if (trial->kind->method != INSTINCT_VFIO_METHOD_QUIESCE)
		qualify_tell(qualify, "  %s, memory: %s: %s", trial->kind->name,
			     name_of(&memory_names, memory->verdict), memory->why);
}

/**
 * memory_run() - find out whether a reset by a method clears the memory
 * @qualify: run
 * @trial: trial of the method, which the GPU has survived; receives the verdict on the memory, and
 *	another outcome if the GPU does not survive these resets
 *
 * The GPU is reset twice or more: after the pattern is written, and after it is read.
 */
void memory_run(struct qualify *qualify, struct trial *trial)
{
	struct course course = { .qualify = qualify, .trial = trial };
	struct memory *memory = &trial->memory;
	struct pattern pattern = { .bdf = qualify->bdf, .tell = qualify->tell };

	qualify_look(qualify, qualify->bdf, &course.dev);
	if (qualify_is_stopped(qualify)) {
		snprintf(memory->why, sizeof(memory->why), "a signal stopped the run");
	} else if (getrandom(&pattern.seed, sizeof(pattern.seed), 0) != sizeof(pattern.seed)) {
		snprintf(memory->why, sizeof(memory->why), "the kernel gives no random number");
	} else if (!memory_is_refused(&course.dev, trial, memory->why, sizeof(memory->why))) {
		pattern.size_at = instinct_profile_find(course.dev.vendor,
							course.dev.device)->family->memory_size;
		qualify_tell(qualify, "  %s, memory: a pattern is written, and read after a reset",
			     trial->kind->name);
		write_and_read(&course, &pattern);
		if (memory->verdict != MEMORY_UNTRIED &&
		    course.dev.state != INSTINCT_VFIO_STATE_READY && !course.lost)
			reset(&course);
		if (memory->verdict != MEMORY_UNTRIED)
			judge(&course);
		pattern_free(&pattern);
	}
	tell(qualify, trial);
}
