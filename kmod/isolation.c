// SPDX-License-Identifier: GPL-2.0-only
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/ratelimit.h>
#include <linux/slab.h>

#include "acs_port.h"
#include "ats_function.h"
#include "compat/workqueue.h"
#include "device.h"
#include "isolation.h"
#include "isolation_member.h"
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
 * Guards the members, all that follows, and the registers that it is about. Taken
 * after a device's reset_lock, before the registry's and the devices' status_lock.
 */
static DEFINE_MUTEX(isolation_lock);
static LIST_HEAD(ports);
static LIST_HEAD(functions);
/* Functions have come: what is planned may be something else now. */
static bool stale;

static void isolation_work(struct work_struct *work);
static DECLARE_DELAYED_WORK(work, isolation_work);

static struct instinct_acs_port *port_find(struct pci_dev *pdev)
{
	struct instinct_acs_port *port;

	list_for_each_entry(port, &ports, node)
		if (port->pdev == pdev)
			return port;
	return NULL;
}

static struct instinct_acs_port *port_get(struct pci_dev *pdev, const char *of)
{
	struct instinct_acs_port *port = port_find(pdev);

	if (!port) {
		port = kzalloc(sizeof(*port), GFP_KERNEL);
		if (!port)
			return NULL;
		port->pdev = pci_dev_get(pdev);
		list_add_tail(&port->node, &ports);
		instinct_device_disturb();
	}
	strscpy(port->of, of, sizeof(port->of));
	return port;
}

static void port_drop(struct instinct_acs_port *port)
{
	list_del(&port->node);
	instinct_device_disturb();
	pci_dev_put(port->pdev);
	kfree(port);
}

static void function_drop(struct instinct_ats_function *function)
{
	list_del(&function->node);
	instinct_device_disturb();
	pci_dev_put(function->pdev);
	kfree(function);
}

/* @old: those that were looked at; what stays there is not any more. */
static int function_keep(struct list_head *old, struct pci_dev *pdev,
			 const struct instinct_member *member)
{
	struct instinct_ats_function *function;

	list_for_each_entry(function, old, node)
		if (function->pdev == pdev && !strcmp(function->of, member->bdf)) {
			list_move_tail(&function->node, &functions);
			function->policy = member->policy.ats;
			return 0;
		}
	function = kzalloc(sizeof(*function), GFP_KERNEL);
	if (!function)
		return -ENOMEM;
	function->pdev = pci_dev_get(pdev);
	strscpy(function->of, member->bdf, sizeof(function->of));
	function->policy = member->policy.ats;
	function->state = instinct_ats_state(pdev);
	list_add_tail(&function->node, &functions);
	instinct_device_disturb();
	return 0;
}

/* Adds to what is planned; the endpoint's index, or INSTINCT_NODE_NONE. */
static int plan_endpoint(struct instinct_survey *survey, const char *bdf,
			 const struct instinct_isolation_policy *policy)
{
	int endpoint = instinct_survey_find(survey, bdf);

	if (endpoint == INSTINCT_NODE_NONE)
		return endpoint;
	instinct_survey_peers(survey, endpoint, policy);
	instinct_isolation_plan(&survey->topology, endpoint, policy, survey->peer,
				survey->planned);
	return endpoint;
}

static int plan_member(struct instinct_survey *survey, struct list_head *old,
		       const struct instinct_member *member)
{
	int endpoint = plan_endpoint(survey, member->bdf, &member->policy), i, ret = 0;

	if (endpoint == INSTINCT_NODE_NONE)
		return 0;
	for (i = 0; i < survey->topology.count && !ret; i++) {
		if (survey->planned[i].spoken &&
		    !port_get(survey->pdev[i], member->bdf))
			ret = -ENOMEM;
		if (member->policy.ats != INSTINCT_VFIO_ATS_IGNORE &&
		    (i == endpoint || survey->peer[i]))
			ret = ret ?: function_keep(old, survey->pdev[i], member);
	}
	return ret;
}

