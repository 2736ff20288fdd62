// SPDX-License-Identifier: GPL-2.0-only
#include <linux/mm.h>
#include <linux/pci.h>
#include <linux/ratelimit.h>
#include <linux/slab.h>

#include "device.h"
#include "isolation_item.h"
#include "isolation_scope.h"

/* Functions that may come while they are counted. */
#define ROOM_TO_COME	16

static LIST_HEAD(ports);
static LIST_HEAD(functions);

/* Compares @pdev, which may be NULL, and does not look into it. */
static int survey_index(const struct instinct_survey *survey, const struct pci_dev *pdev)
{
	int count = survey->topology.count;

	while (pdev && count--)
		if (survey->pdev[count] == pdev)
			return count;
	return INSTINCT_NODE_NONE;
}

static int survey_find(const struct instinct_survey *survey, const char *bdf)
{
	int i;

	for (i = 0; i < survey->topology.count; i++)
		if (survey->node[i].kind == INSTINCT_NODE_ENDPOINT &&
		    !strcmp(pci_name(survey->pdev[i]), bdf))
			return i;
	return INSTINCT_NODE_NONE;
}

/*
 * No port leads to the own bus of a virtual function: the port above it is the one above its
 * physical function, whose only reference here is the survey's.
 */
static int parent_of(const struct instinct_survey *survey, int i)
{
	i = survey_index(survey, pci_physfn(survey->pdev[i]));
	return i == INSTINCT_NODE_NONE ? i :
	       survey_index(survey, pci_upstream_bridge(survey->pdev[i]));
}

static void describe_node(struct instinct_survey *survey, int i)
{
	struct pci_dev *pdev = survey->pdev[i];
	bool port = pci_is_bridge(pdev) || pdev->hdr_type == PCI_HEADER_TYPE_BRIDGE;

	survey->node[i] = (struct instinct_node) {
		.parent = parent_of(survey, i),
		.bdf = (u64)pci_domain_nr(pdev->bus) << 16 | pci_dev_id(pdev),
		.vendor = pdev->vendor,
		.device = pdev->device,
		.class = pdev->class,
		.kind = instinct_node_kind(port, pci_is_pcie(pdev) ? pci_pcie_type(pdev) : -1),
		.package = instinct_profile_is_swus(pdev->vendor, pdev->device) ||
			   instinct_profile_is_swds(pdev->vendor, pdev->device),
	};
}

/**
 * instinct_survey_make() - find all PCI functions of the host
 * @survey: set; instinct_survey_free() is owed whether it succeeds or not
 *
 * Context: may sleep; takes no lock of the PCI core, since a holder of one, who removes
 * functions or recovers them from an error, may wait for a lock of isolation.
 *
 * Return: 0 or -ENOMEM.
 */
int instinct_survey_make(struct instinct_survey *survey)
{
	struct pci_dev *pdev = NULL;
	int i;

	*survey = (struct instinct_survey) { .room = ROOM_TO_COME };
	for_each_pci_dev(pdev)
		survey->room++;
	survey->node = kvcalloc(survey->room, sizeof(*survey->node), GFP_KERNEL);
	survey->pdev = kvcalloc(survey->room, sizeof(*survey->pdev), GFP_KERNEL);
	survey->peer = kvcalloc(survey->room, sizeof(*survey->peer), GFP_KERNEL);
	survey->planned = kvcalloc(survey->room, sizeof(*survey->planned), GFP_KERNEL);
	survey->topology.node = survey->node;
	if (!survey->node || !survey->pdev || !survey->peer || !survey->planned)
		return -ENOMEM;
	/* The walk begins anew if the function that it is at is removed. */
	for_each_pci_dev(pdev)
		if (survey->topology.count < survey->room &&
		    survey_index(survey, pdev) == INSTINCT_NODE_NONE)
			survey->pdev[survey->topology.count++] = pci_dev_get(pdev);
	for (i = 0; i < survey->topology.count; i++)
		describe_node(survey, i);
	return 0;
}

/**
 * instinct_survey_free() - let go of the functions
 * @survey: by instinct_survey_make()
 */
void instinct_survey_free(struct instinct_survey *survey)
{
	while (survey->topology.count)
		pci_dev_put(survey->pdev[--survey->topology.count]);
	kvfree(survey->node);
	kvfree(survey->pdev);
	kvfree(survey->peer);
	kvfree(survey->planned);
}

/*
 * A serial number is the only sign of partitions of one chip. It is read only where policy
 * wants peers and none is near.
 */
