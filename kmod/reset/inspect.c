// SPDX-License-Identifier: GPL-2.0-only
#include <linux/delay.h>

#include "reset/attempt.h"
#include "reset/reset.h"

/* Converts an enum instinct_vfio_partition to the number in NPS1 to NPS8; 0 if it is unknown. */
#define NPS(_partition)	((1u << (_partition)) >> 1)

#define D0_MS	10	/* from D3hot: PCIe r6.0 sec 5.9 */

/**
 * instinct_power_wake() - bring a device to D0 if it answers
 * @dev: device
 *
 * A device that loses its config space on the way to D0 gets its baseline and its user's values.
 *
 * Context: may sleep; takes reset_lock, but not before it is in D0: the PCI core takes pci_bus_sem
 * here. It also holds pci_bus_sem when it resumes devices after an error; VFIO's devices then take
 * memory_lock, and a holder of memory_lock may wait for a reset.
 */
void instinct_power_wake(struct instinct_device *dev)
{
	struct pci_dev *pdev = dev->pdev;
	u16 control;

	lockdep_assert_not_held(&dev->reset_lock);
	if (pdev->current_state == PCI_D0 || !instinct_path_intact(&dev->path) ||
	    !instinct_endpoint_answers(pdev))
		return;
	pci_set_power_state(pdev, PCI_D0);
	pci_read_config_word(pdev, pdev->pm_cap + PCI_PM_CTRL, &control);
	if (control & PCI_PM_CTRL_NO_SOFT_RESET || !dev->config.baseline)
		return;
	/* The device has lost its config space on the way, of which the PCI core restores BARs. */
	mutex_lock(&dev->reset_lock);
	instinct_config_restore(&dev->config, dev->config.baseline, true);
	instinct_config_push(&dev->config, INSTINCT_CONFIG_ALL);
	mutex_unlock(&dev->reset_lock);
}

/**
 * instinct_power_restore() - bring a device to D0 that answers again
 * @pdev: function
 *
 * The function writes the register itself: the PCI core would take pci_bus_sem, which a task that
 * recovers from an error holds already. The device may have been put to sleep before it was lost.
 * Or its slot was reset, which puts it into D0 while the PCI core believes otherwise.
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

/**
 * instinct_inspect_mailbox() - find the SMU's mailbox, and test it
 * @dev: device
 * @by_policy: byte offset of the mailbox in the register BAR by policy, or 0
 * @whole: the device is in order, as far as the module knows
 *
 * Without an offset by policy, the IP discovery table says where the mailbox is; the module reads
 * the table once. It tests each place once, when the driver takes the device or when policy names
 * another place, but not before the device is @whole.
 *
 * Context: may sleep, up to two seconds if the SMU is silent; under @dev->reset_lock.
 *
 * Return: NULL if the mailbox is known, else the reason, for the user.
 */
const char *instinct_inspect_mailbox(struct instinct_device *dev, u32 by_policy, bool whole)
{
	struct instinct_mailbox *mailbox = &dev->mailbox;
	u32 base = by_policy ? by_policy / 4 : mailbox->table.mp1;
	const char *why = NULL;
	u16 command;
	int ret;

	lockdep_assert_held(&dev->reset_lock);
	/* The table lies in memory that a user can write. */
	if (!base && READ_ONCE(dev->status.scrub.used))
		return "its IP discovery table could be its last user's (policy: mailbox)";
	if (base && base == mailbox->tested) {
		mailbox->base = base;
		return mailbox->denied;
	}
	command = instinct_registers_open(&dev->regs);
	if (!instinct_registers_alive(&dev->regs))
		why = base ? NULL : "the device shows no sign of life";
	else if (!base && !instinct_mailbox_find(mailbox, &why))
		base = mailbox->table.mp1;
	mailbox->base = base;
	mailbox->tested = 0;
	WRITE_ONCE(mailbox->denied, NULL);
	if (whole && base && !why && !dev->profile->family->no_mode1) {
		ret = instinct_mailbox_test(mailbox, &why);
		/* Registers that read all ones say nothing of the mailbox. */
		mailbox->tested = ret == -ENXIO ? 0 : base;
		if (ret)
			pci_warn(dev->pdev, "the SMU's mailbox does not pass a test message: %s\n", why);
		why = ret == -EPROTO ? why : NULL;
		WRITE_ONCE(mailbox->denied, why);
	}
	instinct_registers_close(&dev->regs, command);
	return why;
}

/**
 * instinct_inspect_note() - remember the contents of a GPU's registers
 * @dev: device, which answered a moment ago
 * @seen: contents of the registers; the function adds the subsystem IDs and earlier values
 *
 * A tenant can change partitions and firmware, and no reset undoes that, so an event reports such a
 * change. Between a reset and a driver some registers may be empty; their earlier values count.
 *
 * Context: may sleep; under @dev->reset_lock.
 */
