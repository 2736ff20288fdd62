// SPDX-License-Identifier: GPL-2.0-only
#include <linux/ratelimit.h>

#include "guards.h"
#include "rescan.h"

/* The GPU's first, then those of the package's ports, where there are any. */
#define GUARDS_MAX	3

static unsigned int guards_of(struct instinct_device *dev,
			      struct instinct_guard *guards[GUARDS_MAX])
{
	struct instinct_fabric *fabric = &dev->fabric;
	unsigned int count = 0;

	guards[count++] = dev->guard;
	if (fabric->swds && fabric->swds->guard)
		guards[count++] = fabric->swds->guard;
	if (fabric->swus && fabric->swus->guard)
		guards[count++] = fabric->swus->guard;
	return count;
}

static void guards_each(struct instinct_device *dev,
			void (*what)(struct instinct_guard *guard))
{
	struct instinct_guard *guards[GUARDS_MAX];
	unsigned int i, count = guards_of(dev, guards);

	for (i = 0; i < count; i++)
		what(guards[i]);
}

static void port_hold_bridge(const struct instinct_port *port, bool hold)
{
	if (port && port->guard)
		instinct_guard_hold_bridge(port->guard,
					   hold ? instinct_port_buses(port) : 0);
}

/*
 * Not in between: then the PCI core may be about to write them back by itself, as it does
 * when a port resumes, and only what reads other than it should.
 */
static void guards_hold_bridges(struct instinct_device *dev, bool hold)
{
	port_hold_bridge(dev->fabric.swds, hold);
	port_hold_bridge(dev->fabric.swus, hold);
}

/* In atomic context, when the guard has held an FLR back. */
static void gpu_flr_held(void *data)
{
	struct instinct_device *dev = data;

	atomic64_inc(&dev->flr_held);
	/*
	 * The PCI core's own follow reset_prepare() or come at close, with the
	 * config space locked against users in both cases.
	 */
	if (!dev->pdev->block_cfg_access)
		schedule_work(&dev->held_flr);
}

static const char *rung_text(enum instinct_vfio_unblock rung)
{
	switch (rung) {
	case INSTINCT_VFIO_UNBLOCK_READ:
		return ", after Vendor ID reads";
	case INSTINCT_VFIO_UNBLOCK_BUSES:
		return ", after the ports' bus numbers were rewritten";
	case INSTINCT_VFIO_UNBLOCK_RETRAIN:
		return ", after the link was retrained";
	default:
		return "";
	}
}

/* For the switch's vendor: which switch, which firmware it may have. */
static void guards_name_switch(struct instinct_device *dev,
			       const struct instinct_guard_episode *episode)
{
	struct pci_dev *port = instinct_fabric_link_port(&dev->fabric);

	if (!__ratelimit(&dev->blocked_told))
		return;
	if (!port)
		pci_warn(dev->pdev, "a config write to %s (%#x) of %s was swallowed\n",
			 episode->name, episode->first.where,
			 pci_name(episode->pdev));
	else
		pci_warn(dev->pdev, "a config write to %s (%#x) of %s was swallowed, maybe by the switch above: port %s [%04x:%04x] rev %02x subsystem %04x:%04x serial %016llx\n",
			 episode->name, episode->first.where,
			 pci_name(episode->pdev), pci_name(port), port->vendor,
			 port->device, port->revision, port->subsystem_vendor,
			 port->subsystem_device, pci_get_dsn(port));
}

static void guards_tell(struct instinct_device *dev,
			const struct instinct_guard_episode *episode)
{
	struct instinct_event event = {
		.config_register = episode->first.where,
		.duration = episode->lasted,
	};
	int n;

	switch (episode->result) {
	case INSTINCT_KEEPER_KEPT:
		event.kind = INSTINCT_VFIO_EVENT_CONFIG_BLOCKED;
		snprintf(event.reason, sizeof(event.reason), "%s (%#x) of %s",
			 episode->name, episode->first.where,
			 pci_name(episode->pdev));
		break;
	case INSTINCT_KEEPER_FAILED:
		event.kind = INSTINCT_VFIO_EVENT_CONFIG_FAILED;
		event.error = EIO;
		snprintf(event.reason, sizeof(event.reason), "%s (%#x) of %s",
			 episode->name, episode->first.where,
			 pci_name(episode->pdev));
		break;
	default:
		event.kind = INSTINCT_VFIO_EVENT_CONFIG_REPLAYED;
		n = scnprintf(event.reason, sizeof(event.reason),
			      "%llu writes, the first to %s%s", episode->count,
			      episode->name, rung_text(episode->rung));
		if (episode->dropped)
			scnprintf(event.reason + n, sizeof(event.reason) - n,
				  "; %u dropped, for a reset came first",
				  episode->dropped);
	}
	instinct_device_emit(dev, &event);
}

