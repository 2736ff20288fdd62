// SPDX-License-Identifier: GPL-2.0-only
#include <linux/iopoll.h>
#include <linux/pci.h>

#include "reset/attempt.h"

/* A port above the package stops answering for at most this time, if at all. */
#define ANSWER_POLL_US	1000
#define ANSWER_WAIT_US	1000000

#define REPORTING	(PCI_EXP_DEVCTL_CERE | PCI_EXP_DEVCTL_NFERE | \
			 PCI_EXP_DEVCTL_FERE | PCI_EXP_DEVCTL_URRE)
#define SLOT_EVENTS	(PCI_EXP_SLTCTL_DLLSCE | PCI_EXP_SLTCTL_PDCE)
#define SLOT_CHANGES	(PCI_EXP_SLTSTA_DLLSC | PCI_EXP_SLTSTA_PDC)
/* DPC Trigger Enable selects fatal errors, or non-fatal errors too. */
#define DPC_TRIGGER	0x0003

/*
 * The module touches only the features that the platform has given to Linux (_OSC); the firmware
 * owns the rest. Linux takes DPC with AER.
 */
static void port_read(struct instinct_contained_port *port, struct pci_dev *pdev)
{
	struct pci_host_bridge *host = pci_find_host_bridge(pdev->bus);
	u32 slot;

	*port = (struct instinct_contained_port) { .pdev = pdev, .reporting = host->native_aer };
	if (host->native_aer) {
		port->aer = pci_find_ext_capability(pdev, PCI_EXT_CAP_ID_ERR);
		port->dpc = pci_find_ext_capability(pdev, PCI_EXT_CAP_ID_DPC);
	}
	/* This reads 0 from a port without a slot. */
	pcie_capability_read_dword(pdev, PCI_EXP_SLTCAP, &slot);
	port->slot = host->native_pcie_hotplug && slot & PCI_EXP_SLTCAP_HPC;
	pcie_capability_read_word(pdev, PCI_EXP_DEVCTL, &port->device_control);
	pcie_capability_read_word(pdev, PCI_EXP_LNKCTL, &port->link_control);
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

/* DPC goes off first: an error that triggered it would take the link down for good. */
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
 * Linux has to handle a card that was pulled or plugged in meanwhile. Unless in-band presence
 * detection is off, Presence Detect State follows the link and proves no such change.
 */
static void port_clear_slot(const struct instinct_contained_port *port)
{
	u16 status;

	pcie_capability_read_word(port->pdev, PCI_EXP_SLTSTA, &status);
	if (port->slot_control & PCI_EXP_SLTCTL_IBPD_DISABLE &&
	    (status ^ port->slot_status) & PCI_EXP_SLTSTA_PDS)
		return;
	/* The port keeps events that come after the read above. */
	pcie_capability_write_word(port->pdev, PCI_EXP_SLTSTA, status & SLOT_CHANGES);
}

/* Clears the errors that the reset itself has set. A bit is cleared by a write of 1. */
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

/*
 * With L1 on, registers behind a retimer can sometimes read all ones (tinygrad #17693), and every
 * GPU has L1 on after power-up. The module switches it off on the links of the package only: links
 * further up carry the traffic of other devices, and another reset may be using them. L1 goes off
 * from the GPU upwards, and on again downwards (PCIe r6.0 sec 5.4.1.4).
 */
static void l1_off(struct instinct_containment *containment, bool off)
{
	struct instinct_device *dev = containment->dev;

	dev->config.no_l1 = off;
	if (!instinct_path_has_package(&dev->path))
		return;
	dev->path.swds->config.no_l1 = off;
	dev->path.swus->config.no_l1 = off;
}

static void l1_set(struct pci_dev *pdev, u16 link_control, bool on)
{
	if (!(link_control & PCI_EXP_LNKCTL_ASPM_L1) || link_control == 0xffff)
		return;
	if (on)
		pcie_capability_set_word(pdev, PCI_EXP_LNKCTL, PCI_EXP_LNKCTL_ASPM_L1);
	else
		pcie_capability_clear_word(pdev, PCI_EXP_LNKCTL, PCI_EXP_LNKCTL_ASPM_L1);
}

/**
 * instinct_containment_begin() - keep the ports above a device quiet during its reset
 * @containment: set to the contained ports
 * @dev: device
 * @method: reset method that will be used
 *
 * The contained ports are SWDS and SWUS, whose own state the reset may clear, and the port above
 * the package. Without a package the port above the GPU is contained alone.
 *
 * Context: may sleep; under @dev->reset_lock.
 */
void instinct_containment_begin(struct instinct_containment *containment,
				struct instinct_device *dev, enum instinct_vfio_method method)
{
	const struct instinct_path *path = &dev->path;
	unsigned int i, ports;

	lockdep_assert_held(&dev->reset_lock);
	containment->dev = dev;
	containment->count = 0;
	containment->link_control = 0;
	if (!instinct_method_scrubs(method))
		return;
	l1_off(containment, true);
	pcie_capability_read_word(dev->pdev, PCI_EXP_LNKCTL, &containment->link_control);
	l1_set(dev->pdev, containment->link_control, false);
	ports = instinct_path_has_package(path) ? INSTINCT_CONTAINED_MAX : 1;
	for (i = 0; i < ports && i < path->count; i++) {
		struct instinct_contained_port *port = &containment->port[i];

		if (!pci_is_pcie(path->port[i].pdev) ||
		    !instinct_endpoint_answers(path->port[i].pdev))
			break;
		port_read(port, path->port[i].pdev);
		/* The module leaves earlier errors pending, but the operator should know them. */
		if (port->uncorrectable)
			pci_warn(port->pdev, "uncorrectable errors were pending before the reset: AER status %#010x\n",
				 port->uncorrectable);
		port_contain(port);
		l1_set(port->pdev, port->link_control, false);
		containment->count++;
	}
}

/**
 * instinct_containment_end() - release the ports after the reset, successful or not
 * @containment: set by instinct_containment_begin()
 *
 * The function leaves a package port that does not answer alone: the module restores all its
 * registers once it answers.
 *
 * Context: may sleep; under the device's reset_lock.
 */
void instinct_containment_end(struct instinct_containment *containment)
{
	unsigned int i, package = instinct_path_has_package(&containment->dev->path) ? 2 : 0;
	struct pci_dev *gpu = containment->dev->pdev;
	bool answers;

	lockdep_assert_held(&containment->dev->reset_lock);
	l1_off(containment, false);
	for (i = containment->count; i-- > 0; ) {
		struct instinct_contained_port *port = &containment->port[i];

		/* Nobody restores a port outside the package later, so wait for it. */
		read_poll_timeout(instinct_endpoint_answers, answers, answers || i < package,
				  ANSWER_POLL_US, ANSWER_WAIT_US, false, port->pdev);
		if (!answers)
			continue;
		port_clear(port);
		port_release(port);
		l1_set(port->pdev, port->link_control, true);
	}
	if (instinct_endpoint_answers(gpu))
		l1_set(gpu, containment->link_control, true);
}
