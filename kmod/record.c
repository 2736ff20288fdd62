// SPDX-License-Identifier: GPL-2.0-only
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/slab.h>

#include "device.h"
#include "identity.h"
#include "record.h"

/* More than any host has GPUs, so that who plugs many in and out costs little. */
#define RECORDS_MAX	64

/**
 * struct record - what is remembered
 * @node: in records, the latest first
 * @identity: of the GPU
 * @status: its policy that was in force, or waits; and its state when it was kept, in which
 *	it will be again: LOST, QUARANTINED or READY
 * @leaving: it is removed to be enumerated anew, which takes nothing away
 * @mailbox: what its IP discovery table said before any user could have changed it, 0
 *	if it was not good
 * @kept: when its state was kept, as a number that only grows; 0: never
 */
struct record {
	struct list_head node;
	struct instinct_identity identity;
	struct instinct_status status;
	bool leaving;
	u32 mailbox;
	u64 kept;
};

/* Guards the records; taken before the registry's and the devices' status_lock. */
static DEFINE_MUTEX(records_lock);
static LIST_HEAD(records);
static unsigned int record_count;
static u64 last_kept;

/*
 * Another GPU in its place is another GPU, and so is this one in another place. Of GPUs
 * without a serial number that cannot be told; see instinct_record_unrule().
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

/* The latest of what may be a GPU, since of one it is not known which GPU it is. */
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

/* Of its place. */
static bool record_is_latest(const struct record *record)
{
	const struct record *later = record;

	list_for_each_entry_continue_reverse(later, &records, node)
		if (!strcmp(later->identity.bdf, record->identity.bdf))
			return false;
	return true;
}

/*
 * Who plugs GPUs in and out pushes no record out of one that is still there by all that is
 * known, so there may be more than RECORDS_MAX, but not more than there are GPUs.
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

/* That of the device, which becomes the latest, or a new one; NULL without memory. */
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
		/* What happened before us nobody knows. */
		instinct_tenure_owe(&record->status.tenure);
		record_count++;
	}
	list_add(&record->node, &records);
	instinct_device_disturb();
	return record;
}

/* A quarantine and what may not be tried again outlast what has become known since. */
static void record_merge(struct record *record, const struct record *later)
{
	struct instinct_status *status = &record->status;

	if (status->state != INSTINCT_VFIO_STATE_QUARANTINED) {
		status->state = later->status.state;
		strscpy(status->reason, later->status.reason, sizeof(status->reason));
	}
	status->policy = later->status.policy;
	status->lost_by |= later->status.lost_by;
	instinct_tenure_merge(&status->tenure, &later->status.tenure);
	status->rescanned |= later->status.rescanned;
	record->mailbox = record->mailbox ?: later->mailbox;
	record->kept = max(record->kept, later->kept);
}

/*
 * What was kept of a GPU that did not answer is of this one, which does. But nobody knew
 * for which one its policy was set.
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
	record->status.ruled = false;
}

/**
 * instinct_record_keep() - remember a GPU that the driver lets go of
 * @dev: device that nobody can open any more
 * @leaving: it is removed to be enumerated anew
 *
 * In place of what was remembered of it before. If nobody knows which GPU it is, none
 * that it may be is under what it was ruled by before. Without memory for a first record
 * it is forgotten, and the kernel log says so.
 *
 * Context: may sleep; under instinct_record_lock().
 */
void instinct_record_keep(struct instinct_device *dev, bool leaving)
{
	struct instinct_identity identity;
	struct record *record;

	lockdep_assert_held(&records_lock);
	instinct_identity_set(&identity, dev->pdev, READ_ONCE(dev->serial));
	records_adopt(&identity);
	if (!identity.serial)
		instinct_record_unrule(identity.bdf);
	record = record_get(&identity);
	if (!record) {
		pci_err(dev->pdev, "no memory to remember its policy and state by\n");
		return;
	}
	instinct_device_status(dev, &record->status);
	record->leaving = leaving;
	record->mailbox = READ_ONCE(dev->mailbox.discovered);
	record->kept = ++last_kept;
	records_trim(record);
}

static void recall_state(struct instinct_device *dev, const struct record *record)
{
	struct instinct_status *status = &dev->status;

	status->state = record->status.state;
	strscpy(status->reason, record->status.reason, sizeof(status->reason));
	status->lost_by = record->status.lost_by;
	status->tenure = record->status.tenure;
	/* Who has had it meanwhile nobody knows. */
	instinct_tenure_owe(&status->tenure);
	status->rescanned = record->status.rescanned;
	dev->mailbox.discovered = record->mailbox;
}