void instinct_inspect_note(struct instinct_device *dev, struct instinct_seen *seen)
{
	struct instinct_seen was = dev->status.seen;
	char text[INSTINCT_REASON_BYTES];

	lockdep_assert_held(&dev->reset_lock);
	pci_read_config_dword(dev->pdev, PCI_SUBSYSTEM_VENDOR_ID, &seen->subsystem);
	if (!instinct_endpoint_answers(dev->pdev))
		seen->subsystem = was.subsystem;
	if (!seen->hive_nodes) {
		seen->hive_nodes = was.hive_nodes;
		seen->hive_node = was.hive_node;
	} else if (seen->hive_nodes != was.hive_nodes) {
		pci_info(dev->pdev, "node %u of the %u of its hive, by its hardware\n",
			 seen->hive_node, seen->hive_nodes);
	}
	seen->partition = seen->partition ?: was.partition;
	seen->compute = seen->compute ?: was.compute;
	seen->fingerprint = seen->fingerprint ?: was.fingerprint;
	spin_lock(&dev->status_lock);
	dev->status.seen = *seen;
	spin_unlock(&dev->status_lock);
	if ((was.partition && seen->partition != was.partition) ||
	    (was.compute && seen->compute != was.compute) ||
	    (seen->partition_next && !was.partition_next)) {
		snprintf(text, sizeof(text), "memory NPS%u%s, compute mode %u; before NPS%u, %u",
			 NPS(seen->partition),
			 seen->partition_next ? " (another is requested)" : "",
			 seen->compute - INSTINCT_VFIO_COMPUTE_SPX,
			 NPS(was.partition), was.compute - INSTINCT_VFIO_COMPUTE_SPX);
		pci_warn(dev->pdev, "partitioned in another way: %s\n", text);
		instinct_device_tell(dev, INSTINCT_VFIO_EVENT_PARTITION_CHANGED, text);
	}
	if ((was.fingerprint && seen->fingerprint != was.fingerprint) ||
	    (was.subsystem && seen->subsystem != was.subsystem)) {
		snprintf(text, sizeof(text), "IP discovery table %08x, subsystem %08x; before %08x, %08x",
			 seen->fingerprint, seen->subsystem, was.fingerprint, was.subsystem);
		pci_warn(dev->pdev, "another firmware than before: %s\n", text);
		instinct_device_tell(dev, INSTINCT_VFIO_EVENT_FIRMWARE_CHANGED, text);
	}
}

/**
 * instinct_inspect_device() - inspect a device that the driver has just taken
 * @dev: device, not registered yet
 *
 * The function keeps the config state that a reset will need while the device is known good. It
 * finds the mailbox before any tenant can write to the table with the mailbox's place. A device
 * that does not answer becomes lost.
 *
 * Context: may sleep; under the device lock.
 */
void instinct_inspect_device(struct instinct_device *dev)
{
	struct instinct_seen seen;
	const char *why;
	bool intact;
	u16 command;

	instinct_power_wake(dev);
	mutex_lock(&dev->reset_lock);
	if (!instinct_path_intact(&dev->path) || !instinct_endpoint_answers(dev->pdev)) {
		why = instinct_path_stand_in(&dev->path, dev->pdev, dev->attempt_why);
		instinct_device_set_state(dev, INSTINCT_VFIO_STATE_LOST,
					  why ?: "it was lost before this driver took it");
		goto out;
	}
	instinct_path_keep(&dev->path);
	/* Before a kexec an earlier kernel may have left the GPU's DMA on. */
	pci_clear_master(dev->pdev);
	/* Without a baseline, a reset writes the values back that Linux believes. */
	intact = instinct_config_intact(&dev->config);
	if (intact)
		instinct_config_set_base(&dev->config);

	if (!intact)
		instinct_device_set_state(dev, INSTINCT_VFIO_STATE_LOST,
					  "its BARs do not hold the addresses that Linux gave them");
	else if (!instinct_attempt_alive(dev))
		instinct_device_set_state(dev, INSTINCT_VFIO_STATE_LOST,
					  "it answers config reads, but its registers show no life");
	else if (dev->status.state == INSTINCT_VFIO_STATE_LOST)
		instinct_device_set_state(dev, INSTINCT_VFIO_STATE_READY, "");
	if (dev->status.state != INSTINCT_VFIO_STATE_LOST) {
		instinct_device_identify(dev);
		dev->fatal = instinct_endpoint_erred(dev->pdev);
		why = instinct_inspect_mailbox(dev, 0, !dev->fatal);
		if (why)
			pci_warn(dev->pdev, "mode-1 reset not available: %s\n", why);
		command = instinct_registers_open(&dev->regs);
		instinct_mailbox_look(&dev->mailbox, &seen);
		instinct_registers_close(&dev->regs, command);
		/* The GPU may be in another hive by now. */
		dev->status.seen.hive_nodes = 0;
		instinct_inspect_note(dev, &seen);
	}
out:
	mutex_unlock(&dev->reset_lock);
}
