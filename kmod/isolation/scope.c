// SPDX-License-Identifier: GPL-2.0-only
#include <linux/mm.h>
#include <linux/pci.h>
#include <linux/ratelimit.h>
#include <linux/slab.h>

#include "device/device.h"
#include "isolation/scope.h"

/* Functions that may come while they are counted. */
#define ROOM_TO_COME	16

static LIST_HEAD(ports);
static LIST_HEAD(functions);

/* Only compares the pointer @pdev, which may be NULL. */
static int index_of(const struct instinct_topology *host, const struct pci_dev *pdev)
{
	int i = host->count;

	while (pdev && i--)
		if (host->node[i].pdev == pdev)
			return i;
	return INSTINCT_NODE_NONE;
}

static void describe_node(struct instinct_topology *host, struct instinct_node *node)
{
	struct pci_dev *pdev = node->pdev;
	int type = pci_is_pcie(pdev) ? pci_pcie_type(pdev) : -1;

	*node = (struct instinct_node) {
		.pdev = pdev,
		/*
		 * The port above a virtual function is the one above its physical function, which
		 * pci_upstream_bridge() reads, and only the snapshot has a reference to it.
		 */
		.parent = index_of(host, pci_physfn(pdev)) == INSTINCT_NODE_NONE ?
			  INSTINCT_NODE_NONE : index_of(host, pci_upstream_bridge(pdev)),
		.bdf = (u64)pci_domain_nr(pdev->bus) << 16 | pci_dev_id(pdev),
		.vendor = pdev->vendor,
		.device = pdev->device,
		.class = pdev->class,
		.kind = instinct_node_kind(pci_is_bridge(pdev), type),
		.package = instinct_profile_packaged(pdev->vendor, pdev->device, type),
	};
	/* Only a common serial number shows that two switches are partitions of one chip. */
	if (node->kind == INSTINCT_NODE_UPSTREAM && !node->package)
		node->serial = pci_get_dsn(pdev);
}

/**
 * instinct_snapshot_make() - find all PCI functions of the host
 * @host: set; the caller has to call instinct_snapshot_free() even on failure
 *
 * Context: may sleep; takes no lock of the PCI core: a task that removes functions, or recovers
 * them from an error, holds one while it may wait for a lock of isolation.
 *
 * Return: 0 or -ENOMEM.
 */
int instinct_snapshot_make(struct instinct_topology *host)
{
	struct pci_dev *pdev = NULL;
	int room = ROOM_TO_COME, i;

	for_each_pci_dev(pdev)
		room++;
	*host = (struct instinct_topology) {
		.node = kvcalloc(room, sizeof(*host->node), GFP_KERNEL),
	};
	if (!host->node)
		return -ENOMEM;
	/* If the current function is removed, the walk begins anew and meets functions again. */
	for_each_pci_dev(pdev)
		if (host->count < room && index_of(host, pdev) == INSTINCT_NODE_NONE)
			host->node[host->count++].pdev = pci_dev_get(pdev);
	for (i = 0; i < host->count; i++)
		describe_node(host, &host->node[i]);
	return 0;
}

/**
 * instinct_snapshot_free() - drop the references to the functions, and free the snapshot
 * @host: snapshot from instinct_snapshot_make()
 */
void instinct_snapshot_free(struct instinct_topology *host)
{
	while (host->count)
		pci_dev_put(host->node[--host->count].pdev);
	kvfree(host->node);
}

/* Is @pdev the GPU or a port of its package? */
static bool is_of(const struct instinct_device *dev, const struct pci_dev *pdev)
{
	const struct instinct_path *path = &dev->path;

	return pdev == dev->pdev || (instinct_path_has_package(path) &&
				     (pdev == path->swus->pdev || pdev == path->swds->pdev));
}

/* Is @pdev part of a reset under way, which clears its registers? */
static bool is_held(const struct pci_dev *pdev)
{
	struct instinct_member *member;

	list_for_each_entry(member, &instinct_members, node)
		if (member->dev && member->dev->held && is_of(member->dev, pdev))
			return true;
	return false;
}

/* @of: NULL for a port, which has one item for the policies of all endpoints. */
static struct instinct_item *item_find(struct list_head *list, const struct pci_dev *pdev,
				       const char *of)
{
	struct instinct_item *item;

	list_for_each_entry(item, list, node)
		if (item->pdev == pdev && (!of || !strcmp(item->of, of)))
			return item;
	return NULL;
}

static struct instinct_item *item_add(struct list_head *list, struct pci_dev *pdev)
{
	struct instinct_item *item = kzalloc(sizeof(*item), GFP_KERNEL);

