// SPDX-License-Identifier: GPL-2.0-only
#include <linux/delay.h>
#include <linux/pci-ats.h>

#include "device/device.h"
#include "isolation/item.h"

static void item_tell(const struct instinct_item *item, struct instinct_event *event)
{
	strscpy(event->port, item->seen.bdf, sizeof(event->port));
	instinct_device_emit_of(item->seen.of, event);
}

/* One access reads ACS Capability and ACS Control. Returns false if the port does not answer. */
static bool acs_read(struct instinct_item *port)
{
	struct pci_dev *pdev = port->pdev;
	u32 both;

	if (pci_read_config_dword(pdev, pdev->acs_cap + PCI_ACS_CAP, &both) ||
	    PCI_POSSIBLE_ERROR(both))
		return false;
	port->seen.capable = instinct_acs_capable(both & 0xffff);
	port->seen.found = both >> 16;
	port->seen.looked = ktime_get_boottime_ns();
	return true;
}

/**
 * instinct_acs_learn() - read the ACS of a port that policy begins to cover
 * @port: port; the function returns at once if it is known already, or has no ACS
 *
 * Context: process; under instinct_isolation_lock.
 */
void instinct_acs_learn(struct instinct_item *port)
{
	lockdep_assert_held(&instinct_isolation_lock);
	if (port->seen.capable || !port->pdev->acs_cap || !acs_read(port))
		return;
	port->seen.before = port->seen.found;
}

static void acs_tell(const struct instinct_item *port, enum instinct_vfio_event kind)
{
	const struct instinct_isolation_item *seen = &port->seen;
	struct instinct_event event = {
		.kind = kind,
		.found = seen->found,
		.wanted = seen->wanted,
	};

	snprintf(event.reason, sizeof(event.reason), "ACS of %s is %#06x, wanted %#06x", seen->bdf,
		 seen->found, seen->wanted);
	item_tell(port, &event);
}

static bool acs_mend(struct instinct_item *port)
{
	struct instinct_isolation_item *seen = &port->seen;
	struct pci_dev *pdev = port->pdev;

	pci_write_config_word(pdev, pdev->acs_cap + PCI_ACS_CTRL, seen->wanted);
	if (acs_read(port) && seen->found == seen->wanted)
		return true;
	if (!port->stubborn) {
		pci_warn(pdev, "ACS stays %#06x though %#06x was written\n", seen->found,
			 seen->wanted);
		acs_tell(port, INSTINCT_VFIO_EVENT_ACS_FAILED);
	}
	port->stubborn = true;
	return false;
}

/**
 * instinct_acs_look() - read a port's ACS, and write it if it differs from the plan
 * @port: port that policy covers, or else gets back the ACS that it had before
 *
 * Bits that policy does not cover have the values that they had before. Bits that IOMMU groups rely on
 * stay on against the plan, unless policy allows their loss. A port that agrees with the plan costs
 * one read.
 *
 * Context: process; under instinct_isolation_lock.
 */
void instinct_acs_look(struct instinct_item *port)
{
	struct instinct_isolation_item *seen = &port->seen;
	bool drift;

	lockdep_assert_held(&instinct_isolation_lock);
	if (!port->planned.spoken) {
		/* The port gets back the ACS that it had before policy covered it. */
		if (seen->capable && acs_read(port) && seen->found != seen->before)
			pci_write_config_word(port->pdev, port->pdev->acs_cap + PCI_ACS_CTRL, seen->before);
		return;
	}
	instinct_acs_learn(port);
	/* A port without ACS has nothing to read, and cannot change. */
	if (!port->pdev->acs_cap)
		seen->looked = ktime_get_boottime_ns();
	if (!seen->capable || !acs_read(port))
		return;
	seen->mask = instinct_acs_mask(&port->planned.wish, seen->capable);
	seen->wanted = instinct_acs_value(&port->planned.wish, seen->capable, seen->before) |
		       instinct_isolation_loss(&port->planned, seen->capable, seen->before);
	drift = seen->found != seen->wanted && !port->due && !port->stubborn;
	port->due = false;
	if (drift) {
		seen->drifts++;
		pci_notice(port->pdev, "ACS is %#06x, policy wants %#06x\n", seen->found,
			   seen->wanted);
		acs_tell(port, INSTINCT_VFIO_EVENT_ACS_DRIFT);
	}
	if (seen->found != seen->wanted && !acs_mend(port))
		return;
	if (drift || port->stubborn)
		acs_tell(port, INSTINCT_VFIO_EVENT_ACS_REPAIRED);
	port->stubborn = false;
}

/*
 * Compares the register with the IOMMU driver's belief in pdev->ats_enabled. The IOMMU driver may
 * be switching ATS at the same time.
 */
static enum instinct_vfio_ats_state ats_state(struct pci_dev *pdev)
{
	u16 control;

	if (!pdev->ats_cap)
		return INSTINCT_VFIO_ATS_STATE_ABSENT;
	if (pci_read_config_word(pdev, pdev->ats_cap + PCI_ATS_CTRL, &control) ||
	    control == 0xffff)
		return INSTINCT_VFIO_ATS_STATE_GONE;
	if (control & PCI_ATS_CTRL_ENABLE)
		return pdev->ats_enabled ? INSTINCT_VFIO_ATS_STATE_ON :
					   INSTINCT_VFIO_ATS_STATE_ASTRAY;
	return pdev->ats_enabled ? INSTINCT_VFIO_ATS_STATE_LOST : INSTINCT_VFIO_ATS_STATE_OFF;
}

