// SPDX-License-Identifier: GPL-2.0-only
#include <linux/delay.h>
#include <linux/iopoll.h>
#include <linux/ktime.h>

#include "reset/attempt.h"

/* PCIe r6.0 sec 6.6.2: software sends no request for 100 ms after an FLR begins. */
#define FLR_SETTLE_MS		100
/* PCIe r6.0 sec 7.5.1.3.13: software holds Secondary Bus Reset for at least 1 ms. */
#define SBR_HOLD_MS		2
/* PCIe r6.0 sec 6.6.1: the link is up within 1 s; software waits 100 ms more before a request. */
#define LINK_UP_MS		1000
#define LINK_POLL_US		1000
#define LINK_SETTLE_MS		100
/* amdgpu_device_mode1_reset() and smu_v13_0_6_mode1_reset() leave the device alone for so long. */
#define MODE1_REACT_MS		500
#define MODE1_POLL_US		500

/* A write to Bridge Control has to read back in the first time; the second separates repeats. */
#define SBR_VERIFY_MS		2000
#define SBR_AGAIN_MS		50

/*
 * Has the function stopped answering, does it answer as after a reset, or has the SMU refused? An
 * SMU that has accepted the message is no reaction, since it says so before it resets (amdgpu,
 * smu_v13_0_6_ppt.c).
 */
static bool mode1_reacted(struct instinct_device *dev)
{
	u16 command;

	if (instinct_endpoint_answers(dev->pdev)) {
		pci_read_config_word(dev->pdev, PCI_COMMAND, &command);
		if (command & PCI_COMMAND_MEMORY)
			return instinct_mailbox_refused(&dev->mailbox);
	}
	dev->mailbox.gone = true;
	return true;
}

/*
 * This lock serializes the messages that tell SMUs to reset: like AMD's GIM and tinygrad, the
 * module tells the members of a hive one after the other. It is taken after reset_lock; innermost.
 */
static DEFINE_MUTEX(post_lock);

/*
 * The module writes nothing to the config space for half a second, unless the function has reacted
 * earlier: a write could otherwise come between the message and the reset.
 */
static int trigger_mode1(struct instinct_attempt *attempt)
{
	struct instinct_device *dev = attempt->dev;
	bool reacted;

	mutex_lock(&post_lock);
	instinct_mailbox_mode1(&dev->mailbox, dev->fatal);
	mutex_unlock(&post_lock);
	attempt->posted = ktime_get_ns();
	read_poll_timeout(mode1_reacted, reacted, reacted, MODE1_POLL_US,
			  MODE1_REACT_MS * USEC_PER_MSEC, false, dev);
	/* A refused message has reset nothing. */
	return reacted && !dev->mailbox.gone ?
	       min(instinct_mailbox_mode1_done(&dev->mailbox, 0, &attempt->why), 0) : 0;
}

/*
 * Repeats the write until it reads back. A package port that stops answering needs no wait: the
 * module restores all its registers once it answers. Any other port would hold its bus in reset.
 */
static void write_control(struct pci_dev *port, u16 control, bool package)
{
	unsigned int ms;
	u16 now;

	for (ms = 0; ms < SBR_VERIFY_MS; ms++) {
		if (instinct_endpoint_answers(port)) {
			if (!(ms % SBR_AGAIN_MS))
				pci_write_config_word(port, PCI_BRIDGE_CONTROL, control);
			pci_read_config_word(port, PCI_BRIDGE_CONTROL, &now);
			if (!((now ^ control) & PCI_BRIDGE_CTL_BUS_RESET))
				return;
		} else if (package) {
			return;
		}
		usleep_range(1000, 1200);
	}
}

/*
 * pci_bridge_secondary_bus_reset() would wait up to a minute for the function below, which cannot
 * answer before the module has restored the path.
 */
static int trigger_bus(const struct instinct_path *path, enum instinct_vfio_bus_port where,
		       const char **why)
{
	bool package = where == INSTINCT_VFIO_BUS_PORT_SWDS;
	struct pci_dev *port = package ? path->swds->pdev :
			       path->count > 2 ? path->port[2].pdev : NULL;
	u32 capabilities;
	u16 control, status;
	int ret;

	if (!port || !instinct_endpoint_answers(port)) {
		*why = port ? "the port above does not answer" : "no port above the GPU's package";
		return port ? -EIO : -EOPNOTSUPP;
	}
	pci_read_config_word(port, PCI_BRIDGE_CONTROL, &control);
	write_control(port, control | PCI_BRIDGE_CTL_BUS_RESET, package);
	msleep(SBR_HOLD_MS);
	write_control(port, control & ~PCI_BRIDGE_CTL_BUS_RESET, package);

	/* Link Status reads all ones, and ends the wait, if the port went with the package. */
	pcie_capability_read_dword(port, PCI_EXP_LNKCAP, &capabilities);
	if (capabilities & PCI_EXP_LNKCAP_DLLLARC &&
	    read_poll_timeout(pcie_capability_read_word, ret,
			      !ret && status & PCI_EXP_LNKSTA_DLLLA, LINK_POLL_US,
			      LINK_UP_MS * USEC_PER_MSEC, false, port, PCI_EXP_LNKSTA, &status))
		pci_warn(port, "link still down %u ms after the bus reset\n", LINK_UP_MS);
	msleep(LINK_SETTLE_MS);
	return 0;
}

/**
 * instinct_trigger_pull() - tell the hardware to reset by the attempt's method
 * @attempt: attempt, whose device answers and is quiesced
 *
 * Context: may sleep, up to some seconds; under the device's reset_lock.
 *
 * Return: 0, or a negative errno with @attempt->why set.
 */
int instinct_trigger_pull(struct instinct_attempt *attempt)
{
	struct instinct_device *dev = attempt->dev;

	lockdep_assert_held(&dev->reset_lock);
	instinct_reconcile_forget(dev);
	switch (attempt->method) {
	case INSTINCT_VFIO_METHOD_MODE1:
		return trigger_mode1(attempt);
	case INSTINCT_VFIO_METHOD_BUS:
		return trigger_bus(&dev->path, attempt->policy->bus_port, &attempt->why);
	case INSTINCT_VFIO_METHOD_FLR:
		pcie_capability_set_word(dev->pdev, PCI_EXP_DEVCTL, PCI_EXP_DEVCTL_BCR_FLR);
		msleep(FLR_SETTLE_MS);
		return 0;
	default:
		return 0;
	}
}
