// SPDX-License-Identifier: GPL-2.0-only
#include <linux/delay.h>
#include <linux/iopoll.h>
#include <linux/ktime.h>
#include <linux/pci.h>

#include "compat/iommu.h"
#include "reset/reset.h"

/* The pauses between looks at a device that answers grow by this share of the time that has passed. */
#define POLL_MIN_US	1000
#define POLL_MAX_US	20000
#define POLL_SHARE	200
/*
 * A look at a device that may not answer can end as an error at a port, and the firmware may own
 * that port's errors. So these looks are few; they notice an answer about 2 % late.
 */
#define LOOK_MIN_US	20000
#define LOOK_SHARE	50
#define LOOK_SLICE_US	100000
#define ANSWERS_WITHIN	(500 * NSEC_PER_MSEC)
#define PROGRESS_FIRST	(1500 * NSEC_PER_MSEC)
#define PROGRESS_EVERY	(5 * NSEC_PER_SEC)
#define REWRITE_AFTER	(100 * NSEC_PER_MSEC)
/* PCIe r6.0 sec 6.6.1: a link may take 1 s to come up by itself. */
#define RETRAIN_AFTER	(1 * NSEC_PER_SEC)
#define LINK_GONE	(10ull * NSEC_PER_SEC)

/* PCIe r6.0 sec 7.5.1.3.13: software holds Secondary Bus Reset for at least 1 ms. */
#define SBR_HOLD_MS		2
/* PCIe r6.0 sec 6.6.1: the link is up within 1 s; software waits 100 ms more before a request. */
#define LINK_UP_MS		1000
#define LINK_POLL_US		1000
#define LINK_SETTLE_MS		100
/* amdgpu_device_mode1_reset() and smu_v13_0_6_mode1_reset() leave the device alone for so long. */
#define SILENCE_MS		500

/* A write to Bridge Control has to read back in the first time; the second separates repeats. */
#define SBR_VERIFY_MS		2000
#define SBR_AGAIN_MS		50

/* A port above the package stops answering for at most this time, if at all. */
#define ANSWER_POLL_US	1000
#define ANSWER_WAIT_US	1000000

#define SLOT_CHANGES	(PCI_EXP_SLTSTA_DLLSC | PCI_EXP_SLTSTA_PDC)
/* DPC Trigger Enable selects fatal errors, or non-fatal errors too. */
#define DPC_TRIGGER	0x0003

enum quiet { QUIET_SLOT, QUIET_ERRORS, QUIET_L1, QUIETS };

/* Bits of the PCI Express capability that are off during a reset. */
static const struct {
	u16 where;
	u16 bits;
} quiets[QUIETS] = {
	[QUIET_SLOT] = { PCI_EXP_SLTCTL, PCI_EXP_SLTCTL_DLLSCE | PCI_EXP_SLTCTL_PDCE },
	[QUIET_ERRORS] = { PCI_EXP_DEVCTL, PCI_EXP_DEVCTL_CERE | PCI_EXP_DEVCTL_NFERE |
					   PCI_EXP_DEVCTL_FERE | PCI_EXP_DEVCTL_URRE },
	[QUIET_L1] = { PCI_EXP_LNKCTL, PCI_EXP_LNKCTL_ASPM_L1 },
};

/**
 * struct contained - the registers of a port before the reset, or of the GPU itself
 * @pdev: port, or the GPU, of which only the L1 is contained
 * @aer: offset of the AER capability, 0 if the port has none or the module must not write it
 * @dpc: offset of the DPC capability, 0 likewise
 * @slot: the port has a hot-plug slot whose registers the module may write
 * @off: bits of each enum quiet that the module has switched off
 * @slot_status: Slot Status
 * @dpc_control: DPC Control
 * @uncorrectable: AER Uncorrectable Error Status
 * @correctable: AER Correctable Error Status
 * @uncorrectable_mask: AER Uncorrectable Error Mask
 */
struct contained {
	struct pci_dev *pdev;
	u16 aer;
	u16 dpc;
	bool slot;
	u16 off[QUIETS];
	u16 slot_status;
	u16 dpc_control;
	u32 uncorrectable;
	u32 correctable;
	u32 uncorrectable_mask;
};

