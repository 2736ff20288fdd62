/* SPDX-License-Identifier: GPL-2.0-only */
/* One object per managed GPU, and the registry of them. */
#ifndef _INSTINCT_DEVICE_H
#define _INSTINCT_DEVICE_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/ratelimit_types.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "event.h"
#include "fabric.h"
#include "mailbox.h"
#include "policy.h"
#include "profile.h"
#include "mailbox.h"
#include "tally.h"
#include "tenure.h"
#include "reconcile.h"

struct instinct_held;
struct instinct_hive;
struct vfio_device;

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
 * enum instinct_owner - who has a device
 * @INSTINCT_OWNER_NONE: nobody
 * @INSTINCT_OWNER_OPENING: a user was let in, and the device is being reset for it
 * @INSTINCT_OWNER_USER: the user
 * @INSTINCT_OWNER_CLOSING: the user lets go of it
 * @INSTINCT_OWNER_WORKER: reset work, which has borrowed it
 * @INSTINCT_OWNER_CORE: the PCI core, which resets it and has borrowed it
 */
enum instinct_owner {
	INSTINCT_OWNER_NONE,
	INSTINCT_OWNER_OPENING,
	INSTINCT_OWNER_USER,
	INSTINCT_OWNER_CLOSING,
	INSTINCT_OWNER_WORKER,
	INSTINCT_OWNER_CORE,
};

/**
 * enum instinct_life - whether the driver has a device; a life only goes on
 * @INSTINCT_LIFE_PROBING: the driver is taking it
 * @INSTINCT_LIFE_PRESENT: the driver has it
 * @INSTINCT_LIFE_LEAVING: the driver is being unbound, which waits for the device's user
 * @INSTINCT_LIFE_RENEWING: its package is being removed and enumerated anew
 * @INSTINCT_LIFE_ABSENT: the driver has let go of it
 */
enum instinct_life {
	INSTINCT_LIFE_PROBING,
	INSTINCT_LIFE_PRESENT,
	INSTINCT_LIFE_LEAVING,
	INSTINCT_LIFE_RENEWING,
	INSTINCT_LIFE_ABSENT,
};

/**
 * struct instinct_status - what the world may know at any time
 * @state: whether it can be handed out
 * @reason: why it is not ready, or empty
 * @policy: in force; a reset takes a copy when it begins
 * @ruled: somebody has set it since the module was loaded
 * @resets: counters
 * @lost_by: BIT(method) of methods that lost the device
 * @tenure: what users have left in it
 * @life: whether the driver has it
 * @owner: who has it; owner.c has all changes
 * @lender: to whom a borrower gives it back, the next first
 * @user: process that opened it, referenced; NULL while nobody has it open
 * @rescanned: its package was enumerated anew since it was last ready
 */
struct instinct_status {
	enum instinct_vfio_state state;
	char reason[INSTINCT_REASON_BYTES];
	struct instinct_policy policy;
	bool ruled;
	struct instinct_resets resets;
	u32 lost_by;
	struct instinct_tenure tenure;
	enum instinct_life life;
	enum instinct_owner owner;
	enum instinct_owner lender[2];
	struct pid *user;
	bool rescanned;
};

/**
 * struct instinct_errand - a reset on somebody else's behalf, in the background
 * @work: does it
 * @cause: why
 * @hive: the reset of a hive that it is part of, referenced, or NULL
 * @requester: process that asked, referenced, or NULL
 * @held: what who asked waits for, or NULL
 * @domain: the IOMMU domain of the last user, to be compared with only
 */
struct instinct_errand {
	struct work_struct work;
	enum instinct_vfio_cause cause;
	struct instinct_hive *hive;
	struct pid *requester;
	struct instinct_held *held;
	const void *domain;
};

