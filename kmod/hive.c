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
#include "reset.h"

/* How long the members have to come together. */
#define GATHER_MS	5000
/* A member that is busy with something else is tried again. */
#define CALL_AGAIN_MS	5
#define MEMBERS_MAX	64
#define SURVEY_TRIES	8

enum hive_state {
	HIVE_GATHERING,
	HIVE_TOGETHER,
	HIVE_BROKEN,
};

/**
 * struct instinct_hive - a reset of a hive under way
 * @ref: one per participant, and one per errand that is to become one
 * @node: in hives
 * @method: with which it is reset
 * @ready_timeout: how long each member has this once, in ms; 0: as its policy says
 * @elsewhere: each member is reset at @bus_port this once, not where its policy says
 * @bus_port: of method "bus"
 * @requester: process that asked, referenced, or NULL
 * @member: all of them, referenced
 * @called: an errand was sent to the member, or it came by itself
 * @count: how many
 * @arrived: how many have reached instinct_hive_sync()
 * @deadline: in jiffies, for them to do so
 * @state: GATHERING, and then one of the others for good
 * @why: reason, for people, when it is BROKEN; of its own, for a member may go before
 * @wait: woken when @state changes
 */
struct instinct_hive {
	struct kref ref;
	struct list_head node;
	enum instinct_vfio_method method;
	u32 ready_timeout;
	bool elsewhere;
	enum instinct_vfio_bus_port bus_port;
	struct pid *requester;
	struct instinct_device *member[MEMBERS_MAX];
	bool called[MEMBERS_MAX];
	unsigned int count;
	unsigned int arrived;
	unsigned long deadline;
	enum hive_state state;
	char why[INSTINCT_REASON_BYTES];
	wait_queue_head_t wait;
};

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

/**
 * instinct_hive_get() - take a reference
 * @hive: reset of a hive
 */
void instinct_hive_get(struct instinct_hive *hive)
{
	kref_get(&hive->ref);
}

/**
 * hive_put() - drop a reference
 * @hive: reset of a hive
 *
 * Context: may sleep.
 */
static void hive_put(struct instinct_hive *hive)
{
	kref_put(&hive->ref, hive_free);
}

/**
 * instinct_hive_adopt() - do to a member what was asked of the whole hive
 * @hive: reset of a hive
 * @reset: of the member; its method, and what counts this once, are set
 */
void instinct_hive_adopt(const struct instinct_hive *hive, struct instinct_reset *reset)
{
	reset->wanted = hive->method;
	reset->ready_timeout = hive->ready_timeout;
	reset->elsewhere = hive->elsewhere;
	reset->bus_port = hive->bus_port;
}

static noinline_for_stack u32 hive_of(struct instinct_device *dev)
{
	struct instinct_status status;

	instinct_device_status(dev, &status);
	return status.policy.hive;
}

static bool same_hive(struct instinct_device *dev, struct instinct_device *other)
{
	u32 hive = hive_of(dev);

	if (hive == INSTINCT_VFIO_HIVE_NONE || hive != hive_of(other))
		return false;
	return hive != INSTINCT_VFIO_HIVE_AUTO || dev->profile->family == other->profile->family;
}

static enum instinct_hive_member member_kind(struct instinct_device *member, struct pid *requester)
{
	struct instinct_status status;

	instinct_device_status(member, &status);
	/* Who is opening it waits for its reset, and comes along. */
	if (instinct_owner_session(&status) != INSTINCT_OWNER_USER &&
	    instinct_owner_session(&status) != INSTINCT_OWNER_CLOSING)
		return INSTINCT_HIVE_FREE;
	return requester && status.user == requester ? INSTINCT_HIVE_SAME : INSTINCT_HIVE_OTHER;
}

/* GPUs that are in the hive by their family, but not in our hands. */
static unsigned int count_unmanaged(struct instinct_device *dev)
{
	const struct instinct_profile *profile;
	struct instinct_device *managed;
	struct instinct_status status;
	struct pci_dev *pdev = NULL;
	unsigned int count = 0;

	instinct_device_status(dev, &status);
	if (status.policy.hive != INSTINCT_VFIO_HIVE_AUTO)
		return 0;
	for_each_pci_dev(pdev) {
		profile = instinct_profile_find(pdev->vendor, pdev->device);
		if (!profile || profile->family != dev->profile->family ||
		    pdev->is_virtfn || pdev == dev->pdev)
			continue;
		managed = instinct_device_find(pci_name(pdev));
		if (managed)
			instinct_device_put(managed);
		else
			count++;
	}
	return count;
}

/* Count the other members by kind; with @hive, take note of them too. */
static void hive_walk(struct instinct_device *dev, struct pid *requester,
		      unsigned int kinds[INSTINCT_HIVE_KINDS], struct instinct_hive *hive)
{
	struct instinct_device *other = NULL;

	memset(kinds, 0, INSTINCT_HIVE_KINDS * sizeof(*kinds));
	kinds[INSTINCT_HIVE_UNMANAGED] = count_unmanaged(dev);
	while ((other = instinct_device_next(other))) {
		if (other == dev || !same_hive(dev, other))
			continue;
		kinds[member_kind(other, requester)]++;
		if (!hive)
			continue;
		if (hive->count == MEMBERS_MAX) {
			kinds[INSTINCT_HIVE_UNMANAGED]++;
			continue;
		}
		kref_get(&other->ref);
		hive->member[hive->count++] = other;
	}
}