static void phase_end(struct instinct_attempt *attempt, enum instinct_vfio_phase phase)
{
	u64 now = ktime_get_ns();

	attempt->event.phase[phase] += now - attempt->phase_began + 1;
	attempt->phase_began = now;
}

/*
 * Restores a port of the package if it has to; true once the port holds its values. @other is set to
 * the IDs that read in place of the port's own, 0 if the port answers.
 */
static bool reach_port(struct instinct_device *dev, struct instinct_port *port, u32 *other)
{
	*other = port ? instinct_endpoint_other(port->pdev) : 0;
	if (!port || *other)
		return !port;
	if (!port->restored) {
		if (instinct_port_intact(port))
			return true;
		instinct_port_restore(port);
	}
	if (port->restored && instinct_reconcile_step(dev, &port->config, INSTINCT_CONFIG_ALL))
		port->restored = false;
	return !port->restored && instinct_port_intact(port);
}

/*
 * Takes a step to restore the path to a device, and stops at a port that does not answer or does not
 * hold its values yet, since functions below it would read as all ones. Returns false if the device
 * does not answer; @other is set to the IDs that read in place of a function's own, else to 0.
 */
static bool attempt_reach(struct instinct_device *dev, u32 *other)
{
	/* A request that meets a link which is down is an error at the port above. */
	*other = U32_MAX;
	if (!instinct_path_link_up(&dev->path) || !reach_port(dev, dev->path.swus, other) ||
	    !reach_port(dev, dev->path.swds, other))
		return false;
	*other = instinct_endpoint_other(dev->pdev);
	return !*other;
}

/*
 * Is it useless to wait for a device? It was pulled, or its link stays down: an operator's remove waits
 * for this reset, and all hot-plug of the host waits for that. Or the host goes down, and waits for the
 * lock of the device, which the requester of the reset may hold.
 */
static bool attempt_useless(struct instinct_device *dev, bool answers)
{
	u64 now = ktime_get_ns();

	if (answers || instinct_path_link_up(&dev->path))
		dev->link_up_at = now;
	return (!answers && READ_ONCE(dev->pdev->error_state) == pci_channel_io_perm_failure) ||
	       now - dev->link_up_at > LINK_GONE || system_state > SYSTEM_RUNNING;
}

/* Pauses before the next look at a device, @passed ns after the wait for it began. */
static void attempt_sleep(struct instinct_device *dev, u64 passed, bool answers)
{
	u64 us = div_u64(passed, (answers ? POLL_SHARE : LOOK_SHARE) * NSEC_PER_USEC);

	us = answers ? clamp_t(u64, us, POLL_MIN_US, POLL_MAX_US) : max_t(u64, us, LOOK_MIN_US);
	for (; us > LOOK_SLICE_US && !attempt_useless(dev, answers); us -= LOOK_SLICE_US)
		usleep_range(LOOK_SLICE_US, LOOK_SLICE_US + LOOK_SLICE_US / 8);
	usleep_range(us, us + us / 8);
}

/**
 * instinct_attempt_alive() - does a device answer, and do its registers show life?
 * @dev: device
 * @lately: age of an earlier look at the registers that is recent enough, ns; 0 to look anew. A look
 *	costs switching memory decoding on.
 *
 * Context: may sleep; under @dev->reset_lock.
 *
 * Return: true if both hold.
 */
bool instinct_attempt_alive(struct instinct_device *dev, u64 lately)
{
	bool alive;
	u16 command;
	u32 other;

	lockdep_assert_held(&dev->reset_lock);
	if (!attempt_reach(dev, &other))
		return false;
	if (ktime_get_ns() - dev->alive_at < lately)
		return true;
	command = instinct_registers_open(&dev->regs);
	alive = instinct_registers_alive(&dev->regs);
	instinct_registers_close(&dev->regs, command);
	if (alive)
		dev->alive_at = ktime_get_ns();
	return alive;
}

static void attempt_write_back(struct instinct_attempt *attempt)
{
	instinct_config_restore(&attempt->dev->config, attempt->keep,
				attempt->before.policy.config_verify == INSTINCT_VFIO_VERIFY_ON);
}

