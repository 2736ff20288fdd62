// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apply_parts.h"
#include "inventory.h"
#include "left_out.h"
#include "missing.h"
#include "now.h"
#include "progress.h"
#include "say.h"
#include "sysfs.h"

static void pause_ms(unsigned int ms)
{
	progress_tick(true);
	usleep(ms * 1000);
	progress_tick(false);
}

const struct apply_calls apply_live = {
	.list = inventory_get,
	.set = nl_policies_apply,
	.read = nl_policies_get,
	.look = nl_isolation_check,
	.ports = nl_isolation_get,
	.message = nl_message,
	.now = now_ms,
	.pause = pause_ms,
};

static int refuse(const struct conf *conf)
{
	char total[TEXT_BYTES];

	conf_total(conf, total, sizeof(total));
	say_error(ERROR_INPUT, "%s; nothing has been changed", total);
	return EXIT_ERROR;
}

static void forget(struct apply *apply)
{
	free(apply->wanted);
	free(apply->changes.list);
	devices_free(&apply->devices);
	devices_free(&apply->left);
	apply->wanted = NULL;
	apply->changes = (struct changes) { 0 };
}

static int merge(struct apply *apply)
{
	struct devices *devices = &apply->devices;
	size_t i;

	apply->wanted = array_new(devices->count, sizeof(*apply->wanted));
	for (i = 0; i < devices->count; i++)
		conf_merge(apply->conf, &devices->list[i], &apply->wanted[i]);
	plan_make(devices, apply->wanted, &apply->changes);
	return EXIT_OK;
}

static bool must_leave(const struct apply *apply, const struct device *dev)
{
	return left_out(apply->conf, dev) || devices_find_like(&apply->silent, dev);
}

static void leave_out(struct apply *apply)
{
	struct devices *devices = &apply->devices;
	size_t kept = 0, i;

	for (i = 0; i < devices->count; i++)
		if (must_leave(apply, &devices->list[i]))
			*devices_add(&apply->left) = devices->list[i];
		else
			devices->list[kept++] = devices->list[i];
	devices->count = kept;
}

/*
 * A later plan repeats no warning. An error or a warning that appears only now, for example because a
 * device has disappeared, is still reported.
 */
static void check(struct apply *apply)
{
	size_t absent = conf_absent(apply->conf);

	if (apply->checked) {
		say_hush(true);
		conf_check(apply->conf, &apply->devices);
		say_hush(false);
		if (!apply->conf->errors && conf_absent(apply->conf) <= absent)
			return;
		conf_forgive(apply->conf);
	}
	apply->checked = true;
	conf_check(apply->conf, &apply->devices);
}

/* The whole policy is checked against the whole host before anything is changed. */
static int plan(struct apply *apply)
{
	struct conf *conf = apply->conf;
	int ret;

	forget(apply);
	ret = apply->calls->list(apply->nl, &apply->devices);
	if (ret == -EAGAIN)
		return AGAIN;
	if (ret)
		return apply_failed(apply, "list devices", ret);
	check(apply);
	if (conf->errors)
		return refuse(conf);
	conf_add_unmanaged(conf, &apply->devices);
	leave_out(apply);
	return merge(apply);
}

/* Reports a refusal in the module's words, with the device and the key that it names. */
static int refused(const struct apply *apply, const struct nl_blame *blame, int error)
{
	const struct changes *changes = &apply->changes;
	char what[TEXT_BYTES];

	if (error == -EMSGSIZE)
		return apply_failed(apply, "too many devices for one request", error);
	if (blame->change >= changes->count)
		return apply_failed(apply, "set policies", error);
	if (blame->key)
		snprintf(what, sizeof(what), "%s: %s", changes->list[blame->change].bdf,
			 blame->key->name);
	else
		snprintf(what, sizeof(what), "%s", changes->list[blame->change].bdf);
	return apply_failed(apply, what, error);
}

/* A device that does not answer must not keep the others from their policy. */
static int drop(struct apply *apply, const struct nl_blame *blame, int error)
{
	const struct change *change;
	struct device dev = { 0 };

	if (blame->change >= apply->changes.count)
		return refused(apply, blame, error);
	change = &apply->changes.list[blame->change];
	memcpy(dev.bdf, change->bdf, sizeof(dev.bdf));
	dev.unmanaged = change->unmanaged;
	dev.pending = change->pending;
	*devices_add(&apply->silent) = dev;
	return DROPPED;
}

/* give_up() and notice() name the device. */
static void keep_culprit(struct apply *apply, const struct nl_blame *blame)
{
	const struct changes *changes = &apply->changes;

	snprintf(apply->culprit, sizeof(apply->culprit), "%s",
		 blame->change < changes->count ? changes->list[blame->change].bdf : "a device");
	snprintf(apply->why, sizeof(apply->why), "%s", apply->calls->message(apply->nl));
}

