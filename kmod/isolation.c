// SPDX-License-Identifier: GPL-2.0-only
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/slab.h>

#include "compat/workqueue.h"
#include "device.h"
#include "isolation_scope.h"

/*
 * Held from a survey of the host until its plan is carried out, so that no older plan takes
 * the place of a newer one. Taken before instinct_isolation_lock, and by no holder of a lock
 * of the PCI core.
 */
static DEFINE_MUTEX(plan_lock);

/*
 * Guards the members, the scope, and the registers that these are about. Taken
 * after a device's reset_lock, before the registry's and the devices' status_lock.
 */
DEFINE_MUTEX(instinct_isolation_lock);

LIST_HEAD(instinct_members);
/* Functions have come, gone or changed hands: the plan may be another now. */
static bool stale;

static void isolation_work(struct work_struct *work)
{
	instinct_isolation_look();
}

static DECLARE_DELAYED_WORK(soon_work, isolation_work);
static DECLARE_DELAYED_WORK(interval_work, isolation_work);

static void look_soon(void)
{
	mod_delayed_work(system_dfl_wq, &soon_work, msecs_to_jiffies(INSTINCT_ISOLATION_SOON_MS));
}

static void plan_owe(void)
{
	WRITE_ONCE(stale, true);
	look_soon();
}

static struct instinct_member *member_find(const char *bdf)
{
	struct instinct_member *member;

	lockdep_assert_held(&instinct_isolation_lock);
	list_for_each_entry(member, &instinct_members, node)
		if (!strcmp(member->bdf, bdf))
			return member;
	return NULL;
}

/* Set once: the policy of an endpoint that nobody spoke about is its isolation. */
static struct instinct_policy defaults __ro_after_init;

/* A new one has the defaults. NULL without memory. */
static struct instinct_member *member_get(const char *bdf)
{
	struct instinct_member *member = member_find(bdf);

	if (member)
		return member;
	member = kzalloc(sizeof(*member), GFP_KERNEL);
	if (!member)
		return NULL;
	strscpy(member->bdf, bdf, sizeof(member->bdf));
	member->policy = defaults.isolation;
	list_add_tail(&member->node, &instinct_members);
	instinct_device_disturb();
	return member;
}

static bool is_default(const struct instinct_isolation_policy *policy)
{
	return !memcmp(&defaults.isolation, policy, sizeof(*policy));
}

/* Drops members that policy says nothing of, or all. */
static void members_drop(bool all)
{
	struct instinct_member *member, *next;

	lockdep_assert_held(&instinct_isolation_lock);
	list_for_each_entry_safe(member, next, &instinct_members, node) {
		if (!all && (member->dev || !is_default(&member->policy)))
			continue;
		list_del(&member->node);
		instinct_device_disturb();
		kfree(member);
	}
}

/* Looks, and again in the shortest interval that any policy wants. */
static void isolation_mend(bool all)
{
	struct instinct_member *member;
	u32 ms = 0;

	if (instinct_scope_look(all))
		look_soon();
	list_for_each_entry(member, &instinct_members, node)
		if (!is_default(&member->policy))
			ms = min_not_zero(ms, member->policy.check_interval);
	if (ms)
		mod_delayed_work(system_dfl_wq, &interval_work, msecs_to_jiffies(ms) + 1);
	else
		cancel_delayed_work(&interval_work);
}

/*
 * Looks at all ports, or else at those for which there is a new plan, if one is owed. Without
 * memory the plan is the old one: -ENOMEM.
 */
static int isolation_refresh(bool all)
{
	struct instinct_topology host = { };
	int ret = 0;
	bool due;

	/* Waits for a plan that another task is making. */
	mutex_lock(&plan_lock);
	/* Before the survey: a function that comes during it makes the plan stale again. */
	due = xchg(&stale, false);
	if (due)
		ret = instinct_survey_make(&host);
	mutex_lock(&instinct_isolation_lock);
	if (due && !ret)
		ret = instinct_scope_plan(&host);
	if (ret)
		plan_owe();
	if (due || all)
		isolation_mend(all);
	mutex_unlock(&instinct_isolation_lock);
	mutex_unlock(&plan_lock);
	instinct_survey_free(&host);
	return ret;
}

static int changes_take(struct list_head *changes, struct instinct_isolation_change **culprit,
			const char **why)
{
	struct instinct_isolation_change *change;
	struct instinct_member *member;

	list_for_each_entry(change, changes, node) {
		*culprit = change;
		member = member_find(change->bdf);
		if ((member ? member->dev : NULL) != change->dev) {
			*why = change->dev ? "the device has just been unbound; try again" :
					     "the device is being bound or unbound; try again";
			return -EAGAIN;
		}
		member = member_get(change->bdf);
		if (!member)
			return -ENOMEM;
		change->before = member->policy;
		change->taken = true;
		member->policy = *change->policy;
	}
	*culprit = NULL;
	return 0;
}

