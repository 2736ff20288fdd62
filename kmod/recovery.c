// SPDX-License-Identifier: GPL-2.0-only
#include <linux/jiffies.h>
#include <linux/pci.h>
#include <linux/pm_runtime.h>

#include "claim.h"
#include "compat/workqueue.h"
#include "device.h"
#include "errand.h"
#include "recovery.h"
#include "reset.h"

/* By then the PCI core has reset the slot, or given up. */
#define RECOVERY_LATER_MS	3000

/**
 * instinct_recovery_begin() - the PCI core begins to recover from an error
 * @dev: device
 *
 * The core cannot reset the slot itself, since this driver does not let it
 * reset the package behind the engine's back, so it may give up without
 * another call: the engine then looks after the device by itself.
 *
 * Context: may sleep; the device lock is held.
 */
void instinct_recovery_begin(struct instinct_device *dev)
{
	instinct_device_touch(dev, INSTINCT_TOUCHED_DIRTY);
	instinct_recovery_again(dev);
}

/**
 * instinct_recovery_again() - look after a device later, since now it cannot be
 * @dev: device
 *
 * Context: any in which dev->recovery is not being cancelled for good.
 */
void instinct_recovery_again(struct instinct_device *dev)
{
	mod_delayed_work(system_dfl_wq, &dev->recovery,
			 msecs_to_jiffies(RECOVERY_LATER_MS));
}

/**
 * instinct_recovery_run() - reset the device after its slot was reset
 * @dev: device
 *
 * Context: may sleep; the device lock is held.
 *
 * Return: 0, or a negative errno: the device is lost, or, -EBUSY, seen to later.
 */
int instinct_recovery_run(struct instinct_device *dev)
{
	struct instinct_reset reset = { .cause = INSTINCT_VFIO_CAUSE_RECOVERY };
	int ret = instinct_claim_begin_core(dev);

	/* The PCI core's locks are held, for which who resets it now may wait. */
	ret = ret ?: instinct_claim_config(dev);
	if (ret)
		goto out;
	cancel_delayed_work(&dev->recovery);
	pm_runtime_get_sync(&dev->pdev->dev);
	ret = instinct_reset_run(dev, &reset);
	pci_cfg_access_unlock(dev->pdev);
	pm_runtime_put(&dev->pdev->dev);
out:
	instinct_claim_end_core(dev);
	return ret;
}

/* A device that its user holds is reset by the way that zaps his mappings. */
static void recovery_look(struct work_struct *work)
{
	struct instinct_device *dev = container_of(to_delayed_work(work),
						   struct instinct_device,
						   recovery);
	struct instinct_status status;

	instinct_device_status(dev, &status);
	if (instinct_claim_free(dev) ||
	    instinct_claim_held(dev, status.owner))
		instinct_errand_start(dev, INSTINCT_VFIO_CAUSE_RECOVERY, NULL,
				      NULL, NULL);
	else if (!status.gone && !status.leaving)
		instinct_recovery_again(dev);
}

/**
 * instinct_recovery_setup() - prepare a device for error recovery
 * @dev: device, new
 */
void instinct_recovery_setup(struct instinct_device *dev)
{
	INIT_DELAYED_WORK(&dev->recovery, recovery_look);
}
