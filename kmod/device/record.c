// SPDX-License-Identifier: GPL-2.0-only
#include <linux/pci.h>
#include <linux/pm_runtime.h>
#include <linux/slab.h>

#include "device/device.h"
#include "device/record.h"

static struct pci_dev *function_get(const char *bdf)
{
	struct device *device = bus_find_device_by_name(&pci_bus_type, NULL, bdf);

	return device ? to_pci_dev(device) : NULL;
}

/**
 * instinct_identity_is_endpoint() - is there a function at an address, and is it no port?
 * @bdf: address of the function in full, "0000:c1:00.0"
 *
 * Context: may sleep.
 *
 * Return: true if there is such a function, with any driver or none.
 */
bool instinct_identity_is_endpoint(const char *bdf)
{
	struct pci_dev *pdev = function_get(bdf);
	bool found = pdev && !pdev->subordinate;

	pci_dev_put(pdev);
	return found;
}

/*
 * Reads the PCIe Device Serial Number of a GPU, 0 if the GPU has none. A function that does not answer
 * reads as a serial number of ones, or has none. If it stops answering between the two dwords, half of the
 * number is wrong. Returns whether the GPU answers.
 */
static bool identity_serial(struct pci_dev *pdev, u64 *serial)
{
	bool answers = instinct_endpoint_answers(pdev);

	*serial = answers ? pci_get_dsn(pdev) : 0;
	answers = answers && instinct_endpoint_answers(pdev);
	if (!answers || *serial == U64_MAX)
		*serial = 0;
	return answers;
}

static void identity_set(struct instinct_identity *identity, const struct pci_dev *pdev, u64 serial)
{
	*identity = (struct instinct_identity) {
		.serial = serial,
		.profile = instinct_profile_find(pdev->vendor, pdev->device),
	};
	strscpy(identity->bdf, pci_name(pdev), sizeof(identity->bdf));
}

/**
 * instinct_identity_find() - identify the GPU at an address, with any driver or none
 * @identity: identity, set
 * @bdf: address
 * @why: set to an error text on failure
 *
 * A reset under way has locked users' config accesses out, and a read here would disturb it. The
 * function does not wait for such a reset, whose length is not bounded.
 *
 * Context: may sleep until the function's driver and the ports above have woken the function.
 *
 * Return: 0; -ENODEV if no known GPU is there, -ENXIO if the GPU does not answer, -EAGAIN while it
 * is in reset.
 */
int instinct_identity_find(struct instinct_identity *identity, const char *bdf, const char **why)
{
	struct pci_dev *pdev = function_get(bdf);
	int ret = -ENODEV;

	*why = "there is no such device";
	if (!pdev)
		return ret;
	*why = "a policy can wait for a GPU that instinct_vfio_pci knows, and this device is none";
	identity_set(identity, pdev, 0);
	identity->packaged = instinct_path_package(pdev);
	if (pdev->is_virtfn || !identity->profile)
		goto out;
	/* As sysfs does before a user reads the config space: only D3cold keeps it from answering. */
	if (pdev->dev.parent)
		pm_runtime_get_sync(pdev->dev.parent);
	pm_runtime_get_noresume(&pdev->dev);
	pm_runtime_barrier(&pdev->dev);
	if (pdev->current_state == PCI_D3cold)
		pm_runtime_resume(&pdev->dev);
	*why = "the GPU is being reset; try again";
	ret = -EAGAIN;
	if (pci_cfg_access_trylock(pdev)) {
		*why = "the GPU does not answer, so that nobody can tell whether it is the one that is meant; reset it, or bind it to instinct_vfio_pci";
		ret = identity_serial(pdev, &identity->serial) ? 0 : -ENXIO;
		pci_cfg_access_unlock(pdev);
	}
	pm_runtime_put(&pdev->dev);
	if (pdev->dev.parent)
		pm_runtime_put(pdev->dev.parent);
out:
	pci_dev_put(pdev);
	return ret;
}

/**
 * struct record - record of one GPU
 * @node: element of the list of records, the latest first
 * @identity: identity of the GPU
 * @gone: the GPU has left its address, which is empty once another GPU has a record there
 * @status: policy that was in force at the address or is pending for it, and the state LOST,
 *	QUARANTINED or READY in which the next bind finds the GPU
 * @table: facts from the IP discovery table before any user could change it, all 0 without a good
 *	table
 */
