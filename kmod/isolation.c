// SPDX-License-Identifier: GPL-2.0-only
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "acs_port.h"
#include "ats_function.h"
#include "device.h"
#include "isolation.h"
#include "survey.h"

/* After a bind, a hot-add: what comes with it has been done by then. */
#define SOON_MS			20
/* More than any host has endpoints. */
#define MEMBERS_MAX		256

/**
 * struct member - an endpoint that policy speaks of
 * @node: in members
 * @bdf: which; it need not be there
 * @policy: of it
 * @dev: what this driver has of it, or NULL
 * @held: it is being reset, and its package with it
 */
struct member {
	struct list_head node;
	char bdf[INSTINCT_BDF_BYTES];
	struct instinct_isolation_policy policy;
	struct instinct_device *dev;
	bool held;
};

/*
 * Guards all that follows, and the registers that it is about. Taken after a
 * device's reset_lock, before the registry's and the devices' status_lock.
 */
static DEFINE_MUTEX(isolation_lock);
static LIST_HEAD(members);
static unsigned int member_count;
static LIST_HEAD(ports);
static LIST_HEAD(functions);
/* Functions have come: what is planned may be something else now. */
static bool stale;

static void isolation_work(struct work_struct *work);
static DECLARE_DELAYED_WORK(work, isolation_work);

static bool is_of(const struct instinct_device *dev, const struct pci_dev *pdev)
{
	const struct instinct_fabric *fabric = &dev->fabric;

	return pdev == dev->pdev ||
	       (instinct_fabric_has_package(fabric) &&
		(pdev == fabric->swus->pdev || pdev == fabric->swds->pdev));
}

/* In a reset under way it has lost its registers, or will. */
static bool is_held(const struct pci_dev *pdev)
{
	struct member *member;

	list_for_each_entry(member, &members, node)
		if (member->held && is_of(member->dev, pdev))
			return true;
	return false;
}

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
	}
	strscpy(port->of, of, sizeof(port->of));
	return port;
}

static void port_drop(struct instinct_acs_port *port)
{
	list_del(&port->node);
	pci_dev_put(port->pdev);
	kfree(port);
}

static void function_drop(struct instinct_ats_function *function)
{
	list_del(&function->node);
	pci_dev_put(function->pdev);
	kfree(function);
}

/* @old: those that were looked at; what stays there is not any more. */
static int function_keep(struct list_head *old, struct pci_dev *pdev,
			 const struct member *member)
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
	return 0;
}

static int plan_member(struct instinct_survey *survey, struct list_head *old,
		       const struct member *member)
{
	int endpoint = instinct_survey_find(survey, member->bdf), i, ret = 0;

	if (endpoint == INSTINCT_NODE_NONE)
		return 0;
	instinct_survey_peers(survey, endpoint, &member->policy);
	instinct_isolation_plan(&survey->topology, endpoint, &member->policy,
				survey->peer, survey->planned);
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

		if (!is_held(port->pdev))
			instinct_acs_port_learn(port);
		instinct_acs_port_plan(port, planned);
	}
}

/* Under isolation_lock. */
static int plan_make(struct instinct_survey *survey)
{
	struct instinct_ats_function *function, *next;
	struct member *member;
	LIST_HEAD(old);
	int ret = 0;

	memset(survey->planned, 0, survey->room * sizeof(*survey->planned));
	list_splice_init(&functions, &old);
	list_for_each_entry(member, &members, node)
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
		if (is_held(port->pdev))
			continue;
		if (!port->planned.spoken) {
			instinct_acs_port_put_back(port);
			port_drop(port);
		} else if (all || port->due) {
			instinct_acs_port_look(port, false);
		}
	}
	list_for_each_entry(function, &functions, node)
		again |= !is_held(function->pdev) &&
			 instinct_ats_function_look(function);
	return again;
}

static u32 interval(void)
{
	struct member *member;
	u32 least = 0;

	list_for_each_entry(member, &members, node) {
		u32 mine = member->policy.check_interval;

		if (mine && (!least || mine < least))
			least = mine;
	}
	return least;
}

static bool is_idle(void)
{
	return list_empty(&ports) && list_empty(&functions);
}