/* Says why a device does not count as back yet. */
static const char *attempt_missing(struct instinct_attempt *attempt, bool open)
{
	struct instinct_device *dev = attempt->dev;

	if (!open)
		return instinct_path_stand_in(&dev->path, dev->pdev, dev->attempt_why) ?:
		       instinct_path_intact(&dev->path) ? "its config space does not answer" :
							      "the path to it does not hold";
	if (dev->reconcile.config)
		return "its config space does not hold the written values";
	return attempt->method == INSTINCT_VFIO_METHOD_MODE1 ?
	       instinct_mailbox_missing(&dev->mailbox, dev->attempt_why) :
	       "its registers show no life";
}

static void attempt_progress(struct instinct_attempt *attempt, u64 passed, u64 *next, bool open)
{
	enum instinct_vfio_method method = attempt->method;
	bool ours = method != INSTINCT_VFIO_METHOD_AUTO;

	if (passed < *next)
		return;
	pci_info(attempt->dev->pdev, "not back %llu ms after %s%s: %s; waiting up to %llu ms\n",
		 div_u64(passed, NSEC_PER_MSEC), ours ? "reset by " : "an error",
		 ours ? instinct_name_method(method) : "", attempt_missing(attempt, open),
		 div_u64(attempt->limit, NSEC_PER_MSEC));
	*next = passed + PROGRESS_EVERY;
}

/* Has no reset cleared Command, in which attempt_prepare() has switched memory decoding on? */
static bool still_decodes(struct pci_dev *pdev)
{
	u16 command;

	pci_read_config_word(pdev, PCI_COMMAND, &command);
	return command != U16_MAX && command & PCI_COMMAND_MEMORY;
}

/*
 * Waits until the device shows life, or until the deadline. A device can answer and go into its
 * reset only then, and a switch can hide that, so the attempt writes config space back repeatedly.
 */
static int attempt_wait(struct instinct_attempt *attempt)
{
	bool message = attempt->method == INSTINCT_VFIO_METHOD_MODE1;
	u64 began = message ? attempt->posted : ktime_get_ns();
	u64 next = PROGRESS_FIRST, passed, restored = 0;
	bool open = false, retrained = false, holds = true;
	bool proven = attempt->method != INSTINCT_VFIO_METHOD_BUS;
	struct instinct_device *dev = attempt->dev;
	u32 *command = instinct_config_command(&dev->config), was = *command, other;
	bool reached = attempt_reach(dev, &other), stranger = false;
	int done = 0;

	phase_end(attempt, INSTINCT_VFIO_PHASE_PATH);
	for (;; reached = attempt_reach(dev, &other)) {
		passed = ktime_get_ns() - began;
		if (!reached) {
			open = false;
			/* The GPU counts as gone only if it, or a port that leads to it, does not answer. */
			dev->mailbox.gone |= !!other;
			if (dev->reconcile.config == &dev->config)
				instinct_reconcile_forget(&dev->reconcile);
			/* The kernel log names a placeholder at once, even if the reset succeeds. */
			if (!stranger && instinct_endpoint_stranger(other))
				next = passed;
			stranger |= instinct_endpoint_stranger(other);
			/* One retrain may help a link that has not come up by itself. */
			if (!retrained && passed >= RETRAIN_AFTER &&
			    !instinct_path_link_up(&dev->path)) {
				retrained = true;
				pci_warn(dev->pdev, "the link above is down, retraining it\n");
				pcie_capability_set_word(dev->path.link, PCI_EXP_LNKCTL,
							 PCI_EXP_LNKCTL_RL);
			}
		} else if (!proven && still_decodes(dev->pdev)) {
			attempt->why = "the device was not reset: it still decodes its memory";
			done = -EIO;
		} else {
			proven = true;
			/* The first write hides what a reset has left, so the look for that comes before it. */
			if (message && !open) {
				if (still_decodes(dev->pdev))
					instinct_mailbox_mode1_done(&dev->mailbox, 0, &attempt->why);
				else
					dev->mailbox.gone = true;
			}
			if (!open || (holds && passed - restored > REWRITE_AFTER)) {
				phase_end(attempt, INSTINCT_VFIO_PHASE_READY);
				attempt_write_back(attempt);
				/* The look for life needs memory decoding. */
				instinct_registers_open(&dev->regs);
				*command |= PCI_COMMAND_MEMORY;
				restored = passed;
				open = true;
			}
			holds = instinct_reconcile_step(dev, &dev->config, INSTINCT_CONFIG_ALL);
			phase_end(attempt, INSTINCT_VFIO_PHASE_RESTORE);
			if (holds)
				done = !message ? instinct_registers_alive(&dev->regs) :
				       instinct_mailbox_mode1_done(&dev->mailbox, passed, &attempt->why);
			phase_end(attempt, INSTINCT_VFIO_PHASE_LIVENESS);
		}
		/* A register that does not hold its value ends the attempt, which could not succeed any more. */
		if (dev->reconcile.failed || done || passed > attempt->limit ||
		    attempt_useless(dev, open))
			break;
		attempt_progress(attempt, passed, &next, open);
		attempt_sleep(dev, passed, !other);
	}
	if (dev->reconcile.failed)
		attempt->why = dev->reconcile.why;
	else if (!done)
		attempt->why = attempt_missing(attempt, open);
	if (done > 0) {
		if (message)
			instinct_mailbox_settle(&dev->mailbox, attempt->before.owner != INSTINCT_OWNER_USER &&
						(dev->mailbox.gone || dev->mailbox.blank));
		instinct_mailbox_look(&dev->mailbox, &attempt->seen);
		dev->alive_at = ktime_get_ns();
	}
	*command = was;
	if (open)
		instinct_registers_close(&dev->regs, was);
	return dev->reconcile.failed || !done ? -ETIMEDOUT : min(done, 0);
}

