// SPDX-License-Identifier: GPL-2.0-only
#include <linux/jiffies.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/slab.h>
#include <linux/wait.h>

#include "errand.h"
#include "hive.h"
#include "owner.h"

/* How long the members have to come together. */
#define GATHER_MS	5000
/* A member that is busy with something else is tried again. */
#define CALL_AGAIN_MS	5

/*
 * Guards the list and all that changes in its members. Taken after a device's
 * reset_lock, before the registry's and the status_locks.
 */
static DEFINE_MUTEX(hives_lock);
static LIST_HEAD(hives);

static void hive_free(struct kref *ref)
{
	struct instinct_hive *hive = container_of(ref, struct instinct_hive, ref);

	while (hive->count)
		instinct_device_put(hive->member[--hive->count]);
	put_pid(hive->requester);
	kfree(hive);
}

static bool same_hive(struct instinct_device *dev, struct instinct_device *other)
{
	u32 hive = READ_ONCE(dev->status.policy.hive);

	if (hive == INSTINCT_VFIO_HIVE_NONE || hive != READ_ONCE(other->status.policy.hive))
		return false;
	return hive != INSTINCT_VFIO_HIVE_AUTO || dev->profile->family == other->profile->family;
}

static enum instinct_hive_member member_kind(struct instinct_device *member, struct pid *requester)
{
	struct instinct_status status;

	instinct_device_status(member, &status);
	if (status.life > INSTINCT_LIFE_LEAVING)
		return INSTINCT_HIVE_UNMANAGED;
	/* Who is opening it waits for its reset, and comes along. */
	if (instinct_owner_session(&status) != INSTINCT_OWNER_USER &&
	    instinct_owner_session(&status) != INSTINCT_OWNER_CLOSING)
		return INSTINCT_HIVE_FREE;
	return requester && status.user == requester ? INSTINCT_HIVE_SAME : INSTINCT_HIVE_OTHER;
}

/*
 * GPUs that are in the hive by their family, but not in our hands. Under
 * instinct_device_lock().
 */
static unsigned int count_unmanaged(struct instinct_device *dev)
{
	const struct instinct_profile *profile;
	struct pci_dev *pdev = NULL;
	unsigned int count = 0;

	if (READ_ONCE(dev->status.policy.hive) != INSTINCT_VFIO_HIVE_AUTO)
		return 0;
	for_each_pci_dev(pdev) {
		profile = instinct_profile_find(pdev->vendor, pdev->device);
		if (profile && profile->family == dev->profile->family && !pdev->is_virtfn &&
		    pdev != dev->pdev && !instinct_device_peek(pci_name(pdev)))
			count++;
	}
	return count;
}

/* Count the other members by kind; with @hive, take note of them too. */
static void hive_survey(struct instinct_device *dev, struct pid *requester,
			unsigned int kinds[INSTINCT_HIVE_KINDS], struct instinct_hive *hive)
{
	struct instinct_device *other = NULL;

	memset(kinds, 0, INSTINCT_HIVE_KINDS * sizeof(*kinds));
	instinct_device_lock();
	kinds[INSTINCT_HIVE_UNMANAGED] = count_unmanaged(dev);
	while ((other = instinct_device_peek_next(other))) {
		if (other == dev || !same_hive(dev, other))
			continue;
		if (hive && hive->count == INSTINCT_HIVE_MEMBERS) {
			kinds[INSTINCT_HIVE_UNMANAGED]++;
			continue;
		}
		kinds[member_kind(other, requester)]++;
		if (hive) {
			kref_get(&other->ref);
			hive->member[hive->count++] = other;
		}
	}
	instinct_device_unlock();
}

/**
 * instinct_hive_verdict() - could a device's hive be reset with it now?
 * @dev: device
 * @cause: who asks
 * @requester: process that asks, or NULL
 * @why: set to the reason, for people, unless they could
 *
 * Context: may sleep.
 *
 * Return: the verdict, which may change at any time.
 */
enum instinct_hive_verdict
instinct_hive_verdict(struct instinct_device *dev, enum instinct_vfio_cause cause,
		      struct pid *requester, const char **why)
{
	unsigned int kinds[INSTINCT_HIVE_KINDS];

	hive_survey(dev, requester, kinds, NULL);
	return instinct_hive_decide(cause, kinds, why);
}

/* One that is gathering already, and has not got hold of @dev yet. */
static struct instinct_hive *hive_join(struct instinct_device *dev,
				       enum instinct_vfio_method method)
{
	struct instinct_hive *hive;
	unsigned int i;

	list_for_each_entry(hive, &hives, node) {
		if (hive->state != INSTINCT_HIVE_GATHERING || hive->terms.method != method)
			continue;
		for (i = 0; i < hive->count; i++)
			if (hive->member[i] == dev && !hive->called[i]) {
				hive->called[i] = true;
				kref_get(&hive->ref);
				return hive;
			}
	}
	return NULL;
}

static struct instinct_hive *hive_new(struct instinct_device *dev,
				      const struct instinct_reset *reset,
				      enum instinct_vfio_method method)
{
	struct instinct_hive *hive = kzalloc(sizeof(*hive), GFP_KERNEL);

	if (!hive)
		return NULL;
	kref_init(&hive->ref);
	INIT_LIST_HEAD(&hive->node);
	hive->terms = reset->terms;
	hive->terms.method = method;
	hive->deadline = jiffies + msecs_to_jiffies(GATHER_MS);
	init_waitqueue_head(&hive->wait);
	kref_get(&dev->ref);
	hive->member[0] = dev;
	hive->called[0] = true;
	hive->count = 1;
	return hive;
}