	if (!item)
		return NULL;
	item->pdev = pci_dev_get(pdev);
	strscpy(item->seen.bdf, pci_name(pdev), sizeof(item->seen.bdf));
	item->seen.ats_state = instinct_ats_state(pdev);
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

/* Drops the items of @pdev, or all items if @pdev is NULL. */
static void items_drop(struct list_head *list, const struct pci_dev *pdev)
{
	struct instinct_item *item, *next;

	list_for_each_entry_safe(item, next, list, node)
		if (!pdev || item->pdev == pdev)
			item_drop(item);
}

/* Adds an endpoint's policy to the plan. Returns its index, or INSTINCT_NODE_NONE. */
static int plan_endpoint(struct instinct_topology *host, const char *bdf,
			 const struct instinct_isolation_policy *policy)
{
	int i;

	for (i = 0; i < host->count; i++) {
		if (host->node[i].kind != INSTINCT_NODE_ENDPOINT ||
		    strcmp(pci_name(host->node[i].pdev), bdf))
			continue;
		instinct_isolation_plan(host, i, policy);
		return i;
	}
	return INSTINCT_NODE_NONE;
}

/* Moves the member's functions from @old to the list of functions; the rest leaves the scope. */
static int plan_member(struct instinct_topology *host, struct list_head *old,
		       const struct instinct_member *member)
{
	int endpoint = plan_endpoint(host, member->bdf, &member->policy), i;
	struct instinct_item *function;

	if (endpoint == INSTINCT_NODE_NONE || member->policy.ats == INSTINCT_VFIO_ATS_IGNORE)
		return 0;
	for (i = 0; i < host->count; i++) {
		if (i != endpoint && !host->node[i].peer)
			continue;
		function = item_find(old, host->node[i].pdev, member->bdf) ?:
			   item_add(old, host->node[i].pdev);
		if (!function)
			return -ENOMEM;
		list_move_tail(&function->node, &functions);
		strscpy(function->of, member->bdf, sizeof(function->of));
		strscpy(function->seen.of, member->bdf, sizeof(function->seen.of));
		function->seen.ats = member->policy.ats;
	}
	return 0;
}

/* Takes the plan over into the items of the ports; without memory a port can be missing. */
static int plan_ports(struct instinct_topology *host)
{
	static const struct instinct_planned none;
	const struct instinct_planned *planned;
	struct instinct_item *port;
	int i;

	for (i = 0; i < host->count; i++)
		if (host->node[i].planned.spoken && !item_find(&ports, host->node[i].pdev, NULL) &&
		    !item_add(&ports, host->node[i].pdev))
			return -ENOMEM;
	list_for_each_entry(port, &ports, node) {
		i = index_of(host, port->pdev);
		planned = i == INSTINCT_NODE_NONE ? &none : &host->node[i].planned;
		if (!is_held(port->pdev))
			instinct_acs_learn(port);
		port->due |= port->planned.spoken != planned->spoken ||
			     port->planned.role != planned->role ||
			     port->planned.loss != planned->loss ||
			     memcmp(&port->planned.wish, &planned->wish, sizeof(planned->wish));
		port->planned = *planned;
		if (!planned->spoken)
			continue;
		port->seen.role = planned->role;
		strscpy(port->of, pci_name(host->node[planned->endpoint].pdev), sizeof(port->of));
	}
	return 0;
}

/**
 * instinct_scope_plan() - plan the ACS of ports and the ATS of functions anew
 * @host: all functions
 *
 * Context: may sleep; under instinct_isolation_lock.
 *
 * Return: 0; or -ENOMEM, and then the ports keep the old plan, and some functions may be under
 * the new policy already.
 */
int instinct_scope_plan(struct instinct_topology *host)
{
	struct instinct_member *member;
	LIST_HEAD(old);
	int ret = 0;

	lockdep_assert_held(&instinct_isolation_lock);
	instinct_isolation_plan_none(host);
	list_splice_init(&functions, &old);
	list_for_each_entry(member, &instinct_members, node)
		ret = ret ?: plan_member(host, &old, member);
	ret = ret ?: plan_ports(host);
	if (ret)
		list_splice(&old, &functions);
	else
		items_drop(&old, NULL);
	return ret;
}

static void port_look(struct instinct_item *port, bool expected)
{
	if (port->planned.spoken) {
		instinct_acs_look(port, expected);
		return;
	}
	instinct_acs_put_back(port);
	item_drop(port);
}

/**
 * instinct_scope_look() - look at ports and functions, and mend them
 * @all: look at all ports, else only at the ports whose plan is new
 *
 * Context: may sleep; under instinct_isolation_lock, no lock of the PCI core.
 *
 * Return: true if the caller has to look again soon.
 */
bool instinct_scope_look(bool all)
{
	struct instinct_item *item, *next;
	bool again = false;

	lockdep_assert_held(&instinct_isolation_lock);
	list_for_each_entry_safe(item, next, &ports, node) {
		/* The reset ends with a look at the port, unless the GPU is lost. */
		if (is_held(item->pdev)) {
			again |= item->due;
			continue;
		}
		/* Another port may have the address of a removed port by now. */
		if (!device_is_registered(&item->pdev->dev))
			item_drop(item);
		else if (all || item->due)
			port_look(item, false);
	}
	list_for_each_entry(item, &functions, node)
		again |= !is_held(item->pdev) && device_is_registered(&item->pdev->dev) &&
			 instinct_ats_look(item);
	return again;
}

/* Does this change alone take away ACS that IOMMU groups rely on? */
static bool is_loss_of(struct instinct_topology *host,
		       const struct instinct_isolation_change *change)
{
	struct instinct_item *port;
	int i;

	instinct_isolation_plan_none(host);
	plan_endpoint(host, change->bdf, change->policy);
	list_for_each_entry(port, &ports, node) {
		i = index_of(host, port->pdev);
		if (i != INSTINCT_NODE_NONE &&
		    instinct_isolation_loss(&host->node[i].planned, port->seen.capable,
					    port->seen.before))
			return true;
	}
	return false;
}

/**
 * instinct_scope_loss() - would the plan take away ACS that IOMMU groups rely on?
 * @host: all functions; the function overwrites the plan in it
 * @changes: list of struct instinct_isolation_change, with at least one change
 *
 * Ports whose plan is not new do not count, since the module has refused or allowed that plan
 * before. The kernel log names the ports that would lose ACS.
 *
 * Context: may sleep; under instinct_isolation_lock.
 *
 * Return: NULL if the plan takes nothing away; else the first change that does so alone, or the
 * first change if only several together do.
 */
struct instinct_isolation_change *instinct_scope_loss(struct instinct_topology *host,
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
		if (!loss || !port->due)
			continue;
		loses = true;
		pci_notice(port->pdev, "policy refused: IOMMU groups rely on ACS bits %#06x of this port\n",
			   loss);
	}
	if (!loses)
		return NULL;
	list_for_each_entry(change, changes, node)
		if (is_loss_of(host, change))
			return change;
	return list_first_entry(changes, struct instinct_isolation_change, node);
}

