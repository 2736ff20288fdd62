// SPDX-License-Identifier: GPL-2.0-or-later
#include "apply_parts.h"
#include "say.h"

/* As it is now: a GPU that waited may have been taken meanwhile, or let go of. */
static const struct device *find_now(const struct devices *now, const struct device *dev)
{
	const struct device *found = devices_find_like(now, dev);

	return found || dev->plain ? found :
	       devices_find_as(now, dev->bdf, false, !dev->waiting);
}

static bool is_in_force(const struct devices *now, const struct device *dev,
			const struct policy *wanted)
{
	const struct device *found = find_now(now, dev);
	struct policy defaults;

	if (found)
		return plan_is_done(found, wanted);
	/* Of what somebody else drives the module keeps nothing that is default. */
	conf_defaults(&defaults);
	return dev->plain && policy_equal(wanted, &defaults);
}

/* Managed now, and not in the plan. */
static bool has_come(const struct apply *apply, const struct device *dev)
{
	return !dev->plain && !dev->waiting && !find_now(&apply->devices, dev) &&
	       !devices_find_like(&apply->left, dev);
}

/* All of the host, not only what was changed. */
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
 * apply_verify_ports() - what was written is not yet what a port has taken
 * @apply: the run
 *
 * Return: EXIT_DRIFT if one has not, and then it has said which; else 0 or an exit code.
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
		say_error("%s does not take its ACS: 0x%04x, wanted 0x%04x%s; see instinctctl check",
			  port->bdf, port->found, port->wanted,
			  wrong > 1 ? ", and it is not the only port" : "");
	isolation_free(&isolation);
	if (ret)
		return apply_failed(apply, "read back ACS", ret);
	apply->verified = !wrong;
	return wrong ? EXIT_DRIFT : EXIT_OK;
}

/**
 * apply_verify() - read back, and compare
 * @apply: the run, whose plan has been carried out
 *
 * Return: an exit code, and then it has said why; or a reason to plan anew.
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
	say_error("%s: policy does not read back as it was set; somebody else has changed it, try again",
		  bdf);
	return EXIT_ERROR;
}