/*
 * A device that the driver has let go of since keeps its policy; one that it has taken since
 * gets the old policy when the driver lets go of it.
 */
static void changes_give_back(struct list_head *changes)
{
	struct instinct_isolation_change *change;

	list_for_each_entry(change, changes, node) {
		struct instinct_member *member = NULL;

		/* A member that policy said nothing of any more was dropped. */
		if (change->taken)
			member = change->dev ? member_find(change->bdf) : member_get(change->bdf);
		if (member && member->dev == change->dev)
			member->policy = change->before;
		else if (member && !change->dev)
			member->plain = change->before;
		change->taken = false;
	}
}

static int changes_plan(struct instinct_topology *host, struct list_head *changes,
			struct instinct_isolation_change **culprit, const char **why)
{
	if (instinct_scope_plan(host))
		return -ENOMEM;
	*culprit = instinct_scope_loss(host, changes);
	if (!*culprit)
		return 0;
	*why = "IOMMU groups rely on ACS that this would switch off (the kernel log names the ports); allow_isolation_loss = yes allows it";
	return -EINVAL;
}

/**
 * instinct_isolation_set() - change endpoints' policies, and carry them out
 * @changes: of struct instinct_isolation_change, of one endpoint each
 * @culprit: set to the change that is to blame when they are refused, or to NULL
 * @why: set to the reason, for people, when they are refused
 *
 * It takes one survey of the host, one plan, and one look at each port whose plan is new.
 *
 * Context: may sleep; no lock of the PCI core is held.
 *
 * Return: 0; -EINVAL if IOMMU groups rely on ACS that a change would switch off, -EAGAIN if
 * the driver has just let go of an endpoint or taken one, -ENOMEM, and then nothing has
 * changed.
 */
int instinct_isolation_set(struct list_head *changes, struct instinct_isolation_change **culprit,
			   const char **why)
{
	struct instinct_topology host;
	int ret;

	*culprit = NULL;
	if (list_empty(changes))
		return 0;
	*why = "out of memory";
	mutex_lock(&plan_lock);
	ret = instinct_survey_make(&host);
	if (ret)
		goto out;
	mutex_lock(&instinct_isolation_lock);
	ret = changes_take(changes, culprit, why) ?: changes_plan(&host, changes, culprit, why);
	if (ret) {
		changes_give_back(changes);
		if (instinct_scope_plan(&host))
			plan_owe();
	}
	isolation_mend(false);
	members_drop(false);
	mutex_unlock(&instinct_isolation_lock);
out:
	mutex_unlock(&plan_lock);
	instinct_survey_free(&host);
	return ret;
}

/**
 * instinct_isolation_undo() - give endpoints back the policies that they had before
 * @changes: by instinct_isolation_set(), carried out
 *
 * An endpoint that the driver has let go of or taken since keeps its policy. Without memory
 * an endpoint that was to have the defaults has them, and a plan is carried out later.
 *
 * Context: may sleep; no lock of the PCI core is held.
 */
void instinct_isolation_undo(struct list_head *changes)
{
	if (list_empty(changes))
		return;
	mutex_lock(&instinct_isolation_lock);
	changes_give_back(changes);
	members_drop(false);
	plan_owe();
	mutex_unlock(&instinct_isolation_lock);
	isolation_refresh(false);
}

/**
 * instinct_isolation_get() - read an endpoint's policy
 * @bdf: endpoint
 * @policy: set, to the defaults without one
 *
 * Context: may sleep.
 *
 * Return: whether policy speaks of the endpoint, or the driver has it.
 */
bool instinct_isolation_get(const char *bdf, struct instinct_isolation_policy *policy)
{
	struct instinct_member *member;

	mutex_lock(&instinct_isolation_lock);
	member = member_find(bdf);
	*policy = member ? member->policy : defaults.isolation;
	mutex_unlock(&instinct_isolation_lock);
	return member;
}

/**
 * instinct_isolation_join() - the driver has taken a device
 * @dev: device, on its way in: nobody can open it yet
 * @policy: that it comes with
 *
 * The policy that the device had as any endpoint counts again when the driver lets go of it.
 * The new policy is carried out in a moment, since a lock of the PCI core may be held now; or
 * before a user opens the device.
 *
 * Context: may sleep.
 *
 * Return: 0 or -ENOMEM.
 */
