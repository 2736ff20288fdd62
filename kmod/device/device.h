/* SPDX-License-Identifier: GPL-2.0-only */
/* One object for each managed GPU, and the registry of these objects. */
#ifndef _INSTINCT_DEVICE_H
#define _INSTINCT_DEVICE_H

#include <linux/completion.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/ratelimit_types.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "core/event.h"
#include "core/profile.h"
#include "device/config_reconcile.h"
#include "device/scrub.h"
#include "hardware/path.h"
#include "hardware/registers.h"
#include "policy/policy.h"

struct instinct_hive;
struct vfio_device;

/**
 * struct instinct_resets - numbers of resets since the driver took the device
 * @hardware: resets that reached the hardware
 * @coalesced: requested resets that were spared, since the device was clean
 * @quiesced: resets that only stopped DMA
 * @failed: resets after which the device was not ready
 */
struct instinct_resets {
	u64 hardware;
	u64 coalesced;
	u64 quiesced;
	u64 failed;
};

/**
 * enum instinct_owner - owner of a device, from one open to the next
 * @INSTINCT_OWNER_NONE: nobody has the device
 * @INSTINCT_OWNER_OPENING: a user opens the device, which is in reset for it
 * @INSTINCT_OWNER_USER: the user has the device
 * @INSTINCT_OWNER_CLOSING: the user closes the device
 * @INSTINCT_OWNER_GONE: the driver lets go of the device, for good, and its record has the policy
 */
enum instinct_owner {
	INSTINCT_OWNER_NONE,
	INSTINCT_OWNER_OPENING,
	INSTINCT_OWNER_USER,
	INSTINCT_OWNER_CLOSING,
	INSTINCT_OWNER_GONE,
};

/* A borrower has a device from its owner for the time of a reset. There is a bit for each. */
#define INSTINCT_BORROWED_WORKER	BIT(0)	/* reset work */
#define INSTINCT_BORROWED_CORE		BIT(1)	/* the PCI core, maybe from reset work */

/**
 * struct instinct_user - user that has a device open, or asks for a reset
 * @number: number that all devices of one VM, or of one container, have; 0 for nobody
 * @process: process that opened the device, or NULL; each place that keeps it has a reference
 * @kvm: VM that the device was opened for, or NULL; compared, never dereferenced
 * @context: iommufd context or IOMMU domain to which the device was attached, or NULL; compared,
 *	never dereferenced
 */
struct instinct_user {
	u64 number;
	struct pid *process;
	const void *kvm;
	const void *context;
};

/**
 * struct instinct_status - status of a device, which readers can get at any time
 * @state: whether a user can get the device
 * @reason: reason why the device is not ready, or empty
 * @policy: policy in force; a reset takes a copy when it begins
 * @policy_set: somebody has set @policy since the module was loaded
 * @resets: numbers of resets
 * @lost_by: BIT(method) of the methods that lost the device
 * @scrub: scrub state
 * @present: the driver neither takes nor lets go of the device; changes under instinct_devices_lock
 * @owner: owner of the device; owner.c has all changes but that to GONE, also those of @borrowed
 * @borrowed: bits INSTINCT_BORROWED_*
 * @user: user that has the device open
 * @seen: facts that the registers gave last
 */
struct instinct_status {
	enum instinct_vfio_state state;
	char reason[INSTINCT_REASON_BYTES];
	struct instinct_policy policy;
	bool policy_set;
	struct instinct_resets resets;
	u32 lost_by;
	struct instinct_scrub scrub;
	bool present;
	enum instinct_owner owner;
	unsigned int borrowed;
	struct instinct_user user;
	struct instinct_seen seen;
};

/**
 * struct instinct_held - lets the requester wait until reset work holds the device
 * @done: completed once the device is held, or the reset work is over
 * @error: outcome, if the reset work was over before it held the device
 */
struct instinct_held {
	struct completion done;
	int error;
};

/**
 * struct instinct_terms - terms of one reset, which override policy
 * @method: reset method, AUTO for policy's method
 * @ready_timeout: time that each method has, in ms; 0 for policy's timeout
 * @elsewhere: @bus_port overrides policy's
 * @bus_port: with @elsewhere, the port where method "bus" resets
 * @fatal: the requester knows of a RAS fatal error, of which a mode-1 reset tells the SMU
 */
struct instinct_terms {
	enum instinct_vfio_method method;
	u32 ready_timeout;
	bool elsewhere;
	enum instinct_vfio_bus_port bus_port;
	bool fatal;
};

/**
 * struct instinct_reset - one reset, as asked for, and its outcome
 * @cause: cause of the reset
 * @terms: terms of the reset
 * @forced: reset the device even if it is clean
 * @spare_only: do nothing unless the device is clean, and so the reset can be spared
 * @hive: reset of the hive that this reset is part of already, or NULL
 * @requester: user that asks, number 0 for nobody
 * @held: completed, and set to NULL, once the device is held; or NULL
 * @method: set to the last method tried, AUTO if none was tried
 * @coalesced: set if the device was clean and the engine did nothing
 * @duration: set to the duration of the reset, in ns
 * @why: set to the reason, for the user, on failure
 */