struct record {
	struct list_head node;
	struct instinct_identity identity;
	bool gone;
	struct instinct_status status;
	struct instinct_discovery table;
};

/* Under instinct_devices_lock. */
static LIST_HEAD(records);

/*
 * Finds the record of a GPU: the one at its address, or the one of a GPU that has left its own. A GPU or
 * a record without a serial number goes by the address.
 */
static struct record *record_find(const struct instinct_identity *identity)
{
	struct record *record, *moved = NULL;

	lockdep_assert_held(&instinct_devices_lock);
	list_for_each_entry(record, &records, node) {
		bool same = record->identity.serial == identity->serial;

		if (record->identity.profile != identity->profile)
			continue;
		if (!strcmp(record->identity.bdf, identity->bdf) &&
		    (same || !identity->serial || !record->identity.serial))
			return record;
		if (same && identity->serial && record->gone)
			moved = moved ?: record;
	}
	return moved;
}

/*
 * Reads the policy that a GPU gets. Policy belongs to the address, and counts as set only for the GPU
 * for which it was set. Returns whether it does.
 */
static bool record_policy(const struct instinct_identity *identity, struct instinct_policy *policy)
{
	const struct record *record = record_find(identity);

	instinct_policy_defaults(policy);
	if (!record || strcmp(record->identity.bdf, identity->bdf))
		return false;
	*policy = record->status.policy;
	return record->status.policy_set && !record->gone &&
	       record->identity.serial == identity->serial;
}

/**
 * instinct_record_get() - find or make the record of a GPU that is there
 * @identity: identity of the GPU, which the caller has just read
 *
 * The record's serial number stays if the GPU does not tell one.
 *
 * Context: may sleep; under instinct_devices_lock; the GPU is none that this driver has or takes.
 *
 * Return: the record's status, in which the caller may set the policy under the same lock; NULL without
 * memory.
 */
struct instinct_status *instinct_record_get(const struct instinct_identity *identity)
{
	struct record *record = record_find(identity), *other;
	struct instinct_policy policy;
	bool policy_set = record_policy(identity, &policy);
	u64 serial = identity->serial;

	lockdep_assert_held(&instinct_devices_lock);
	if (record) {
		serial = serial ?: record->identity.serial;
		list_del(&record->node);
	} else {
		record = kzalloc(sizeof(*record), GFP_KERNEL);
		if (!record)
			return NULL;
	}
	list_for_each_entry(other, &records, node) {
		if (strcmp(other->identity.bdf, identity->bdf))
			continue;
		/* An address has one GPU. */
		other->gone = true;
		other->identity.bdf[0] = '\0';
	}
	list_add(&record->node, &records);
	record->identity = *identity;
	record->identity.serial = serial;
	record->gone = false;
	record->status.policy = policy;
	record->status.policy_set = policy_set;
	instinct_device_disturb();
	return &record->status;
}

/**
 * instinct_record_keep() - keep the state and policy of a GPU that the driver lets go of
 * @dev: device that nobody can open any more
 *
 * A GPU that has not answered since the bind may be another one than that of its address's record, so
 * the policy no longer counts as set. Without memory for a first record the function logs an error and
 * keeps nothing.
 *
 * Context: may sleep; under instinct_devices_lock.
 */
void instinct_record_keep(struct instinct_device *dev)
{
	struct instinct_identity identity;
	struct instinct_status *status;
	struct record *record;

	lockdep_assert_held(&instinct_devices_lock);
	identity_set(&identity, dev->pdev, READ_ONCE(dev->serial));
	status = instinct_record_get(&identity);
	if (!status) {
		pci_err(dev->pdev, "no memory to remember its policy and state by\n");
		return;
	}
	record = container_of(status, struct record, status);
	instinct_device_status(dev, status);
	status->policy_set &= record->identity.serial == identity.serial;
	record->table = dev->mailbox.table;
}

/**
 * instinct_record_recall() - identify a new device, and give it the state and policy of its record
 * @dev: new device, on its way in
 *
 * A quarantined GPU stays quarantined, also at another address, since no reset is known to have
 * scrubbed it meanwhile. A lost GPU stays lost until it shows life. The record stays, since the
 * driver may still fail to take the device.
 *
 * Context: may sleep; under instinct_devices_lock.
 */