/**
 * struct instinct_device - a managed GPU
 * @ref: the driver's, and one per netlink request that works on it
 * @node: in the registry, under its lock: among those that are found, or among
 *	those that come or go
 * @pdev: the function, referenced
 * @profile: what it is
 * @serial: PCIe Device Serial Number, 0 if it has none or has not answered yet;
 *	changed once at most, under @reset_lock, and read without
 * @status_lock: guards @status and @requests; innermost, taken in process
 *	context only
 * @status: see there
 * @requests: struct instinct_request of calls into the PCI core under way
 * @touched: bits INSTINCT_TOUCHED_*; set at any time, cleared by a reset while
 *	nobody can touch the device
 * @idle: woken when the state or the owner has changed
 * @errand: the reset work that has the device, if any
 * @rescan: removes its package and enumerates it anew
 * @recovery: looks whether error recovery has left it unfit for use
 * @frozen: an error has frozen it, and its slot was not reset since; under the device lock
 * @alive_at: when it last showed life through MMIO, ktime_get_ns(); under
 *	@reset_lock
 * @vdev: as VFIO sees it
 * @reset_lock: held for the whole of a reset, guards @fabric, @config,
 *	@reconcile, @mailbox and the hardware's registers; taken after the device lock and after
 *	pci_cfg_access_lock(), before @status_lock
 * @awake: runtime PM lets it sleep no more, since it is lost; under @reset_lock
 * @held: isolation leaves it and its package alone, for a reset; under instinct_isolation_lock
 * @fabric: ports above
 * @config: what the function is to hold
 * @reconcile: the register that does not
 * @regs: its registers
 * @mailbox: of its SMU
 * @blocked_told: how often the kernel log tells of config writes that are blocked
 * @refused_told: how often it is told that it is not handed out, and why
 * @attempt_why: why the last attempt has failed, if that is a hive's text, which
 *	may go before; under @reset_lock
 * @tally: how often what has happened to it
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
	struct instinct_errand errand;
	struct work_struct rescan;
	struct delayed_work recovery;
	bool frozen;
	struct vfio_device *vdev;
	u64 alive_at;

	struct mutex reset_lock;	/* see above */
	bool awake;
	bool held;
	struct instinct_fabric fabric;
	struct instinct_config config;
	struct instinct_reconcile reconcile;
	struct instinct_registers regs;
	struct instinct_mailbox mailbox;

	struct ratelimit_state blocked_told;
	struct ratelimit_state refused_told;
	char attempt_why[INSTINCT_REASON_BYTES];

	struct instinct_tally tally;
};

/* What the module does in the background and has to have done before it goes. */
extern struct workqueue_struct *instinct_wq;

struct instinct_device *instinct_device_create(struct pci_dev *pdev,
					       const struct instinct_profile *profile);
void instinct_device_put(struct instinct_device *dev);
void instinct_device_register(struct instinct_device *dev);
void instinct_device_unregister(struct instinct_device *dev);
void instinct_device_leaves(struct instinct_device *dev);
void instinct_device_renews(struct instinct_device *dev);
void instinct_device_leave(struct instinct_device *dev);
struct instinct_device *instinct_device_find(const char *bdf);
struct instinct_device *instinct_device_nth(unsigned int index);
unsigned int instinct_device_walk(void);
void instinct_device_disturb(void);

void instinct_device_lock(void);
void instinct_device_unlock(void);
struct instinct_device *instinct_device_peek(const char *bdf);
struct instinct_device *instinct_device_peek_next(struct instinct_device *after);
bool instinct_device_is_passing(const char *bdf);
void instinct_device_rule(struct instinct_device *dev, const struct instinct_policy *policy);
bool instinct_device_policy(struct instinct_device *dev, struct instinct_policy *policy);

void instinct_device_status(struct instinct_device *dev, struct instinct_status *status);
void instinct_device_set_state(struct instinct_device *dev, enum instinct_vfio_state state,
			       const char *reason);
void instinct_device_emit(struct instinct_device *dev, struct instinct_event *event);
void instinct_device_emit_of(const char *bdf, struct instinct_event *event);
void instinct_device_tell(struct instinct_device *dev,
			  enum instinct_vfio_event kind, const char *reason);
void instinct_device_touch(struct instinct_device *dev, unsigned int how);
void instinct_device_identify(struct instinct_device *dev);
int instinct_device_release(struct instinct_device *dev, const char **why);

#endif /* _INSTINCT_DEVICE_H */
