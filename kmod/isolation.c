// SPDX-License-Identifier: GPL-2.0-only
#include <linux/mutex.h>
#include <linux/pci.h>

#include "compat/workqueue.h"
#include "device.h"
#include "isolation.h"
#include "isolation_member.h"
#include "isolation_scope.h"
#include "survey.h"

/* After a bind, a hot-add: what comes with it has been done by then. */
#define SOON_MS			20

/*
 * Held from a survey of the host until what it says is carried out, so that no older one
 * takes the place of a newer one. Taken before isolation_lock, and never by who holds a
 * lock of the PCI core.
 */
static DEFINE_MUTEX(plan_lock);

/*
 * Guards the members, the scope, and the registers that these are about. Taken
 * after a device's reset_lock, before the registry's and the devices' status_lock.
 */
static DEFINE_MUTEX(isolation_lock);
/* Functions have come: what is planned may be something else now. */
static bool stale;

static void isolation_work(struct work_struct *work);
static DECLARE_DELAYED_WORK(work, isolation_work);

/* Guards @soon and when @work is due; innermost. */
static DEFINE_SPINLOCK(soon_lock);
/* Somebody has asked for a look, whatever policy says of its interval. */
static bool soon;

static void look_soon(void)
{
	spin_lock(&soon_lock);
	soon = true;
	mod_delayed_work(system_dfl_wq, &work, msecs_to_jiffies(SOON_MS));
	spin_unlock(&soon_lock);
}

/* There was no memory for a plan: it is made later. */
static void plan_owe(void)
{
	WRITE_ONCE(stale, true);
	look_soon();
}

/* Under isolation_lock. */
static int plan_make(struct instinct_survey *survey)
{
	int ret = instinct_scope_plan(survey);

	if (ret)
		plan_owe();
	return ret;
}

/* By the interval, which may have changed since the last time. */
static void look_later(bool again)
{
	u32 ms = instinct_scope_is_empty() ? 0 : instinct_member_interval();

	if (again)
		look_soon();
	spin_lock(&soon_lock);
	if (!soon && ms)
		mod_delayed_work(system_dfl_wq, &work, msecs_to_jiffies(ms) + 1);
	else if (!soon)
		cancel_delayed_work(&work);
	spin_unlock(&soon_lock);
}

/* What came while there was no member yet, but the host had been surveyed for one. */
static void look_if_stale(void)
{
	/* Pairs with on_bus_event(): it sees the member, or we see what it says. */
	smp_mb();
	if (!list_empty(&instinct_members) && READ_ONCE(stale))
		look_soon();
}

/* What comes or goes from here on makes the plan stale again. */
static bool survey_anew(struct instinct_survey *survey)
{
	/* Before the survey looks, or it could miss what nobody says again. */
	smp_store_mb(stale, false);
	if (!instinct_survey_make(survey))
		return true;
	plan_owe();
	return false;
}

/* Under plan_lock. Without memory the plan is the old one: -ENOMEM. */
static int isolation_refresh(bool all)
{
	struct instinct_survey survey;
	bool due = READ_ONCE(stale), surveyed = due && survey_anew(&survey);
	int ret = surveyed == due ? 0 : -ENOMEM;

	mutex_lock(&isolation_lock);
	if (surveyed)
		ret = plan_make(&survey);
	look_later(instinct_scope_look(all));
	mutex_unlock(&isolation_lock);
	if (surveyed)
		instinct_survey_free(&survey);
	return ret;
}

static void isolation_work(struct work_struct *unused)
{
	/* It may have been asked for since this one began. */
	spin_lock(&soon_lock);
	soon = soon && delayed_work_pending(&work);
	spin_unlock(&soon_lock);
	instinct_isolation_look();
}

static int changes_plan(struct instinct_survey *survey, struct list_head *changes,
			struct instinct_isolation_change **culprit, const char **why)
{
	if (plan_make(survey)) {
		*why = "out of memory";
		return -ENOMEM;
	}
	if (!instinct_scope_loses_groups())
		return 0;
	*culprit = instinct_scope_loss_by(survey, changes);
	*why = "IOMMU groups rely on ACS that this would switch off (the kernel log names the ports); allow_isolation_loss = yes allows it";
	return -EINVAL;
}

/**
 * instinct_isolation_set() - change endpoints' policies, and carry them out
 * @changes: of struct instinct_isolation_change, of one endpoint each
 * @culprit: set to the one that is to blame when they are refused, or to NULL
 * @why: set to the reason, for people, when they are refused
 *
 * With one survey of the host, one plan, and one look at each port of which that says
 * something new.
 *
 * Context: may sleep; no lock of the PCI core is held.
 *
 * Return: 0; -EINVAL if IOMMU groups rely on what one would switch off, -EAGAIN if the
 * driver has just let go of one or taken one, -ENOMEM, and then nothing has changed.
 */
