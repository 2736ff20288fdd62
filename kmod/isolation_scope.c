// SPDX-License-Identifier: GPL-2.0-only
#include <linux/pci.h>
#include <linux/ratelimit.h>
#include <linux/slab.h>

#include "acs_port.h"
#include "ats_function.h"
#include "device.h"
#include "isolation_member.h"
#include "isolation_scope.h"
#include "survey.h"

static LIST_HEAD(ports);
static LIST_HEAD(functions);

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

/**
 * instinct_scope_plan() - plan anew what ports and functions are to carry
 * @survey: of the host
 *
 * Return: 0 or -ENOMEM, and then what ports are to carry is as it was, and functions that
 * were already looked at are under the policy that is new.
 */
int instinct_scope_plan(struct instinct_survey *survey)
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
		list_splice(&old, &functions);
		return ret;
	}
	plan_take(survey);
	list_for_each_entry_safe(function, next, &old, node)
		function_drop(function);
	return 0;
}

/**
 * instinct_scope_look() - put right what is not as planned
 * @all: not only what the plan says something new of
 *
 * Context: may sleep; no lock of the PCI core is held.
 *
 * Return: whether some function has to be looked at again soon.
 */
bool instinct_scope_look(bool all)
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

/**
 * instinct_scope_is_empty() - is there nothing that policy speaks of?
 */
bool instinct_scope_is_empty(void)
{
	return list_empty(&ports) && list_empty(&functions);
}

/**
 * instinct_scope_loses_groups() - would the plan take away what IOMMU groups rely on?
 *
 * Of ports for which it is new: others were refused or are as they are. The kernel log
 * names them.
 */
bool instinct_scope_loses_groups(void)
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

/**
 * instinct_scope_loss_by() - whose policy takes that away
 * @survey: of the host; what is planned in it is overwritten
 * @changes: of struct instinct_isolation_change, one at least
 *
 * Return: the first to blame; if none is by himself, the first of all.
 */
struct instinct_isolation_change *instinct_scope_loss_by(struct instinct_survey *survey,
							 struct list_head *changes)
{
	struct instinct_isolation_change *change;

	list_for_each_entry(change, changes, node)
		if (is_loss_of(survey, change))
			return change;
	return list_first_entry(changes, struct instinct_isolation_change, node);
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
 * instinct_scope_settle() - put back what the ports above a device carried
 * @dev: device that was reset, and has come back
 *
 * That its own package's ports have lost theirs is no news; that others have is.
 */
void instinct_scope_settle(struct instinct_device *dev)
{
	struct instinct_acs_port *port;

	list_for_each_entry(port, &ports, node)
		if (port->planned.spoken && !instinct_member_is_held(port->pdev) &&
		    is_above(dev, port->pdev))
			instinct_acs_port_look(port, instinct_member_is_of(dev, port->pdev));
}

static void tell_unmet(struct instinct_device *dev, struct pci_dev *pdev, const char *unmet)
{
	struct instinct_event event = {
		.kind = INSTINCT_VFIO_EVENT_ATS_UNMET,
		.error = EPERM,
		.wanted = 0x8000,
	};

	if (!__ratelimit(&dev->refused_told))
		return;
	pci_err(dev->pdev, "not handed out, for policy requires ATS: %s %s\n",
		pci_name(pdev), unmet);
	strscpy(event.port, pci_name(pdev), sizeof(event.port));
	snprintf(event.reason, sizeof(event.reason), "%s %s", pci_name(pdev), unmet);
	instinct_device_emit(dev, &event);
}

/**
 * instinct_scope_admit() - have a device and its peers the ATS that policy requires?
 * @dev: device
 * @attached: it is in its new user's IOMMU domain; else that it has ATS off yet is no
 *	obstacle
 * @known: set: whether it is required of the device itself
 *
 * Return: 0, or -EPERM, which the kernel log and an event say.
 */
int instinct_scope_admit(struct instinct_device *dev, bool attached, bool *known)
{
	struct instinct_ats_function *function;
	const char *unmet;
	int ret = 0;
	bool own;

	*known = false;
	list_for_each_entry(function, &functions, node) {
		if (function->policy != INSTINCT_VFIO_ATS_REQUIRED ||
		    strcmp(function->of, pci_name(dev->pdev)))
			continue;
		own = function->pdev == dev->pdev;
		*known |= own;
		if (own && !attached &&
		    instinct_ats_state(function->pdev) == INSTINCT_VFIO_ATS_STATE_OFF)
			continue;
		unmet = instinct_ats_function_unmet(function);
		if (!unmet)
			continue;
		ret = -EPERM;
		tell_unmet(dev, function->pdev, unmet);
	}
	return ret;
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
 * instinct_scope_item() - what is known of a port or a function
 * @index: of it, from 0, the ports first
 * @item: set
 *
 * Return: false if there is none.
 */
bool instinct_scope_item(unsigned int index, struct instinct_isolation_item *item)
{
	struct instinct_ats_function *function;
	struct instinct_acs_port *port;

	list_for_each_entry(port, &ports, node) {
		if (index--)
			continue;
		describe_port(port, item);
		return true;
	}
	list_for_each_entry(function, &functions, node) {
		if (index--)
			continue;
		describe_function(function, item);
		return true;
	}
	return false;
}

/**
 * instinct_scope_forget() - a port or a function is going: nobody looks at it any more
 * @pdev: it
 */
void instinct_scope_forget(struct pci_dev *pdev)
{
	struct instinct_ats_function *function, *next_function;
	struct instinct_acs_port *port, *next_port;

	list_for_each_entry_safe(port, next_port, &ports, node)
		if (port->pdev == pdev)
			port_drop(port);
	list_for_each_entry_safe(function, next_function, &functions, node)
		if (function->pdev == pdev)
			function_drop(function);
}

/**
 * instinct_scope_exit() - leave all of it as Linux has it
 */
void instinct_scope_exit(void)
{
	struct instinct_ats_function *function, *next_function;
	struct instinct_acs_port *port, *next_port;

	list_for_each_entry_safe(port, next_port, &ports, node) {
		if (device_is_registered(&port->pdev->dev))
			instinct_acs_port_put_back(port);
		port_drop(port);
	}
	list_for_each_entry_safe(function, next_function, &functions, node)
		function_drop(function);
}