/**
 * instinct_isolation_hold() - stop looking at a device and its package before their reset
 * @dev: device
 *
 * Context: may sleep; under @dev->reset_lock.
 */
void instinct_isolation_hold(struct instinct_device *dev)
{
	lockdep_assert_held(&dev->reset_lock);
	mutex_lock(&instinct_isolation_lock);
	dev->held = true;
	mutex_unlock(&instinct_isolation_lock);
}

/**
 * instinct_isolation_settle() - mend the ports above a device after its reset
 * @dev: device
 * @lost: the device did not come back, so the function mends no port
 *
 * The reset has cleared the ACS of the ports in the device's package, so that counts as no drift.
 * Lost ACS of any other port does.
 *
 * Context: may sleep; under @dev->reset_lock.
 */
void instinct_isolation_settle(struct instinct_device *dev, bool lost)
{
	struct instinct_item *port;
	unsigned int i;

	lockdep_assert_held(&dev->reset_lock);
	mutex_lock(&instinct_isolation_lock);
	dev->held = false;
	for (i = 0; i < dev->path.count && !lost; i++) {
		port = item_find(&ports, dev->path.port[i].pdev, NULL);
		if (port && !is_held(port->pdev))
			port_look(port, is_of(dev, port->pdev));
	}
	mutex_unlock(&instinct_isolation_lock);
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
 * @member: member of a device that this driver has
 * @attached: the device is in its new user's IOMMU domain; until it is, its ATS may be off
 *
 * Context: may sleep; under instinct_isolation_lock.
 *
 * Return: 0; -EPERM if ATS is missing, and then the kernel log and an event name the function and
 * the reason; -ENOMEM if policy requires ATS, but the scope lacks the device.
 */
int instinct_scope_admit(const struct instinct_member *member, bool attached)
{
	struct instinct_item *function;
	bool looked_at = false;
	const char *unmet;
	int ret = 0;

	lockdep_assert_held(&instinct_isolation_lock);
	if (member->policy.ats != INSTINCT_VFIO_ATS_REQUIRED)
		return 0;
	list_for_each_entry(function, &functions, node) {
		if (strcmp(function->of, member->bdf))
			continue;
		looked_at |= function->pdev == member->dev->pdev;
		unmet = instinct_ats_unmet(function, attached);
		if (!unmet)
			continue;
		ret = -EPERM;
		tell_unmet(member->dev, function->seen.bdf, unmet);
	}
	return !ret && !looked_at ? -ENOMEM : ret;
}

static struct instinct_item *item_nth(struct list_head *list, unsigned int *index)
{
	struct instinct_item *item;

	list_for_each_entry(item, list, node)
		if (!(*index)--)
			return item;
	return NULL;
}

/**
 * instinct_isolation_item() - read the state of a port or a function
 * @index: number of the port or function, from 0, with the ports first
 * @seen: set to the state that the last look found
 *
 * Context: may sleep.
 *
 * Return: false if there is no port or function with that number.
 */
bool instinct_isolation_item(unsigned int index, struct instinct_isolation_item *seen)
{
	struct instinct_item *item;

	mutex_lock(&instinct_isolation_lock);
	item = item_nth(&ports, &index) ?: item_nth(&functions, &index);
	if (item)
		*seen = item->seen;
	mutex_unlock(&instinct_isolation_lock);
	return item;
}

/**
 * instinct_scope_forget() - drop a port or a function that is being removed from the scope
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
 * instinct_scope_exit() - give all ports back the ACS that they had before any policy
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