static void survey_peers(struct instinct_survey *survey, int endpoint,
			 const struct instinct_isolation_policy *policy)
{
	int i;

	if (instinct_isolation_peers(&survey->topology, endpoint, policy, survey->peer) ||
	    (!policy->peers.automatic && !policy->peers.count))
		return;
	for (i = 0; i < survey->topology.count; i++)
		if (survey->node[i].kind == INSTINCT_NODE_UPSTREAM &&
		    !survey->node[i].package && !survey->node[i].serial)
			survey->node[i].serial = pci_get_dsn(survey->pdev[i]);
	instinct_isolation_peers(&survey->topology, endpoint, policy, survey->peer);
}

/* The GPU and the ports of its package. */
static bool is_of(const struct instinct_device *dev, const struct pci_dev *pdev)
{
	const struct instinct_fabric *fabric = &dev->fabric;

	return pdev == dev->pdev || (instinct_fabric_has_package(fabric) &&
				     (pdev == fabric->swus->pdev || pdev == fabric->swds->pdev));
}

/* Is @pdev part of a reset under way, which has cleared its registers or will? */
static bool is_held(const struct pci_dev *pdev)
{
	struct instinct_member *member;

	list_for_each_entry(member, &instinct_members, node)
		if (member->held && is_of(member->dev, pdev))
			return true;
	return false;
}

static struct instinct_item *item_add(struct list_head *list, struct pci_dev *pdev)
{
	struct instinct_item *item = kzalloc(sizeof(*item), GFP_KERNEL);

	if (!item)
		return NULL;
	item->pdev = pci_dev_get(pdev);
	strscpy(item->seen.bdf, pci_name(pdev), sizeof(item->seen.bdf));
	list_add_tail(&item->node, list);
	instinct_device_disturb();
	return item;
}

static void item_drop(struct instinct_item *item)
{
	list_del(&item->node);
	instinct_device_disturb();
	pci_dev_put(item->pdev);
	kfree(item);
}

/* Drops the items of @pdev, or all if it is NULL. */
static void items_drop(struct list_head *list, const struct pci_dev *pdev)
{
	struct instinct_item *item, *next;

	list_for_each_entry_safe(item, next, list, node)
		if (!pdev || item->pdev == pdev)
			item_drop(item);
}

static struct instinct_item *port_find(const struct pci_dev *pdev)
{
	struct instinct_item *port;

	list_for_each_entry(port, &ports, node)
		if (port->pdev == pdev)
			return port;
	return NULL;
}

/* @old: functions that were looked at; one that stays there is not any more. */
static int function_keep(struct list_head *old, struct pci_dev *pdev,
			 const struct instinct_member *member)
{
	struct instinct_item *function;

	list_for_each_entry(function, old, node)
		if (function->pdev == pdev && !strcmp(function->seen.of, member->bdf)) {
			list_move_tail(&function->node, &functions);
			function->seen.ats = member->policy.ats;
			return 0;
		}
	function = item_add(&functions, pdev);
	if (!function)
		return -ENOMEM;
	strscpy(function->seen.of, member->bdf, sizeof(function->seen.of));
	function->seen.ats = member->policy.ats;
	function->seen.ats_state = instinct_ats_state(pdev);
	return 0;
}

/* Adds to what is planned; the endpoint's index, or INSTINCT_NODE_NONE. */
static int plan_endpoint(struct instinct_survey *survey, const char *bdf,
			 const struct instinct_isolation_policy *policy)
{
	int endpoint = survey_find(survey, bdf);

	if (endpoint == INSTINCT_NODE_NONE)
		return endpoint;
	survey_peers(survey, endpoint, policy);
	instinct_isolation_plan(&survey->topology, endpoint, policy, survey->peer, survey->planned);
	return endpoint;
}

static int plan_member(struct instinct_survey *survey, struct list_head *old,
		       const struct instinct_member *member)
{
	int endpoint = plan_endpoint(survey, member->bdf, &member->policy), i, ret = 0;

	if (endpoint == INSTINCT_NODE_NONE || member->policy.ats == INSTINCT_VFIO_ATS_IGNORE)
		return 0;
	for (i = 0; i < survey->topology.count && !ret; i++)
		if (i == endpoint || survey->peer[i])
			ret = function_keep(old, survey->pdev[i], member);
	return ret;
}

/* What is planned becomes what is wanted of each port, but for ports without memory. */
static int plan_ports(struct instinct_survey *survey)
{
	const struct instinct_planned none = { };
	struct instinct_item *port;
	int i;

	for (i = 0; i < survey->topology.count; i++)
		if (survey->planned[i].spoken && !port_find(survey->pdev[i]) &&
		    !item_add(&ports, survey->pdev[i]))
			return -ENOMEM;
	list_for_each_entry(port, &ports, node) {
		i = survey_index(survey, port->pdev);
		if (!is_held(port->pdev))
			instinct_acs_learn(port);
		if (i == INSTINCT_NODE_NONE || !survey->planned[i].spoken) {
			instinct_acs_plan(port, &none);
			continue;
		}
		instinct_acs_plan(port, &survey->planned[i]);
		strscpy(port->seen.of, pci_name(survey->pdev[survey->planned[i].endpoint]),
			sizeof(port->seen.of));
	}
	return 0;
}