static void look_later(bool again)
{
	u32 ms = again ? SOON_MS : interval();

	if (ms && !is_idle())
		mod_delayed_work(system_unbound_wq, &work, msecs_to_jiffies(ms) + 1);
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

static void isolation_refresh(bool all)
{
	struct instinct_survey survey;
	bool again;

	if (READ_ONCE(stale) && survey_anew(&survey)) {
		mutex_lock(&isolation_lock);
		plan_make(&survey);
		mutex_unlock(&isolation_lock);
		instinct_survey_free(&survey);
	}
	mutex_lock(&isolation_lock);
	again = look(all);
	look_later(again);
	mutex_unlock(&isolation_lock);
}

static void isolation_work(struct work_struct *unused)
{
	isolation_refresh(true);
}

static void look_soon(void)
{
	mod_delayed_work(system_unbound_wq, &work, msecs_to_jiffies(SOON_MS));
}

static struct member *member_find(const char *bdf)
{
	struct member *member;

	list_for_each_entry(member, &members, node)
		if (!strcmp(member->bdf, bdf))
			return member;
	return NULL;
}

static struct member *member_get(const char *bdf)
{
	struct member *member = member_find(bdf);

	if (member || member_count == MEMBERS_MAX)
		return member;
	member = kzalloc(sizeof(*member), GFP_KERNEL);
	if (!member)
		return NULL;
	strscpy(member->bdf, bdf, sizeof(member->bdf));
	instinct_isolation_defaults(&member->policy);
	list_add_tail(&member->node, &members);
	member_count++;
	return member;
}

static void member_drop(struct member *member)
{
	list_del(&member->node);
	member_count--;
	kfree(member);
}

static bool is_default(const struct instinct_isolation_policy *policy)
{
	struct instinct_isolation_policy defaults;

	instinct_isolation_defaults(&defaults);
	return instinct_isolation_same(&defaults, policy);
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

static int member_set(struct instinct_survey *survey, struct member *member,
		      const struct instinct_isolation_policy *policy, const char **why)
{
	struct instinct_isolation_policy before = member->policy;
	int ret;

	member->policy = *policy;
	ret = plan_make(survey);
	if (ret) {
		*why = "out of memory";
	} else if (loses_groups()) {
		*why = "IOMMU groups rely on ACS that this would switch off (the kernel log names the ports); allow_isolation_loss = yes allows it";
		ret = -EINVAL;
	}
	if (!ret) {
		look_later(look(false));
		return 0;
	}
	member->policy = before;
	plan_make(survey);
	look(false);
	return ret;
}

/**
 * instinct_isolation_set() - change an endpoint's policy, and carry it out
 * @bdf: endpoint, which need not be there yet
 * @policy: of it, checked
 * @why: set to the reason, for people, when it is refused
 *
 * Context: may sleep; no lock of the PCI core is held.
 *
 * Return: 0; -EINVAL if IOMMU groups rely on what it would switch off, -ENOMEM, and
 * then nothing has changed.
 */
int instinct_isolation_set(const char *bdf,
			   const struct instinct_isolation_policy *policy,
			   const char **why)
{
	struct instinct_isolation_policy now;
	struct instinct_survey survey;
	struct member *member;
	int ret = -ENOMEM;

	instinct_isolation_get(bdf, &now);
	if (instinct_isolation_same(&now, policy))
		return 0;
	if (!survey_anew(&survey)) {
		*why = "out of memory";
		return -ENOMEM;
	}
	mutex_lock(&isolation_lock);
	member = member_get(bdf);
	if (!member) {
		*why = "out of memory, or more endpoints than can be";
		goto out;
	}
	ret = member_set(&survey, member, policy, why);
	if (!member->dev && is_default(&member->policy))
		member_drop(member);
out:
	mutex_unlock(&isolation_lock);
	instinct_survey_free(&survey);
	return ret;
}

/**
 * instinct_isolation_get() - an endpoint's policy
 * @bdf: endpoint
 * @policy: set, to the defaults if nobody spoke about it
 *
 * Return: whether somebody did.
 */
bool instinct_isolation_get(const char *bdf,
			    struct instinct_isolation_policy *policy)
{
	struct member *member;

	instinct_isolation_defaults(policy);
	mutex_lock(&isolation_lock);
	member = member_find(bdf);
	if (member)
		*policy = member->policy;
	mutex_unlock(&isolation_lock);
	return member;
}

/**
 * instinct_isolation_join() - the driver has taken a device
 * @dev: device, registered
 * @policy: that it comes with
 *
 * It is carried out in a moment, since a lock of the PCI core may be held now; or
 * before somebody opens the device.
 *
 * Return: 0 or -ENOMEM.
 */
int instinct_isolation_join(struct instinct_device *dev,
			    const struct instinct_isolation_policy *policy)
{
	struct member *member;

	mutex_lock(&isolation_lock);
	member = member_get(pci_name(dev->pdev));
	if (member) {
		member->dev = dev;
		member->policy = *policy;
		WRITE_ONCE(stale, true);
		if (!is_default(policy) || !is_idle())
			look_soon();
	}
	mutex_unlock(&isolation_lock);
	return member ? 0 : -ENOMEM;
}

/**
 * instinct_isolation_leave() - the driver lets go of a device
 * @dev: device
 *
 * Its ports get back in a moment what they had, unless it is taken again at once.
 */
void instinct_isolation_leave(struct instinct_device *dev)
{
	struct member *member;

	mutex_lock(&isolation_lock);
	member = member_find(pci_name(dev->pdev));
	if (member)
		member_drop(member);
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
	struct member *member;

	mutex_lock(&isolation_lock);
	member = member_find(pci_name(dev->pdev));
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
	struct member *member;

	mutex_lock(&isolation_lock);
	member = member_find(pci_name(dev->pdev));
	if (member)
		member->held = false;
	list_for_each_entry(port, &ports, node)
		if (!lost && port->planned.spoken && !is_held(port->pdev) &&
		    is_above(dev, port->pdev))
			instinct_acs_port_look(port, is_of(dev, port->pdev));
	mutex_unlock(&isolation_lock);
}

/**
 * instinct_isolation_admit() - may a device be handed out?
 * @dev: device, which its new user's IOMMU domain has
 *
 * Context: may sleep.
 *
 * Return: 0, or -EPERM if policy requires ATS and it is not on, which the kernel
 * log and an event say.
 */
int instinct_isolation_admit(struct instinct_device *dev)
{
	struct instinct_ats_function *function;
	const char *unmet;
	int ret = 0;

	if (READ_ONCE(stale))
		isolation_refresh(false);
	mutex_lock(&isolation_lock);
	list_for_each_entry(function, &functions, node) {
		struct instinct_event event = {
			.kind = INSTINCT_VFIO_EVENT_ATS_UNMET,
			.error = EPERM,
		};

		if (function->policy != INSTINCT_VFIO_ATS_REQUIRED ||
		    strcmp(function->of, pci_name(dev->pdev)))
			continue;
		unmet = instinct_ats_function_unmet(function);
		if (!unmet)
			continue;
		ret = -EPERM;
		pci_err(dev->pdev, "not handed out, for policy requires ATS: %s %s\n",
			pci_name(function->pdev), unmet);
		strscpy(event.port, pci_name(function->pdev), sizeof(event.port));
		event.wanted = 0x8000;
		snprintf(event.reason, sizeof(event.reason), "%s %s",
			 pci_name(function->pdev), unmet);
		instinct_device_emit(dev, &event);
	}
	mutex_unlock(&isolation_lock);
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
	struct member *member;
	bool found = false;

	mutex_lock(&isolation_lock);
	list_for_each_entry(member, &members, node) {
		if (member->dev || index--)
			continue;
		strscpy(bdf, member->bdf, INSTINCT_BDF_BYTES);
		*policy = member->policy;
		found = true;
		break;
	}
	mutex_unlock(&isolation_lock);
	return found;
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
	if (list_empty(&members))
		return NOTIFY_DONE;
	switch (action) {
	case BUS_NOTIFY_ADD_DEVICE:
		WRITE_ONCE(stale, true);
		look_soon();
		break;
	case BUS_NOTIFY_DEL_DEVICE:
		forget(to_pci_dev(device));
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
	struct member *member, *next_member;

	bus_unregister_notifier(&pci_bus_type, &bus_listener);
	cancel_delayed_work_sync(&work);
	list_for_each_entry_safe(port, next_port, &ports, node) {
		instinct_acs_port_put_back(port);
		port_drop(port);
	}
	list_for_each_entry_safe(function, next_function, &functions, node)
		function_drop(function);
	list_for_each_entry_safe(member, next_member, &members, node)
		member_drop(member);
}
