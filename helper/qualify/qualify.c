// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/pci_regs.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/profile.h"
#include "qualify.h"
#include "say.h"
#include "sysfs.h"
#include "under_load.h"

/* Allowance for the work of a reset after its deadline. */
#define END_OF_RESET_MS	5000

static const char *const endings[] = {
	[ENDED_UNDER_WAY] = "under-way", [ENDED_COMPLETE] = "complete", [ENDED_LOST] = "lost",
	[ENDED_NOT_READY] = "not-ready", [ENDED_DECLINED] = "declined",
	[ENDED_INTERRUPTED] = "interrupted", [ENDED_BUSY] = "busy",
	[ENDED_NO_RESET] = "no-reset",
};

const struct names ended_names = { endings, sizeof(endings) / sizeof(endings[0]) };

/**
 * qualify_tell() - print a line of progress, if the run has a callback for it
 * @qualify: run
 * @format: as for printf(), without a newline
 */
void qualify_tell(const struct qualify *qualify, const char *format, ...)
{
	char text[4 * TEXT_BYTES];
	va_list args;

	if (!qualify->tell)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	qualify->tell(text);
}

/* A blocked GPU counts as ready: it is in order, and resets work. Only a new user could not open it. */
static int list_gpus(const struct qualify *qualify, struct devices *devices)
{
	int ret = qualify->calls->list(qualify->nl, devices);
	size_t i;

	for (i = 0; i < devices->count; i++)
		if (devices->list[i].state == INSTINCT_VFIO_STATE_BLOCKED)
			devices->list[i].state = INSTINCT_VFIO_STATE_READY;
	return ret;
}

/* The GPUs that the module manages; an empty list if the module does not answer. */
static struct devices devices_now(const struct qualify *qualify)
{
	struct devices now = { 0 };

	if (list_gpus(qualify, &now))
		devices_free(&now);
	return now;
}

/* A GPU of the list; its state is STATE_UNKNOWN if the list lacks it. */
static struct device device_of(const struct devices *devices, const char *bdf)
{
	const struct device *found = devices_find(devices, bdf);

	return found ? *found : (struct device) { .state = STATE_UNKNOWN };
}

/**
 * qualify_look() - read the current state of a GPU
 * @qualify: run
 * @bdf: address of the GPU of the run, or of another one
 * @dev: receives the state
 *
 * Return: state of the GPU, STATE_UNKNOWN if it is absent or the module does not answer.
 */
int qualify_look(const struct qualify *qualify, const char *bdf, struct device *dev)
{
	struct devices now = devices_now(qualify);

	*dev = device_of(&now, bdf);
	devices_free(&now);
	return dev->state;
}

/* Read the states of all GPUs at once; @mate receives a hive member that is not ready, if any. */
static bool look_at_all(const struct qualify *qualify, bool wide, struct device *dev,
			struct device *mate)
{
	struct devices now = devices_now(qualify);
	bool resetting = false;
	size_t i;

	*dev = device_of(&now, qualify->bdf);
	*mate = (struct device) { .state = INSTINCT_VFIO_STATE_READY };
	for (i = 0; wide && i < qualify->others.count; i++) {
		int state = device_of(&now, qualify->others.list[i].bdf).state;

		if (state == INSTINCT_VFIO_STATE_READY)
			continue;
		*mate = qualify->others.list[i];
		mate->state = state;
		resetting |= state == INSTINCT_VFIO_STATE_RESETTING;
	}
	devices_free(&now);
	return resetting || dev->state == INSTINCT_VFIO_STATE_RESETTING;
}

/**
 * qualify_settle() - wait until no reset of the GPU is under way
 * @qualify: run
 * @wide: also wait for the other members of the hive
 * @dev: receives the state of the GPU
 * @mate: receives a hive member that is not ready; its BDF is "" if all are ready
 *
 * The module answers a reset of the hive once the requested GPU is ready; the other members may
 * take longer.
 *
 * Return: state of the GPU.
 */