int instinct_isolation_join(struct instinct_device *dev,
			    const struct instinct_isolation_policy *policy)
{
	struct instinct_member *member;

	mutex_lock(&instinct_isolation_lock);
	member = member_get(pci_name(dev->pdev));
	if (member) {
		member->plain = member->policy;
		member->dev = dev;
		member->policy = *policy;
		instinct_device_disturb();
		plan_owe();
	}
	mutex_unlock(&instinct_isolation_lock);
	return member ? 0 : -ENOMEM;
}

/**
 * instinct_isolation_leave() - the driver lets go of a device
 * @dev: device, by instinct_isolation_join()
 *
 * Its ports get back in a moment the ACS that they had, or that policy for any endpoint
 * wants, unless the driver takes it again at once.
 *
 * Context: may sleep.
 */
void instinct_isolation_leave(struct instinct_device *dev)
{
	struct instinct_member *member;

	mutex_lock(&instinct_isolation_lock);
	member = member_find(pci_name(dev->pdev));
	member->dev = NULL;
	member->policy = member->plain;
	instinct_device_disturb();
	members_drop(false);
	plan_owe();
	mutex_unlock(&instinct_isolation_lock);
}

/**
 * instinct_isolation_admit() - may a device be handed out?
 * @dev: device, which the driver has
 * @attached: it is in its new user's IOMMU domain; else that it has ATS off yet is no
 *	obstacle, and the caller asks again when it is
 *
 * Context: may sleep.
 *
 * Return: 0, or -EPERM if policy requires ATS and it is not on, which the kernel
 * log and an event say; -ENOMEM if there was no memory to find out.
 */
int instinct_isolation_admit(struct instinct_device *dev, bool attached)
{
	struct instinct_member *member;
	int ret = isolation_refresh(false);

	mutex_lock(&instinct_isolation_lock);
	member = member_find(pci_name(dev->pdev));
	/* An old plan lacks peers that have come, but is good enough for the defaults. */
	if (!member || is_default(&member->policy))
		ret = 0;
	else if (!ret)
		ret = instinct_scope_admit(member, attached);
	mutex_unlock(&instinct_isolation_lock);
	return ret;
}

/**
 * instinct_isolation_look() - look at all of it now
 *
 * Context: may sleep; no lock of the PCI core is held.
 */
void instinct_isolation_look(void)
{
	isolation_refresh(true);
}

/**
 * instinct_isolation_plain() - read the policy of an endpoint that this driver does not have
 * @index: of it, from 0
 * @bdf: of INSTINCT_BDF_BYTES, set
 * @policy: set
 *
 * Context: may sleep.
 *
 * Return: false if there is none.
 */
bool instinct_isolation_plain(unsigned int index, char *bdf,
			      struct instinct_isolation_policy *policy)
{
	struct instinct_member *member;
	bool found = false;

	mutex_lock(&instinct_isolation_lock);
	list_for_each_entry(member, &instinct_members, node) {
		found = !member->dev && !index--;
		if (!found)
			continue;
		strscpy(bdf, member->bdf, INSTINCT_BDF_BYTES);
		*policy = member->policy;
		break;
	}
	mutex_unlock(&instinct_isolation_lock);
	return found;
}

/* Bind, hot-add and hot-remove. The device lock may be held. */
static int on_bus_event(struct notifier_block *block, unsigned long action, void *device)
{
	switch (action) {
	case BUS_NOTIFY_DEL_DEVICE:
		/* A policy that is gone may have left something to be put back. */
		mutex_lock(&instinct_isolation_lock);
		instinct_scope_forget(to_pci_dev(device));
		mutex_unlock(&instinct_isolation_lock);
		break;
	case BUS_NOTIFY_ADD_DEVICE:
	case BUS_NOTIFY_REMOVED_DEVICE:
		/* A survey under way has not seen the one, or still has the other. */
		plan_owe();
		break;
	case BUS_NOTIFY_BOUND_DRIVER:
		look_soon();
		break;
	}
	return NOTIFY_DONE;
}

static struct notifier_block bus_listener = {
	.notifier_call = on_bus_event,
};

/**
 * instinct_isolation_init() - listen to the PCI bus
 *
 * Return: 0 or a negative errno.
 */
int instinct_isolation_init(void)
{
	instinct_policy_defaults(&defaults);
	return bus_register_notifier(&pci_bus_type, &bus_listener);
}

/**
 * instinct_isolation_exit() - leave all as Linux has it
 *
 * Context: may sleep; the driver has no device any more, and nobody asks for policy.
 */
void instinct_isolation_exit(void)
{
	bus_unregister_notifier(&pci_bus_type, &bus_listener);
	mutex_lock(&instinct_isolation_lock);
	members_drop(true);
	instinct_scope_exit();
	mutex_unlock(&instinct_isolation_lock);
	/* Without a member no look begins interval_work again. */
	cancel_delayed_work_sync(&interval_work);
	cancel_delayed_work_sync(&soon_work);
}