/* What is planned becomes what is wanted of each port. */
static void plan_take(struct instinct_survey *survey)
{
	struct instinct_acs_port *port;

	list_for_each_entry(port, &ports, node) {
		int i = instinct_survey_index(survey, port->pdev);
		struct instinct_planned none = { };
		const struct instinct_planned *planned =
			i == INSTINCT_NODE_NONE ? &none : &survey->planned[i];

		if (!instinct_member_is_held(port->pdev))
			instinct_acs_port_learn(port);
		instinct_acs_port_plan(port, planned);
	}
}

/* Under isolation_lock. */
static int plan_make(struct instinct_survey *survey)
{
	struct instinct_ats_function *function, *next;
	struct instinct_member *member;
	LIST_HEAD(old);
	int ret = 0;

	memset(survey->planned, 0, survey->room * sizeof(*survey->planned));
	list_splice_init(&functions, &old);
	list_for_each_entry(member, &instinct_members, node)
		ret = ret ?: plan_member(survey, &old, member);
	if (ret) {
		/* All as it was, and planned anew later. */
		list_splice(&old, &functions);
		WRITE_ONCE(stale, true);
		return ret;
	}
	plan_take(survey);
	list_for_each_entry_safe(function, next, &old, node)
		function_drop(function);
	return 0;
}

/* Those that the plan says something new of, or all. */
static bool look(bool all)
{
	struct instinct_ats_function *function;
	struct instinct_acs_port *port, *next;
	bool again = false;

	list_for_each_entry_safe(port, next, &ports, node) {
		if (instinct_member_is_held(port->pdev))
			continue;
		/* What is at its address may be another port by now. */
		if (!device_is_registered(&port->pdev->dev)) {
			port_drop(port);
		} else if (!port->planned.spoken) {
			instinct_acs_port_put_back(port);
			port_drop(port);
		} else if (all || port->due) {
			instinct_acs_port_look(port, false);
		}
	}
	list_for_each_entry(function, &functions, node)
		again |= !instinct_member_is_held(function->pdev) &&
			 device_is_registered(&function->pdev->dev) &&
			 instinct_ats_function_look(function);
	return again;
}

static bool is_idle(void)
{
	return list_empty(&ports) && list_empty(&functions);
}

/* Somebody has asked for a look, whatever policy says of its interval. */
static bool soon;

static void look_soon(void)
{
	WRITE_ONCE(soon, true);
	mod_delayed_work(system_dfl_wq, &work, msecs_to_jiffies(SOON_MS));
}

/* By the interval, which may have changed since the last time. */
static void look_later(bool again)
{
	u32 ms = is_idle() ? 0 : instinct_member_interval();

	if (again)
		WRITE_ONCE(soon, true);
	if (ms && !READ_ONCE(soon))
		mod_delayed_work(system_dfl_wq, &work, msecs_to_jiffies(ms) + 1);
	else if (!READ_ONCE(soon))
		cancel_delayed_work(&work);
	/* It may have been asked for since. */
	if (READ_ONCE(soon))
		look_soon();
}

/* What comes or goes from here on makes the plan stale again. */
static bool survey_anew(struct instinct_survey *survey)
{
	WRITE_ONCE(stale, false);
	if (!instinct_survey_make(survey))
		return true;
	WRITE_ONCE(stale, true);
	return false;
}

/* Under plan_lock. */
static void isolation_refresh(bool all)
{
	struct instinct_survey survey;
	bool surveyed = READ_ONCE(stale) && survey_anew(&survey);

	mutex_lock(&isolation_lock);
	if (surveyed)
		plan_make(&survey);
	look_later(look(all));
	mutex_unlock(&isolation_lock);
	if (surveyed)
		instinct_survey_free(&survey);
}

static void isolation_work(struct work_struct *unused)
{
	WRITE_ONCE(soon, false);
	instinct_isolation_look();
}

/* Only ports for which the plan is new: others were refused or are as they are. */
static bool loses_groups(void)
{
	struct instinct_acs_port *port;
	bool loses = false;

	list_for_each_entry(port, &ports, node) {
		u16 loss;

		if (!port->due || !port->planned.spoken)
			continue;
		loss = instinct_acs_port_loss(port);
		if (!loss)
			continue;
		loses = true;
		pci_notice(port->pdev, "policy refused: IOMMU groups rely on ACS bits %#06x of this port\n",
			   loss);
	}
	return loses;
}

