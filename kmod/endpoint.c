// SPDX-License-Identifier: GPL-2.0-only
#include <linux/delay.h>
#include <linux/pci.h>

#include "device.h"
#include "endpoint.h"

/**
 * instinct_endpoint_answers() - does the function answer config reads?
 * @pdev: function
 *
 * A function answers only with its own IDs. All ones means that none answers; 0x0001 in
 * the Vendor ID is what a root port with RRS software visibility returns for a function
 * that is not ready yet (PCIe r6.0 sec 2.3.2); and a switch may answer with a placeholder.
 *
 * Return: true if the function is there and ready.
 */
bool instinct_endpoint_answers(struct pci_dev *pdev)
{
	u32 id;

	pci_read_config_dword(pdev, PCI_VENDOR_ID, &id);
	return id == (pdev->device << 16 | pdev->vendor);
}

/**
 * instinct_endpoint_thaw() - an error that froze a function is over
 * @pdev: function that was reset, and is back
 *
 * Where the PCI core has reset the slot it says so itself. Where it has given up, who asks
 * pci_channel_offline() would be told so until the function is enumerated anew.
 */
void instinct_endpoint_thaw(struct pci_dev *pdev)
{
	cmpxchg(&pdev->error_state, pci_channel_io_frozen, pci_channel_io_normal);
}

/**
 * instinct_endpoint_quiesce() - stop DMA
 * @pdev: function that answers
 *
 * Context: may sleep, about a second and a half if transactions do not drain.
 */
void instinct_endpoint_quiesce(struct pci_dev *pdev)
{
	pci_clear_master(pdev);
	if (!pci_wait_for_pending_transaction(pdev))
		pci_warn(pdev, "transactions still pending, resetting anyway\n");
}

#define D0_MS	10	/* from D3hot: PCIe r6.0 sec 5.9 */

/**
 * instinct_power_wake() - bring a device to D0 that is within reach
 * @dev: device
 *
 * Context: may sleep. Not under reset_lock: the PCI core takes pci_bus_sem for this, which
 * it holds when it resumes devices to recover from an error; vfio's take memory_lock then,
 * and who holds that may wait for a reset.
 */
void instinct_power_wake(struct instinct_device *dev)
{
	struct pci_dev *pdev = dev->pdev;

	lockdep_assert_not_held(&dev->reset_lock);
	if (pdev->current_state != PCI_D0 && instinct_fabric_intact(&dev->fabric) &&
	    instinct_endpoint_answers(pdev))
		pci_set_power_state(pdev, PCI_D0);
}

/**
 * instinct_power_restore() - bring a device to D0 that has come back into reach
 * @pdev: function
 *
 * By its register: the PCI core would take pci_bus_sem, which who recovers from an error
 * holds already. It may have been put to sleep before it was lost; or its slot was reset,
 * which leaves D0, whatever the core could not reach before.
 *
 * Context: may sleep, some ms; may be under reset_lock.
 */
void instinct_power_restore(struct pci_dev *pdev)
{
	int at = pdev->pm_cap + PCI_PM_CTRL;
	u16 control;

	if (pdev->current_state == PCI_D0 || !pdev->pm_cap ||
	    pci_read_config_word(pdev, at, &control))
		return;
	if (control & PCI_PM_CTRL_STATE_MASK) {
		pci_write_config_word(pdev, at, control & ~PCI_PM_CTRL_STATE_MASK);
		msleep(D0_MS);
		if (pci_read_config_word(pdev, at, &control))
			return;
	}
	if ((control & PCI_PM_CTRL_STATE_MASK) == (__force int)PCI_D0)
		pdev->current_state = PCI_D0;
}