int qualify_settle(const struct qualify *qualify, bool wide, struct device *dev,
		   struct device *mate)
{
	int64_t began = qualify->calls->now();

	while (look_at_all(qualify, wide, dev, mate) &&
	       qualify->calls->now() - began < qualify->wait + END_OF_RESET_MS)
		qualify->calls->pause(QUALIFY_POLL_MS);
	return dev->state;
}

/**
 * qualify_concerns() - check whether a GPU is another member of the hive of the run's GPU
 * @qualify: run
 * @bdf: address of the GPU
 *
 * Return: true if it is.
 */
bool qualify_concerns(const struct qualify *qualify, const char *bdf)
{
	return devices_find(&qualify->others, bdf);
}

static int list_devices(struct qualify *qualify, struct devices *devices)
{
	char what[2 * BDF_BYTES];
	int ret = list_gpus(qualify, devices);

	snprintf(what, sizeof(what), "qualify %s", qualify->bdf);
	return ret ? say_refused(what, qualify->calls->message(qualify->nl), ret) : EXIT_OK;
}

/* Copy the other members of the hive from a list. */
static void take_others(const struct qualify *qualify, const struct devices *devices,
			struct devices *others)
{
	size_t i;

	for (i = 0; i < devices->count; i++)
		if (devices_share_hive(&qualify->before, &devices->list[i]))
			*devices_add(others) = devices->list[i];
}

static int take_stock(struct qualify *qualify, const struct devices *devices)
{
	const struct device *dev = devices_find(devices, qualify->bdf);
	struct methods_facts facts = {
		.max_risk = qualify->max_risk, .dev = dev, .devices = devices, .refusal = "",
	};
	char why[2 * TEXT_BYTES];

	if (!dev) {
		say_error(ERROR_NO_DEVICE, "qualify %s: the module does not manage this GPU (see instinctctl status; instinctctl bind %s binds it)",
			  qualify->bdf, qualify->bdf);
		return EXIT_ERROR;
	}
	if (qualify->under_load ? under_load_blocked(dev, why, sizeof(why)) :
				  methods_blocked(&facts, why, sizeof(why))) {
		say_error(ERROR_REFUSED, "qualify %s: %s", qualify->bdf, why);
		return EXIT_ERROR;
	}
	qualify->before = *dev;
	if (!qualify->wait && qualify->under_load) {
		qualify->wait = UNDER_LOAD_WAIT_MS;
	} else if (!qualify->wait) {
		qualify->wait = dev->policy.ready_timeout;
		if (qualify->wait < QUALIFY_WAIT_MS)
			qualify->wait = QUALIFY_WAIT_MS;
	}
	take_others(qualify, devices, &qualify->others);
	return EXIT_OK;
}

/* Ask the module, then our own rules, for a reason to skip the method. */
static int plan_trial(struct qualify *qualify, const struct devices *devices,
		      struct trial *trial)
{
	struct nl_reset_done plan = { 0 };
	struct methods_facts facts = {
		.max_risk = qualify->max_risk, .dev = devices_find(devices, qualify->bdf),
		.devices = devices,
	};
	int ret;

	trial->opened = -1;
	if (qualify->under_load) {
		snprintf(trial->why, sizeof(trial->why), "a run under load tries no method");
		return EXIT_OK;
	}
	ret = qualify->calls->plan(qualify->nl, qualify->bdf, trial->kind->method, &plan);
	if (ret)
		return say_refused("qualify", qualify->calls->message(qualify->nl), ret);
	sysfs_make_plain(plan.step[0].refusal);
	facts.refusal = plan.step[0].refusal;
	trial->outcome = methods_passes_over(&facts, trial->kind, trial->why,
					    sizeof(trial->why)) == PASSED_FOR_GOOD ?
			 OUTCOME_UNAVAILABLE : OUTCOME_NONE;
	trial->wide = methods_is_wide(facts.dev, trial->kind);
	return EXIT_OK;
}

