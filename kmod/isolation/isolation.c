// SPDX-License-Identifier: GPL-2.0-only
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/ratelimit.h>
#include <linux/slab.h>

#include "compat/workqueue.h"
#include "device/device.h"
#include "isolation/isolation.h"
#include "isolation/item.h"

/* Functions that may come while they are counted. */
#define ROOM_TO_COME	16

/*
 * A task holds this lock from its snapshot of the host until its plan is carried out, so that no
 * older plan replaces a newer one. The lock is taken before instinct_isolation_lock, and never
 * while a lock of the PCI core is held.
 */
static DEFINE_MUTEX(plan_lock);

/*
 * This lock guards the members, the ports, the functions, and their ACS and ATS registers. It is
 * taken after a device's reset_lock, before instinct_devices_lock and the devices' status_lock.
 */
DEFINE_MUTEX(instinct_isolation_lock);

/**
 * struct member - an endpoint that policy covers
 * @node: links members
 * @bdf: address of the endpoint, which need not be present
 * @policy: the endpoint's policy
 * @unmanaged: with @dev, the policy that counts again once this driver lets go of the device
 * @dev: the endpoint's device if this driver has it, or NULL
 */
struct member {
	struct list_head node;
	char bdf[INSTINCT_BDF_BYTES];
	struct instinct_isolation_policy policy;
	struct instinct_isolation_policy unmanaged;
	struct instinct_device *dev;
};

static LIST_HEAD(members);
/* The ports and the functions that the members' policies cover. */
static LIST_HEAD(ports);
static LIST_HEAD(functions);
/* Functions or policies have come or gone since the plan was made. */
static bool stale;

static void isolation_work(struct work_struct *work)
{
	instinct_isolation_look(true);
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

static struct member *member_find(const char *bdf)
{
	struct member *member;

	lockdep_assert_held(&instinct_isolation_lock);
	list_for_each_entry(member, &members, node)
		if (!strcmp(member->bdf, bdf))
			return member;
	return NULL;
}

/* An endpoint that no policy covers has the isolation of this one, which is set once. */
static struct instinct_policy defaults __ro_after_init;

/* Returns a member with the default policy if there was none; NULL without memory. */
static struct member *member_get(const char *bdf)
{
	struct member *member = member_find(bdf);

	if (member)
		return member;
	member = kzalloc(sizeof(*member), GFP_KERNEL);
	if (!member)
		return NULL;
	strscpy(member->bdf, bdf, sizeof(member->bdf));
	member->policy = defaults.isolation;
	list_add_tail(&member->node, &members);
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
	struct member *member, *next;

	lockdep_assert_held(&instinct_isolation_lock);
	list_for_each_entry_safe(member, next, &members, node) {
		if (!all && (member->dev || !is_default(&member->policy)))
			continue;
		list_del(&member->node);
		instinct_device_disturb();
		kfree(member);
	}
}

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
		.package = instinct_profile_port(pdev->vendor, pdev->device, type),
	};
	/* Only a common serial number shows that two switches are partitions of one chip. */
	if (node->kind == INSTINCT_NODE_UPSTREAM && !node->package)
		node->serial = pci_get_dsn(pdev);
}

/*
 * Finds all PCI functions of the host; the caller calls snapshot_free() even on failure. Takes no
 * lock of the PCI core: a task that removes functions, or recovers them from an error, holds one
 * while it may wait for a lock of isolation.
 */
static int snapshot_make(struct instinct_topology *host)
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

static void snapshot_free(struct instinct_topology *host)
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
	struct member *member;

	list_for_each_entry(member, &members, node)
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
		if (item->pdev == pdev && (!of || !strcmp(item->seen.of, of)))
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
	/* Until the first look, which a reset under way puts off. */
	item->seen.ats_state = INSTINCT_VFIO_ATS_STATE_GONE;
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

/*
 * Adds the member's policy to the plan. Moves its functions from @old to the list of functions; the rest
 * leaves the scope.
 */
static int plan_member(struct instinct_topology *host, struct list_head *old,
		       const struct member *member)
{
	struct instinct_item *function;
	int endpoint, i;

	for (endpoint = 0; endpoint < host->count; endpoint++)
		if (host->node[endpoint].kind == INSTINCT_NODE_ENDPOINT &&
		    !strcmp(pci_name(host->node[endpoint].pdev), member->bdf))
			break;
	if (endpoint == host->count)
		return 0;
	instinct_isolation_plan(host, endpoint, &member->policy);
	if (member->policy.ats == INSTINCT_VFIO_ATS_IGNORE)
		return 0;
	for (i = 0; i < host->count; i++) {
		if (i != endpoint && !host->node[i].peer)
			continue;
		function = item_find(old, host->node[i].pdev, member->bdf) ?:
			   item_add(old, host->node[i].pdev);
		if (!function)
			return -ENOMEM;
		list_move_tail(&function->node, &functions);
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
			     port->planned.loss != planned->loss ||
			     memcmp(&port->planned.wish, &planned->wish, sizeof(planned->wish));
		port->planned = *planned;
		if (!planned->spoken)
			continue;
		port->seen.role = planned->role;
		strscpy(port->seen.of, pci_name(host->node[planned->endpoint].pdev),
			sizeof(port->seen.of));
	}
	return 0;
}