static void attempt_begin(struct instinct_attempt *attempt, u64 limit)
{
	memset(attempt->event.phase, 0, sizeof(attempt->event.phase));
	attempt->limit = limit;
	instinct_reconcile_forget(&attempt->dev->reconcile);
	attempt->phase_began = ktime_get_ns();
}

/**
 * instinct_attempt_await() - wait for a device that the engine has not reset itself
 * @attempt: attempt with the config state to write back, before its first method
 * @limit: longest wait, ns
 *
 * The device may not come back; the reset that the caller tries next then finds the reason.
 *
 * Context: may sleep, up to @limit; under the device's reset_lock.
 */
void instinct_attempt_await(struct instinct_attempt *attempt, u64 limit)
{
	lockdep_assert_held(&attempt->dev->reset_lock);
	attempt_begin(attempt, limit);
	attempt_wait(attempt);
	instinct_reconcile_forget(&attempt->dev->reconcile);
	attempt->why = "";
}

/**
 * instinct_attempt_reach() - reach a device before its reset, and restore the path to it if need be
 * @attempt: attempt with the config state to write back, before its first method
 * @recovers: the PCI core may have just reset the device, which then takes its time
 *
 * Context: may sleep, up to twice the longer of policy's ready_timeout and config_timeout; under the
 * device's reset_lock.
 *
 * Return: false if the function does not answer config reads, with @attempt->why set.
 */
bool instinct_attempt_reach(struct instinct_attempt *attempt, bool recovers)
{
	struct instinct_device *dev = attempt->dev;
	struct instinct_path *path = &dev->path;
	u64 limit = max(attempt->before.policy.ready_timeout, attempt->before.policy.config_timeout) *
		    (u64)NSEC_PER_MSEC;
	u64 began, broken = 0, passed;
	u32 other;

	lockdep_assert_held(&dev->reset_lock);
	if (recovers)
		instinct_attempt_await(attempt, limit);
	if (attempt_reach(dev, &other))
		return true;
	/* Ports may have lost their bus numbers while a switch answers in their place, and read back intact. */
	if (path->swus && instinct_path_link_up(path) && instinct_endpoint_answers(path->swus->pdev)) {
		instinct_port_restore(path->swus);
		if (instinct_port_intact(path->swus) && instinct_endpoint_answers(path->swds->pdev))
			instinct_port_restore(path->swds);
	}
	began = ktime_get_ns();
	while (!attempt_reach(dev, &other)) {
		passed = ktime_get_ns() - began;
		/* A device answers soon after its path has become intact, or not at all. */
		if (dev->reconcile.config || !instinct_path_intact(&dev->path))
			broken = passed;
		if (dev->reconcile.failed) {
			attempt->why = dev->reconcile.why;
			return false;
		}
		if (passed > limit || passed - broken > ANSWERS_WITHIN || attempt_useless(dev, false)) {
			attempt->why = attempt_missing(attempt, false);
			return false;
		}
		attempt_sleep(dev, passed, !other);
	}
	return true;
}