/* Does this endpoint's own wish take away what IOMMU groups rely on? */
static bool is_loss_of(struct instinct_survey *survey,
		       const struct instinct_isolation_change *change)
{
	struct instinct_acs_port *port;
	int i;

	memset(survey->planned, 0, survey->room * sizeof(*survey->planned));
	if (plan_endpoint(survey, change->bdf, change->policy) == INSTINCT_NODE_NONE)
		return false;
	for (i = 0; i < survey->topology.count; i++) {
		port = survey->planned[i].spoken ? port_find(survey->pdev[i]) : NULL;
		if (port && port->known && port->pdev->acs_cap &&
		    instinct_isolation_loss(&survey->planned[i], port->capable, port->before))
			return true;
	}
	return false;
}

/* The first to blame; if none is by himself, the first of all. */
static struct instinct_isolation_change *loss_by(struct instinct_survey *survey,
						 struct list_head *changes)
{
	struct instinct_isolation_change *change;

	list_for_each_entry(change, changes, node)
		if (is_loss_of(survey, change))
			return change;
	return list_first_entry(changes, struct instinct_isolation_change, node);
}

static int changes_plan(struct instinct_survey *survey, struct list_head *changes,
			struct instinct_isolation_change **culprit, const char **why)
{
	if (plan_make(survey)) {
		*why = "out of memory";
		return -ENOMEM;
	}
	if (!loses_groups())
		return 0;
	*culprit = loss_by(survey, changes);
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
	look_later(look(false));
	instinct_member_tidy();
	mutex_unlock(&isolation_lock);
	mutex_unlock(&plan_lock);
	instinct_survey_free(&survey);
	return ret;
}

/**
 * instinct_isolation_undo() - endpoints are under what they were under before
 * @changes: by instinct_isolation_set(), carried out
 *
 * But for one that the driver has let go of, or taken, since. Without memory it is
 * carried out later.
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
	if (READ_ONCE(stale))
		look_soon();
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
		if (!instinct_member_is_default(policy) || !is_idle())
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
	if (!is_idle())
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

static bool is_above(const struct instinct_device *dev, const struct pci_dev *pdev)
{
	unsigned int i;

	for (i = 0; i < dev->fabric.count; i++)
		if (dev->fabric.port[i].pdev == pdev)
			return true;
	return false;
}

/**
 * instinct_isolation_settle() - it was: put its isolation back
 * @dev: device
 * @lost: it did not come back: nothing can be put back now
 *
 * That its own package's ports have lost theirs is no news; that others have is.
 *
 * Context: may sleep; under @dev->reset_lock.
 */