/*
 * Plans the ACS of ports and the ATS of functions anew. Returns 0; or -ENOMEM, and then the ports
 * keep the old plan, and some functions may be under the new policy already.
 */
static int plan_all(struct instinct_topology *host)
{
	struct member *member;
	LIST_HEAD(old);
	int ret = 0;

	lockdep_assert_held(&instinct_isolation_lock);
	instinct_isolation_plan_none(host);
	list_splice_init(&functions, &old);
	list_for_each_entry(member, &members, node)
		ret = ret ?: plan_member(host, &old, member);
	ret = ret ?: plan_ports(host);
	if (ret)
		list_splice(&old, &functions);
	else
		items_drop(&old, NULL);
	return ret;
}

static void port_look(struct instinct_item *port)
{
	instinct_acs_look(port);
	if (!port->planned.spoken)
		item_drop(port);
}

/*
 * Looks at all ports, or else only at the ports whose plan is new, and at the functions, and mends
 * them. A reset under way ends with a look at its ports. Schedules the next look after the shortest
 * interval that any policy wants.
 */
static void isolation_mend(bool all)
{
	struct instinct_item *item, *next;
	struct member *member;
	u32 ms = 0;

	list_for_each_entry_safe(item, next, &ports, node) {
		if (is_held(item->pdev))
			continue;
		/* Another port may have the address of a removed port by now. */
		if (!device_is_registered(&item->pdev->dev))
			item_drop(item);
		else if (all || item->due)
			port_look(item);
	}
	list_for_each_entry(item, &functions, node)
		if (!is_held(item->pdev) && device_is_registered(&item->pdev->dev))
			instinct_ats_look(item);
	list_for_each_entry(member, &members, node)
		if (!is_default(&member->policy))
			ms = min_not_zero(ms, member->policy.check_interval);
	if (ms)
		mod_delayed_work(system_dfl_wq, &interval_work, msecs_to_jiffies(ms) + 1);
	else
		cancel_delayed_work(&interval_work);
}

/**
 * instinct_isolation_look() - look at ports and functions now, and mend them
 * @all: look at all ports, or else only at those whose plan is new
 *
 * The function replaces a stale plan first.
 *
 * Context: may sleep; no lock of the PCI core is held.
 *
 * Return: 0; or -ENOMEM, and then the old plan stays.
 */
int instinct_isolation_look(bool all)
{
	struct instinct_topology host = { };
	int ret = 0;
	bool due;

	/* Another task may be making a plan. */
	mutex_lock(&plan_lock);
	/* A function that comes during the snapshot makes the plan stale again. */
	due = xchg(&stale, false);
	if (due)
		ret = snapshot_make(&host);
	mutex_lock(&instinct_isolation_lock);
	if (due && !ret)
		ret = plan_all(&host);
	if (ret)
		plan_owe();
	if (due || all)
		isolation_mend(all);
	mutex_unlock(&instinct_isolation_lock);
	mutex_unlock(&plan_lock);
	snapshot_free(&host);
	return ret;
}

/*
 * Would the plan take away ACS that IOMMU groups rely on? Returns NULL if it does not; else the
 * change of the endpoint whose policy covers such a port, or the first change. The kernel log
 * names the ports. Ports whose plan is not new do not count, since the module has refused or
 * allowed that plan before.
 */
static struct instinct_isolation_change *changes_lose(struct list_head *changes)
{
	struct instinct_isolation_change *change, *culprit = NULL;
	struct instinct_item *port;
	u16 loss;

	list_for_each_entry(port, &ports, node) {
		loss = instinct_isolation_loss(&port->planned, port->seen.capable,
					       port->seen.before);
		if (!loss || !port->due)
			continue;
		pci_notice(port->pdev, "policy refused: IOMMU groups rely on ACS bits %#06x of this port\n",
			   loss);
		list_for_each_entry(change, changes, node)
			if (!culprit || !strcmp(change->bdf, port->seen.of))
				culprit = change;
	}
	return culprit;
}

/* Makes and commits the plan of changed policies; on failure, gives the old policies back. */
static int changes_try(struct instinct_isolation_changes *changes, struct instinct_topology *host)
{
	struct instinct_isolation_change *change;
	struct member *member;
	int ret;

	list_for_each_entry(change, &changes->list, node)
		if (!member_get(change->bdf))
			return -ENOMEM;
	list_for_each_entry(change, &changes->list, node) {
		member = member_find(change->bdf);
		change->before = member->policy;
		member->policy = *change->policy;
	}
	ret = plan_all(host);
	if (!ret)
		changes->culprit = changes_lose(&changes->list);
	if (changes->culprit) {
		changes->why = "IOMMU groups rely on ACS that this would switch off (the kernel log names the ports); allow_isolation_loss = yes allows it";
		ret = -EINVAL;
	}
	ret = ret ?: changes->commit(changes);
	if (!ret)
		return 0;
	list_for_each_entry(change, &changes->list, node)
		member_find(change->bdf)->policy = change->before;
	if (plan_all(host))
		plan_owe();
	return ret;
}