/* Not while a reset is under way: its outcome decides then. */
static void guards_give_up(struct instinct_device *dev)
{
	char why[INSTINCT_REASON_BYTES];
	struct instinct_status status;

	mutex_lock(&dev->reset_lock);
	instinct_device_status(dev, &status);
	if (instinct_guards_why(dev, why) && !status.gone && status.state != INSTINCT_VFIO_STATE_LOST) {
		instinct_device_set_state(dev, INSTINCT_VFIO_STATE_LOST, why);
		instinct_device_tell(dev, INSTINCT_VFIO_EVENT_DEVICE_LOST, why);
		instinct_guards_refuse(dev);
	}
	mutex_unlock(&dev->reset_lock);
	instinct_rescan_start(dev);
}

static void guards_episode(void *data,
			   const struct instinct_guard_episode *episode)
{
	struct instinct_device *dev = data;

	guards_tell(dev, episode);
	if (episode->result == INSTINCT_KEEPER_KEPT)
		guards_name_switch(dev, episode);
	else if (episode->result == INSTINCT_KEEPER_FAILED)
		guards_give_up(dev);
}

static const struct instinct_guard_watch gpu_watch = {
	.flr_held = gpu_flr_held,
	.episode = guards_episode,
};

static const struct instinct_guard_watch port_watch = {
	.episode = guards_episode,
};

/* Without it writes to the port are passed on as ever. */
static void port_attach(struct instinct_device *dev, struct instinct_port *port)
{
	struct instinct_guard *guard;

	if (!port)
		return;
	guard = instinct_guard_attach(port->pdev, &dev->fabric, NULL, &port_watch,
				      dev);
	if (IS_ERR(guard))
		pci_warn(port->pdev, "config writes to this port are not guarded (%pe)\n",
			 guard);
	else
		port->guard = guard;
}

/**
 * instinct_guards_attach() - begin to guard a device
 * @dev: device, not registered yet
 *
 * Context: may sleep; the device lock is held.
 *
 * Return: 0, -ENOMEM, or -EBUSY if another function of the GPU's bus is guarded.
 */
int instinct_guards_attach(struct instinct_device *dev)
{
	ratelimit_state_init(&dev->blocked_told, 60 * HZ, 1);
	/* The kernel log need not be told of those that it is not told of. */
	ratelimit_set_flags(&dev->blocked_told, RATELIMIT_MSG_ON_RELEASE);
	dev->guard = instinct_guard_attach(dev->pdev, &dev->fabric, &dev->touched,
					   &gpu_watch, dev);
	if (IS_ERR(dev->guard))
		return PTR_ERR(dev->guard);
	port_attach(dev, dev->fabric.swds);
	port_attach(dev, dev->fabric.swus);
	instinct_guards_apply(dev, &dev->status.policy);
	return 0;
}

/**
 * instinct_guards_detach() - stop guarding a device
 * @dev: device, which nobody uses any more
 *
 * What one guard tells looks at the others: none is freed before all are silent.
 *
 * Context: may sleep, up to some RCU grace periods; the device lock is held.
 */
void instinct_guards_detach(struct instinct_device *dev)
{
	struct instinct_guard *guards[GUARDS_MAX];
	unsigned int i, count = guards_of(dev, guards);

	for (i = 0; i < count; i++)
		instinct_guard_detach(guards[i]);
	dev->guard = NULL;
	if (instinct_fabric_has_package(&dev->fabric)) {
		dev->fabric.swds->guard = NULL;
		dev->fabric.swus->guard = NULL;
	}
	for (i = 0; i < count; i++)
		instinct_guard_free(guards[i]);
}