struct instinct_reset {
	enum instinct_vfio_cause cause;
	struct instinct_terms terms;
	bool forced;
	bool spare_only;
	struct instinct_hive *hive;
	struct instinct_user requester;
	struct instinct_held *held;
	enum instinct_vfio_method method;
	bool coalesced;
	u64 duration;
	char why[INSTINCT_REASON_BYTES];
};

/**
 * struct instinct_reset_work - a reset in the background
 * @work: item of instinct_wq
 * @reset: the reset, with a reference for its hive and for the process of its requester
 * @domain: IOMMU domain of the last user; compared, never dereferenced
 */
struct instinct_reset_work {
	struct work_struct work;
	struct instinct_reset reset;
	const void *domain;
};

/**
 * struct instinct_device - a managed GPU
 * @ref: references of the driver and of netlink requests that work on the device
 * @node: element of the registry, under instinct_devices_lock
 * @pdev: the function, referenced
 * @profile: profile of the function
 * @serial: PCIe Device Serial Number, 0 if the function has none or has not answered yet; it
 *	changes once at most, under @reset_lock, and readers take no lock
 * @status_lock: guards @status and @requests; innermost but for the lock of @idle; taken
 *	in process context only
 * @status: status of the device
 * @requests: struct instinct_request of calls into the PCI core under way
 * @touched: bits INSTINCT_TOUCHED_*; anybody may set them at any time, a reset clears them while
 *	nobody can touch the device
 * @idle: woken when the state or the owner has changed
 * @reset_work: the reset work that has the device, if any
 * @recovery: work that checks whether error recovery has left the device unfit for use
 * @erred: function on which the PCI core holds a reference until it has ended its own recovery, or NULL
 * @erred_usage: usage count of @erred with that reference
 * @erred_until: time in jiffies after which nobody waits for the PCI core
 * @link_up_at: time when a reset last saw the link to the package up, ktime_get_ns(); under @reset_lock
 * @alive_at: time of the last sign of life through MMIO, ktime_get_ns(); under @reset_lock
 * @vdev: the device as VFIO has it
 * @reset_lock: held for a whole reset; guards @path, @config, @reconcile, @mailbox and the
 *	hardware's registers; taken after the device lock and after pci_cfg_access_lock(), before
 *	@status_lock
 * @held: isolation leaves the device and its package alone during a reset; under
 *	instinct_isolation_lock
 * @path: path above the device
 * @config: wanted state of the function
 * @reconcile: register that does not hold its wanted value
 * @regs: registers of the function
 * @mailbox: mailbox of the SMU
 * @refused_told: limits the rate of log lines and events about refused opens
 * @attempt_why: reason why the last attempt failed, if it is no constant text; under @reset_lock
 * @stats: counts of resets and events
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
	unsigned long touched;
	wait_queue_head_t idle;
	struct instinct_reset_work reset_work;
	struct delayed_work recovery;
	struct pci_dev *erred;
	int erred_usage;
	unsigned long erred_until;
	struct vfio_device *vdev;
	u64 alive_at;
	u64 link_up_at;

	struct mutex reset_lock;	/* see above */
	bool held;
	struct instinct_path path;
	struct instinct_config config;
	struct instinct_reconcile reconcile;
	struct instinct_registers regs;
	struct instinct_mailbox mailbox;

	struct ratelimit_state refused_told;
	char attempt_why[INSTINCT_REASON_BYTES];

	struct instinct_stats stats;
};

/* The registry of devices, and the records: while it is held, no device comes or goes. */
extern struct mutex instinct_devices_lock;
/* If this number differs from before a walk by index, the walk may have missed an element. */
extern atomic_t instinct_list_changes;
/* Background work of the module; it ends before the module is unloaded. */
extern struct workqueue_struct *instinct_wq;

/**
 * instinct_device_disturb() - note that an element of one of the lists comes, goes or moves
 *
 * The lists are those of the devices, of the records and of the endpoints with isolation policy.
 *
 * Context: any; the caller has the lock of the list.
 */
static inline void instinct_device_disturb(void)
{
	atomic_inc(&instinct_list_changes);
}

struct instinct_device *instinct_device_create(struct pci_dev *pdev,
					       const struct instinct_profile *profile);
void instinct_device_put(struct instinct_device *dev);
void instinct_device_register(struct instinct_device *dev);
void instinct_device_unregister(struct instinct_device *dev);
void instinct_device_leave(struct instinct_device *dev);
struct instinct_device *instinct_device_find(const char *bdf);

struct instinct_device *instinct_device_peek(const char *bdf);
struct instinct_device *instinct_device_next(struct instinct_device *dev);

void instinct_device_status(struct instinct_device *dev, struct instinct_status *status);
void instinct_device_set_state(struct instinct_device *dev, enum instinct_vfio_state state,
			       const char *reason);
void instinct_device_emit(struct instinct_device *dev, struct instinct_event *event);
void instinct_device_emit_of(const char *bdf, struct instinct_event *event);
void instinct_device_tell(struct instinct_device *dev,
			  enum instinct_vfio_event kind, const char *reason);
int instinct_device_release(struct instinct_device *dev, u32 methods, const char **why);

#endif /* _INSTINCT_DEVICE_H */