/*
 * Before the trigger, switches bus mastering off. Mode-1 needs the registers, and so memory decoding; a
 * bus reset proves itself by switching decoding off.
 */
static int attempt_prepare(struct instinct_attempt *attempt)
{
	u32 decode = instinct_method_scrubs(attempt->method) ? PCI_COMMAND_MEMORY : 0;
	bool message = attempt->method == INSTINCT_VFIO_METHOD_MODE1;
	struct instinct_device *dev = attempt->dev;
	u32 *command = instinct_config_command(&dev->config), was = *command;
	u64 began = ktime_get_ns(), passed = 0;

	if (!instinct_endpoint_answers(dev->pdev)) {
		attempt->why = attempt_missing(attempt, false);
		return -ETIMEDOUT;
	}
	/* amdgpu and GIM clear all errors before a reset. */
	pcie_capability_write_word(dev->pdev, PCI_EXP_DEVSTA, PCI_EXP_DEVSTA_CED | PCI_EXP_DEVSTA_NFED |
				   PCI_EXP_DEVSTA_FED | PCI_EXP_DEVSTA_URD);
	/* This takes about a second and a half if transactions do not drain. */
	pci_clear_master(dev->pdev);
	if (!pci_wait_for_pending_transaction(dev->pdev))
		pci_warn(dev->pdev, "transactions still pending, resetting anyway\n");
	instinct_path_keep(&dev->path);
	if (decode)
		instinct_registers_open(&dev->regs);
	*command = (was & ~PCI_COMMAND_MASTER) | decode;
	while ((!instinct_reconcile_step(dev, &dev->config, INSTINCT_CONFIG_ALL) ||
		(message && instinct_mailbox_blank(&dev->mailbox))) &&
	       !dev->reconcile.failed && passed <= attempt->limit) {
		attempt_sleep(dev, passed, true);
		passed = ktime_get_ns() - began;
	}
	*command = was;
	phase_end(attempt, INSTINCT_VFIO_PHASE_QUIESCE);
	if (!dev->reconcile.failed && passed <= attempt->limit)
		return 0;
	attempt->why = dev->reconcile.failed ? dev->reconcile.why :
		       attempt_missing(attempt, instinct_endpoint_answers(dev->pdev));
	return -ETIMEDOUT;
}

/*
 * Writes Secondary Bus Reset until the port holds it, and so has reset its bus. A port of the package
 * may go with the bus that it resets; the module restores all its registers once it answers. Returns
 * false if a switch swallows the write, or if the port is another one and stops answering.
 */
static bool write_control(struct pci_dev *port, u16 control, bool package)
{
	unsigned int ms;
	u16 now;

	for (ms = 0; ms < SBR_VERIFY_MS; ms++) {
		if (instinct_endpoint_answers(port)) {
			if (!(ms % SBR_AGAIN_MS))
				pci_write_config_word(port, PCI_BRIDGE_CONTROL, control);
			pci_read_config_word(port, PCI_BRIDGE_CONTROL, &now);
			if (!((now ^ control) & PCI_BRIDGE_CTL_BUS_RESET))
				return true;
		} else if (package) {
			return true;
		}
		usleep_range(1000, 1200);
	}
	return false;
}

/*
 * pci_bridge_secondary_bus_reset() would wait up to a minute for the function below, which cannot
 * answer before the module has restored the path.
 */
static int trigger_bus(struct instinct_attempt *attempt)
{
	bool package = attempt->before.policy.bus_port == INSTINCT_VFIO_BUS_PORT_SWDS;
	const struct instinct_path *path = &attempt->dev->path;
	struct pci_dev *port = package ? path->swds->pdev : path->link;
	u16 control, status;
	bool held;
	int ret;

	if (!port || !instinct_endpoint_answers(port)) {
		attempt->why = port ? "the port above does not answer" : "no port above the GPU's package";
		return port ? -EIO : -EOPNOTSUPP;
	}
	pci_read_config_word(port, PCI_BRIDGE_CONTROL, &control);
	held = write_control(port, control | PCI_BRIDGE_CTL_BUS_RESET, package);
	msleep(SBR_HOLD_MS);
	/* A write that the switch has only delayed must not leave the bus in reset. */
	write_control(port, control & ~PCI_BRIDGE_CTL_BUS_RESET, package);
	if (!held) {
		attempt->why = "the port above does not take the write that starts the reset";
		return -EIO;
	}

	/* Link Status reads all ones, and ends the wait, if the port went with the package. */
	if (port->link_active_reporting)
		read_poll_timeout(pcie_capability_read_word, ret,
				  !ret && status & PCI_EXP_LNKSTA_DLLLA, LINK_POLL_US,
				  LINK_UP_MS * USEC_PER_MSEC, false, port, PCI_EXP_LNKSTA, &status);
	msleep(LINK_SETTLE_MS);
	return 0;
}

