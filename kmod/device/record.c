// SPDX-License-Identifier: GPL-2.0-only
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/slab.h>

#include "device/device.h"
#include "device/identity.h"
#include "device/record.h"

/* More than any host has GPUs; the limit bounds the memory for GPUs that come and go. */
#define RECORDS_MAX	64

/**
 * struct record - record of one GPU at one address
 * @node: element of the list of records, the latest first
 * @identity: identity of the GPU
 * @status: policy that was in force or is pending, and the state LOST, QUARANTINED or READY in
 *	which the next bind finds the GPU
 * @table: facts from the IP discovery table before any user could change it, all 0 without a good
 *	table
 * @kept: number of the unbind that kept the state; it only grows, and is 0 before the first one
 */
struct record {
	struct list_head node;
	struct instinct_identity identity;
	struct instinct_status status;
	struct instinct_discovery table;
	u64 kept;
};

/* Guards the records. The lock of the registry and a device's status_lock come after it. */
static DEFINE_MUTEX(records_lock);
static LIST_HEAD(records);
static unsigned int record_count;
static u64 last_kept;

/*
 * A record is about one GPU at one address: another GPU there, or the GPU elsewhere, has another
 * record. Nobody can tell GPUs without a serial number apart; see instinct_record_unset_policy().
 */
static bool is_same(const struct instinct_identity *a, const struct instinct_identity *b)
{
	return !strcmp(a->bdf, b->bdf) && a->serial == b->serial && a->profile == b->profile;
}

static struct record *record_find(const struct instinct_identity *identity)
{
	struct record *record;

	lockdep_assert_held(&records_lock);
	list_for_each_entry(record, &records, node)
		if (is_same(&record->identity, identity))
			return record;
	return NULL;
}

/* Finds the latest record that may belong to a GPU, where one of the two has no serial number. */
static struct record *record_guess(const struct instinct_identity *identity)
{
	struct record *record;

	list_for_each_entry(record, &records, node)
		if (!strcmp(record->identity.bdf, identity->bdf) &&
		    record->identity.profile == identity->profile &&
		    (!record->identity.serial || !identity->serial))
			return record;
	return NULL;
}

static void record_forget(struct record *record)
{
	list_del(&record->node);
	instinct_device_disturb();
	record_count--;
	kfree(record);
}

/* Is a record the latest one of its address? */
static bool record_is_latest(const struct record *record)
{
	const struct record *later = record;

	list_for_each_entry_continue_reverse(later, &records, node)
		if (!strcmp(later->identity.bdf, record->identity.bdf))
			return false;
	return true;
}

/*
 * GPUs that come and go push out no record of a GPU that is still there, as far as known. So there
 * may be more records than RECORDS_MAX, but then not more records than GPUs.
 */
static void records_trim(const struct record *latest)
{
	struct record *record, *later;

	list_for_each_entry_safe_reverse(record, later, &records, node) {
		if (record_count <= RECORDS_MAX || record == latest)
			return;
		if (!record_is_latest(record) ||
		    !instinct_identity_is_there(&record->identity, false, true))
			record_forget(record);
	}
}

/* Finds or makes the record of a GPU, which becomes the latest. Returns NULL without memory. */
static struct record *record_get(const struct instinct_identity *identity)
{
	struct record *record = record_find(identity);

	if (record && list_is_first(&record->node, &records))
		return record;
	if (record) {
		list_del(&record->node);
	} else {
		record = kzalloc(sizeof(*record), GFP_KERNEL);
		if (!record)
			return NULL;
		record->identity = *identity;
		instinct_policy_defaults(&record->status.policy);
		/* The device may hold data of users from before this driver. */
		instinct_scrub_require(&record->status.scrub);
		record_count++;
	}
	list_add(&record->node, &records);
	instinct_device_disturb();
	return record;
}

/* Merges a later record. A quarantine stays, and so do methods that must not be tried again. */
static void record_merge(struct record *record, const struct record *later)
{
	struct instinct_status *status = &record->status;

	if (later->status.seen.secure_os)
		status->seen = later->status.seen;
	if (status->state != INSTINCT_VFIO_STATE_QUARANTINED) {
		status->state = later->status.state;
		strscpy(status->reason, later->status.reason, sizeof(status->reason));
	}
	status->policy = later->status.policy;
	status->lost_by |= later->status.lost_by;
	instinct_scrub_merge(&status->scrub, &later->status.scrub);
	if (!record->table.mp1)
		record->table = later->table;
	record->kept = max(record->kept, later->kept);
}

