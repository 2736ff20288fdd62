// SPDX-License-Identifier: GPL-2.0-only
#include <linux/io.h>
#include <linux/pm_runtime.h>
#include <linux/vfio_pci_core.h>

#include "device.h"
#include "guard.h"
#include "thermometer.h"

/* By policy it was refused before; but the table may have told of another one since. */
static bool is_mailbox(struct instinct_device *dev,
		       const struct instinct_thermal_register *reg)
{
	const struct instinct_family *family = dev->profile->family;
	u32 used = READ_ONCE(dev->mailbox.base) * 4;
	u32 discovered = READ_ONCE(dev->mailbox.discovered) * 4;

	return reg->bar == family->register_bar &&
	       ((used && instinct_policy_is_mailbox(family, used, reg->offset)) ||
		(discovered && instinct_policy_is_mailbox(family, discovered, reg->offset)));
}

/**
 * instinct_thermometer_fits() - has a function a register?
 * @pdev: function, whoever drives it
 * @reg: register, by instinct_policy_check()
 * @why: set to the reason, for people, if it has not
 *
 * Return: 0 or -ERANGE.
 */
int instinct_thermometer_fits(struct pci_dev *pdev,
			      const struct instinct_thermal_register *reg,
			      const char **why)
{
	unsigned long flags = pci_resource_flags(pdev, reg->bar);

	if ((flags & IORESOURCE_MEM) && !(flags & IORESOURCE_UNSET) &&
	    pci_resource_start(pdev, reg->bar) &&
	    reg->offset + 4ull <= pci_resource_len(pdev, reg->bar))
		return 0;
	*why = "a temperature's register must be inside a memory BAR of the device";
	return -ERANGE;
}

/**
 * instinct_thermometer_map() - map a register
 * @dev: device
 * @reg: register, by instinct_policy_check()
 * @map: set
 * @why: set to the reason, for people, on failure
 *
 * Context: may sleep.
 *
 * Return: 0, -ERANGE for one that is not in the BAR or is one of the SMU's mailbox,
 * -ENOMEM.
 */
int instinct_thermometer_map(struct instinct_device *dev,
			     const struct instinct_thermal_register *reg,
			     void __iomem **map, const char **why)
{
	int ret = instinct_thermometer_fits(dev->pdev, reg, why);

	if (ret)
		return ret;
	if (is_mailbox(dev, reg)) {
		*why = "a temperature's register must not be one of the SMU's mailbox, which the guest's driver uses";
		return -ERANGE;
	}
	*map = ioremap(pci_resource_start(dev->pdev, reg->bar) + reg->offset, 4);
	if (!*map) {
		*why = "no memory to map a temperature's register";
		return -ENOMEM;
	}
	return 0;
}

/* With vfio's memory_lock, so that no user turns decoding off meanwhile. */
static bool decodes(struct instinct_device *dev)
{
	struct pci_dev *pdev = dev->pdev;
	u16 command;

	if (pci_channel_offline(pdev) || pdev->current_state != PCI_D0 ||
	    !instinct_guard_is_settled(dev->guard))
		return false;
	pci_read_config_word(pdev, PCI_COMMAND, &command);
	return command != U16_MAX && (command & PCI_COMMAND_MEMORY);
}

static bool read_locked(struct instinct_device *dev,
			const struct instinct_thermal_register *reg,
			void __iomem *map, u32 *read)
{
	struct vfio_pci_core_device *core =
		container_of(dev->vdev, struct vfio_pci_core_device, vdev);
	bool done;

	if (!down_read_trylock(&core->memory_lock))
		return false;
	done = READ_ONCE(dev->status.state) == INSTINCT_VFIO_STATE_READY &&
	       !is_mailbox(dev, reg) && decodes(dev);
	if (done)
		*read = readl(map);
	up_read(&core->memory_lock);
	return done;
}

/**
 * instinct_thermometer_read() - read a register beside a guest
 * @dev: device
 * @reg: register
 * @map: of it
 * @read: set
 *
 * Only while somebody uses the device (its runtime PM says so), it is ready, no
 * reset is under way, no error is being recovered from, and memory decoding is on:
 * the read of a device that is gone can cost milliseconds or a machine check. Never
 * waits for any of these.
 *
 * Context: may sleep; from a freezable work item, so not while the system sleeps.
 *
 * Return: false if it was not: nobody uses the device, it is not ready or does not
 * decode memory, or something else goes on that this does not wait for.
 */
bool instinct_thermometer_read(struct instinct_device *dev,
			       const struct instinct_thermal_register *reg,
			       void __iomem *map, u32 *read)
{
	int active = pm_runtime_get_if_in_use(&dev->pdev->dev);
	bool done = false;

	if (!active)
		return false;
	if (mutex_trylock(&dev->reset_lock)) {
		done = read_locked(dev, reg, map, read);
		mutex_unlock(&dev->reset_lock);
	}
	/* Negative without runtime PM: it never sleeps then, and nothing is owed. */
	if (active > 0)
		pm_runtime_put(&dev->pdev->dev);
	return done;
}