int instinct_isolation_set(struct list_head *changes,
			   struct instinct_isolation_change **culprit,
			   const char **why)
{
	struct instinct_survey survey;
	int ret;

	*culprit = NULL;
	if (list_empty(changes))
		return 0;
	mutex_lock(&plan_lock);
	if (!survey_anew(&survey)) {
		mutex_unlock(&plan_lock);
		*why = "out of memory";
		return -ENOMEM;
	}
	mutex_lock(&isolation_lock);
	ret = instinct_member_take(changes, culprit, why) ?:
	      changes_plan(&survey, changes, culprit, why);
	if (ret) {
		/* The plan may have been owed for somebody else's sake. */
		instinct_member_give_back(changes);
		plan_make(&survey);
	}
	look_later(instinct_scope_look(false));
	instinct_member_tidy();
	look_if_stale();
	mutex_unlock(&isolation_lock);
	mutex_unlock(&plan_lock);
	instinct_survey_free(&survey);
	return ret;
}

/**
 * instinct_isolation_undo() - endpoints are under what they were under before
 * @changes: by instinct_isolation_set(), carried out
 *
 * But for one that the driver has let go of, or taken, since, and without memory for an
 * endpoint of which nothing was to be said meanwhile, which then has the defaults. Without
 * memory for a plan it is carried out later.
 *
 * Context: may sleep; no lock of the PCI core is held.
 */
void instinct_isolation_undo(struct list_head *changes)
{
	if (list_empty(changes))
		return;
	mutex_lock(&plan_lock);
	mutex_lock(&isolation_lock);
	instinct_member_give_back(changes);
	instinct_member_tidy();
	WRITE_ONCE(stale, true);
	mutex_unlock(&isolation_lock);
	isolation_refresh(false);
	mutex_unlock(&plan_lock);
}

/**
 * instinct_isolation_get() - an endpoint's policy
 * @bdf: endpoint
 * @policy: set, to the defaults if nobody spoke about it
 *
 * Return: whether somebody did, or the driver has it.
 */
bool instinct_isolation_get(const char *bdf,
			    struct instinct_isolation_policy *policy)
{
	struct instinct_member *member;

	instinct_isolation_defaults(policy);
	mutex_lock(&isolation_lock);
	member = instinct_member_find(bdf);
	if (member)
		*policy = member->policy;
	mutex_unlock(&isolation_lock);
	return member;
}

/**
 * instinct_isolation_join() - the driver has taken a device
 * @dev: device, on its way in: nobody can open it yet
 * @policy: that it comes with
 *
 * What it was under as any endpoint, it is under again when the driver lets go of it.
 * The policy is carried out in a moment, since a lock of the PCI core may be held now; or
 * before somebody opens the device.
 *
 * Return: 0 or -ENOMEM.
 */
int instinct_isolation_join(struct instinct_device *dev,
			    const struct instinct_isolation_policy *policy)
{
	struct instinct_member *member;

	mutex_lock(&isolation_lock);
	member = instinct_member_get(pci_name(dev->pdev));
	if (member) {
		member->plain = member->policy;
		member->dev = dev;
		member->policy = *policy;
		instinct_device_disturb();
		WRITE_ONCE(stale, true);
		if (!instinct_member_is_default(policy) || !instinct_scope_is_empty())
			look_soon();
	}
	mutex_unlock(&isolation_lock);
	return member ? 0 : -ENOMEM;
}

/**
 * instinct_isolation_leave() - the driver lets go of a device
 * @dev: device
 *
 * Its ports get in a moment what they had, or what it is under as any endpoint, unless
 * it is taken again at once.
 */
void instinct_isolation_leave(struct instinct_device *dev)
{
	struct instinct_member *member;

	mutex_lock(&isolation_lock);
	member = instinct_member_find(pci_name(dev->pdev));
	if (member) {
		member->dev = NULL;
		member->held = false;
		member->policy = member->plain;
		instinct_device_disturb();
		instinct_member_tidy();
	}
	WRITE_ONCE(stale, true);
	if (!instinct_scope_is_empty())
		look_soon();
	mutex_unlock(&isolation_lock);
}

/**
 * instinct_isolation_hold() - a device and its package are about to be reset
 * @dev: device
 *
 * Context: may sleep; under @dev->reset_lock.
 */
void instinct_isolation_hold(struct instinct_device *dev)
{
	struct instinct_member *member;

	mutex_lock(&isolation_lock);
	member = instinct_member_find(pci_name(dev->pdev));
	if (member)
		member->held = member->dev == dev;
	mutex_unlock(&isolation_lock);
}

