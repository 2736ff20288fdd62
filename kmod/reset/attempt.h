/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An attempt tries to reset a device with one method. It contains the ports above the device,
 * triggers the reset, and waits for proof that the device was reset and is back.
 */
#ifndef _INSTINCT_ATTEMPT_H
#define _INSTINCT_ATTEMPT_H

#include "device/device.h"

/**
 * struct instinct_attempt - an attempt to reset a device with one method
 * @dev: device
 * @policy: the caller's copy of the policy that was in force when the reset began
 * @method: reset method; AUTO for attempts that only wait
 * @keep: config state that the attempt writes back
 * @event: sums up the time of each phase
 * @triggered: set once any attempt of this reset has triggered the hardware
 * @blocked: set if the attempt failed because a register did not hold its value
 * @held: a user has the device
 * @attached: a user has the device or is opening it, so it may be attached to that user's IOMMU domain
 * @posted: time of the message that tells the SMU to reset, ktime_get_ns()
 * @seen: contents of the GPU's registers once it was back
 * @limit: time within which the device has to be back, ns
 * @why: set to the reason, for the user, on failure
 * @phase_began: start of the current phase, ktime_get_ns()
 */
struct instinct_attempt {
	struct instinct_device *dev;
	const struct instinct_policy *policy;
	enum instinct_vfio_method method;
	struct pci_saved_state *keep;
	struct instinct_event event;
	bool triggered;
	bool blocked;
	bool held;
	bool attached;
	u64 posted;
	struct instinct_seen seen;
	u64 limit;
	const char *why;
	u64 phase_began;
};

bool instinct_attempt_alive(struct instinct_device *dev, u64 lately);
void instinct_attempt_await(struct instinct_attempt *attempt, u64 limit);
bool instinct_attempt_reach(struct instinct_attempt *attempt, bool recovers);
int instinct_attempt_run(struct instinct_attempt *attempt, const struct instinct_reset *reset);

/* A reset takes down the links of at most so many ports, or the devices below them. */
#define INSTINCT_CONTAINED_MAX	3

/**
 * struct instinct_contained_port - the registers of a port before the reset
 * @pdev: port
 * @aer: offset of the AER capability, 0 if the port has none or the firmware owns AER
 * @dpc: offset of the DPC capability, 0 if the port has none or the firmware owns AER
 * @reporting: Linux may switch the port's error reporting off
 * @slot: the port has a hot-plug slot, and Linux owns hot-plug
 * @device_control: Device Control
 * @link_control: Link Control
 * @slot_control: Slot Control
 * @slot_status: Slot Status
 * @dpc_control: DPC Control
 * @uncorrectable: AER Uncorrectable Error Status
 * @correctable: AER Correctable Error Status
 * @uncorrectable_mask: AER Uncorrectable Error Mask
 */
struct instinct_contained_port {
	struct pci_dev *pdev;
	u16 aer;
	u16 dpc;
	bool reporting;
	bool slot;
	u16 device_control;
	u16 link_control;
	u16 slot_control;
	u16 slot_status;
	u16 dpc_control;
	u32 uncorrectable;
	u32 correctable;
	u32 uncorrectable_mask;
};

/**
 * struct instinct_containment - the contained ports above a device
 * @dev: device
 * @link_control: the GPU's Link Control before the reset
 * @port: contained ports, beginning with the one next to the GPU
 * @count: number of contained ports
 */
struct instinct_containment {
	struct instinct_device *dev;
	u16 link_control;
	struct instinct_contained_port port[INSTINCT_CONTAINED_MAX];
	unsigned int count;
};

void instinct_containment_begin(struct instinct_containment *containment,
				struct instinct_device *dev, enum instinct_vfio_method method);
void instinct_containment_end(struct instinct_containment *containment);

#endif /* _INSTINCT_ATTEMPT_H */