static void hive_break(struct instinct_hive *hive, const char *why)
{
	hive->state = INSTINCT_HIVE_BROKEN;
	strscpy(hive->why, why, sizeof(hive->why));
	wake_up_all(&hive->wait);
}

/* Send for the members that are not on their way. Under hives_lock. */
static void hive_call(struct instinct_hive *hive)
{
	struct instinct_device *member;
	unsigned int i;

	for (i = 0; i < hive->count; i++) {
		if (hive->called[i])
			continue;
		member = hive->member[i];
		if (member_kind(member, hive->requester) == INSTINCT_HIVE_OTHER) {
			hive_break(hive, "a GPU of the hive has been opened by somebody else meanwhile");
			return;
		}
		if (!instinct_owner_take(member, NULL) &&
		    !(hive->requester && instinct_owner_take(member, hive->requester)))
			continue;
		hive->called[i] = true;
		kref_get(&hive->ref);
		instinct_errand_start(member, INSTINCT_VFIO_CAUSE_HIVE, hive, NULL, NULL);
	}
}

/**
 * instinct_hive_begin() - enter a reset of the hive, if that can be
 * @dev: device that a reset is asked of
 * @reset: what is asked
 * @method: that is going to be tried
 * @why: set to the reason, for people, on failure
 *
 * The other members are sent for, each by an errand of its own.
 *
 * Context: may sleep; under @dev->reset_lock.
 *
 * Return: the reset of the hive, for which instinct_hive_sync() and
 * instinct_hive_end() are owed; NULL if @dev is alone in it; ERR_PTR(-EOPNOTSUPP) if it
 * cannot be reset by this method now.
 */
struct instinct_hive *
instinct_hive_begin(struct instinct_device *dev, const struct instinct_reset *reset,
		    enum instinct_vfio_method method, const char **why)
{
	unsigned int kinds[INSTINCT_HIVE_KINDS];
	enum instinct_hive_verdict verdict;
	struct instinct_hive *hive;

	lockdep_assert_held(&dev->reset_lock);
	mutex_lock(&hives_lock);
	hive = hive_join(dev, method);
	if (hive)
		goto out;

	hive = hive_new(dev, reset, method);
	if (!hive) {
		*why = "no memory to gather the hive";
		hive = ERR_PTR(-EOPNOTSUPP);
		goto out;
	}
	hive_survey(dev, reset->requester, kinds, hive);
	verdict = instinct_hive_decide(reset->cause, kinds, why);
	if (verdict != INSTINCT_HIVE_TOGETHER) {
		kref_put(&hive->ref, hive_free);
		hive = verdict == INSTINCT_HIVE_ALONE ? NULL : ERR_PTR(-EOPNOTSUPP);
		goto out;
	}
	/* Who has none of the others now is not to lose one that he opens later. */
	if (kinds[INSTINCT_HIVE_SAME])
		hive->requester = get_pid(reset->requester);
	list_add(&hive->node, &hives);
	hive_call(hive);
out:
	mutex_unlock(&hives_lock);
	return hive;
}

/* Under hives_lock. */
static bool hive_settled(struct instinct_hive *hive)
{
	if (hive->state != INSTINCT_HIVE_GATHERING)
		return true;
	if (hive->arrived == hive->count) {
		hive->state = INSTINCT_HIVE_GATHERED;
		wake_up_all(&hive->wait);
	} else if (time_after(jiffies, hive->deadline)) {
		hive_break(hive, "the GPUs of the hive did not come together in time");
	} else {
		hive_call(hive);
	}
	return hive->state != INSTINCT_HIVE_GATHERING;
}

/**
 * instinct_hive_sync() - wait until all members are ready to reset
 * @hive: reset of a hive; each member calls this once
 * @why: of INSTINCT_REASON_BYTES; set to the reason, for people, on failure
 *
 * Context: may sleep up to GATHER_MS.
 *
 * Return: 0 if all are, -ECANCELED if the reset of the hive is off.
 */
int instinct_hive_sync(struct instinct_hive *hive, char *why)
{
	int ret = 0;

	mutex_lock(&hives_lock);
	hive->arrived++;
	while (!hive_settled(hive)) {
		mutex_unlock(&hives_lock);
		wait_event_timeout(hive->wait, READ_ONCE(hive->state) != INSTINCT_HIVE_GATHERING,
				   msecs_to_jiffies(CALL_AGAIN_MS));
		mutex_lock(&hives_lock);
	}
	if (hive->state == INSTINCT_HIVE_BROKEN) {
		strscpy(why, hive->why, INSTINCT_REASON_BYTES);
		ret = -ECANCELED;
	}
	mutex_unlock(&hives_lock);
	return ret;
}

/**
 * instinct_hive_end() - a member has no more part in it
 * @hive: reset of a hive
 * @why: reason, for people, why the others cannot go on if they are still
 *	waiting for this one
 *
 * Context: may sleep.
 */
void instinct_hive_end(struct instinct_hive *hive, const char *why)
{
	mutex_lock(&hives_lock);
	if (hive->state == INSTINCT_HIVE_GATHERING)
		hive_break(hive, why);
	list_del_init(&hive->node);
	mutex_unlock(&hives_lock);
	kref_put(&hive->ref, hive_free);
}