/**
 * instinct_scope_plan() - plan anew what ports and functions are to carry
 * @survey: of the host
 *
 * Context: may sleep; under instinct_isolation_lock.
 *
 * Return: 0; or -ENOMEM, and then the plan for ports is the old one, and functions that
 * were already looked at are under the new policy.
 */
int instinct_scope_plan(struct instinct_survey *survey)
{
	struct instinct_member *member;
	LIST_HEAD(old);
	int ret = 0;

	lockdep_assert_held(&instinct_isolation_lock);
	memset(survey->planned, 0, survey->room * sizeof(*survey->planned));
	list_splice_init(&functions, &old);
	list_for_each_entry(member, &instinct_members, node)
		ret = ret ?: plan_member(survey, &old, member);
	ret = ret ?: plan_ports(survey);
	if (ret)
		list_splice(&old, &functions);
	else
		items_drop(&old, NULL);
	return ret;
}

/**
 * instinct_scope_look() - mend all that is not as planned
 * @all: look at all ports, else at those only whose plan is new
 *
 * Context: may sleep; under instinct_isolation_lock, no lock of the PCI core.
 *
 * Return: whether some function has to be looked at again soon.
 */
bool instinct_scope_look(bool all)
{
	struct instinct_item *item, *next;
	bool again = false;

	lockdep_assert_held(&instinct_isolation_lock);
	list_for_each_entry_safe(item, next, &ports, node) {
		if (is_held(item->pdev))
			continue;
		/* Another port may be at the address of a removed one by now. */
		if (!device_is_registered(&item->pdev->dev)) {
			item_drop(item);
		} else if (!item->planned.spoken) {
			instinct_acs_put_back(item);
			item_drop(item);
		} else if (all || item->due) {
			instinct_acs_look(item, false);
		}
	}
	list_for_each_entry(item, &functions, node)
		again |= !is_held(item->pdev) && device_is_registered(&item->pdev->dev) &&
			 instinct_ats_look(item);
	return again;
}

/**
 * instinct_scope_is_empty() - does policy speak of no port and no function?
 *
 * Context: any; under instinct_isolation_lock.
 */
bool instinct_scope_is_empty(void)
{
	lockdep_assert_held(&instinct_isolation_lock);
	return list_empty(&ports) && list_empty(&functions);
}

/* Does this endpoint's own wish take away ACS that IOMMU groups rely on? */
static bool is_loss_of(struct instinct_survey *survey,
		       const struct instinct_isolation_change *change)
{
	struct instinct_item *port;
	int i;

	memset(survey->planned, 0, survey->room * sizeof(*survey->planned));
	plan_endpoint(survey, change->bdf, change->policy);
	list_for_each_entry(port, &ports, node) {
		i = survey_index(survey, port->pdev);
		if (i != INSTINCT_NODE_NONE &&
		    instinct_isolation_loss(&survey->planned[i], port->seen.capable,
					    port->seen.before))
			return true;
	}
	return false;
}

/**
 * instinct_scope_loss() - would the plan take away ACS that IOMMU groups rely on?
 * @survey: of the host; its plan is overwritten
 * @changes: of struct instinct_isolation_change, one at least
 *
 * Ports whose plan is not new do not count: their plan was refused or allowed before. The
 * kernel log names the ports.
 *
 * Context: may sleep; under instinct_isolation_lock.
 *
 * Return: NULL if not, else the first change that does so by itself, or the first of all.
 */
struct instinct_isolation_change *instinct_scope_loss(struct instinct_survey *survey,
						      struct list_head *changes)
{
	struct instinct_isolation_change *change;
	struct instinct_item *port;
	bool loses = false;
	u16 loss;

	lockdep_assert_held(&instinct_isolation_lock);
	list_for_each_entry(port, &ports, node) {
		loss = instinct_isolation_loss(&port->planned, port->seen.capable,
					       port->seen.before);
		if (!loss || !port->due || !port->planned.spoken)
			continue;
		loses = true;
		pci_notice(port->pdev, "policy refused: IOMMU groups rely on ACS bits %#06x of this port\n",
			   loss);
	}
	if (!loses)
		return NULL;
	list_for_each_entry(change, changes, node)
		if (is_loss_of(survey, change))
			return change;
	return list_first_entry(changes, struct instinct_isolation_change, node);
}

