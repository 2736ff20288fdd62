// SPDX-License-Identifier: GPL-2.0-only
#include <linux/pci.h>
#include <linux/slab.h>

#include "device.h"
#include "isolation_member.h"

/* More than any host has endpoints. */
#define MEMBERS_MAX	256

LIST_HEAD(instinct_members);
static unsigned int member_count;

/**
 * instinct_member_find() - look an endpoint up
 * @bdf: which
 *
 * Return: it, or NULL if policy does not speak of it.
 */
struct instinct_member *instinct_member_find(const char *bdf)
{
	struct instinct_member *member;

	list_for_each_entry(member, &instinct_members, node)
		if (!strcmp(member->bdf, bdf))
			return member;
	return NULL;
}

/**
 * instinct_member_get() - policy speaks of an endpoint from now on
 * @bdf: which
 *
 * Return: it, with the defaults if it is new; NULL without memory or room.
 */
struct instinct_member *instinct_member_get(const char *bdf)
{
	struct instinct_member *member = instinct_member_find(bdf);

	if (member || member_count == MEMBERS_MAX)
		return member;
	member = kzalloc(sizeof(*member), GFP_KERNEL);
	if (!member)
		return NULL;
	strscpy(member->bdf, bdf, sizeof(member->bdf));
	instinct_isolation_defaults(&member->policy);
	list_add_tail(&member->node, &instinct_members);
	instinct_device_disturb();
	member_count++;
	return member;
}

/**
 * instinct_member_plain() - walk the endpoints that this driver has not
 * @index: from 0
 *
 * Return: one, or NULL past the last.
 */
struct instinct_member *instinct_member_plain(unsigned int index)
{
	struct instinct_member *member;

	list_for_each_entry(member, &instinct_members, node)
		if (!member->dev && !index--)
			return member;
	return NULL;
}

/* Policy speaks of it no longer. */
static void member_drop(struct instinct_member *member)
{
	list_del(&member->node);
	instinct_device_disturb();
	member_count--;
	kfree(member);
}

/**
 * instinct_member_is_default() - does a policy say nothing?
 * @policy: it
 *
 * Return: true if it is the defaults.
 */
bool instinct_member_is_default(const struct instinct_isolation_policy *policy)
{
	struct instinct_isolation_policy defaults;

	instinct_isolation_defaults(&defaults);
	return instinct_isolation_same(&defaults, policy);
}

/**
 * instinct_member_tidy() - drop those of which there is nothing to be said
 */
void instinct_member_tidy(void)
{
	struct instinct_member *member, *next;

	list_for_each_entry_safe(member, next, &instinct_members, node)
		if (!member->dev && instinct_member_is_default(&member->policy))
			member_drop(member);
}

/**
 * instinct_member_exit() - drop all
 */
void instinct_member_exit(void)
{
	struct instinct_member *member, *next;

	list_for_each_entry_safe(member, next, &instinct_members, node)
		member_drop(member);
}

/**
 * instinct_member_interval() - how often to look
 *
 * Return: the shortest interval that any policy wants, ms; 0: never.
 */
u32 instinct_member_interval(void)
{
	struct instinct_member *member;
	u32 least = 0;

	list_for_each_entry(member, &instinct_members, node) {
		u32 mine = member->policy.check_interval;

		if (mine && (!least || mine < least))
			least = mine;
	}
	return least;
}

/**
 * instinct_member_is_of() - is a function a device's own?
 * @dev: device
 * @pdev: function
 *
 * Return: true for the GPU and the ports of its package.
 */
bool instinct_member_is_of(const struct instinct_device *dev, const struct pci_dev *pdev)
{
	const struct instinct_fabric *fabric = &dev->fabric;

	return pdev == dev->pdev ||
	       (instinct_fabric_has_package(fabric) &&
		(pdev == fabric->swus->pdev || pdev == fabric->swds->pdev));
}

/**
 * instinct_member_is_held() - is a function in a reset under way?
 * @pdev: function
 *
 * Return: true if it has lost its registers, or will.
 */
bool instinct_member_is_held(const struct pci_dev *pdev)
{
	struct instinct_member *member;

	list_for_each_entry(member, &instinct_members, node)
		if (member->held && instinct_member_is_of(member->dev, pdev))
			return true;
	return false;
}

/* Is it whose it was when the change was thought of? */
static int change_take(struct instinct_isolation_change *change, const char **why)
{
	struct instinct_member *member = instinct_member_find(change->bdf);

	if ((member ? member->dev : NULL) != change->dev) {
		*why = change->dev ? "the device has just been unbound; try again" :
				     "the device is being bound or unbound; try again";
		return -EAGAIN;
	}
	member = instinct_member_get(change->bdf);
	if (!member) {
		*why = "out of memory, or more endpoints than can be";
		return -ENOMEM;
	}
	change->before = member->policy;
	change->taken = true;
	member->policy = *change->policy;
	return 0;
}

/**
 * instinct_member_take() - endpoints are under what they are to be under
 * @changes: of struct instinct_isolation_change
 * @culprit: set to the one that is to blame when they are refused
 * @why: set to the reason, for people, when they are refused
 *
 * Return: 0, -EAGAIN or -ENOMEM; instinct_member_give_back() is owed then.
 */
int instinct_member_take(struct list_head *changes,
			 struct instinct_isolation_change **culprit, const char **why)
{
	struct instinct_isolation_change *change;

	list_for_each_entry(change, changes, node) {
		int ret = change_take(change, why);

		if (!ret)
			continue;
		*culprit = change;
		return ret;
	}
	return 0;
}

/**
 * instinct_member_give_back() - endpoints are under what they were under before
 * @changes: by instinct_member_take(), all of them or only some
 *
 * But for one that the driver has let go of since; of one that it has taken, that is
 * given back which it is under when the driver lets go of it.
 */
void instinct_member_give_back(struct list_head *changes)
{
	struct instinct_isolation_change *change;

	list_for_each_entry(change, changes, node) {
		struct instinct_member *member = NULL;

		/* One of which nothing was to be said is forgotten by now. */
		if (change->taken)
			member = change->dev ? instinct_member_find(change->bdf) :
					       instinct_member_get(change->bdf);
		if (member && member->dev == change->dev)
			member->policy = change->before;
		else if (member && !change->dev)
			member->plain = change->before;
		change->taken = false;
	}
}