/*
 * Where it was last, if that was elsewhere, and after @kept: no two GPUs may tell the same
 * serial number (PCIe r6.0 sec 7.9.3).
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
 * instinct_record_recall() - let a GPU be as it was when the driver let it go, or
 *	under the policy that has waited for it
 * @dev: device, new, and known to be on its way
 *
 * A GPU that was quarantined is quarantined still, since nothing says that it
 * was scrubbed meanwhile. One that was lost is lost until it shows life. If it
 * does not tell which GPU it is, it is as the last one that it may be, but not ruled.
 * If it was in another place since, its state comes with it; policy is of the place.
 * The record stays: the driver may yet fail to take the device.
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
		status->ruled = record->status.ruled && is_same(&record->identity, &identity);
	}
	record = record_elsewhere(&identity, record ? record->kept : 0) ?: record;
	if (record)
		recall_state(dev, record);
	mutex_unlock(&records_lock);
}

/**
 * instinct_record_lock() - nothing is recalled, kept or ruled meanwhile
 *
 * Context: may sleep.
 */
void instinct_record_lock(void)
{
	mutex_lock(&records_lock);
}

/**
 * instinct_record_unlock() - the end of that
 */
void instinct_record_unlock(void)
{
	mutex_unlock(&records_lock);
}

/**
 * instinct_record_unrule() - what a GPU at a place was ruled by holds no more
 * @bdf: the place; whichever GPU it was
 *
 * The values stay, as those of a GPU that nobody has set a policy of.
 *
 * Context: under instinct_record_lock().
 */
void instinct_record_unrule(const char *bdf)
{
	struct record *record;

	lockdep_assert_held(&records_lock);
	list_for_each_entry(record, &records, node)
		if (!strcmp(record->identity.bdf, bdf))
			record->status.ruled = false;
}

/**
 * instinct_record_prepare() - have a record of a GPU for which a policy is to wait
 * @identity: of the GPU, which was just looked at
 *
 * Context: may sleep; under instinct_record_lock(), until instinct_record_rule().
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
 * instinct_record_rule() - let a policy wait for a GPU
 * @identity: of the GPU, of which there is a record
 * @policy: that it will be under
 *
 * All else that is remembered of it stays. One that has gone since may be forgotten.
 *
 * Context: under instinct_record_lock(), the GPU being nobody's that this driver has,
 * takes or lets go of.
 */
void instinct_record_rule(const struct instinct_identity *identity,
			  const struct instinct_policy *policy)
{
	struct record *record = record_find(identity);

	lockdep_assert_held(&records_lock);
	if (!record)
		return;
	record->status.policy = *policy;
	record->status.ruled = true;
	records_trim(record);
}

/**
 * instinct_record_policy() - what a GPU will be under
 * @identity: of the GPU
 * @policy: set, to the defaults if nothing is remembered of it
 * @ruled: set: somebody has set it
 *
 * Context: may sleep.
 */
void instinct_record_policy(const struct instinct_identity *identity,
			    struct instinct_policy *policy, bool *ruled)
{
	struct record *record;

	instinct_policy_defaults(policy);
	*ruled = false;
	mutex_lock(&records_lock);
	record = record_find(identity);
	if (record) {
		*policy = record->status.policy;
		*ruled = record->status.ruled;
	}
	mutex_unlock(&records_lock);
}

/**
 * instinct_record_nth() - walk the records
 * @index: from 0
 * @identity: set, to that of the GPU, which may be gone
 * @policy: set
 * @ruled: set
 * @latest: set: there is no later one of that place
 *
 * Context: may sleep.
 *
 * Return: false past the last.
 */
bool instinct_record_nth(unsigned int index, struct instinct_identity *identity,
			 struct instinct_policy *policy, bool *ruled, bool *latest)
{
	struct record *record;
	bool found = false;

	mutex_lock(&records_lock);
	list_for_each_entry(record, &records, node) {
		if (index--)
			continue;
		*identity = record->identity;
		*policy = record->status.policy;
		*ruled = record->status.ruled;
		*latest = record_is_latest(record);
		found = true;
		break;
	}
	mutex_unlock(&records_lock);
	return found;
}

/*
 * What is plugged in there later may be another GPU, and policy may have changed while
 * nobody could rule it. It was unbound before, so that its record is kept by now.
 */
static void record_unplug(const char *bdf)
{
	struct record *record;

	mutex_lock(&records_lock);
	list_for_each_entry(record, &records, node) {
		if (strcmp(record->identity.bdf, bdf))
			continue;
		record->status.ruled &= record->leaving;
		record->leaving = false;
	}
	mutex_unlock(&records_lock);
}

static int on_bus_event(struct notifier_block *block, unsigned long action, void *device)
{
	if (action == BUS_NOTIFY_DEL_DEVICE)
		record_unplug(dev_name(device));
	return NOTIFY_DONE;
}

static struct notifier_block bus_listener = {
	.notifier_call = on_bus_event,
};

/**
 * instinct_record_init() - listen to the PCI bus
 *
 * Return: 0 or a negative errno.
 */
int instinct_record_init(void)
{
	return bus_register_notifier(&pci_bus_type, &bus_listener);
}

/**
 * instinct_record_exit() - forget all
 */
void instinct_record_exit(void)
{
	struct record *record, *next;

	bus_unregister_notifier(&pci_bus_type, &bus_listener);
	list_for_each_entry_safe(record, next, &records, node)
		record_forget(record);
}