void instinct_record_recall(struct instinct_device *dev)
{
	struct instinct_status *status = &dev->status;
	struct instinct_identity identity;
	struct record *record;

	lockdep_assert_held(&instinct_devices_lock);
	identity_serial(dev->pdev, &dev->serial);
	identity_set(&identity, dev->pdev, dev->serial);
	status->policy_set = record_policy(&identity, &status->policy);
	record = record_find(&identity);
	if (record) {
		status->state = record->status.state;
		strscpy(status->reason, record->status.reason, sizeof(status->reason));
		status->lost_by = record->status.lost_by;
		status->seen = record->status.seen;
		status->scrub = record->status.scrub;
		dev->mailbox.table = record->table;
	}
	/* Users from before this driver, or of another driver meanwhile, may have left data. */
	status->scrub.needs_scrub = true;
	status->scrub.waived = false;
}

/**
 * instinct_record_identify() - read the serial number of a device that had not told it yet
 * @dev: device that answers, as far as known
 *
 * The driver may have taken the device while it did not answer. Until now, its policy was set for a
 * GPU that nobody could tell from another, so the policy no longer counts as set.
 *
 * Context: may sleep; under @dev->reset_lock.
 */
void instinct_record_identify(struct instinct_device *dev)
{
	bool policy_set;
	u64 serial;

	lockdep_assert_held(&dev->reset_lock);
	if (dev->serial || !identity_serial(dev->pdev, &serial) || !serial)
		return;
	/* A policy for the identified GPU is set after this. */
	spin_lock(&dev->status_lock);
	WRITE_ONCE(dev->serial, serial);
	policy_set = dev->status.policy_set;
	dev->status.policy_set = false;
	spin_unlock(&dev->status_lock);
	if (policy_set)
		pci_warn(dev->pdev, "its policy was set before it answered: whether that is the one for this GPU is not known (see instinctctl apply)\n");
}

/**
 * instinct_record_policy() - read the policy that a GPU gets once the driver takes it
 * @identity: identity of the GPU
 * @policy: set to the policy, or to the defaults without a record
 *
 * Context: may sleep.
 *
 * Return: true if the policy counts as set.
 */
bool instinct_record_policy(const struct instinct_identity *identity,
			    struct instinct_policy *policy)
{
	bool policy_set;

	mutex_lock(&instinct_devices_lock);
	policy_set = record_policy(identity, policy);
	mutex_unlock(&instinct_devices_lock);
	return policy_set;
}

/* Is a GPU like that of the record at its address, and does the driver not have it? */
static bool record_is_pending(const struct record *record)
{
	const struct instinct_identity *identity = &record->identity;
	const struct instinct_device *dev = instinct_device_peek(identity->bdf);
	struct pci_dev *pdev = function_get(identity->bdf);
	bool pending = pdev && !(dev && dev->status.present) &&
		       instinct_profile_find(pdev->vendor, pdev->device) == identity->profile;

	pci_dev_put(pdev);
	return pending;
}

/**
 * instinct_record_nth() - walk the records of GPUs that are there and that the driver does not have
 * @index: index of the record, from 0
 * @identity: set to the identity of the GPU
 * @policy: set to the policy
 * @policy_set: set to whether the policy counts as set
 *
 * Context: may sleep.
 *
 * Return: false past the last.
 */
bool instinct_record_nth(unsigned int index, struct instinct_identity *identity,
			 struct instinct_policy *policy, bool *policy_set)
{
	struct record *record;
	bool found = false;

	mutex_lock(&instinct_devices_lock);
	list_for_each_entry(record, &records, node) {
		if (!record_is_pending(record) || index--)
			continue;
		*identity = record->identity;
		*policy = record->status.policy;
		*policy_set = record->status.policy_set && !record->gone;
		found = true;
		break;
	}
	mutex_unlock(&instinct_devices_lock);
	return found;
}

/**
 * instinct_record_leave() - note that a GPU has left its address
 * @bdf: address
 *
 * After an unplug the next GPU at the address may be another one, and policy may have changed while
 * none was there.
 *
 * Context: may sleep; Linux has unbound the GPU before, so its record exists by now.
 */
void instinct_record_leave(const char *bdf)
{
	struct record *record;

	mutex_lock(&instinct_devices_lock);
	list_for_each_entry(record, &records, node)
		if (!strcmp(record->identity.bdf, bdf))
			record->gone = true;
	mutex_unlock(&instinct_devices_lock);
}

/**
 * instinct_record_exit() - forget all records
 */
void instinct_record_exit(void)
{
	struct record *record, *next;

	list_for_each_entry_safe(record, next, &records, node)
		kfree(record);
}
