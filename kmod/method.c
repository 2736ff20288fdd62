// SPDX-License-Identifier: GPL-2.0-only
#include <linux/delay.h>
#include <linux/iopoll.h>

#include "guard.h"
#include "mailbox.h"
#include "method.h"

/* PCIe r6.0 sec 6.6.2: no request for 100 ms after an FLR begins. */
#define FLR_SETTLE_MS		100
/* PCIe r6.0 sec 7.5.1.3.13: Secondary Bus Reset held for at least 1 ms. */
#define SBR_HOLD_MS		2
/* PCIe r6.0 sec 6.6.1: link up within 1 s, then 100 ms before a request. */
#define LINK_UP_MS		1000
#define LINK_POLL_US		1000
#define LINK_SETTLE_MS		100
/* amdgpu leaves the device alone as long after the SMU's answer, GIM after the message. */
#define MODE1_REACT_MS		500
#define MODE1_POLL_US		500

/* Not what a function resets to, which is 0. */
#define MARK			0x5a
/* How long a write to Bridge Control may take, and when it is repeated. */
#define SBR_LAND_MS		2000
#define SBR_AGAIN_MS		50

/*
 * Config space gone or at its defaults, registers blocked, or an error. That the SMU has
 * taken the message is none: it says so before it resets (amdgpu, smu_v13_0_6_ppt.c).
 */
static bool mode1_reacted(struct instinct_device *dev)
{
	u16 command;

	pci_read_config_word(dev->pdev, PCI_COMMAND, &command);
	return command == 0xffff || !(command & PCI_COMMAND_MEMORY) ||
	       instinct_mailbox_reacted(&dev->mailbox);
}

/*
 * Nothing is written to the config space before the SMU has taken the message:
 * it could come between the message and the reset.
 */
static void trigger_mode1(struct instinct_device *dev)
{
	bool reacted;

	instinct_registers_open(&dev->regs);
	instinct_mailbox_mode1(&dev->mailbox);
	read_poll_timeout(mode1_reacted, reacted, reacted, MODE1_POLL_US,
			  MODE1_REACT_MS * USEC_PER_MSEC, false, dev);
}

static void trigger_flr(struct instinct_device *dev)
{
	instinct_guard_pass_flr(dev->guard, true);
	pcie_capability_set_word(dev->pdev, PCI_EXP_DEVCTL,
				 PCI_EXP_DEVCTL_BCR_FLR);
	instinct_guard_pass_flr(dev->guard, false);
	msleep(FLR_SETTLE_MS);
}

/* Link Status; all ones if the port has lost its own way with the package. */
static u16 link_status(struct pci_dev *port)
{
	u16 status;

	pcie_capability_read_word(port, PCI_EXP_LNKSTA, &status);
	return status;
}

/*
 * Until it reads back, or the port itself has gone with what it resets, which its Bridge
 * Control does not tell: the guard has that answered as it was. The guard does not see to
 * the write: it would begin the reset anew.
 */
static void write_control(struct pci_dev *port, u16 control)
{
	u16 now, command;
	unsigned int ms;

	for (ms = 0; ms < SBR_LAND_MS; ms++) {
		if (!(ms % SBR_AGAIN_MS))
			pci_write_config_word(port, PCI_BRIDGE_CONTROL, control);
		pci_read_config_word(port, PCI_BRIDGE_CONTROL, &now);
		pci_read_config_word(port, PCI_COMMAND, &command);
		if (command == 0xffff ||
		    !((now ^ control) & PCI_BRIDGE_CTL_BUS_RESET))
			return;
		usleep_range(1000, 1200);
	}
}

/*
 * Not pci_bridge_secondary_bus_reset(): it waits up to a minute for the
 * function below, which cannot answer before the path is restored.
 */
static int trigger_bus(struct pci_dev *port, const char **why)
{
	u32 capabilities;
	u16 control, status;

	if (!port) {
		*why = "no port above the GPU's package";
		return -EOPNOTSUPP;
	}
	pci_read_config_word(port, PCI_BRIDGE_CONTROL, &control);
	write_control(port, control | PCI_BRIDGE_CTL_BUS_RESET);
	msleep(SBR_HOLD_MS);
	write_control(port, control & ~PCI_BRIDGE_CTL_BUS_RESET);

	pcie_capability_read_dword(port, PCI_EXP_LNKCAP, &capabilities);
	if (capabilities & PCI_EXP_LNKCAP_DLLLARC &&
	    read_poll_timeout(link_status, status, status & PCI_EXP_LNKSTA_DLLLA,
			      LINK_POLL_US, LINK_UP_MS * USEC_PER_MSEC, false,
			      port))
		pci_warn(port, "link still down %u ms after the bus reset\n",
			 LINK_UP_MS);
	msleep(LINK_SETTLE_MS);
	return 0;
}