static void port_quiet(struct contained *port, enum quiet what)
{
	u16 was;

	pcie_capability_read_word(port->pdev, quiets[what].where, &was);
	if (was == U16_MAX || !(was & quiets[what].bits))
		return;
	port->off[what] = was & quiets[what].bits;
	pcie_capability_clear_word(port->pdev, quiets[what].where, port->off[what]);
}

/*
 * The module touches only the features that the platform has given to Linux (_OSC), unless policy
 * says otherwise; the firmware owns the rest. Linux takes DPC with AER. DPC goes off first: an error
 * that triggered it would take the link down for good.
 */
static void port_contain(struct contained *port, struct pci_dev *pdev, bool always)
{
	struct pci_host_bridge *host = pci_find_host_bridge(pdev->bus);
	bool errors = host->native_aer || always;
	u32 slot;

	*port = (struct contained) {
		.pdev = pdev,
		.aer = errors ? pci_find_ext_capability(pdev, PCI_EXT_CAP_ID_ERR) : 0,
		.dpc = errors ? pci_find_ext_capability(pdev, PCI_EXT_CAP_ID_DPC) : 0,
	};
	if (port->dpc) {
		pci_read_config_word(pdev, port->dpc + PCI_EXP_DPC_CTL, &port->dpc_control);
		pci_write_config_word(pdev, port->dpc + PCI_EXP_DPC_CTL,
				      port->dpc_control & ~DPC_TRIGGER);
	}
	/* This reads 0 from a port without a slot. */
	pcie_capability_read_dword(pdev, PCI_EXP_SLTCAP, &slot);
	port->slot = (host->native_pcie_hotplug || always) && slot & PCI_EXP_SLTCAP_HPC;
	if (port->slot) {
		pcie_capability_read_word(pdev, PCI_EXP_SLTSTA, &port->slot_status);
		port_quiet(port, QUIET_SLOT);
	}
	if (port->aer) {
		pci_read_config_dword(pdev, port->aer + PCI_ERR_UNCOR_STATUS, &port->uncorrectable);
		pci_read_config_dword(pdev, port->aer + PCI_ERR_COR_STATUS, &port->correctable);
		/* The module leaves earlier errors pending, but the operator should know them. */
		if (port->uncorrectable)
			pci_warn(pdev, "uncorrectable errors were pending before the reset: AER status %#010x\n",
				 port->uncorrectable);
		pci_read_config_dword(pdev, port->aer + PCI_ERR_UNCOR_MASK,
				      &port->uncorrectable_mask);
		pci_write_config_dword(pdev, port->aer + PCI_ERR_UNCOR_MASK, ~0u);
	}
	if (errors)
		port_quiet(port, QUIET_ERRORS);
	port_quiet(port, QUIET_L1);
}

/*
 * Linux has to handle a card that was pulled or plugged in meanwhile. Unless in-band presence
 * detection is off, Presence Detect State follows the link and proves no such change.
 */
static void port_clear_slot(const struct contained *port)
{
	u16 control, status;

	pcie_capability_read_word(port->pdev, PCI_EXP_SLTCTL, &control);
	pcie_capability_read_word(port->pdev, PCI_EXP_SLTSTA, &status);
	if (control & PCI_EXP_SLTCTL_IBPD_DISABLE &&
	    (status ^ port->slot_status) & PCI_EXP_SLTSTA_PDS)
		return;
	/* The port keeps events that come after the read above. */
	pcie_capability_write_word(port->pdev, PCI_EXP_SLTSTA, status & SLOT_CHANGES);
}