/**
 * qualify_prepare() - record the state of the GPU, and plan the trials
 * @qualify: run with its settings; the caller must call qualify_free() in any case
 *
 * Return: 0, or an exit code after printing the error.
 */
int qualify_prepare(struct qualify *qualify)
{
	struct devices devices = { 0 };
	unsigned int i;
	int code;

	for (i = 0; i < KINDS; i++)
		qualify->trial[i].kind = &kinds[i];
	code = list_devices(qualify, &devices);
	if (!code)
		code = take_stock(qualify, &devices);
	for (i = 0; !code && i < KINDS; i++)
		code = plan_trial(qualify, &devices, &qualify->trial[i]);
	devices_free(&devices);
	return code;
}

/**
 * qualify_end() - note why a run ends
 * @qualify: run
 * @ended: kind of the reason
 * @why: explanation, or ""
 */
void qualify_end(struct qualify *qualify, enum ended ended, const char *why)
{
	qualify->ended = ended;
	snprintf(qualify->why, sizeof(qualify->why), "%s", why);
}

/* Recover each GPU that a trial may have left not ready. */
static bool recover(struct qualify *qualify, const struct trial *trial)
{
	bool ready = recovery_run(qualify, trial, qualify->bdf);
	size_t i;

	for (i = 0; trial->wide && i < qualify->others.count; i++)
		ready &= recovery_run(qualify, trial, qualify->others.list[i].bdf);
	return ready;
}

/* Decide by the outcome of a trial whether the run goes on. */
static bool goes_on(struct qualify *qualify, const struct trial *trial)
{
	bool ready = true;

	if (trial->outcome == OUTCOME_FAILED || trial->outcome == OUTCOME_LOST ||
	    trial->round[trial->rounds - 1].state == INSTINCT_VFIO_STATE_QUARANTINED)
		ready = recover(qualify, trial);
	if (trial->outcome == OUTCOME_LOST)
		qualify_end(qualify, ENDED_LOST, trial->why);
	else if (trial->outcome == OUTCOME_BUSY)
		qualify_end(qualify, ENDED_BUSY, trial->why);
	else if (!ready)
		qualify_end(qualify, ENDED_NOT_READY, trial->why);
	else if (qualify_is_stopped(qualify))
		qualify_end(qualify, ENDED_INTERRUPTED, "a signal stopped the run");
	else
		return true;
	return false;
}

static void pass_over_rest(struct qualify *qualify, unsigned int from)
{
	unsigned int i;

	for (i = from; i < KINDS; i++)
		if (qualify->trial[i].outcome == OUTCOME_NONE && !*qualify->trial[i].why)
			snprintf(qualify->trial[i].why, TEXT_BYTES, "the run ended before this method: %s",
				 name_of(&ended_names, qualify->ended));
}

static bool may_try(struct qualify *qualify, const struct trial *trial)
{
	bool yes = !qualify->ask || qualify->ask(qualify, trial);

	if (qualify_is_stopped(qualify))
		qualify_end(qualify, ENDED_INTERRUPTED, "a signal stopped the run");
	else if (!yes)
		qualify_end(qualify, ENDED_DECLINED, "the operator declined the method");
	else
		return true;
	return false;
}

/* Save the report first: if the trial takes the host down, the report names the method. */
static void begin_trial(struct qualify *qualify, unsigned int i)
{
	const char *name = qualify->trial[i].kind->name;

	if (qualify->step)
		qualify->step(name, i + 1, KINDS);
	snprintf(qualify->why, sizeof(qualify->why), "%s is being tried", name);
	qualify->finished = time(NULL);
	if (qualify->save)
		qualify->save(qualify);
}