/**
 * instinct_method_prepare() - all that can be done before the hardware resets
 * @dev: quiesced, answering
 * @method: not AUTO, and not refused by instinct_plan_refusal()
 * @why: set to the reason, for people, on failure
 *
 * Context: may sleep; under @dev->reset_lock.
 *
 * Return: 0, or a negative errno: the method does not work on this device now.
 */
int instinct_method_prepare(struct instinct_device *dev,
			    enum instinct_vfio_method method, const char **why)
{
	u16 command;
	int ret;

	if (method != INSTINCT_VFIO_METHOD_MODE1)
		return 0;
	command = instinct_registers_open(&dev->regs);
	ret = instinct_mailbox_test(&dev->mailbox, why);
	instinct_registers_close(&dev->regs, command);
	return ret;
}

/**
 * instinct_method_arm() - the last before the trigger
 * @dev: prepared
 * @method: not AUTO, and not refused by instinct_plan_refusal()
 * @mark: set if the method needs it
 *
 * An SMU answers whether it has reset the device. An FLR or a secondary bus
 * reset does not, so a mark is left in the function: its Cache Line Size, which
 * PCI Express has no use for.
 *
 * Context: may sleep; under @dev->reset_lock. What is written has to land before
 * the trigger.
 */
void instinct_method_arm(struct instinct_device *dev,
			 enum instinct_vfio_method method,
			 struct instinct_mark *mark)
{
	u8 was, now;

	mark->set = false;
	if (method == INSTINCT_VFIO_METHOD_MODE1)
		instinct_registers_open(&dev->regs);
	if (method != INSTINCT_VFIO_METHOD_FLR &&
	    method != INSTINCT_VFIO_METHOD_BUS)
		return;
	pci_read_config_byte(dev->pdev, PCI_CACHE_LINE_SIZE, &was);
	mark->val = was == MARK ? (u8)~MARK : MARK;
	pci_write_config_byte(dev->pdev, PCI_CACHE_LINE_SIZE, mark->val);
	pci_read_config_byte(dev->pdev, PCI_CACHE_LINE_SIZE, &now);
	mark->set = now == mark->val;
}

/**
 * instinct_method_marked() - does a device hold the mark still?
 * @dev: answers config reads
 * @mark: of instinct_method_arm(); no longer @set if not
 *
 * Context: under @dev->reset_lock; its config space was not written back yet.
 *
 * Return: true if so: it was not reset since.
 */
bool instinct_method_marked(struct instinct_device *dev,
			    struct instinct_mark *mark)
{
	u8 now;

	if (!mark->set)
		return false;
	pci_read_config_byte(dev->pdev, PCI_CACHE_LINE_SIZE, &now);
	mark->set = now == mark->val;
	return mark->set;
}

/**
 * instinct_method_trigger() - tell the hardware to reset
 * @dev: as instinct_method_prepare() left it, its config state kept
 * @method: not AUTO, and not refused by instinct_plan_refusal()
 * @where: port for method "bus"
 * @why: set to the reason, for people, on failure
 *
 * Context: may sleep; under @dev->reset_lock.
 *
 * Return: 0, after which the device is in reset; a negative errno if the
 * hardware was not told to reset.
 */
int instinct_method_trigger(struct instinct_device *dev,
			    enum instinct_vfio_method method,
			    enum instinct_vfio_bus_port where, const char **why)
{
	switch (method) {
	case INSTINCT_VFIO_METHOD_MODE1:
		trigger_mode1(dev);
		return 0;
	case INSTINCT_VFIO_METHOD_FLR:
		trigger_flr(dev);
		return 0;
	case INSTINCT_VFIO_METHOD_BUS:
		return trigger_bus(instinct_fabric_bus_port(&dev->fabric, where),
				   why);
	case INSTINCT_VFIO_METHOD_QUIESCE:
		return 0;
	default:
		*why = "unknown method";
		return -EINVAL;
	}
}

/**
 * instinct_method_done() - has the device come back from a reset?
 * @dev: answers config reads, its config space written back, registers open
 * @method: with which it was reset
 * @why: set to the reason, for people, on failure
 *
 * Context: under @dev->reset_lock.
 *
 * Return: 1 if it shows life, 0 if not yet, a negative errno if the hardware
 * says that it did not reset.
 */
int instinct_method_done(struct instinct_device *dev,
			 enum instinct_vfio_method method, const char **why)
{
	if (!instinct_registers_alive(&dev->regs))
		return 0;
	if (method == INSTINCT_VFIO_METHOD_MODE1)
		return instinct_mailbox_mode1_done(&dev->mailbox, why);
	return 1;
}