/* Clears the errors that the reset itself has set, by a write of 1 to each bit, and switches all on again. */
static void port_release(const struct contained *port)
{
	struct pci_dev *pdev = port->pdev;
	u32 uncorrectable, correctable;
	enum quiet what;

	if (port->slot)
		port_clear_slot(port);
	if (port->aer) {
		pci_read_config_dword(pdev, port->aer + PCI_ERR_UNCOR_STATUS, &uncorrectable);
		pci_read_config_dword(pdev, port->aer + PCI_ERR_COR_STATUS, &correctable);
		pci_write_config_dword(pdev, port->aer + PCI_ERR_UNCOR_STATUS,
				       uncorrectable & ~port->uncorrectable);
		pci_write_config_dword(pdev, port->aer + PCI_ERR_COR_STATUS,
				       correctable & ~port->correctable);
		pci_write_config_dword(pdev, port->aer + PCI_ERR_UNCOR_MASK,
				       port->uncorrectable_mask);
	}
	for (what = 0; what < QUIETS; what++)
		if (port->off[what])
			pcie_capability_set_word(pdev, quiets[what].where, port->off[what]);
	if (port->dpc)
		pci_write_config_word(pdev, port->dpc + PCI_EXP_DPC_CTL, port->dpc_control);
}

/*
 * With L1 on, registers behind a retimer can sometimes read all ones (tinygrad #17693), and every
 * GPU has L1 on after power-up. The module switches it off on the links of the package only: links
 * further up carry the traffic of other devices, and another reset may be using them. L1 goes off
 * from the GPU upwards, and on again downwards (PCIe r6.0 sec 5.4.1.4). A restore keeps it off.
 */
static void l1_off(struct instinct_device *dev, bool off)
{
	dev->config.no_l1 = off;
	if (!instinct_path_has_package(&dev->path))
		return;
	dev->path.swds->config.no_l1 = off;
	dev->path.swus->config.no_l1 = off;
}

/*
 * Keeps the ports above a device quiet during its reset: SWDS and SWUS, whose own state the reset may
 * clear, and the port above the package. Without a package it contains the port above the GPU alone.
 * Returns the number of elements of @contained that it has set.
 */
static unsigned int containment_begin(struct contained *contained, struct instinct_attempt *attempt)
{
	bool always = attempt->before.policy.contain == INSTINCT_VFIO_CONTAIN_ALWAYS;
	const struct instinct_path *path = &attempt->dev->path;
	unsigned int i, ports = instinct_path_has_package(path) ? 3 : 1;

	lockdep_assert_held(&attempt->dev->reset_lock);
	if (!instinct_method_scrubs(attempt->method))
		return 0;
	l1_off(attempt->dev, true);
	contained[0] = (struct contained) { .pdev = attempt->dev->pdev };
	port_quiet(&contained[0], QUIET_L1);
	for (i = 0; i < ports && i < path->count; i++) {
		struct pci_dev *pdev = path->port[i].pdev;

		if (!pci_is_pcie(pdev) || !instinct_endpoint_answers(pdev))
			break;
		port_contain(&contained[i + 1], pdev, always);
	}
	return i + 1;
}

/*
 * Releases the ports after the reset, successful or not. A package port that does not answer is left
 * alone: the module restores all its registers once it answers.
 */
static void containment_end(const struct contained *contained, unsigned int count,
			    struct instinct_device *dev)
{
	unsigned int package = instinct_path_has_package(&dev->path) ? 3 : 1;
	bool answers;

	lockdep_assert_held(&dev->reset_lock);
	l1_off(dev, false);
	while (count-- > 0) {
		/* Nobody restores a port outside the package later, so wait for it. */
		read_poll_timeout(instinct_endpoint_answers, answers, answers || count < package,
				  ANSWER_POLL_US, ANSWER_WAIT_US, false, contained[count].pdev);
		if (answers)
			port_release(&contained[count]);
	}
}

