// SPDX-License-Identifier: GPL-2.0-only
#include <linux/jiffies.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/slab.h>
#include <linux/wait.h>

#include "device/owner.h"
#include "reset/reset.h"

/* The members have this time to come together. */
#define GATHER_MS	5000
/* A hive calls a busy member again after this time. */
#define CALL_AGAIN_MS	5

enum instinct_hive_state {
	INSTINCT_HIVE_GATHERING,
	INSTINCT_HIVE_GATHERED,
	INSTINCT_HIVE_BROKEN,
};

/**
 * struct instinct_hive - a reset of a hive under way
 * @ref: one reference per participant, and one per reset work that will take part
 * @node: links all resets of hives under way
 * @terms: terms on which each member is reset
 * @requester: user that asked and has other members open, or nobody
 * @member: the members, each referenced; no hive has more
 * @called: reset work has started for the member, or the member came by itself
 * @joined: a reset of the member takes part, or has; a second one of it does not
 * @count: number of members
 * @arrived: number of members that have reached instinct_hive_sync()
 * @deadline: time in jiffies by which all members must have arrived
 * @state: GATHERING, then GATHERED or BROKEN for good
 * @why: reason, for the user, while BROKEN; a copy, since its author may be gone before the readers
 * @wait: woken when @state changes
 */
struct instinct_hive {
	struct kref ref;
	struct list_head node;
	struct instinct_terms terms;
	struct instinct_user requester;
	struct instinct_device *member[64];
	bool called[64];
	bool joined[64];
	unsigned int count;
	unsigned int arrived;
	unsigned long deadline;
	enum instinct_hive_state state;
	char why[INSTINCT_REASON_BYTES];
	wait_queue_head_t wait;
};

/*
 * This lock guards the list and all mutable state of the hives in it. It is taken after a device's
 * reset_lock, and before the locks of the registry and the devices' status_lock.
 */
static DEFINE_MUTEX(hives_lock);
static LIST_HEAD(hives);

static void hive_free(struct kref *ref)
{
	struct instinct_hive *hive = container_of(ref, struct instinct_hive, ref);

	while (hive->count)
		instinct_device_put(hive->member[--hive->count]);
	put_pid(hive->requester.process);
	kfree(hive);
}

/* With @opens the requester is about to open a GPU of the hive. */
static enum instinct_hive_member
member_kind(struct instinct_device *member, const struct instinct_user *requester, bool opens)
{
	struct instinct_status status;
	bool same;

	instinct_device_status(member, &status);
	same = instinct_owner_is(&status.user, requester);
	switch (status.owner) {
	case INSTINCT_OWNER_GONE:
		return INSTINCT_HIVE_UNMANAGED;
	case INSTINCT_OWNER_USER:
	case INSTINCT_OWNER_CLOSING:
		return same ? INSTINCT_HIVE_SAME : INSTINCT_HIVE_OTHER;
	case INSTINCT_OWNER_OPENING:
		/* Two users open GPUs of a hive at the same moment: the first one gets them. */
		if (opens && !same && status.user.number < requester->number)
			return INSTINCT_HIVE_OTHER;
		/* A member that is being opened is reset first, and so can take part. */
		fallthrough;
	default:
		return INSTINCT_HIVE_FREE;
	}
}

/*
 * Counts the GPUs that belong to the hive by their family, but that this driver does not have, and
 * names the first one in @why. Under instinct_devices_lock.
 */
static unsigned int count_unmanaged(struct instinct_device *dev, char *why)
{
	const struct instinct_profile *profile;
	const struct instinct_device *other;
	struct pci_dev *pdev = NULL;
	unsigned int count = 0;

	lockdep_assert_held(&instinct_devices_lock);
	if (READ_ONCE(dev->status.policy.hive) != INSTINCT_VFIO_HIVE_AUTO ||
	    dev->profile->family->solitary)
		return 0;
	for_each_pci_dev(pdev) {
		profile = instinct_profile_find(pdev->vendor, pdev->device);
		other = instinct_device_peek(pci_name(pdev));
		if (profile && profile->family == dev->profile->family && !pdev->is_virtfn &&
		    pdev != dev->pdev && !(other && other->status.present) &&
		    !count++)
			snprintf(why, INSTINCT_REASON_BYTES,
				 "GPU %s of the hive is not bound to this driver (policy: hive, scope)",
				 pci_name(pdev));
	}
	return count;
}

/**
 * struct hive_count - the members of a hive, as policy and the hardware count them
 * @members: number of members by policy
 * @nodes: number of nodes in the hive by the registers of those members that report a node number
 * @differ: the registers of two members disagree on @nodes, or report the same node number
 * @seen: BIT() of each node number that a member reports
 */
struct hive_count {
	unsigned int members;
	unsigned int nodes;
	bool differ;
	unsigned long seen;
};