/**
 * instinct_guards_apply() - put a policy into force
 * @dev: device
 * @policy: of it
 *
 * Context: process; the device is not gone, which @dev->status_lock ensures.
 */
void instinct_guards_apply(struct instinct_device *dev,
			   const struct instinct_policy *policy)
{
	bool on = policy->guard == INSTINCT_VFIO_GUARD_ON;
	struct instinct_guard_rules rules = {
		.verify = on && policy->guard_verify == INSTINCT_VFIO_GUARD_ON,
		.keep = on && policy->guard_keep == INSTINCT_VFIO_GUARD_ON,
		.unblock = policy->guard_unblock,
		.timeout = (u64)policy->guard_timeout * NSEC_PER_MSEC,
	};
	struct instinct_guard *guards[GUARDS_MAX];
	unsigned int i, count = guards_of(dev, guards);

	for (i = 0; i < count; i++)
		instinct_guard_set_rules(guards[i], &rules);
}

/**
 * instinct_guards_check() - see to it that the guards are asked
 * @dev: device; before what may reset it
 *
 * Context: may sleep.
 */
void instinct_guards_check(struct instinct_device *dev)
{
	guards_each(dev, instinct_guard_check);
}

/**
 * instinct_guards_survey() - learn of a device in order, and begin in earnest
 * @dev: device, which answers and which nobody uses
 *
 * Context: may sleep.
 */
void instinct_guards_survey(struct instinct_device *dev)
{
	guards_each(dev, instinct_guard_survey);
}

/**
 * instinct_guards_suspend() - a device is about to be reset
 * @dev: device
 *
 * Context: may sleep; under @dev->reset_lock.
 */
void instinct_guards_suspend(struct instinct_device *dev)
{
	guards_hold_bridges(dev, true);
	guards_each(dev, instinct_guard_suspend);
}

/**
 * instinct_guards_ready() - a device is in order
 * @dev: device
 *
 * Context: may sleep; under @dev->reset_lock.
 */
void instinct_guards_ready(struct instinct_device *dev)
{
	guards_each(dev, instinct_guard_ready);
	guards_hold_bridges(dev, false);
}

/**
 * instinct_guards_refuse() - a device is lost
 * @dev: device
 *
 * Context: may sleep; under @dev->reset_lock.
 */
void instinct_guards_refuse(struct instinct_device *dev)
{
	guards_hold_bridges(dev, true);
	guards_each(dev, instinct_guard_refuse);
}

/**
 * instinct_guards_land() - has landed what was written?
 * @dev: device
 *
 * Context: may sleep, some milliseconds.
 *
 * Return: false if something is kept still, or could not land.
 */
bool instinct_guards_land(struct instinct_device *dev)
{
	struct instinct_guard *guards[GUARDS_MAX];
	unsigned int i, count = guards_of(dev, guards);
	bool landed = true;

	for (i = 0; i < count; i++)
		landed &= instinct_guard_push(guards[i]) == INSTINCT_KEEPER_DONE;
	return landed;
}

/**
 * instinct_guards_why() - which write could not land
 * @dev: device
 * @why: of INSTINCT_REASON_BYTES, or NULL; set to a text for people, if one could not
 *
 * Return: true if one could not, until the guards are suspended or resumed.
 */
bool instinct_guards_why(struct instinct_device *dev, char *why)
{
	struct instinct_guard *guards[GUARDS_MAX];
	unsigned int i, count = guards_of(dev, guards);

	for (i = 0; i < count; i++)
		if (instinct_guard_why(guards[i], why))
			return true;
	return false;
}

/**
 * instinct_guards_counts() - what has happened so far
 * @dev: device
 * @counts: set
 *
 * Context: process; the device is not gone, which @dev->status_lock ensures.
 */
void instinct_guards_counts(struct instinct_device *dev,
			    struct instinct_keeper_counts *counts)
{
	struct instinct_guard *guards[GUARDS_MAX];
	unsigned int i, count = guards_of(dev, guards);

	*counts = (struct instinct_keeper_counts) { };
	for (i = 0; i < count; i++)
		instinct_guard_counts(guards[i], counts);
}
