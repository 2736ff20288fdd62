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
 * struct instinct_record - what is remembered
 * @node: in records, the latest first
 * @identity: of the GPU
 * @policy: that was in force, or waits
 * @ruled: somebody has set it
 * @leaving: it is removed to be enumerated anew, which takes nothing away
 * @state: LOST or QUARANTINED, in which it will be again, or READY
 * @reason: why, for people
 * @lost_by: BIT(method) of methods that lost it
 * @mailbox: what its IP discovery table said before any user could have changed it, 0
 *	if it was not good
 * @tenure: what users have left in it
 * @rescanned: it was enumerated anew since it was last ready
 * @kept: when its state was kept, as a number that only grows; 0: never
 */
struct instinct_record {
	struct list_head node;
	struct instinct_identity identity;
	struct instinct_policy policy;
	bool ruled;
	bool leaving;
	enum instinct_vfio_state state;
	char reason[INSTINCT_REASON_BYTES];
	u32 lost_by;
	u32 mailbox;
	struct instinct_tenure tenure;
	bool rescanned;
	u64 kept;
};

/* Guards the records; taken before the registry's and the devices' status_lock. */
static DEFINE_MUTEX(records_lock);
static LIST_HEAD(records);
static unsigned int record_count;
static u64 last_kept;

static struct instinct_record *record_find(const struct instinct_identity *identity)
{
	struct instinct_record *record;

	list_for_each_entry(record, &records, node)
		if (instinct_identity_same(&record->identity, identity))
			return record;
	return NULL;
}

/* The latest of what may be a GPU. */
static struct instinct_record *record_guess(const struct instinct_identity *identity)
{
	struct instinct_record *record;

	list_for_each_entry(record, &records, node)
		if (instinct_identity_may_be(&record->identity, identity))
			return record;
	return NULL;
}

static void record_forget(struct instinct_record *record)
{
	list_del(&record->node);
	instinct_device_disturb();
	record_count--;
	kfree(record);
}

/* Of its place. */
static bool record_is_latest(const struct instinct_record *record)
{
	const struct instinct_record *later = record;

	list_for_each_entry_continue_reverse(later, &records, node)
		if (!strcmp(later->identity.bdf, record->identity.bdf))
			return false;
	return true;
}

/* Of a GPU that is still there by all that is known. */
static bool record_is_needed(const struct instinct_record *record)
{
	return record_is_latest(record) && instinct_identity_has_place(&record->identity);
}

/*
 * Who plugs GPUs in and out pushes no record out of one that stays, so there may be
 * more than RECORDS_MAX, but not more than there are GPUs.
 */
static void records_trim(const struct instinct_record *latest)
{
	struct instinct_record *record, *later;

	list_for_each_entry_safe_reverse(record, later, &records, node) {
		if (record_count <= RECORDS_MAX || record == latest)
			return;
		if (!record_is_needed(record))
			record_forget(record);
	}
}

static void record_renew(struct instinct_record *record)
{
	if (list_is_first(&record->node, &records))
		return;
	list_move(&record->node, &records);
	instinct_device_disturb();
}

static void record_add(struct instinct_record *record)
{
	list_add(&record->node, &records);
	instinct_device_disturb();
	record_count++;
	records_trim(record);
}

/* That of the device, which becomes the latest, or a new one; NULL without memory. */
static struct instinct_record *record_get(const struct instinct_identity *identity)
{
	struct instinct_record *record = record_find(identity);

	if (record) {
		record_renew(record);
		return record;
	}
	record = instinct_record_new(identity);
	if (record)
		record_add(record);
	return record;
}

/* A quarantine and what may not be tried again outlast what has become known since. */
static void record_merge(struct instinct_record *record, const struct instinct_record *later)
{
	if (record->state != INSTINCT_VFIO_STATE_QUARANTINED) {
		record->state = later->state;
		strscpy(record->reason, later->reason, sizeof(record->reason));
	}
	record->policy = later->policy;
	record->lost_by |= later->lost_by;
	record->mailbox = record->mailbox ?: later->mailbox;
	instinct_tenure_merge(&record->tenure, &later->tenure);
	record->rescanned |= later->rescanned;
	record->kept = max(record->kept, later->kept);
}

/*
 * What was kept of a GPU that did not answer is of this one, which does. But nobody knew
 * for which one its policy was set.
 */
static void records_adopt(const struct instinct_identity *identity)
{
	struct instinct_identity unknown = *identity;
	struct instinct_record *record, *nameless;

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
	record->ruled = false;
}

/**
 * instinct_record_keep() - remember a GPU that the driver lets go of
 * @dev: device that nobody can open any more
 *
 * In place of what was remembered of it before. If nobody knows which GPU it is, none
 * that it may be is under what it was ruled by before. Without memory for a first record
 * it is forgotten, and the kernel log says so.
 *
 * Context: may sleep; under instinct_record_lock().
 */