static void count_member(struct hive_count *count, const struct instinct_device *dev)
{
	unsigned int nodes = READ_ONCE(dev->status.seen.hive_nodes);
	unsigned long node = BIT(READ_ONCE(dev->status.seen.hive_node));

	count->members++;
	if (!nodes)
		return;
	count->differ |= (count->nodes && count->nodes != nodes) || count->seen & node;
	count->nodes = max(count->nodes, nodes);
	count->seen |= node;
}

static bool counts_otherwise(const struct hive_count *count, char *why)
{
	if (!count->nodes || (count->members == count->nodes && !count->differ))
		return false;
	if (count->differ)
		strscpy(why, "the registers of the hive's GPUs disagree on the hive's size or its nodes (policy: hive)",
			INSTINCT_REASON_BYTES);
	else if (count->members < count->nodes && hweight_long(count->seen) == count->members)
		snprintf(why, INSTINCT_REASON_BYTES,
			 "node %u of the hive's %u takes no part: not bound to this driver, or hive = none",
			 (unsigned int)ffz(count->seen), count->nodes);
	else
		snprintf(why, INSTINCT_REASON_BYTES,
			 "the hive has %u GPUs by its hardware, and %u by policy (policy: hive)",
			 count->nodes, count->members);
	return true;
}

/**
 * instinct_hive_verdict() - could a device's hive be reset with it now?
 * @dev: device
 * @cause: cause of the device's reset; without @hive, OPEN for those that its user will ask for
 * @requester: user that asks, number 0 for nobody
 * @hive: reset of the hive that the other members are added to, and the requester if it has any of
 *	them open; or NULL
 * @why: buffer of INSTINCT_REASON_BYTES; set to the reason, for the user, or empty if it could
 *
 * Context: may sleep.
 *
 * Return: the verdict, which may change at any time.
 */
enum instinct_hive_verdict
instinct_hive_verdict(struct instinct_device *dev, enum instinct_vfio_cause cause,
		      const struct instinct_user *requester, struct instinct_hive *hive, char *why)
{
	bool opens = cause == INSTINCT_VFIO_CAUSE_OPEN && !hive;
	const struct instinct_family *family = dev->profile->family;
	u32 number = READ_ONCE(dev->status.policy.hive);
	unsigned int kinds[INSTINCT_HIVE_KINDS] = { };
	struct instinct_device *other = NULL;
	enum instinct_hive_verdict verdict;
	struct hive_count count = { };
	const char *text;

	*why = '\0';
	count_member(&count, dev);
	mutex_lock(&instinct_devices_lock);
	kinds[INSTINCT_HIVE_UNMANAGED] = count_unmanaged(dev, why);
	while ((other = instinct_device_next(other))) {
		if (other == dev || number == INSTINCT_VFIO_HIVE_NONE ||
		    number != READ_ONCE(other->status.policy.hive) ||
		    (number == INSTINCT_VFIO_HIVE_AUTO &&
		     (family != other->profile->family || family->solitary)))
			continue;
		count_member(&count, other);
		/* A lost member does not come to a reset, so the user would not get what it will need. */
		if (opens && READ_ONCE(other->status.state) == INSTINCT_VFIO_STATE_LOST &&
		    !kinds[INSTINCT_HIVE_UNMANAGED]++)
			snprintf(why, INSTINCT_REASON_BYTES, "GPU %s of the hive is lost (policy: scope)",
				 pci_name(other->pdev));
		if (hive && hive->count == ARRAY_SIZE(hive->member)) {
			kinds[INSTINCT_HIVE_UNMANAGED]++;
			continue;
		}
		kinds[member_kind(other, requester, opens)]++;
		if (hive) {
			kref_get(&other->ref);
			hive->member[hive->count++] = other;
		}
	}
	mutex_unlock(&instinct_devices_lock);
	if (!kinds[INSTINCT_HIVE_UNMANAGED] && !family->solitary)
		kinds[INSTINCT_HIVE_UNMANAGED] = counts_otherwise(&count, why);

	verdict = instinct_hive_decide(opens ? INSTINCT_VFIO_CAUSE_VFIO_RESET : cause, kinds, &text);
	/* The counts may have given a more precise reason already. */
	if (verdict == INSTINCT_HIVE_TAKEN || !kinds[INSTINCT_HIVE_UNMANAGED] || !*why)
		strscpy(why, text, INSTINCT_REASON_BYTES);
	/* A requester without other members now must not lose one that it opens later. */
	if (hive && kinds[INSTINCT_HIVE_SAME]) {
		hive->requester = *requester;
		get_pid(requester->process);
	}
	return verdict;
}

static bool hive_join(struct instinct_hive *hive, struct instinct_device *dev)
{
	unsigned int i;

	lockdep_assert_held(&hives_lock);
	for (i = 0; i < hive->count; i++)
		if (hive->member[i] == dev && !hive->joined[i]) {
			hive->called[i] = true;
			hive->joined[i] = true;
			return true;
		}
	return false;
}

