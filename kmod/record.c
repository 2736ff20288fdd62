// SPDX-License-Identifier: GPL-2.0-only
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/slab.h>

#include "device.h"
#include "record.h"

/* More than any host has GPUs, so that who plugs many in and out costs little. */
#define RECORDS_MAX	64

/**
 * struct record - what is remembered
 * @node: in records, the latest first
 * @bdf: where the GPU was
 * @serial: its PCIe Device Serial Number, 0 if it has none
 * @id: vendor and device
 * @policy: that was in force
 * @state: LOST or QUARANTINED, in which it will be again, or READY
 * @reason: why, for people
 * @lost_by: BIT(method) of methods that lost it
 * @mailbox: what its IP discovery table said before a user who may have
 *	changed it, 0 if there was none
 * @owed: it was not reset after its last user
 * @rescanned: it was enumerated anew since it was last ready
 */
struct record {
	struct list_head node;
	char bdf[INSTINCT_BDF_BYTES];
	u64 serial;
	u32 id;
	struct instinct_policy policy;
	enum instinct_vfio_state state;
	char reason[INSTINCT_REASON_BYTES];
	u32 lost_by;
	u32 mailbox;
	bool owed;
	bool rescanned;
};

/* Guards the records; taken before the devices' status_lock. */
static DEFINE_MUTEX(records_lock);
static LIST_HEAD(records);
static unsigned int record_count;

static u32 id_of(const struct instinct_device *dev)
{
	return dev->pdev->vendor << 16 | dev->pdev->device;
}

/* Another GPU in its place is another GPU. */
static struct record *record_find(const struct instinct_device *dev)
{
	struct record *record;

	list_for_each_entry(record, &records, node)
		if (!strcmp(record->bdf, pci_name(dev->pdev)) &&
		    record->serial == dev->serial && record->id == id_of(dev))
			return record;
	return NULL;
}

static void record_forget(struct record *record)
{
	list_del(&record->node);
	record_count--;
	kfree(record);
}

/* That of the device, which becomes the latest, or a new one; NULL without memory. */
static struct record *record_get(const struct instinct_device *dev)
{
	struct record *record = record_find(dev);

	if (record) {
		list_move(&record->node, &records);
		return record;
	}
	record = kzalloc(sizeof(*record), GFP_KERNEL);
	if (!record)
		return NULL;
	list_add(&record->node, &records);
	if (++record_count > RECORDS_MAX)
		record_forget(list_last_entry(&records, struct record, node));
	return record;
}

/**
 * instinct_record_keep() - remember a GPU that the driver lets go of
 * @dev: device that nobody can open any more
 *
 * In place of what was remembered of it before. Without memory for a first record
 * it is forgotten, and the kernel log says so.
 *
 * Context: may sleep.
 */
void instinct_record_keep(struct instinct_device *dev)
{
	struct instinct_status status;
	struct record *record;

	instinct_device_status(dev, &status);
	mutex_lock(&records_lock);
	record = record_get(dev);
	if (!record) {
		pci_err(dev->pdev, "no memory to remember its policy and state by\n");
		goto out;
	}
	strscpy(record->bdf, pci_name(dev->pdev), sizeof(record->bdf));
	record->serial = dev->serial;
	record->id = id_of(dev);
	record->policy = status.policy;
	record->state = status.state;
	strscpy(record->reason, status.reason, sizeof(record->reason));
	record->lost_by = status.lost_by;
	record->mailbox = status.owed || status.state != INSTINCT_VFIO_STATE_READY ?
			  dev->mailbox.discovered : 0;
	record->owed = status.owed;
	record->rescanned = status.rescanned;
out:
	mutex_unlock(&records_lock);
}

/**
 * instinct_record_recall() - let a GPU be as it was when the driver let it go
 * @dev: device, new
 *
 * A GPU that was quarantined is quarantined still, since nothing says that it
 * was scrubbed meanwhile. One that was lost is lost until it shows life. The
 * record stays: the driver may yet fail to take the device.
 *
 * Context: may sleep.
 */
void instinct_record_recall(struct instinct_device *dev)
{
	struct instinct_status *status = &dev->status;
	struct record *record;

	mutex_lock(&records_lock);
	record = record_find(dev);
	if (record) {
		status->policy = record->policy;
		status->state = record->state;
		strscpy(status->reason, record->reason, sizeof(status->reason));
		status->lost_by = record->lost_by;
		status->owed = record->owed;
		dev->mailbox.discovered = record->mailbox;
		status->rescanned = record->rescanned;
	}
	mutex_unlock(&records_lock);
}

/**
 * instinct_record_exit() - forget all
 */
void instinct_record_exit(void)
{
	struct record *record, *next;

	list_for_each_entry_safe(record, next, &records, node)
		record_forget(record);
}
