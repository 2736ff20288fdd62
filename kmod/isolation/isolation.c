// SPDX-License-Identifier: GPL-2.0-only
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/slab.h>

#include "compat/workqueue.h"
#include "device/device.h"
#include "isolation/scope.h"

/*
 * A task holds this lock from its snapshot of the host until its plan is carried out, so that no
 * older plan replaces a newer one. The lock is taken before instinct_isolation_lock, and never
 * while a lock of the PCI core is held.
 */
static DEFINE_MUTEX(plan_lock);

/*
 * This lock guards the members, the scope, and their ACS and ATS registers. It is taken after a
 * device's reset_lock, and before the locks of the registry and the devices' status_lock.
 */
DEFINE_MUTEX(instinct_isolation_lock);

LIST_HEAD(instinct_members);
/* Functions or policies have come or gone since the plan was made. */
static bool stale;

static void isolation_work(struct work_struct *work)
{
	instinct_isolation_look();
}

static DECLARE_DELAYED_WORK(soon_work, isolation_work);
static DECLARE_DELAYED_WORK(interval_work, isolation_work);

/**
 * instinct_isolation_look_soon() - have background work look at all ports and functions
 *
 * Context: any.
 */
void instinct_isolation_look_soon(void)
{
	mod_delayed_work(system_dfl_wq, &soon_work, msecs_to_jiffies(INSTINCT_ISOLATION_SOON_MS));
}

