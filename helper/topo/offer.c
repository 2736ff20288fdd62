// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "host_use.h"
#include "offer.h"
#include "say.h"
#include "sysfs.h"
#include "user.h"

static bool is_without(const struct offer_wish *without, const char *bdf)
{
	size_t i;

	for (i = 0; i < without->count; i++)
		if (!strcmp(without->bdf[i], bdf))
			return true;
	return false;
}

/* What the module knows of a GPU of its own. */
static bool is_kept_back(const struct devices *managed, const char *bdf, char *why, size_t size)
{
	const struct device *dev = devices_find(managed, bdf);

	if (!dev || dev->state < 0)
		return false;
	if (dev->state != INSTINCT_VFIO_STATE_READY)
		snprintf(why, size, "it is %s", name_of(&state_names, dev->state));
	else if (dev->open)
		snprintf(why, size, "it is open");
	return *why;
}

/* Of a captured host nobody can tell. */
static bool is_open(const struct host_function *function, char *why, size_t size)
{
	struct user user;

	if (*opt_sysroot || !*function->driver || !user_find(function->bdf, &user))
		return false;
	snprintf(why, size, "%s (process %d) has it open", user.comm, user.pid);
	return true;
}

/* It is used; @why is "" if not. */
static bool is_used(const struct topo *topo, int index, char *why, size_t size)
{
	const struct host_function *function = &topo->host.function[index];
	enum topo_kind kind = topo->kind[index];

	*why = '\0';
	if (function->vfs)
		snprintf(why, size, "its VFs are given, not itself");
	return *why || is_kept_back(&topo->managed, function->bdf, why, size) ||
	       (kind == TOPO_NIC && host_use_network(function->bdf, why, size)) ||
	       (kind == TOPO_NVME && host_use_drive(function->bdf, why, size)) ||
	       is_open(function, why, size);
}

/* VFIO gives a group as a whole: each endpoint in it has to be VFIO's, or nobody's. */
static bool is_held_by_group(const struct topo *topo, int index, char *why, size_t size)
{
	int group = topo->host.function[index].group, i;
	char used[TEXT_BYTES];

	for (i = 0; i < topo->host.count && group != GROUP_NONE; i++) {
		const struct host_function *other = &topo->host.function[i];
		bool foreign = *other->driver && !host_has_vfio(other);

		if (i == index || other->group != group || topo->kind[i] == TOPO_PORT ||
		    (!foreign && !is_used(topo, i, used, sizeof(used))))
			continue;
		if (foreign)
			snprintf(why, size, "its IOMMU group %d has %s, too, which %s drives", group,
				 other->bdf, other->driver);
		else
			snprintf(why, size, "its IOMMU group %d has %s, too: %.*s", group,
				 other->bdf, (int)(size / 2), used);
		return true;
	}
	return false;
}

/**
 * offer_make() - sort a host's devices into those that may be given and those that may not
 * @choice: empty; both are added
 * @topo: host
 * @without: what the operator rules out
 * @wanted: how many of each kind; of which none are wanted, none are looked at
 */
void offer_make(struct choice *choice, const struct topo *topo,
		const struct offer_wish *without, const size_t wanted[TOPO_KINDS])
{
	char why[TEXT_BYTES];
	int i;

	for (i = 0; i < topo->host.count; i++) {
		if (!topo_is_device(topo->kind[i]) || !wanted[topo->kind[i]])
			continue;
		*why = '\0';
		if (is_without(without, topo->host.function[i].bdf))
			snprintf(why, sizeof(why), "it was ruled out");
		else if (!is_used(topo, i, why, sizeof(why)))
			is_held_by_group(topo, i, why, sizeof(why));
		sysfs_make_plain(why);
		if (*why)
			choice_leave(choice, i, why);
		else
			choice_offer(choice, topo, i);
	}
}