static void ats_tell(const struct instinct_item *function, enum instinct_vfio_event kind,
		     const char *what)
{
	enum instinct_vfio_ats_state state = function->seen.ats_state;
	struct instinct_event event = { .kind = kind };

	if (state == INSTINCT_VFIO_ATS_STATE_ON || state == INSTINCT_VFIO_ATS_STATE_ASTRAY)
		event.found = PCI_ATS_CTRL_ENABLE;
	if (function->pdev->ats_enabled)
		event.wanted = PCI_ATS_CTRL_ENABLE;
	snprintf(event.reason, sizeof(event.reason), "ATS of %s %s", function->seen.bdf, what);
	item_tell(function, &event);
}

/* As pci_restore_state() does, keeps the Smallest Translation Unit that the IOMMU driver chose. */
static void ats_write(struct pci_dev *pdev, u16 control)
{
	if (!pdev->is_virtfn)
		control |= PCI_ATS_CTRL_STU(pdev->ats_stu - PCI_ATS_MIN_STU);
	pci_write_config_word(pdev, pdev->ats_cap + PCI_ATS_CTRL, control);
}

static void ats_drifted(struct instinct_item *function, const char *what)
{
	if (function->adrift)
		return;
	function->adrift = true;
	function->seen.drifts++;
	pci_notice(function->pdev, "ATS %s\n", what);
	ats_tell(function, INSTINCT_VFIO_EVENT_ATS_DRIFT, what);
}

/* If the write does not take effect, the next look tries again. */
static void ats_mend(struct instinct_item *function)
{
	struct pci_dev *pdev = function->pdev;

	ats_drifted(function, "is off, though the IOMMU driver has it on");
	ats_write(pdev, PCI_ATS_CTRL_ENABLE);
	/* The IOMMU driver may have switched ATS off since, or may be doing so. */
	if (pdev->ats_enabled)
		msleep(INSTINCT_ISOLATION_SOON_MS);
	if (!pdev->ats_enabled)
		ats_write(pdev, 0);
}

/**
 * instinct_ats_look() - read a function's ATS, and put it back if it is lost
 * @function: function
 *
 * The IOMMU driver switches ATS with two writes, of the register and of pdev->ats_enabled.
 * Between them ATS looks lost. So the function puts ATS back only if it finds ATS lost twice,
 * INSTINCT_ISOLATION_SOON_MS apart.
 *
 * Context: may sleep; under instinct_isolation_lock.
 */
void instinct_ats_look(struct instinct_item *function)
{
	enum instinct_vfio_ats_state *state = &function->seen.ats_state;
	struct pci_dev *pdev = function->pdev;

	lockdep_assert_held(&instinct_isolation_lock);
	*state = ats_state(pdev);
	if (*state != INSTINCT_VFIO_ATS_STATE_GONE)
		function->seen.looked = ktime_get_boottime_ns();
	if (*state == INSTINCT_VFIO_ATS_STATE_LOST) {
		msleep(INSTINCT_ISOLATION_SOON_MS);
		if (ats_state(pdev) == INSTINCT_VFIO_ATS_STATE_LOST)
			ats_mend(function);
		*state = ats_state(pdev);
	}
	if (*state == INSTINCT_VFIO_ATS_STATE_ASTRAY)
		ats_drifted(function, "is on behind the IOMMU driver's back");
	if (function->adrift && (*state == INSTINCT_VFIO_ATS_STATE_ON ||
				 *state == INSTINCT_VFIO_ATS_STATE_OFF)) {
		function->adrift = false;
		ats_tell(function, INSTINCT_VFIO_EVENT_ATS_REPAIRED,
			 "is as the IOMMU driver has it");
	}
}

/*
 * A function whose driver manages DMA itself, such as a VFIO driver, gets an IOMMU domain, and ATS
 * with it, only when a user comes. A function that is being bound or unbound counts as waiting.
 */
static bool waits_for_user(struct pci_dev *pdev)
{
	bool waits;

	if (!device_trylock(&pdev->dev))
		return true;
	waits = !pdev->driver || pdev->driver->driver_managed_dma;
	device_unlock(&pdev->dev);
	return waits;
}

/**
 * instinct_ats_unmet() - find out why a function does not have the ATS that policy requires
 * @function: an endpoint whose policy requires ATS, or a peer of one
 * @attached: the endpoint is in its new user's IOMMU domain; until it is, its ATS may be off
 *
 * A peer may have ATS off while it waits for a user, and while it has VFs enabled, since it then
 * does no DMA itself.
 *
 * Context: process; under instinct_isolation_lock.
 *
 * Return: NULL, or text for the user that names the remedy.
 */
const char *instinct_ats_unmet(const struct instinct_item *function, bool attached)
{
	bool peer = strcmp(function->seen.of, function->seen.bdf);
	struct pci_dev *pdev = function->pdev;

	lockdep_assert_held(&instinct_isolation_lock);
	switch (ats_state(pdev)) {
	case INSTINCT_VFIO_ATS_STATE_ABSENT:
		return peer ? "has no ATS: switch it on in the NIC's firmware (mlxconfig: ATS_ENABLED=1)" :
			      "has no ATS: switch it on in the BIOS";
	case INSTINCT_VFIO_ATS_STATE_OFF:
		if (peer ? pci_num_vf(pdev) || waits_for_user(pdev) : !attached)
			return NULL;
		return "has ATS off: the IOMMU must be on and translate (intel_iommu=on or amd_iommu=on, iommu=nopt, ATS on in the BIOS)";
	case INSTINCT_VFIO_ATS_STATE_ASTRAY:
		return "has ATS on behind the IOMMU driver's back: unbind and bind its driver";
	case INSTINCT_VFIO_ATS_STATE_LOST:
		return "has lost ATS";
	case INSTINCT_VFIO_ATS_STATE_GONE:
		return "does not answer";
	default:
		return NULL;
	}
}