/**
 * instinct_scope_settle() - mend the ports above a device
 * @dev: device that was reset, and has come back
 *
 * The reset has cleared the ACS of the ports in its package, which is no news; ACS that
 * another port has lost is.
 *
 * Context: may sleep; under instinct_isolation_lock and @dev->reset_lock.
 */
void instinct_scope_settle(struct instinct_device *dev)
{
	struct instinct_item *port;
	unsigned int i;

	lockdep_assert_held(&instinct_isolation_lock);
	lockdep_assert_held(&dev->reset_lock);
	for (i = 0; i < dev->fabric.count; i++) {
		port = port_find(dev->fabric.port[i].pdev);
		if (port && !is_held(port->pdev))
			instinct_acs_look(port, is_of(dev, port->pdev));
	}
}

static void tell_unmet(struct instinct_device *dev, const char *bdf, const char *unmet)
{
	struct instinct_event event = {
		.kind = INSTINCT_VFIO_EVENT_ATS_UNMET,
		.error = EPERM,
		.wanted = PCI_ATS_CTRL_ENABLE,
	};

	if (!__ratelimit(&dev->refused_told))
		return;
	pci_err(dev->pdev, "not handed out, for policy requires ATS: %s %s\n", bdf, unmet);
	strscpy(event.port, bdf, sizeof(event.port));
	snprintf(event.reason, sizeof(event.reason), "%s %s", bdf, unmet);
	instinct_device_emit(dev, &event);
}

/**
 * instinct_scope_admit() - check that a device and its peers have the ATS that policy requires
 * @member: the device, of this driver
 * @attached: it is in its new user's IOMMU domain; else that it has ATS off yet is no
 *	obstacle
 *
 * Context: may sleep; under instinct_isolation_lock.
 *
 * Return: 0; -EPERM if one has not, which the kernel log and an event say; -ENOMEM if
 * nobody looks at the device's ATS though policy requires it.
 */
int instinct_scope_admit(const struct instinct_member *member, bool attached)
{
	bool looked_at = member->policy.ats != INSTINCT_VFIO_ATS_REQUIRED;
	struct instinct_item *function;
	const char *unmet;
	int ret = 0;
	bool own;

	lockdep_assert_held(&instinct_isolation_lock);
	list_for_each_entry(function, &functions, node) {
		if (function->seen.ats != INSTINCT_VFIO_ATS_REQUIRED ||
		    strcmp(function->seen.of, member->bdf))
			continue;
		own = function->pdev == member->dev->pdev;
		looked_at |= own;
		if (own && !attached &&
		    instinct_ats_state(function->pdev) == INSTINCT_VFIO_ATS_STATE_OFF)
			continue;
		unmet = instinct_ats_unmet(function);
		if (!unmet)
			continue;
		ret = -EPERM;
		tell_unmet(member->dev, function->seen.bdf, unmet);
	}
	return !ret && !looked_at ? -ENOMEM : ret;
}

/**
 * instinct_scope_item() - the state of a port or a function
 * @index: of it, from 0, the ports first
 * @seen: set
 *
 * Context: any; under instinct_isolation_lock.
 *
 * Return: false if there is none.
 */
bool instinct_scope_item(unsigned int index, struct instinct_isolation_item *seen)
{
	struct instinct_item *item;

	lockdep_assert_held(&instinct_isolation_lock);
	list_for_each_entry(item, &ports, node) {
		if (index--)
			continue;
		*seen = item->seen;
		seen->of[0] = '\0';
		seen->role = item->planned.role;
		seen->mask = instinct_acs_mask(&item->planned.wish, seen->capable);
		return true;
	}
	list_for_each_entry(item, &functions, node) {
		if (index--)
			continue;
		*seen = item->seen;
		return true;
	}
	return false;
}

/**
 * instinct_scope_forget() - never look again at a port or a function that goes
 * @pdev: port or function
 *
 * Context: process; under instinct_isolation_lock.
 */
void instinct_scope_forget(const struct pci_dev *pdev)
{
	lockdep_assert_held(&instinct_isolation_lock);
	items_drop(&ports, pdev);
	items_drop(&functions, pdev);
}

/**
 * instinct_scope_exit() - leave all as Linux has it
 *
 * Context: may sleep; under instinct_isolation_lock.
 */
void instinct_scope_exit(void)
{
	struct instinct_item *port;

	lockdep_assert_held(&instinct_isolation_lock);
	list_for_each_entry(port, &ports, node)
		if (device_is_registered(&port->pdev->dev))
			instinct_acs_put_back(port);
	items_drop(&ports, NULL);
	items_drop(&functions, NULL);
}