/**
 * instinct_hive_join() - take part in a reset of a hive that has called for a member
 * @hive: reset of the hive
 * @dev: the member
 *
 * Context: may sleep; under @dev->reset_lock.
 *
 * Return: false if another reset of the member has come first, such as one that its user has asked for
 * at the same time. Then nothing is left to do.
 */
bool instinct_hive_join(struct instinct_hive *hive, struct instinct_device *dev)
{
	bool joined;

	lockdep_assert_held(&dev->reset_lock);
	mutex_lock(&hives_lock);
	joined = hive_join(hive, dev);
	mutex_unlock(&hives_lock);
	return joined;
}

/* Joins a hive that is gathering already, whether it has called @dev or not. */
static struct instinct_hive *hive_find(struct instinct_device *dev,
				       enum instinct_vfio_method method)
{
	struct instinct_hive *hive;

	list_for_each_entry(hive, &hives, node)
		if (hive->state == INSTINCT_HIVE_GATHERING && hive->terms.method == method &&
		    hive_join(hive, dev)) {
			kref_get(&hive->ref);
			return hive;
		}
	return NULL;
}

static void hive_break(struct instinct_hive *hive, const char *why)
{
	hive->state = INSTINCT_HIVE_BROKEN;
	strscpy(hive->why, why, sizeof(hive->why));
	wake_up_all(&hive->wait);
}

/* Starts reset work for the members that are not on their way yet. Under hives_lock. */
static void hive_call(struct instinct_hive *hive)
{
	struct instinct_device *member;
	unsigned int i;

	lockdep_assert_held(&hives_lock);
	for (i = 0; i < hive->count; i++) {
		if (hive->called[i])
			continue;
		member = hive->member[i];
		if (member_kind(member, &hive->requester, false) == INSTINCT_HIVE_OTHER) {
			hive_break(hive, "another user has opened a GPU of the hive meanwhile");
			return;
		}
		if (!instinct_owner_take(member, &hive->requester))
			continue;
		hive->called[i] = true;
		kref_get(&hive->ref);
		instinct_reset_start(member, &(struct instinct_reset) {
						.cause = INSTINCT_VFIO_CAUSE_HIVE,
						.terms = hive->terms, .hive = hive });
	}
}

/**
 * instinct_hive_begin() - begin or join a reset of a device's hive, if the rules allow it
 * @dev: device whose reset is under way
 * @reset: the reset as asked for
 * @method: method that the engine is about to try
 * @why: buffer of INSTINCT_REASON_BYTES; set to the reason, for the user, on failure
 *
 * The function starts reset work for each other member.
 *
 * Context: may sleep; under @dev->reset_lock.
 *
 * Return: the reset of the hive, for which the caller has to call instinct_hive_sync() and
 * instinct_hive_end(); NULL if @dev is alone in its hive; ERR_PTR(-EOPNOTSUPP) if this method
 * cannot reset the hive now.
 */
struct instinct_hive *
instinct_hive_begin(struct instinct_device *dev, const struct instinct_reset *reset,
		    enum instinct_vfio_method method, char *why)
{
	enum instinct_hive_verdict verdict;
	struct instinct_hive *hive;

	lockdep_assert_held(&dev->reset_lock);
	mutex_lock(&hives_lock);
	hive = hive_find(dev, method);
	if (hive)
		goto out;

	hive = kzalloc(sizeof(*hive), GFP_KERNEL);
	if (!hive) {
		strscpy(why, "no memory to gather the hive", INSTINCT_REASON_BYTES);
		hive = ERR_PTR(-EOPNOTSUPP);
		goto out;
	}
	kref_init(&hive->ref);
	hive->terms = reset->terms;
	hive->terms.method = method;
	hive->deadline = jiffies + msecs_to_jiffies(GATHER_MS);
	init_waitqueue_head(&hive->wait);
	kref_get(&dev->ref);
	hive->member[0] = dev;
	hive->count = 1;
	hive_join(hive, dev);
	verdict = instinct_hive_verdict(dev, reset->cause, &reset->requester, hive, why);
	if (verdict != INSTINCT_HIVE_TOGETHER) {
		kref_put(&hive->ref, hive_free);
		hive = verdict == INSTINCT_HIVE_ALONE ? NULL : ERR_PTR(-EOPNOTSUPP);
		goto out;
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
	lockdep_assert_held(&hives_lock);
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
 * instinct_hive_sync() - wait until all members of a hive are ready to reset
 * @hive: reset of the hive; each member calls this function once
 * @why: buffer of INSTINCT_REASON_BYTES; set to the reason, for the user, on failure
 *
 * Context: may sleep up to GATHER_MS.
 *
 * Return: 0 if all members are ready, -ECANCELED if the reset of the hive is off.
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
 * instinct_hive_end() - end a member's part in a reset of its hive
 * @hive: reset of the hive, whose reference the function drops
 * @why: reason, for the user, why the reset is off if the others still wait for this member
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