void instinct_record_keep(struct instinct_device *dev)
{
	struct instinct_identity identity;
	struct instinct_status status;
	struct instinct_record *record;

	instinct_identity_set(&identity, dev->pdev, READ_ONCE(dev->serial));
	instinct_device_status(dev, &status);
	records_adopt(&identity);
	if (!identity.serial)
		instinct_record_unrule(identity.bdf);
	record = record_get(&identity);
	if (!record) {
		pci_err(dev->pdev, "no memory to remember its policy and state by\n");
		return;
	}
	record->policy = status.policy;
	record->ruled = status.ruled;
	if (status.life != INSTINCT_LIFE_ABSENT)
		record->leaving = status.life == INSTINCT_LIFE_RENEWING;
	record->state = status.state;
	strscpy(record->reason, status.reason, sizeof(record->reason));
	record->lost_by = status.lost_by;
	record->mailbox = READ_ONCE(dev->mailbox.discovered);
	record->tenure = status.tenure;
	record->rescanned = status.rescanned;
	record->kept = ++last_kept;
}

static void recall_state(struct instinct_device *dev, const struct instinct_record *record)
{
	struct instinct_status *status = &dev->status;

	status->state = record->state;
	strscpy(status->reason, record->reason, sizeof(status->reason));
	status->lost_by = record->lost_by;
	status->tenure = record->tenure;
	/* Who has had it meanwhile nobody knows. */
	instinct_tenure_owe(&status->tenure);
	dev->mailbox.discovered = record->mailbox;
	status->rescanned = record->rescanned;
}

/* Where it was last, if that was elsewhere, and after @kept. */
static struct instinct_record *record_elsewhere(const struct instinct_identity *identity, u64 kept)
{
	struct instinct_record *record, *last = NULL;

	list_for_each_entry(record, &records, node) {
		if (record->kept <= kept ||
		    !instinct_identity_elsewhere(&record->identity, identity))
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
	struct instinct_record *record;

	instinct_identity_set(&identity, dev->pdev, dev->serial);
	mutex_lock(&records_lock);
	records_adopt(&identity);
	record = record_find(&identity) ?: record_guess(&identity);
	if (record) {
		status->policy = record->policy;
		status->ruled = record->ruled &&
				instinct_identity_same(&record->identity, &identity);
	}
	record = record_elsewhere(&identity, record ? record->kept : 0) ?: record;
	if (record)
		recall_state(dev, record);
	mutex_unlock(&records_lock);
}

/**
 * instinct_record_new() - a record of a GPU of which there may be none
 * @identity: of the GPU
 *
 * Return: the record, to be handed to instinct_record_rule() or
 * instinct_record_free(), or NULL.
 */
struct instinct_record *instinct_record_new(const struct instinct_identity *identity)
{
	struct instinct_record *record = kzalloc(sizeof(*record), GFP_KERNEL);

	if (!record)
		return NULL;
	record->identity = *identity;
	/* What happened before us nobody knows. */
	instinct_tenure_owe(&record->tenure);
	return record;
}

/**
 * instinct_record_free() - a record that was not needed
 * @record: it, or NULL
 */
void instinct_record_free(struct instinct_record *record)
{
	kfree(record);
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
	struct instinct_record *record;

	list_for_each_entry(record, &records, node)
		if (!strcmp(record->identity.bdf, bdf))
			record->ruled = false;
}

/**
 * instinct_record_rule() - let a policy wait for a GPU
 * @spare: record of it, for the case that there is none; NULL afterwards if it was
 *	taken
 * @policy: that it will be under
 *
 * All else that is remembered of it stays.
 *
 * Context: under instinct_record_lock(), the GPU being nobody's that this driver has,
 * takes or lets go of.
 */
void instinct_record_rule(struct instinct_record **spare, const struct instinct_policy *policy)
{
	struct instinct_record *record;

	records_adopt(&(*spare)->identity);
	record = record_find(&(*spare)->identity);
	if (!record) {
		record = *spare;
		*spare = NULL;
		record_add(record);
	} else {
		record_renew(record);
	}
	record->policy = *policy;
	record->ruled = true;
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
	struct instinct_record *record;

	instinct_policy_defaults(policy);
	*ruled = false;
	mutex_lock(&records_lock);
	record = record_find(identity);
	if (record) {
		*policy = record->policy;
		*ruled = record->ruled;
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
	struct instinct_record *record;
	bool found = false;

	mutex_lock(&records_lock);
	list_for_each_entry(record, &records, node) {
		if (index--)
			continue;
		*identity = record->identity;
		*policy = record->policy;
		*ruled = record->ruled;
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
	struct instinct_record *record;

	mutex_lock(&records_lock);
	list_for_each_entry(record, &records, node) {
		if (strcmp(record->identity.bdf, bdf))
			continue;
		record->ruled &= record->leaving;
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
	struct instinct_record *record, *next;

	bus_unregister_notifier(&pci_bus_type, &bus_listener);
	list_for_each_entry_safe(record, next, &records, node)
		record_forget(record);
}