/*
 * Gives the record of a GPU that did not answer at this address to the GPU that answers there now.
 * Its policy was set while nobody knew for which GPU, so the policy does not count as set.
 */
static void records_adopt(const struct instinct_identity *identity)
{
	struct instinct_identity unknown = *identity;
	struct record *record, *nameless;

	unknown.serial = 0;
	nameless = identity->serial ? record_find(&unknown) : NULL;
	if (!nameless)
		return;
	record = record_find(identity);
	if (record) {
		record_merge(record, nameless);
		record_forget(nameless);
	} else {
		record = nameless;
		record->identity = *identity;
	}
	record->status.policy_set = false;
}

/**
 * instinct_record_keep() - keep the state and policy of a GPU that the driver lets go of
 * @dev: device that nobody can open any more
 *
 * The record replaces an older one of the same GPU. If the device has no serial number, older
 * policies of the same address no longer count as set, since this GPU may be any of theirs. Without
 * memory for a first record the function logs an error and keeps nothing.
 *
 * Context: may sleep; under instinct_record_lock().
 */
void instinct_record_keep(struct instinct_device *dev)
{
	struct instinct_identity identity;
	struct record *record;

	lockdep_assert_held(&records_lock);
	instinct_identity_set(&identity, dev->pdev, READ_ONCE(dev->serial));
	records_adopt(&identity);
	if (!identity.serial)
		instinct_record_unset_policy(identity.bdf);
	record = record_get(&identity);
	if (!record) {
		pci_err(dev->pdev, "no memory to remember its policy and state by\n");
		return;
	}
	instinct_device_status(dev, &record->status);
	record->table = dev->mailbox.table;
	record->kept = ++last_kept;
	records_trim(record);
}

static void recall_state(struct instinct_device *dev, const struct record *record)
{
	struct instinct_status *status = &dev->status;

	status->state = record->status.state;
	strscpy(status->reason, record->status.reason, sizeof(status->reason));
	status->lost_by = record->status.lost_by;
	status->scrub = record->status.scrub;
	/* Another driver may have had the device meanwhile. */
	instinct_scrub_require(&status->scrub);
	status->seen = record->status.seen;
	dev->mailbox.table = record->table;
}

/*
 * Finds the latest record of a GPU at another address, if it is later than @kept. No two GPUs may
 * have the same serial number (PCIe r6.0 sec 7.9.3).
 */
static struct record *record_elsewhere(const struct instinct_identity *identity, u64 kept)
{
	struct record *record, *last = NULL;

	list_for_each_entry(record, &records, node) {
		if (record->kept <= kept || !identity->serial ||
		    record->identity.serial != identity->serial ||
		    record->identity.profile != identity->profile ||
		    !strcmp(record->identity.bdf, identity->bdf))
			continue;
		kept = record->kept;
		last = record;
	}
	return last;
}

/**
 * instinct_record_recall() - give a new device the state and policy of its record
 * @dev: new device, on its way in
 *
 * A quarantined GPU stays quarantined, since no reset is known to have scrubbed it meanwhile. A
 * lost GPU stays lost until it shows life. A GPU that does not tell its serial number gets the
 * latest record that may be its own, but the policy does not count as set. If the GPU was at
 * another address since, its state comes from there; policy belongs to the address. The record
 * stays, since the driver may still fail to take the device.
 *
 * Context: may sleep.
 */
void instinct_record_recall(struct instinct_device *dev)
{
	struct instinct_status *status = &dev->status;
	struct instinct_identity identity;
	struct record *record;

	instinct_identity_set(&identity, dev->pdev, dev->serial);
	mutex_lock(&records_lock);
	records_adopt(&identity);
	record = record_find(&identity) ?: record_guess(&identity);
	if (record) {
		status->policy = record->status.policy;
		status->policy_set = record->status.policy_set && is_same(&record->identity, &identity);
	}
	record = record_elsewhere(&identity, record ? record->kept : 0) ?: record;
	if (record)
		recall_state(dev, record);
	mutex_unlock(&records_lock);
}

/**
 * instinct_record_lock() - keep records and policies as they are until instinct_record_unlock()
 *
 * Context: may sleep.
 */
void instinct_record_lock(void)
{
	mutex_lock(&records_lock);
}

/**
 * instinct_record_unlock() - let records and policies change again
 */