/**
 * instinct_isolation_set() - change endpoints' policies together, and carry them out
 * @changes: the changes; on failure, @changes->culprit and @changes->why say what is to blame
 *
 * All changes together cost one snapshot of the host, one plan, and one look at each port whose
 * plan is new. Once the plan is known to be allowed, and before it is carried out, the function
 * calls @changes->commit(), so a refusal there leaves no trace in a register.
 *
 * Context: may sleep; no lock of the PCI core is held.
 *
 * Return: 0; or, with nothing changed, -EINVAL if IOMMU groups rely on ACS that a change would
 * switch off, the error of @changes->commit(), or -ENOMEM.
 */
int instinct_isolation_set(struct instinct_isolation_changes *changes)
{
	struct instinct_topology host;
	int ret;

	changes->culprit = NULL;
	changes->why = "out of memory";
	if (list_empty(&changes->list))
		return changes->commit(changes);
	mutex_lock(&plan_lock);
	ret = snapshot_make(&host);
	if (!ret) {
		mutex_lock(&instinct_isolation_lock);
		ret = changes_try(changes, &host);
		isolation_mend(false);
		members_drop(false);
		mutex_unlock(&instinct_isolation_lock);
	}
	mutex_unlock(&plan_lock);
	snapshot_free(&host);
	return ret;
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
	struct member *member;

	mutex_lock(&instinct_isolation_lock);
	member = member_find(bdf);
	*policy = member ? member->policy : defaults.isolation;
	mutex_unlock(&instinct_isolation_lock);
	return member;
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
	struct member *member;
	bool found = false;

	mutex_lock(&instinct_isolation_lock);
	list_for_each_entry(member, &members, node) {
		if (member->dev || index--)
			continue;
		strscpy(bdf, member->bdf, INSTINCT_BDF_BYTES);
		*policy = member->policy;
		found = true;
		break;
	}
	mutex_unlock(&instinct_isolation_lock);
	return found;
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
	struct member *member;

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
	struct member *member;

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
		if (!port || is_held(port->pdev))
			continue;
		port->due |= is_of(dev, port->pdev);
		port_look(port);
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

/* Checks that a device and its peers have the ATS that policy requires. */
static int check_ats(const struct member *member, bool attached)
{
	struct instinct_item *function;
	bool looked_at = false;
	const char *unmet;
	int ret = 0;

	list_for_each_entry(function, &functions, node) {
		if (strcmp(function->seen.of, member->bdf))
			continue;
		looked_at |= function->pdev == member->dev->pdev;
		unmet = instinct_ats_unmet(function, attached);
		if (!unmet)
			continue;
		ret = -EPERM;
		tell_unmet(member->dev, function->seen.bdf, unmet);
	}
	/* Without memory the plan lacks functions. */
	return !ret && !looked_at ? -ENOMEM : ret;
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
 * name the function and the reason; -ENOMEM if there was no memory to find out.
 */
int instinct_isolation_admit(struct instinct_device *dev, bool attached)
{
	struct member *member;
	int ret = instinct_isolation_look(false);

	mutex_lock(&instinct_isolation_lock);
	member = member_find(pci_name(dev->pdev));
	/* The defaults require no ATS, so a stale plan without the newest peers does no harm. */
	if (is_default(&member->policy))
		ret = 0;
	else if (!ret && member->policy.ats == INSTINCT_VFIO_ATS_REQUIRED)
		ret = check_ats(member, attached);
	mutex_unlock(&instinct_isolation_lock);
	return ret;
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
 * instinct_isolation_notice() - follow a function of the PCI bus
 * @pdev: function
 * @action: BUS_NOTIFY_*: the driver core reports a bind, a hot-add or a hot-remove
 *
 * Context: may sleep; the caller may hold the device lock.
 */
void instinct_isolation_notice(struct pci_dev *pdev, unsigned long action)
{
	switch (action) {
	case BUS_NOTIFY_DEL_DEVICE:
		mutex_lock(&instinct_isolation_lock);
		items_drop(&ports, pdev);
		items_drop(&functions, pdev);
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
}

/**
 * instinct_isolation_init() - set the policy of an endpoint that no policy covers
 */
void __init instinct_isolation_init(void)
{
	instinct_policy_defaults(&defaults);
}

/**
 * instinct_isolation_exit() - give all ports back the ACS that they had before any policy
 *
 * Context: may sleep; the driver has no device any more, no request can set a policy, and nobody calls
 * instinct_isolation_notice().
 */
void instinct_isolation_exit(void)
{
	struct instinct_item *port;

	mutex_lock(&instinct_isolation_lock);
	members_drop(true);
	list_for_each_entry(port, &ports, node) {
		port->planned.spoken = false;
		if (device_is_registered(&port->pdev->dev))
			instinct_acs_look(port);
	}
	items_drop(&ports, NULL);
	items_drop(&functions, NULL);
	mutex_unlock(&instinct_isolation_lock);
	/* Without members no look schedules interval_work again. */
	cancel_delayed_work_sync(&interval_work);
	cancel_delayed_work_sync(&soon_work);
}
