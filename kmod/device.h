/* SPDX-License-Identifier: GPL-2.0-only */
/* One object per managed GPU, and the registry of them. */
#ifndef _INSTINCT_DEVICE_H
#define _INSTINCT_DEVICE_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "event.h"
#include "fabric.h"
#include "mailbox.h"
#include "policy.h"
#include "profile.h"
#include "registers.h"

struct instinct_guard;

/**
 * struct instinct_resets - counters since the driver took the device
 * @hardware: resets that reached the hardware
 * @coalesced: asked of a clean device and not repeated
 * @quiesced: done by stopping DMA only
 * @failed: after which the device was not ready
 */
struct instinct_resets {
	u64 hardware;
	u64 coalesced;
	u64 quiesced;
	u64 failed;
};

/**
 * struct instinct_status - what the world may know at any time
 * @state: whether it can be handed out
 * @reason: why it is not ready, or empty
 * @policy: in force; a reset takes a copy when it begins
 * @resets: counters
 * @lost_by: BIT(method) of methods that lost the device
 * @open: VFIO users, 0 or 1; set before the open touches the device
 * @gone: the driver has let go of the device
 */
struct instinct_status {
	enum instinct_vfio_state state;
	char reason[INSTINCT_REASON_BYTES];
	struct instinct_policy policy;
	struct instinct_resets resets;
	u32 lost_by;
	u32 open;
	bool gone;
};

/**
 * struct instinct_device - a managed GPU
 * @ref: the driver's, and one per netlink request that works on it
 * @node: in the registry, under its lock
 * @pdev: the function, referenced
 * @profile: what it is
 * @serial: PCIe Device Serial Number, 0 if it has none
 * @status_lock: guards @status and @requests; innermost, taken in process
 *	context only
 * @status: see there
 * @requests: struct instinct_request of calls into the PCI core under way
 * @idle: woken when @status.state stops being RESETTING
 * @reset_lock: held for the whole of a reset, guards @fabric, @baseline,
 *	@mailbox and the hardware's registers; taken after the device lock and after
 *	pci_cfg_access_lock(), before @status_lock
 * @fabric: ports above
 * @baseline: config state of the function when it was last known good
 * @regs: its registers
 * @mailbox: of its SMU
 * @guard: on its config space
 * @flr_held: FLR writes held back from the device
 * @held_flr: tells of an FLR that nobody but its writer knows of
 */
struct instinct_device {
	struct kref ref;
	struct list_head node;
	struct pci_dev *pdev;
	const struct instinct_profile *profile;
	u64 serial;

	spinlock_t status_lock;		/* see above */
	struct instinct_status status;
	struct list_head requests;
	wait_queue_head_t idle;

	struct mutex reset_lock;	/* see above */
	struct instinct_fabric fabric;
	struct pci_saved_state *baseline;
	struct instinct_registers regs;
	struct instinct_mailbox mailbox;

	struct instinct_guard *guard;
	atomic64_t flr_held;
	struct work_struct held_flr;
};

struct instinct_device *instinct_device_create(struct pci_dev *pdev,
					       const struct instinct_profile *profile);
void instinct_device_put(struct instinct_device *dev);
void instinct_device_register(struct instinct_device *dev);
void instinct_device_unregister(struct instinct_device *dev);
struct instinct_device *instinct_device_find(const char *bdf);
struct instinct_device *instinct_device_nth(unsigned int index);

void instinct_device_status(struct instinct_device *dev,
			    struct instinct_status *status);
void instinct_device_set_state(struct instinct_device *dev,
			       enum instinct_vfio_state state,
			       const char *reason);
void instinct_device_emit(struct instinct_device *dev,
			  struct instinct_event *event);
void instinct_device_tell(struct instinct_device *dev,
			  enum instinct_vfio_event kind, const char *reason);
int instinct_device_begin_open(struct instinct_device *dev);
void instinct_device_end_open(struct instinct_device *dev);
int instinct_device_set_policy(struct instinct_device *dev,
			       const struct instinct_policy *policy,
			       const char **why);
int instinct_device_release(struct instinct_device *dev, const char **why);

#endif /* _INSTINCT_DEVICE_H */