static void plan_owe(void)
{
	WRITE_ONCE(stale, true);
	instinct_isolation_look_soon();
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

/* An endpoint that no policy covers has the isolation of this one, which is set once. */
static struct instinct_policy defaults __ro_after_init;

/* Returns a member with the default policy if there was none; NULL without memory. */
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

/* Drops the members that no policy covers, or all of them. */
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

/* Looks now, and schedules the next look after the shortest interval that any policy wants. */
static void isolation_mend(bool all)
{
	struct instinct_member *member;
	u32 ms = 0;

	if (instinct_scope_look(all))
		instinct_isolation_look_soon();
	list_for_each_entry(member, &instinct_members, node)
		if (!is_default(&member->policy))
			ms = min_not_zero(ms, member->policy.check_interval);
	if (ms)
		mod_delayed_work(system_dfl_wq, &interval_work, msecs_to_jiffies(ms) + 1);
	else
		cancel_delayed_work(&interval_work);
}

/*
 * Replaces a stale plan. Looks at all ports, or else only at the ports whose plan is new. Without
 * memory it keeps the old plan and returns -ENOMEM.
 */
static int isolation_refresh(bool all)
{
	struct instinct_topology host = { };
	int ret = 0;
	bool due;

	/* Another task may be making a plan. */
	mutex_lock(&plan_lock);
	/* A function that comes during the snapshot makes the plan stale again. */
	due = xchg(&stale, false);
	if (due)
		ret = instinct_snapshot_make(&host);
	mutex_lock(&instinct_isolation_lock);
	if (due && !ret)
		ret = instinct_scope_plan(&host);
	if (ret)
		plan_owe();
	if (due || all)
		isolation_mend(all);
	mutex_unlock(&instinct_isolation_lock);
	mutex_unlock(&plan_lock);
	instinct_snapshot_free(&host);
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
 * A device that the driver has let go of since keeps its policy. A device that the driver has
 * taken since gets the old policy when the driver lets go of it.
 */
static void changes_give_back(struct list_head *changes)
{
	struct instinct_isolation_change *change;

	list_for_each_entry(change, changes, node) {
		struct instinct_member *member = NULL;

		/* members_drop() has dropped members that the changes had set to the defaults. */
		if (change->taken)
			member = change->dev ? member_find(change->bdf) : member_get(change->bdf);
		if (member && member->dev == change->dev)
			member->policy = change->before;
		else if (member && !change->dev)
			member->unmanaged = change->before;
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
 * instinct_isolation_set() - change endpoints' policies together, and carry them out
 * @changes: list of struct instinct_isolation_change, each for another endpoint
 * @culprit: on failure, set to the change that is to blame, or to NULL
 * @why: on failure, set to the reason, for the user
 *
 * All changes together cost one snapshot of the host, one plan, and one look at each port whose
 * plan is new.
 *
 * Context: may sleep; no lock of the PCI core is held.
 *
 * Return: 0; or, with nothing changed, -EINVAL if IOMMU groups rely on ACS that a change would
 * switch off, -EAGAIN if the driver has just let go of an endpoint or taken one, or -ENOMEM.
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
	ret = instinct_snapshot_make(&host);
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
	instinct_snapshot_free(&host);
	return ret;
}

/**
 * instinct_isolation_undo() - give endpoints back the policies that they had before
 * @changes: list that instinct_isolation_set() has carried out
 *
 * An endpoint that the driver has let go of or taken since keeps its policy. Without memory an
 * endpoint that the changes had set to the defaults stays at the defaults, and the module carries
 * the plan out later.
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
 * @bdf: address of the endpoint
 * @policy: set to the endpoint's policy, or to the defaults without one
 *
 * Context: may sleep.
 *
 * Return: whether policy covers the endpoint or the driver has it.
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
 * instinct_isolation_join() - put a device that the driver takes under its own policy
 * @dev: device, which no user can open yet
 * @policy: the device's policy
 *
 * The policy that the device had as any endpoint counts again once the driver lets go of it. The
 * caller may hold a lock of the PCI core, so background work carries the new policy out, or the
 * next open does if it comes first.
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
		member->unmanaged = member->policy;
		member->dev = dev;
		member->policy = *policy;
		instinct_device_disturb();
		plan_owe();
	}
	mutex_unlock(&instinct_isolation_lock);
	return member ? 0 : -ENOMEM;
}

/**
 * instinct_isolation_leave() - put a device that the driver lets go of under its earlier policy
 * @dev: device, put in by instinct_isolation_join()
 *
 * Background work then gives the device's ports the ACS that its policy as any endpoint wants, or
 * the ACS that they had before any policy, unless the driver takes the device again at once.
 *
 * Context: may sleep.
 */
void instinct_isolation_leave(struct instinct_device *dev)
{
	struct instinct_member *member;

	mutex_lock(&instinct_isolation_lock);
	member = member_find(pci_name(dev->pdev));
	member->dev = NULL;
	member->policy = member->unmanaged;
	instinct_device_disturb();
	members_drop(false);
	plan_owe();
	mutex_unlock(&instinct_isolation_lock);
}

/**
 * instinct_isolation_admit() - may a device be handed out?
 * @dev: device, which the driver has
 * @attached: the device is in its new user's IOMMU domain; until it is, the function accepts that
 *	the device has ATS off, and the caller asks again after the attach
 *
 * Context: may sleep.
 *
 * Return: 0; -EPERM if ATS is off though policy requires it, and then the kernel log and an event
 * have the reason; -ENOMEM if there was no memory to find out.
 */
int instinct_isolation_admit(struct instinct_device *dev, bool attached)
{
	struct instinct_member *member;
	int ret = isolation_refresh(false);

	mutex_lock(&instinct_isolation_lock);
	member = member_find(pci_name(dev->pdev));
	/* The defaults require no ATS, so a stale plan without the newest peers does no harm. */
	if (!member || is_default(&member->policy))
		ret = 0;
	else if (!ret)
		ret = instinct_scope_admit(member, attached);
	mutex_unlock(&instinct_isolation_lock);
	return ret;
}

/**
 * instinct_isolation_look() - look at all ports and functions now, and mend them
 *
 * Context: may sleep; no lock of the PCI core is held.
 */
void instinct_isolation_look(void)
{
	isolation_refresh(true);
}

/**
 * instinct_isolation_unmanaged() - read the policy of an endpoint that this driver does not have
 * @index: number of the endpoint, from 0
 * @bdf: set to the endpoint's address, at most INSTINCT_BDF_BYTES
 * @policy: set to the endpoint's policy
 *
 * Context: may sleep.
 *
 * Return: false if there is no endpoint with that number.
 */
bool instinct_isolation_unmanaged(unsigned int index, char *bdf,
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

/* The driver core reports bind, hot-add and hot-remove, and may hold the device lock. */
static int on_bus_event(struct notifier_block *block, unsigned long action, void *device)
{
	switch (action) {
	case BUS_NOTIFY_DEL_DEVICE:
		/* The scope may have a port without a policy, until its ACS is put back. */
		mutex_lock(&instinct_isolation_lock);
		instinct_scope_forget(to_pci_dev(device));
		mutex_unlock(&instinct_isolation_lock);
		break;
	case BUS_NOTIFY_ADD_DEVICE:
	case BUS_NOTIFY_REMOVED_DEVICE:
		/* A snapshot under way may lack an added function, or still have a removed one. */
		plan_owe();
		break;
	case BUS_NOTIFY_BOUND_DRIVER:
		instinct_isolation_look_soon();
		break;
	}
	return NOTIFY_DONE;
}

static struct notifier_block bus_listener = {
	.notifier_call = on_bus_event,
};

/**
 * instinct_isolation_init() - begin to follow the functions of the PCI bus
 *
 * Return: 0 or a negative errno.
 */
int instinct_isolation_init(void)
{
	instinct_policy_defaults(&defaults);
	return bus_register_notifier(&pci_bus_type, &bus_listener);
}

/**
 * instinct_isolation_exit() - give all ports back the ACS that they had before any policy
 *
 * Context: may sleep; the driver has no device any more, and no request can set a policy.
 */
void instinct_isolation_exit(void)
{
	bus_unregister_notifier(&pci_bus_type, &bus_listener);
	mutex_lock(&instinct_isolation_lock);
	members_drop(true);
	instinct_scope_exit();
	mutex_unlock(&instinct_isolation_lock);
	/* Without members no look schedules interval_work again. */
	cancel_delayed_work_sync(&interval_work);
	cancel_delayed_work_sync(&soon_work);
}