/* A GPU that is bound or unbound meanwhile can end a walk, or be missed by it. */
static void hive_survey(struct instinct_device *dev, struct pid *requester,
			unsigned int kinds[INSTINCT_HIVE_KINDS], struct instinct_hive *hive)
{
	unsigned int walk, tries = SURVEY_TRIES;

	for (;;) {
		walk = instinct_device_walk();
		hive_walk(dev, requester, kinds, hive);
		if (walk == instinct_device_walk())
			return;
		if (!--tries)
			break;
		while (hive && hive->count > 1)
			instinct_device_put(hive->member[--hive->count]);
	}
	/* Who there is nobody knows. */
	kinds[INSTINCT_HIVE_UNMANAGED]++;
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

static int member_index(const struct instinct_hive *hive, const struct instinct_device *dev)
{
	unsigned int i;

	for (i = 0; i < hive->count; i++)
		if (hive->member[i] == dev)
			return i;
	return -1;
}

/* One that is gathering already, and has not got hold of @dev yet. */
static struct instinct_hive *hive_join(struct instinct_device *dev,
				       enum instinct_vfio_method method)
{
	struct instinct_hive *hive;
	int i;

	list_for_each_entry(hive, &hives, node) {
		i = member_index(hive, dev);
		if (i < 0 || hive->state != HIVE_GATHERING || hive->called[i] ||
		    hive->method != method)
			continue;
		hive->called[i] = true;
		instinct_hive_get(hive);
		return hive;
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
	hive->method = method;
	hive->ready_timeout = reset->ready_timeout;
	hive->elsewhere = reset->elsewhere;
	hive->bus_port = reset->bus_port;
	hive->requester = get_pid(reset->requester);
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
	hive->state = HIVE_BROKEN;
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
		instinct_errand_start(member, INSTINCT_VFIO_CAUSE_HIVE, hive, NULL, NULL);
	}
}

/**
 * instinct_hive_begin() - enter a reset of the hive, if that can be
 * @dev: device that a reset is asked of
 * @reset: what is asked
 * @method: that is going to be tried
 * @verdict: set
 * @why: set to the reason, for people, unless the verdict is TOGETHER or ALONE
 *
 * The other members are sent for, each by an errand of its own.
 *
 * Context: may sleep; under @dev->reset_lock.
 *
 * Return: the reset of the hive, for which instinct_hive_sync() and
 * instinct_hive_end() are owed, or NULL.
 */
struct instinct_hive *
instinct_hive_begin(struct instinct_device *dev, const struct instinct_reset *reset,
		    enum instinct_vfio_method method,
		    enum instinct_hive_verdict *verdict, const char **why)
{
	unsigned int kinds[INSTINCT_HIVE_KINDS];
	struct instinct_hive *hive;

	mutex_lock(&hives_lock);
	*verdict = INSTINCT_HIVE_TOGETHER;
	hive = hive_join(dev, method);
	if (hive)
		goto out;

	hive = hive_new(dev, reset, method);
	if (!hive) {
		*verdict = INSTINCT_HIVE_NEVER;
		*why = "no memory to gather the hive";
		goto out;
	}
	hive_survey(dev, reset->requester, kinds, hive);
	*verdict = instinct_hive_decide(reset->cause, kinds, why);
	INIT_LIST_HEAD(&hive->node);
	if (*verdict != INSTINCT_HIVE_TOGETHER) {
		hive_put(hive);
		hive = NULL;
		goto out;
	}
	/* Who had none of the others then is not to lose one that he has opened since. */
	if (!kinds[INSTINCT_HIVE_SAME]) {
		put_pid(hive->requester);
		hive->requester = NULL;
	}
	list_add(&hive->node, &hives);
	hive_call(hive);
out:
	mutex_unlock(&hives_lock);
	return hive;
}

/* Under hives_lock. */
static bool hive_settled(struct instinct_hive *hive)
{
	if (hive->state == HIVE_GATHERING && hive->arrived == hive->count) {
		hive->state = HIVE_TOGETHER;
		wake_up_all(&hive->wait);
	} else if (hive->state == HIVE_GATHERING && time_after(jiffies, hive->deadline)) {
		hive_break(hive, "the GPUs of the hive did not come together in time");
	} else if (hive->state == HIVE_GATHERING) {
		hive_call(hive);
	}
	return hive->state != HIVE_GATHERING;
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
	bool settled;

	mutex_lock(&hives_lock);
	hive->arrived++;
	settled = hive_settled(hive);
	mutex_unlock(&hives_lock);

	while (!settled) {
		wait_event_timeout(hive->wait, READ_ONCE(hive->state) != HIVE_GATHERING,
				   msecs_to_jiffies(CALL_AGAIN_MS));
		mutex_lock(&hives_lock);
		settled = hive_settled(hive);
		mutex_unlock(&hives_lock);
	}
	if (hive->state == HIVE_TOGETHER)
		return 0;
	strscpy(why, hive->why, INSTINCT_REASON_BYTES);
	return -ECANCELED;
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
	if (hive->state == HIVE_GATHERING)
		hive_break(hive, why);
	list_del_init(&hive->node);
	mutex_unlock(&hives_lock);
	hive_put(hive);
}
