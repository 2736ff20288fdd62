// SPDX-License-Identifier: GPL-2.0-only
#include <linux/delay.h>
#include <linux/pm_runtime.h>

#include "endpoint.h"
#include "fabric.h"
#include "guard.h"
#include "power.h"

#define D0_MS	10	/* from D3hot: PCIe r6.0 sec 5.9 */

/**
 * instinct_power_get() - a reference of runtime PM to a device that nobody has open
 * @dev: device; what Linux writes to it for that is no touch
 *
 * Context: may sleep; see instinct_guard_own_begin().
 */
void instinct_power_get(struct instinct_device *dev)
{
	instinct_guard_own_begin(dev->guard);
	pm_runtime_get_sync(&dev->pdev->dev);
	instinct_guard_own_end(dev->guard);
}

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