/* Quiesces the device, meets the members of the hive, if any, triggers the reset, and waits. */
static int attempt_try(struct instinct_attempt *attempt, struct instinct_hive *hive)
{
	struct instinct_device *dev = attempt->dev;
	bool attached = attempt->before.owner == INSTINCT_OWNER_USER ||
			attempt->before.owner == INSTINCT_OWNER_OPENING;
	/* The GPU, and the ports above it, beginning with the one next to it. */
	struct contained contained[4];
	int ret = attempt_prepare(attempt);
	unsigned int count;

	if (ret)
		return ret;
	/*
	 * The IOMMU driver switches the user's translations and ATS off for the reset (PCIe r6.0
	 * sec 10.3.1), and on again before the module verifies registers. A user that opens a group
	 * has attached its domain before, and another thread of it may unmap. Without a user nobody
	 * invalidates translations, and VFIO could not attach the next user's domain meanwhile.
	 */
	ret = attached ? instinct_compat_iommu_block(dev->pdev) : 0;
	if (ret) {
		attempt->why = "the IOMMU driver does not block the device's DMA";
		return ret;
	}
	count = containment_begin(contained, attempt);
	/*
	 * The members of a hive go on together, or none of them does. Each member does everything
	 * slow or fallible before it meets the others, since only the trigger follows.
	 */
	if (hive) {
		ret = instinct_hive_sync(hive, dev->attempt_why);
		attempt->why = ret ? dev->attempt_why : attempt->why;
	}
	phase_end(attempt, INSTINCT_VFIO_PHASE_QUIESCE);
	if (!ret) {
		/* The other members reset themselves even if this trigger fails. */
		attempt->triggered |= !!hive;
		instinct_reconcile_forget(&dev->reconcile);
		if (attempt->method == INSTINCT_VFIO_METHOD_MODE1) {
			instinct_mailbox_mode1(&dev->mailbox, attempt->reset->terms.fatal);
			attempt->posted = ktime_get_ns();
			msleep(SILENCE_MS);
		} else if (attempt->method == INSTINCT_VFIO_METHOD_BUS) {
			ret = trigger_bus(attempt);
		}
		phase_end(attempt, INSTINCT_VFIO_PHASE_TRIGGER);
	}
	if (!ret) {
		ret = attempt_wait(attempt);
		/* A message that stays refused has reset nothing. */
		if (attempt->method != INSTINCT_VFIO_METHOD_MODE1 || !dev->mailbox.refused_at ||
		    dev->mailbox.gone || dev->mailbox.blank) {
			attempt->triggered = true;
			spin_lock(&dev->status_lock);
			dev->status.resets.hardware += instinct_method_scrubs(attempt->method);
			spin_unlock(&dev->status_lock);
		}
	}
	containment_end(contained, count, dev);
	if (attached)
		instinct_compat_iommu_unblock(dev->pdev);
	return ret;
}

/**
 * instinct_attempt_run() - try to reset a device with one method
 * @attempt: the attempt, with the method; its reset may be part of a reset of the hive already
 *
 * If the method concerns the hive, the function brings its members together. After a failure it writes
 * the config space back, and the device remembers a method that lost it.
 *
 * Context: may sleep, up to policy's ready_timeout; under the device's reset_lock; the caller keeps
 * users out of the config space.
 *
 * Return: 0, or a negative errno with @attempt->why set; -ECANCELED if the hive did not come
 * together, and then the attempt has triggered no reset.
 */
int instinct_attempt_run(struct instinct_attempt *attempt)
{
	struct instinct_device *dev = attempt->dev;
	struct instinct_hive *hive = attempt->reset->hive;
	int ret;

	lockdep_assert_held(&dev->reset_lock);
	attempt_begin(attempt, (u64)attempt->before.policy.ready_timeout * NSEC_PER_MSEC);
	if (!hive && instinct_hive_wide(attempt->before.policy.scope, attempt->method))
		hive = instinct_hive_begin(dev, attempt->reset, attempt->method, dev->attempt_why);
	if (IS_ERR(hive)) {
		attempt->why = dev->attempt_why;
		return PTR_ERR(hive);
	}
	ret = attempt_try(attempt, hive);
	if (hive && !attempt->reset->hive)
		instinct_hive_end(hive, attempt->why);
	if (!ret)
		return 0;

	if (!dev->reconcile.failed)
		instinct_reconcile_forget(&dev->reconcile);
	if (!dev->reconcile.failed && instinct_attempt_alive(dev, 0)) {
		attempt_write_back(attempt);
	} else if (attempt->event.phase[INSTINCT_VFIO_PHASE_PATH] &&
		   instinct_method_scrubs(attempt->method)) {
		/* The trigger went well, since the path was restored after it. */
		spin_lock(&dev->status_lock);
		dev->status.lost_by |= BIT(attempt->method);
		spin_unlock(&dev->status_lock);
	}
	return ret;
}