static void try_all(struct qualify *qualify)
{
	unsigned int i;

	for (i = 0; i < KINDS; i++) {
		struct trial *trial = &qualify->trial[i];

		if (*trial->why) {
			qualify_tell(qualify, "%s: not tried: %s", trial->kind->name, trial->why);
			continue;
		}
		if (!may_try(qualify, trial))
			break;
		begin_trial(qualify, i);
		trial_run(qualify, trial);
		if (!goes_on(qualify, trial))
			break;
	}
	if (i == KINDS)
		qualify_end(qualify, ENDED_COMPLETE, "");
	pass_over_rest(qualify, i);
}

/* An open by VFIO leaves memory decoding on, so Command is not compared. */
static void compare_at_end(struct qualify *qualify)
{
	struct config_image before = qualify->image, after = { .bytes = 0 };

	qualify->calls->config(qualify->bdf, &after);
	before.dword[PCI_COMMAND / 4] = after.dword[PCI_COMMAND / 4];
	compare_images(&before, &after, &qualify->config);
}

/**
 * qualify_run() - run the planned trials
 * @qualify: prepared run
 *
 * The run ends at the first method that loses the GPU, after trying to bring it back. It changes
 * no policy: each reset request carries its own method and timeout. A run under load only watches.
 */
void qualify_run(struct qualify *qualify)
{
	struct devices now;
	struct device mate;

	qualify->began = time(NULL);
	qualify->after.state = STATE_UNKNOWN;
	if (qualify->under_load) {
		under_load_run(qualify);
	} else {
		qualify->calls->config(qualify->bdf, &qualify->image);
		try_all(qualify);
	}
	qualify_settle(qualify, true, &qualify->after, &mate);
	sysfs_make_plain(qualify->after.reason);
	if (qualify->after.state == INSTINCT_VFIO_STATE_READY && qualify->image.bytes)
		compare_at_end(qualify);
	now = devices_now(qualify);
	take_others(qualify, &now, &qualify->others_after);
	devices_free(&now);
	qualify->finished = time(NULL);
}

/**
 * qualify_is_stopped() - check whether the user wants the run to end
 * @qualify: run
 *
 * Return: true if the callback says so.
 */
bool qualify_is_stopped(const struct qualify *qualify)
{
	return qualify->stopped && qualify->stopped();
}

/* Only GPUs that were ready before take part in a reset of the hive. */
static bool are_others_ready(const struct qualify *qualify)
{
	bool wide = false;
	size_t i;

	for (i = 0; i < KINDS; i++)
		wide |= qualify->trial[i].wide && qualify->trial[i].rounds;
	for (i = 0; wide && i < qualify->others.count; i++)
		if (device_of(&qualify->others_after, qualify->others.list[i].bdf).state !=
		    INSTINCT_VFIO_STATE_READY)
			return false;
	return true;
}

static bool has_kept_data(const struct qualify *qualify)
{
	unsigned int i;

	for (i = 0; i < KINDS; i++)
		if (qualify->trial[i].memory.verdict == MEMORY_KEPT)
			return true;
	return false;
}

/**
 * qualify_is_clean() - check that a run lost no GPU, and no data stayed in one
 * @qualify: run that has ended
 *
 * Return: true if no method lost the GPU or another member of its hive, no method left data in the
 * GPU's memory, and all GPUs that were reset are ready.
 */
bool qualify_is_clean(const struct qualify *qualify)
{
	return !has_kept_data(qualify) && qualify->ended != ENDED_LOST && qualify->ended != ENDED_NOT_READY &&
	       qualify->after.state == INSTINCT_VFIO_STATE_READY && are_others_ready(qualify);
}

/**
 * qualify_free() - free the memory of a run
 * @qualify: run, prepared or zeroed
 */
void qualify_free(struct qualify *qualify)
{
	unsigned int i;

	for (i = 0; i < KINDS; i++) {
		kernel_log_free(&qualify->trial[i].log);
		free(qualify->trial[i].round);
	}
	kernel_log_free(&qualify->load.log);
	free(qualify->load.round);
	free(qualify->recovery);
	devices_free(&qualify->others);
	devices_free(&qualify->others_after);
}