void instinct_record_unlock(void)
{
	mutex_unlock(&records_lock);
}

/**
 * instinct_record_unset_policy() - make policies in the records of an address count as not set
 * @bdf: address, of any GPU
 *
 * The values of the policies stay.
 *
 * Context: under instinct_record_lock().
 */
void instinct_record_unset_policy(const char *bdf)
{
	struct record *record;

	lockdep_assert_held(&records_lock);
	list_for_each_entry(record, &records, node)
		if (!strcmp(record->identity.bdf, bdf))
			record->status.policy_set = false;
}

/**
 * instinct_record_prepare() - make sure that a GPU has a record, for a pending policy
 * @identity: identity of the GPU, which the caller has just read
 *
 * Context: may sleep; under instinct_record_lock(), until instinct_record_set_policy().
 *
 * Return: 0 or -ENOMEM.
 */
int instinct_record_prepare(const struct instinct_identity *identity)
{
	lockdep_assert_held(&records_lock);
	records_adopt(identity);
	return record_get(identity) ? 0 : -ENOMEM;
}

/**
 * instinct_record_set_policy() - make a policy pending for a GPU
 * @identity: identity of the GPU, after instinct_record_prepare()
 * @policy: pending policy
 *
 * All else in the record stays. The function may forget records of GPUs that have gone.
 *
 * Context: under instinct_record_lock(); the GPU is none that this driver has, takes or lets go of.
 */
void instinct_record_set_policy(const struct instinct_identity *identity,
				const struct instinct_policy *policy)
{
	struct record *record = record_find(identity);

	lockdep_assert_held(&records_lock);
	if (!record)
		return;
	record->status.policy = *policy;
	record->status.policy_set = true;
	records_trim(record);
}

/**
 * instinct_record_policy() - read the policy that a GPU gets once the driver takes it
 * @identity: identity of the GPU
 * @policy: set to the policy, or to the defaults without a record
 * @policy_set: set to whether the policy counts as set
 *
 * Context: may sleep.
 */
void instinct_record_policy(const struct instinct_identity *identity,
			    struct instinct_policy *policy, bool *policy_set)
{
	struct record *record;

	instinct_policy_defaults(policy);
	*policy_set = false;
	mutex_lock(&records_lock);
	record = record_find(identity);
	if (record) {
		*policy = record->status.policy;
		*policy_set = record->status.policy_set;
	}
	mutex_unlock(&records_lock);
}

/**
 * instinct_record_nth() - walk the records by index
 * @index: index of the record, from 0
 * @identity: set to the identity of the GPU, which may be gone
 * @policy: set to the policy
 * @policy_set: set to whether the policy counts as set
 * @latest: set to whether the record is the latest one of its address
 *
 * Context: may sleep.
 *
 * Return: false past the last.
 */
bool instinct_record_nth(unsigned int index, struct instinct_identity *identity,
			 struct instinct_policy *policy, bool *policy_set, bool *latest)
{
	struct record *record;
	bool found = false;

	mutex_lock(&records_lock);
	list_for_each_entry(record, &records, node) {
		if (index--)
			continue;
		*identity = record->identity;
		*policy = record->status.policy;
		*policy_set = record->status.policy_set;
		*latest = record_is_latest(record);
		found = true;
		break;
	}
	mutex_unlock(&records_lock);
	return found;
}

/*
 * After an unplug the next GPU at the address may be another one, and policy may have changed while
 * none was there. Linux has unbound the GPU before this event, so its record exists by now.
 */
static int on_bus_event(struct notifier_block *block, unsigned long action, void *device)
{
	if (action != BUS_NOTIFY_DEL_DEVICE)
		return NOTIFY_DONE;
	mutex_lock(&records_lock);
	instinct_record_unset_policy(dev_name(device));
	mutex_unlock(&records_lock);
	return NOTIFY_DONE;
}

static struct notifier_block bus_listener = {
	.notifier_call = on_bus_event,
};

/**
 * instinct_record_init() - register for events of the PCI bus
 *
 * Return: 0 or a negative errno.
 */
int instinct_record_init(void)
{
	return bus_register_notifier(&pci_bus_type, &bus_listener);
}

/**
 * instinct_record_exit() - stop the events of the PCI bus, and forget all records
 */
void instinct_record_exit(void)
{
	struct record *record, *next;

	bus_unregister_notifier(&pci_bus_type, &bus_listener);
	list_for_each_entry_safe(record, next, &records, node)
		record_forget(record);
}