/* If the module's answer is lost (ENOBUFS), reading back shows what it has done. */
static int transact(struct apply *apply)
{
	struct nl_blame blame;
	int ret = apply->calls->set(apply->nl, &apply->changes, &blame);

	if (ret)
		keep_culprit(apply, &blame);
	if (ret == -EAGAIN || ret == -EBUSY)
		return BUSY;
	if (ret == -ENXIO)
		return drop(apply, &blame, ret);
	/* A device has disappeared, or a pending one was bound and now repeats another change. */
	if (ret == -ENODEV || ret == -EEXIST)
		return AGAIN;
	if (ret && ret != -ENOBUFS)
		return refused(apply, &blame, ret);
	apply->written += apply->changes.count;
	/* Only what the module has taken is told as a change. */
	if (apply->changed)
		apply->changed(apply);
	return apply_verify(apply);
}

/* Signals stay blocked until the module has applied all changes or none. */
static int carry_out(struct apply *apply)
{
	sigset_t all, before;
	int code;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	code = transact(apply);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return code;
}

/* The module also repairs ports that have drifted since, although the policy is unchanged. */
static int leave(struct apply *apply)
{
	int ret = apply->written ? 0 : apply->calls->look(apply->nl);

	return ret ? apply_failed(apply, "check isolation", ret) : apply_verify_ports(apply);
}

static int try(struct apply *apply)
{
	int code;

	*apply->why = '\0';
	code = plan(apply);
	if (code)
		return code;
	if (apply->dry_run && apply->changed)
		apply->changed(apply);
	if (apply->dry_run)
		return apply->changes.count + apply->left.count ? EXIT_DRIFT : EXIT_OK;
	code = apply->changes.count ? carry_out(apply) : leave(apply);
	apply->applied = !code;
	return code;
}

/**
 * apply_needs_module() - check whether the module has to be loaded for a policy
 * @conf: policy
 * @needed: set; true if the host has a device that the policy could apply to
 *
 * Return: 0, or an exit code after printing the reason.
 */
int apply_needs_module(struct conf *conf, bool *needed)
{
	struct devices devices = { 0 };
	int code = sysfs_gpus(&devices);

	conf_check_present(conf);
	/* apply_run() does this if the host has a GPU, whose serial number the module may have to tell. */
	if (!devices.count)
		conf_check_managed(conf, &devices);
	if (!code && conf->errors)
		code = refuse(conf);
	conf_add_unmanaged(conf, &devices);
	*needed = devices.count;
	devices_free(&devices);
	return code;
}

/* A GPU of the record that is gone later is missing. GPUs that were left out belong to the host, too. */
static void record(const struct apply *apply)
{
	struct devices here = { 0 };
	int ret;

	devices_append(&here, &apply->devices);
	devices_append(&here, &apply->left);
	ret = missing_record(&here);
	if (ret)
		say_warning("cannot record the GPUs in " MISSING_RECORD ": %s; a GPU that disappears will not be reported as missing",
			    strerror(-ret));
	devices_free(&here);
}

static void warn_of_left(const struct apply *apply)
{
	size_t i;

	for (i = 0; i < apply->left.count; i++)
		left_out_warn(apply->conf, &apply->left.list[i]);
}

/**
 * apply_run() - put a policy in force
 * @apply: its first six members are set; the caller calls apply_free() even on failure
 *
 * Return: an exit code, on failure after printing the reason. EXIT_DRIFT means that a dry run
 * would change something, or that a port does not accept its ACS settings; EXIT_ABSENT that all is
 * well, but that the policy names a device that this host does not have.
 */
int apply_run(struct apply *apply)
{
	struct patience patience;
	int code, waited;

	patience_begin(&patience);
	for (;;) {
		code = try(apply);
		if (code >= 0)
			break;
		/* Waiting helps with neither, and neither happens often. */
		if (code == DROPPED || code == DISPUTED)
			continue;
		waited = patience_wait(&patience, apply, code);
		if (waited)
			return waited;
	}
	if (code == EXIT_OK || code == EXIT_DRIFT)
		warn_of_left(apply);
	if (!apply->dry_run && (code == EXIT_OK || code == EXIT_DRIFT))
		record(apply);
	return code == EXIT_OK && conf_absent(apply->conf) ? EXIT_ABSENT : code;
}

/**
 * apply_free() - free a run's lists
 * @apply: the run; the caller keeps its policy and its socket
 */
void apply_free(struct apply *apply)
{
	forget(apply);
	devices_free(&apply->silent);
}
