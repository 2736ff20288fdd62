// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
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

/*
 * Checks the module's state of a GPU that it manages. A GPU that is blocked without a user of its hive
 * is offered like one that is not bound yet: an operator can end that.
 */
static bool is_kept_back(const struct devices *managed, const char *bdf, char *why, size_t size)
{
	const struct device *dev = devices_find(managed, bdf);

	if (!dev || dev->state < 0)
		return false;
	if (dev->state == INSTINCT_VFIO_STATE_BLOCKED && !devices_hive_open(managed, dev))
		return false;
	if (dev->state != INSTINCT_VFIO_STATE_READY)
		snprintf(why, size, "it is %s", name_of(&state_names, dev->state));
	else if (dev->open)
		snprintf(why, size, "it is open");
	return *why;
}

/* The decision on a host's devices: users[i] has the processes that have function i open. */
struct offer {
	const struct topo *topo;
	struct users *users;
};

/*
 * Finds the processes that have a device open; a captured host does not tell. A function of another
 * kind matters only if a VFIO driver has it, since it may hold a device's group.
 */
static void look_for_users(const struct offer *offer)
{
	const struct host *host = &offer->topo->host;
	struct user_search *list = array_new(host->count, sizeof(*list));
	size_t count = 0;
	int i;

	for (i = 0; i < host->count; i++)
		if (*host->function[i].driver && (topo_is_device(offer->topo->kind[i]) ||
						  host_has_vfio(&host->function[i])))
			list[count++] = (struct user_search){
				.bdf = host->function[i].bdf,
				.open = OPEN_UNKNOWN,
				.users = &offer->users[i],
			};
	if (!*opt_sysroot)
		user_list(list, count);
	free(list);
}

/* Checks whether a device is in use, and sets @why to the reason, or to "". */
static bool is_used(const struct offer *offer, int index, char *why, size_t size)
{
	const struct topo *topo = offer->topo;
	const struct host_function *function = &topo->host.function[index];
	const struct users *users = &offer->users[index];
	enum topo_kind kind = topo->kind[index];

	*why = '\0';
	if (function->vfs)
		snprintf(why, size, "its VFs are passed through instead");
	else if (!is_kept_back(&topo->managed, function->bdf, why, size) &&
		 !(kind == TOPO_NIC && host_use_network(function->bdf, why, size)) &&
		 !(kind == TOPO_NVME && host_use_drive(function->bdf, why, size)) && users->count)
		snprintf(why, size, "%s (process %d) has it open", users->list[0].comm,
			 users->list[0].pid);
	return *why;
}

/* VFIO assigns a group as a whole: a VFIO driver, or none, has to drive each endpoint in it. */
static bool is_held_by_group(const struct offer *offer, int index, char *why, size_t size)
{
	const struct topo *topo = offer->topo;
	int group = topo->host.function[index].group, i;
	char used[TEXT_BYTES];

	for (i = 0; i < topo->host.count && group != GROUP_NONE; i++) {
		const struct host_function *other = &topo->host.function[i];
		bool foreign;

		if (i == index || other->group != group || topo->kind[i] == TOPO_PORT)
			continue;
		foreign = *other->driver && !host_has_vfio(other);
		if (!foreign && !is_used(offer, i, used, sizeof(used)))
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
 * offer_make() - sort a host's devices into those that may be chosen and those that may not
 * @choice: empty; both kinds are added
 * @topo: host
 * @without: devices that the operator rules out
 * @wanted: number of devices of each kind; a kind with 0 is skipped
 */
void offer_make(struct choice *choice, const struct topo *topo,
		const struct offer_wish *without, const size_t wanted[TOPO_KINDS])
{
	struct offer offer = {
		.topo = topo,
		.users = array_new(topo->host.count, sizeof(*offer.users)),
	};
	char why[TEXT_BYTES];
	int i;

	look_for_users(&offer);
	for (i = 0; i < topo->host.count; i++) {
		if (!topo_is_device(topo->kind[i]) || !wanted[topo->kind[i]])
			continue;
		*why = '\0';
		if (is_without(without, topo->host.function[i].bdf))
			snprintf(why, sizeof(why), "it was ruled out");
		else if (!is_used(&offer, i, why, sizeof(why)))
			is_held_by_group(&offer, i, why, sizeof(why));
		sysfs_make_plain(why);
		if (*why)
			choice_leave(choice, i, why);
		else
			choice_offer(choice, topo, i);
	}	for (i = 0; i < topo->host.count; i++)
		users_free(&offer.users[i]);
	free(offer.users);
}