/**
 * instinct_isolation_settle() - it was: put its isolation back
 * @dev: device
 * @lost: it did not come back: nothing can be put back now
 *
 * Context: may sleep; under @dev->reset_lock.
 */
void instinct_isolation_settle(struct instinct_device *dev, bool lost)
{
	struct instinct_member *member;

	mutex_lock(&isolation_lock);
	member = instinct_member_find(pci_name(dev->pdev));
	if (member)
		member->held = false;
	if (!lost)
		instinct_scope_settle(dev);
	mutex_unlock(&isolation_lock);
}

/**
 * instinct_isolation_admit() - may a device be handed out?
 * @dev: device
 * @attached: it is in its new user's IOMMU domain; else that it has ATS off yet is no
 *	obstacle, and the caller asks again when it is
 *
 * Context: may sleep.
 *
 * Return: 0, or -EPERM if policy requires ATS and it is not on, which the kernel
 * log and an event say; -ENOMEM if it could not be told.
 */
int instinct_isolation_admit(struct instinct_device *dev, bool attached)
{
	struct instinct_status status;
	bool known;
	int ret = 0;

	/* What somebody else plans at this moment is waited for. */
	mutex_lock(&plan_lock);
	if (READ_ONCE(stale))
		ret = isolation_refresh(false);
	mutex_unlock(&plan_lock);
	instinct_device_status(dev, &status);
	/* Peers that have come are not planned for, nor is policy that has just come. */
	if (ret && !instinct_member_is_default(&status.policy.isolation))
		return ret;
	mutex_lock(&isolation_lock);
	ret = instinct_scope_admit(dev, attached, &known);
	mutex_unlock(&isolation_lock);
	if (!ret && !known && status.policy.isolation.ats == INSTINCT_VFIO_ATS_REQUIRED)
		ret = -ENOMEM;
	return ret;
}

/**
 * instinct_isolation_look() - look at all of it now
 *
 * Context: may sleep; no lock of the PCI core is held.
 */
void instinct_isolation_look(void)
{
	mutex_lock(&plan_lock);
	isolation_refresh(true);
	mutex_unlock(&plan_lock);
}

/**
 * instinct_isolation_item() - what is known of a port or a function
 * @index: of it, from 0, the ports first
 * @item: set
 *
 * Return: false if there is none.
 */
bool instinct_isolation_item(unsigned int index, struct instinct_isolation_item *item)
{
	bool found;

	mutex_lock(&isolation_lock);
	found = instinct_scope_item(index, item);
	mutex_unlock(&isolation_lock);
	return found;
}

/**
 * instinct_isolation_plain() - the policy of an endpoint that this driver has not
 * @index: of it, from 0
 * @bdf: of INSTINCT_BDF_BYTES, set
 * @policy: set
 *
 * Return: false if there is none.
 */
bool instinct_isolation_plain(unsigned int index, char *bdf,
			      struct instinct_isolation_policy *policy)
{
	struct instinct_member *member;

	mutex_lock(&isolation_lock);
	member = instinct_member_plain(index);
	if (member) {
		strscpy(bdf, member->bdf, INSTINCT_BDF_BYTES);
		*policy = member->policy;
	}
	mutex_unlock(&isolation_lock);
	return member;
}

/* Bind, hot-add and hot-remove. The device lock may be held. */
static int on_bus_event(struct notifier_block *block, unsigned long action,
			void *device)
{
	/* Who is no member any more may have left something to be put back. */
	if (action == BUS_NOTIFY_DEL_DEVICE) {
		mutex_lock(&isolation_lock);
		instinct_scope_forget(to_pci_dev(device));
		mutex_unlock(&isolation_lock);
	}
	switch (action) {
	case BUS_NOTIFY_ADD_DEVICE:
	case BUS_NOTIFY_REMOVED_DEVICE:
		/* Who was just counting functions has not seen it, or still has. */
		WRITE_ONCE(stale, true);
		/* Or is about to make the first member: pairs with look_if_stale(). */
		smp_mb();
		break;
	case BUS_NOTIFY_BOUND_DRIVER:
		break;
	default:
		return NOTIFY_DONE;
	}
	if (!list_empty(&instinct_members))
		look_soon();
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
	return bus_register_notifier(&pci_bus_type, &bus_listener);
}

/**
 * instinct_isolation_exit() - leave all as Linux has it
 */
void instinct_isolation_exit(void)
{
	bus_unregister_notifier(&pci_bus_type, &bus_listener);
	cancel_delayed_work_sync(&work);
	instinct_scope_exit();
	instinct_member_exit();
}