void instinct_isolation_settle(struct instinct_device *dev, bool lost)
{
	struct instinct_acs_port *port;
	struct instinct_member *member;

	mutex_lock(&isolation_lock);
	member = instinct_member_find(pci_name(dev->pdev));
	if (member)
		member->held = false;
	list_for_each_entry(port, &ports, node)
		if (!lost && port->planned.spoken && !instinct_member_is_held(port->pdev) &&
		    is_above(dev, port->pdev))
			instinct_acs_port_look(port, instinct_member_is_of(dev, port->pdev));
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
	struct instinct_ats_function *function;
	struct instinct_status status;
	bool known = false, own;
	const char *unmet;
	int ret = 0;

	/* What somebody else plans at this moment is waited for. */
	mutex_lock(&plan_lock);
	if (READ_ONCE(stale))
		isolation_refresh(false);
	mutex_unlock(&plan_lock);
	mutex_lock(&isolation_lock);
	list_for_each_entry(function, &functions, node) {
		struct instinct_event event = {
			.kind = INSTINCT_VFIO_EVENT_ATS_UNMET,
			.error = EPERM,
		};

		if (function->policy != INSTINCT_VFIO_ATS_REQUIRED ||
		    strcmp(function->of, pci_name(dev->pdev)))
			continue;
		own = function->pdev == dev->pdev;
		known |= own;
		if (own && !attached &&
		    instinct_ats_state(function->pdev) == INSTINCT_VFIO_ATS_STATE_OFF)
			continue;
		unmet = instinct_ats_function_unmet(function);
		if (!unmet)
			continue;
		ret = -EPERM;
		if (!__ratelimit(&dev->refused_told))
			continue;
		pci_err(dev->pdev, "not handed out, for policy requires ATS: %s %s\n",
			pci_name(function->pdev), unmet);
		strscpy(event.port, pci_name(function->pdev), sizeof(event.port));
		event.wanted = 0x8000;
		snprintf(event.reason, sizeof(event.reason), "%s %s",
			 pci_name(function->pdev), unmet);
		instinct_device_emit(dev, &event);
	}
	mutex_unlock(&isolation_lock);
	instinct_device_status(dev, &status);
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

static void describe_port(const struct instinct_acs_port *port,
			  struct instinct_isolation_item *item)
{
	*item = (struct instinct_isolation_item) {
		.role = port->planned.role,
		.capable = port->capable,
		.found = port->found,
		.wanted = port->wanted,
		.mask = instinct_acs_mask(&port->planned.wish, port->capable),
		.before = port->before,
		.drifts = port->drifts,
	};
	strscpy(item->bdf, pci_name(port->pdev), sizeof(item->bdf));
}

static void describe_function(const struct instinct_ats_function *function,
			      struct instinct_isolation_item *item)
{
	*item = (struct instinct_isolation_item) {
		.ats = function->policy,
		.ats_state = function->state,
		.drifts = function->drifts,
	};
	strscpy(item->bdf, pci_name(function->pdev), sizeof(item->bdf));
	strscpy(item->of, function->of, sizeof(item->of));
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
	struct instinct_ats_function *function;
	struct instinct_acs_port *port;
	bool found = false;

	mutex_lock(&isolation_lock);
	list_for_each_entry(port, &ports, node) {
		found = !index--;
		if (!found)
			continue;
		describe_port(port, item);
		goto out;
	}
	list_for_each_entry(function, &functions, node) {
		found = !index--;
		if (!found)
			continue;
		describe_function(function, item);
		goto out;
	}
out:
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

/* A port or a function is going: nobody may look at it any more. */
static void forget(struct pci_dev *pdev)
{
	struct instinct_ats_function *function, *next_function;
	struct instinct_acs_port *port, *next_port;

	mutex_lock(&isolation_lock);
	list_for_each_entry_safe(port, next_port, &ports, node)
		if (port->pdev == pdev)
			port_drop(port);
	list_for_each_entry_safe(function, next_function, &functions, node)
		if (function->pdev == pdev)
			function_drop(function);
	mutex_unlock(&isolation_lock);
}

/* Bind, hot-add and hot-remove. The device lock may be held. */
static int on_bus_event(struct notifier_block *block, unsigned long action,
			void *device)
{
	/* Who is no member any more may have left something to be put back. */
	if (action == BUS_NOTIFY_DEL_DEVICE)
		forget(to_pci_dev(device));
	if (list_empty(&instinct_members))
		return NOTIFY_DONE;
	switch (action) {
	case BUS_NOTIFY_ADD_DEVICE:
		WRITE_ONCE(stale, true);
		look_soon();
		break;
	case BUS_NOTIFY_REMOVED_DEVICE:
		/* Who was just counting functions may have taken it up again. */
		WRITE_ONCE(stale, true);
		look_soon();
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
	return bus_register_notifier(&pci_bus_type, &bus_listener);
}

/**
 * instinct_isolation_exit() - leave all as Linux has it
 */
void instinct_isolation_exit(void)
{
	struct instinct_ats_function *function, *next_function;
	struct instinct_acs_port *port, *next_port;

	bus_unregister_notifier(&pci_bus_type, &bus_listener);
	cancel_delayed_work_sync(&work);
	list_for_each_entry_safe(port, next_port, &ports, node) {
		if (device_is_registered(&port->pdev->dev))
			instinct_acs_port_put_back(port);
		port_drop(port);
	}
	list_for_each_entry_safe(function, next_function, &functions, node)
		function_drop(function);
	instinct_member_exit();
}
