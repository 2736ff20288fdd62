// SPDX-License-Identifier: GPL-2.0-or-later
#include "apply_parts.h"
#include "say.h"
#include "sysfs.h"

/**
 * apply_failed() - report that the module refused a request
 * @apply: the run
 * @what: the request, for the message
 * @error: negative errno
 *
 * Return: an exit code.
 */
int apply_failed(const struct apply *apply, const char *what, int error)
{
	const char *message = apply->calls->message(apply->nl);

	if (error != -EOPNOTSUPP || *message)
		return say_refused(what, message, error);
	say_error(ERROR_MISMATCH, "%s: the module is older than instinctctl: reload it (instinctctl unbind --all, then rmmod %s%s)",
		  what, sysfs_has_dropin() ? "vfio_pci " : "", DRIVER_NAME);
	return exit_code_of(-error);
}

/* A pending GPU may have been bound meanwhile, and a managed one unbound. */
static const struct device *find_now(const struct devices *now, const struct device *dev)
{
	const struct device *found = devices_find_like(now, dev);

	return found || dev->unmanaged ? found :
	       devices_find_as(now, dev->bdf, false, !dev->pending);
}

static bool is_in_force(const struct devices *now, const struct device *dev,
			const struct policy *wanted)
{
	const struct device *found = find_now(now, dev);
	struct policy defaults;

	if (found)
		return plan_is_done(found, wanted);
	/* The module stores no default policy for a device that another driver has. */
	conf_defaults(&defaults);
	return dev->unmanaged && policy_equal(wanted, &defaults);
}

/* Checks whether a device is managed now, but was not part of the plan. */
static bool has_come(const struct apply *apply, const struct device *dev)
{
	return !dev->unmanaged && !dev->pending && !find_now(&apply->devices, dev) &&
	       !devices_find_like(&apply->left, dev);
}

/* Compares all devices of the host, not only the changed ones. */
static int read_back(struct apply *apply, const char **bdf)
{
	struct devices now = { 0 };
	int ret = apply->calls->read(apply->nl, &now);
	size_t i;

	*bdf = NULL;
	for (i = 0; !ret && !*bdf && i < now.count; i++)
		if (has_come(apply, &now.list[i]))
			*bdf = "";
	for (i = 0; !ret && !*bdf && i < apply->devices.count; i++)
		if (!is_in_force(&now, &apply->devices.list[i], &apply->wanted[i])) {
			*bdf = apply->devices.list[i].bdf;
			break;
		}
	devices_free(&now);
	return ret;
}

/**
 * apply_verify_ports() - check that ports have accepted the ACS settings written to them
 * @apply: the run
 *
 * Return: EXIT_DRIFT after naming a port that has not; else 0 or an exit code.
 */
int apply_verify_ports(struct apply *apply)
{
	const struct isolated *port = NULL;
	struct isolation isolation = { 0 };
	int ret = apply->calls->ports(apply->nl, &isolation);
	size_t wrong = 0, i;

	for (i = isolation.count; i-- > 0;)
		if (!plan_port_is_right(&isolation.list[i])) {
			port = &isolation.list[i];
			wrong++;
		}
	if (port)
		say_error(ERROR_FAILED, "%s does not take its ACS: 0x%04x, wanted 0x%04x%s; see instinctctl check",
			  port->bdf, port->found, port->wanted,
			  wrong > 1 ? ", and it is not the only port" : "");
	isolation_free(&isolation);
	if (ret)
		return apply_failed(apply, "read back ACS", ret);
	apply->verified = !wrong;
	return wrong ? EXIT_DRIFT : EXIT_OK;
}

/**
 * apply_verify() - read policies back, and compare them with the plan
 * @apply: the run, whose plan has been carried out
 *
 * Return: an exit code, on failure after printing the reason; or a reason to make a new plan.
 */
int apply_verify(struct apply *apply)
{
	const char *bdf;
	int ret = read_back(apply, &bdf);

	if (ret)
		return apply_failed(apply, "read back policies", ret);
	if (!bdf)
		return apply_verify_ports(apply);
	if (!*bdf)
		return AGAIN;
	if (!apply->disputed++)
		return DISPUTED;
	say_error(ERROR_BUSY, "%s: policy does not read back as it was set; somebody else has changed it, try again",
		  bdf);
	return EXIT_ERROR;
}
