// SPDX-License-Identifier: GPL-2.0-only
#include <linux/pci.h>

#include "containment.h"
#include "plan.h"

#define REPORTING	(PCI_EXP_DEVCTL_CERE | PCI_EXP_DEVCTL_NFERE | \
			 PCI_EXP_DEVCTL_FERE | PCI_EXP_DEVCTL_URRE)
#define SLOT_EVENTS	(PCI_EXP_SLTCTL_DLLSCE | PCI_EXP_SLTCTL_PDCE)
#define SLOT_CHANGES	(PCI_EXP_SLTSTA_DLLSC | PCI_EXP_SLTSTA_PDC)
/* DPC Trigger Enable: for fatal errors, or for non-fatal ones too. */
#define DPC_TRIGGER	0x0003

/*
 * Only what the platform has given to Linux (_OSC): the rest is the firmware's.
 * Linux takes DPC with AER.
 */
static void port_read(struct instinct_contained_port *port, struct pci_dev *pdev)
{
	struct pci_host_bridge *host = pci_find_host_bridge(pdev->bus);
	u32 slot;

	*port = (struct instinct_contained_port) { .pdev = pdev };
	port->reporting = host->native_aer;
	if (host->native_aer) {
		port->aer = pci_find_ext_capability(pdev, PCI_EXT_CAP_ID_ERR);
		port->dpc = pci_find_ext_capability(pdev, PCI_EXT_CAP_ID_DPC);
	}
	/* 0 of a port without a slot. */
	pcie_capability_read_dword(pdev, PCI_EXP_SLTCAP, &slot);
	port->slot = host->native_pcie_hotplug && slot & PCI_EXP_SLTCAP_HPC;
	pcie_capability_read_word(pdev, PCI_EXP_DEVCTL, &port->device_control);
	if (port->slot) {
		pcie_capability_read_word(pdev, PCI_EXP_SLTCTL, &port->slot_control);
		pcie_capability_read_word(pdev, PCI_EXP_SLTSTA, &port->slot_status);
	}
	if (port->dpc)
		pci_read_config_word(pdev, port->dpc + PCI_EXP_DPC_CTL, &port->dpc_control);
	if (port->aer) {
		pci_read_config_dword(pdev, port->aer + PCI_ERR_UNCOR_STATUS, &port->uncorrectable);
		pci_read_config_dword(pdev, port->aer + PCI_ERR_UNCOR_MASK,
				      &port->uncorrectable_mask);
		pci_read_config_dword(pdev, port->aer + PCI_ERR_COR_STATUS, &port->correctable);
	}
}

/* DPC first: what triggers it takes the link down for good. */
static void port_contain(const struct instinct_contained_port *port)
{
	if (port->dpc)
		pci_write_config_word(port->pdev, port->dpc + PCI_EXP_DPC_CTL,
				      port->dpc_control & ~DPC_TRIGGER);
	if (port->slot)
		pcie_capability_clear_word(port->pdev, PCI_EXP_SLTCTL, SLOT_EVENTS);
	if (port->aer)
		pci_write_config_dword(port->pdev, port->aer + PCI_ERR_UNCOR_MASK, ~0u);
	if (port->reporting)
		pcie_capability_clear_word(port->pdev, PCI_EXP_DEVCTL, REPORTING);
}

/*
 * A card that was pulled or plugged in meanwhile is Linux's to see to. In-band presence,
 * where that is not off, goes with the link, and tells nothing.
 */
static void port_clear_slot(const struct instinct_contained_port *port)
{
	u16 status;

	pcie_capability_read_word(port->pdev, PCI_EXP_SLTSTA, &status);
	if (port->slot_control & PCI_EXP_SLTCTL_IBPD_DISABLE &&
	    (status ^ port->slot_status) & PCI_EXP_SLTSTA_PDS)
		return;
	/* What comes from here on is not cleared. */
	pcie_capability_write_word(port->pdev, PCI_EXP_SLTSTA, status & SLOT_CHANGES);
}

/* Only what the reset itself has set: the bits are cleared by writing 1. */
static void port_clear(const struct instinct_contained_port *port)
{
	u32 uncorrectable, correctable;

	if (port->slot)
		port_clear_slot(port);
	if (!port->aer)
		return;
	pci_read_config_dword(port->pdev, port->aer + PCI_ERR_UNCOR_STATUS, &uncorrectable);
	pci_read_config_dword(port->pdev, port->aer + PCI_ERR_COR_STATUS, &correctable);
	pci_write_config_dword(port->pdev, port->aer + PCI_ERR_UNCOR_STATUS,
			       uncorrectable & ~port->uncorrectable);
	pci_write_config_dword(port->pdev, port->aer + PCI_ERR_COR_STATUS,
			       correctable & ~port->correctable);
}

static void port_release(const struct instinct_contained_port *port)
{
	if (port->reporting)
		pcie_capability_set_word(port->pdev, PCI_EXP_DEVCTL,
					 port->device_control & REPORTING);
	if (port->aer)
		pci_write_config_dword(port->pdev, port->aer + PCI_ERR_UNCOR_MASK,
				       port->uncorrectable_mask);
	if (port->slot)
		pcie_capability_set_word(port->pdev, PCI_EXP_SLTCTL,
					 port->slot_control & SLOT_EVENTS);
	if (port->dpc)
		pci_write_config_word(port->pdev, port->dpc + PCI_EXP_DPC_CTL, port->dpc_control);
}

/**
 * instinct_containment_begin() - before the hardware is told to reset
 * @containment: filled in
 * @dev: device
 * @method: with which it will be reset
 *
 * The ports are SWDS and SWUS, whose own state the reset may take away, and
 * the port above the package, or that above the GPU where there is no package.
 *
 * Context: may sleep; under @dev->reset_lock.
 */
void instinct_containment_begin(struct instinct_containment *containment,
				struct instinct_device *dev, enum instinct_vfio_method method)
{
	const struct instinct_fabric *fabric = &dev->fabric;
	unsigned int i, ports;

	lockdep_assert_held(&dev->reset_lock);
	containment->count = 0;
	if (!instinct_plan_scrubs(method))
		return;
	ports = instinct_fabric_has_package(fabric) ? INSTINCT_CONTAINED_MAX : 1;
	for (i = 0; i < ports && i < fabric->count; i++) {
		struct instinct_contained_port *port = &containment->port[i];

		if (!pci_is_pcie(fabric->port[i].pdev))
			break;
		port_read(port, fabric->port[i].pdev);
		/* What was there before us is not ours to clear, but must not go unseen. */
		if (port->uncorrectable)
			pci_warn(port->pdev, "uncorrectable errors were pending before the reset: AER status %#010x\n",
				 port->uncorrectable);
		port_contain(port);
		containment->count++;
	}
}

/**
 * instinct_containment_end() - after the reset, however it went
 * @containment: from instinct_containment_begin()
 *
 * Context: may sleep; under the device's reset_lock.
 */
void instinct_containment_end(struct instinct_containment *containment)
{
	unsigned int i;

	for (i = containment->count; i-- > 0; ) {
		port_clear(&containment->port[i]);
		port_release(&containment->port[i]);
	}
}
