// SPDX-License-Identifier: GPL-2.0-only
/*
 * A request is carried out in this order, so that it can be refused until the last
 * step, which cannot fail:
 *
 * 1. Without any lock: whose policies they are, which may wake a GPU.
 * 2. Under policy_lock: what is in force; the caller changes it; each is checked.
 * 3. Isolation of all, which writes to ports; it is undone if step 4 is refused.
 * 4. Under the lock of the records and of the registry, where no device comes or goes:
 *    is each device still whose it was? Then all policies are in force at once.
 * 5. Under policy_lock still: it is told.
 *
 * The driver takes or lets go of a device without policy_lock. Who finds one in the
 * middle of that (it is *passing*), or another's than it was in step 1, ends with
 * -EAGAIN, and who has sent the request sends it again in a moment. Nobody waits here:
 * genetlink keeps its own lock meanwhile.
 */
#include <linux/mm.h>
#include <linux/mutex.h>

#include "device.h"
#include "policy_change.h"
#include "record.h"

/*
 * Guards policies between being read and being set. Taken before all other locks, by
 * netlink only, and never by who holds one of the PCI core.
 */
static DEFINE_MUTEX(policy_lock);

static const char passing_why[] = "the device is being bound or unbound; try again";
static const char unbound_why[] = "the device has just been unbound; try again";

/**
 * instinct_policy_changes_begin() - nothing is to change yet
 * @changes: set
 * @room: for so many, up to INSTINCT_POLICY_CHANGES_MAX
 *
 * Context: may sleep.
 *
 * Return: 0 or -ENOMEM; instinct_policy_changes_end() is owed in either case.
 */
int instinct_policy_changes_begin(struct instinct_policy_changes *changes, unsigned int room)
{
	*changes = (struct instinct_policy_changes) {
		/* The sender chooses how many, and is told. */
		.change = kvcalloc(room, sizeof(*changes->change), GFP_KERNEL | __GFP_NOWARN),
	};
	return changes->change ? 0 : -ENOMEM;
}

static bool is_passing(const char *bdf)
{
	bool passing;

	instinct_device_lock();
	passing = instinct_device_is_passing(bdf);
	instinct_device_unlock();
	return passing;
}

/* What is in force on one that is gone can be taken back. */
static int find_plain(const char *bdf, const char **why)
{
	struct instinct_isolation_policy policy;

	if (instinct_identity_is_endpoint(bdf) || instinct_isolation_get(bdf, &policy))
		return 0;
	*why = "there is no such endpoint";
	return -ENODEV;
}

/* What was meant for a GPU that does not answer holds for none until it is set anew. */
static int forget_ruled(const char *bdf, const char **why)
{
	bool comes;

	instinct_record_lock();
	instinct_device_lock();
	comes = instinct_device_peek(bdf) || instinct_device_is_passing(bdf);
	if (!comes)
		instinct_record_unrule(bdf);
	instinct_device_unlock();
	instinct_record_unlock();
	if (!comes)
		return -ENXIO;
	*why = passing_why;
	return -EAGAIN;
}

static int find_waiting(struct instinct_policy_change *change, const char **why)
{
	const struct instinct_profile *profile;
	int ret = instinct_identity_find(&change->identity, change->bdf, &profile, why);

	if (ret)
		return ret == -ENXIO ? forget_ruled(change->bdf, why) : ret;
	change->family = profile->family;
	change->spare = instinct_record_new(&change->identity);
	if (change->spare)
		return 0;
	*why = "out of memory";
	return -ENOMEM;
}

static int change_find(struct instinct_policy_change *change, bool waiting, const char **why)
{
	change->waiting = waiting;
	change->dev = instinct_device_find(change->bdf);
	if (change->dev) {
		change->of = INSTINCT_POLICY_OF_MANAGED;
		change->family = change->dev->profile->family;
		return 0;
	}
	if (is_passing(change->bdf)) {
		*why = passing_why;
		return -EAGAIN;
	}
	change->of = waiting ? INSTINCT_POLICY_OF_WAITING : INSTINCT_POLICY_OF_PLAIN;
	return waiting ? find_waiting(change, why) : find_plain(change->bdf, why);
}

/*
 * A GPU may be there once as any endpoint and once with what waits for it. If the driver
 * has it by now, only the latter is about it.
 */
static int changes_pair(struct instinct_policy_change *a, struct instinct_policy_change *b,
			const char **why)
{
	if (a->waiting == b->waiting) {
		*why = "the device is named twice";
		return -EEXIST;
	}
	if (a->of == INSTINCT_POLICY_OF_MANAGED && b->of == INSTINCT_POLICY_OF_MANAGED)
		(a->waiting ? b : a)->of = INSTINCT_POLICY_OF_NOBODY;
	return 0;
}

/**
 * instinct_policy_changes_add() - find one more device
 * @changes: with room for it
 * @bdf: which
 * @waiting: if it is a GPU that the driver does not have, the policy is to wait
 * @why: set to the reason, for people, when it cannot be
 *
 * Context: may sleep; no lock is held, since a GPU that waits may have to be woken.
 *
 * Return: 0; -EEXIST for one that is there already; -ENODEV; -ENOMEM; -EAGAIN if the
 * driver is just taking it or letting go of it, or somebody resets it; -ENXIO if it does
 * not answer, and then what any GPU there was ruled by holds no more.
 */
int instinct_policy_changes_add(struct instinct_policy_changes *changes,
				const char *bdf, bool waiting, const char **why)
{
	struct instinct_policy_change *change = &changes->change[changes->count++];
	unsigned int i;
	int ret;

	strscpy(change->bdf, bdf, sizeof(change->bdf));
	ret = change_find(change, waiting, why);
	for (i = 0; i < changes->count - 1 && !ret; i++)
		if (!strcmp(changes->change[i].bdf, bdf))
			ret = changes_pair(&changes->change[i], change, why);
	if (ret)
		return ret;
	change->isolation = (struct instinct_isolation_change) {
		.bdf = change->bdf,
		.dev = change->dev,
		.policy = &change->policy.isolation,
	};
	return 0;
}

static void change_read(struct instinct_policy_change *change)
{
	switch (change->of) {
	case INSTINCT_POLICY_OF_MANAGED:
		change->ruled = instinct_device_policy(change->dev, &change->before);
		break;
	case INSTINCT_POLICY_OF_PLAIN:
		instinct_policy_defaults(&change->before);
		change->ruled = instinct_isolation_get(change->bdf, &change->before.isolation);
		break;
	case INSTINCT_POLICY_OF_WAITING:
		instinct_record_policy(&change->identity, &change->before, &change->ruled);
		break;
	case INSTINCT_POLICY_OF_NOBODY:
		return;
	}
	change->policy = change->before;
}

/**
 * instinct_policy_changes_lock() - nobody else changes a policy from here on
 * @changes: all that are to change; what is in force becomes known of each
 *
 * Context: may sleep; waits for other requests.
 */
void instinct_policy_changes_lock(struct instinct_policy_changes *changes)
{
	unsigned int i;

	mutex_lock(&policy_lock);
	changes->locked = true;
	for (i = 0; i < changes->count; i++)
		change_read(&changes->change[i]);
}

/**
 * instinct_policy_change_unmet() - what a GPU cannot have of a policy
 * @policy: it
 * @package: the package switch is above it
 *
 * Return: the reason, for people, or NULL.
 */
const char *instinct_policy_change_unmet(const struct instinct_policy *policy, bool package)
{
	if (package || (policy->method != INSTINCT_VFIO_METHOD_BUS &&
			policy->method != INSTINCT_VFIO_METHOD_FLR))
		return NULL;
	return "methods bus and flr need the package switch (SWUS, SWDS) above the GPU, and there is none";
}

static int check_waiting(const struct instinct_policy_change *change, const char **why)
{
	struct pci_dev *pdev = instinct_identity_get(change->bdf);
	const char *unmet;
	int ret = 0;

	/* If it has just gone, what waits is looked at when it is taken. */
	if (!pdev)
		return 0;
	unmet = instinct_policy_change_unmet(&change->policy, instinct_identity_has_package(pdev));
	if (unmet) {
		*why = unmet;
		ret = -EOPNOTSUPP;
	}
	pci_dev_put(pdev);
	return ret;
}

static int check_managed(const struct instinct_policy_change *change, const char **why)
{
	bool package = instinct_fabric_has_package(&change->dev->fabric);
	const char *unmet = instinct_policy_change_unmet(&change->policy, package);

	if (!unmet)
		return 0;
	*why = unmet;
	return -EOPNOTSUPP;
}

/**
 * instinct_policy_change_check() - can a device have its policy?
 * @change: with the policy that it is to have
 * @why: set to the reason, for people, when it cannot
 *
 * Of a GPU for which it waits, all is checked for which the GPU need not be asked. What
 * else cannot be is told by an event when the driver takes it.
 *
 * Context: may sleep; under instinct_policy_changes_lock().
 *
 * Return: 0, -ERANGE or -EOPNOTSUPP.
 */
int instinct_policy_change_check(struct instinct_policy_change *change, const char **why)
{
	if (instinct_policy_fault(&change->policy, change->family, why))
		return -ERANGE;
	if (change->of == INSTINCT_POLICY_OF_PLAIN)
		return 0;
	return change->of == INSTINCT_POLICY_OF_MANAGED ? check_managed(change, why) :
							  check_waiting(change, why);
}

/**
 * instinct_policy_change_reject() - tell that a policy was refused
 * @change: the one that is to blame
 * @why: for people
 *
 * Nobody is told of an endpoint that is not a GPU of this driver's.
 *
 * Context: may sleep.
 */
void instinct_policy_change_reject(const struct instinct_policy_change *change, const char *why)
{
	struct instinct_event event = { .kind = INSTINCT_VFIO_EVENT_POLICY_REJECTED };

	if (change->of == INSTINCT_POLICY_OF_MANAGED)
		instinct_device_tell(change->dev, event.kind, why);
	if (change->of != INSTINCT_POLICY_OF_WAITING)
		return;
	event.serial = change->identity.serial;
	strscpy(event.bdf, change->bdf, sizeof(event.bdf));
	strscpy(event.reason, why, sizeof(event.reason));
	instinct_event_emit(&event);
}

/* Under the lock of the registry. */
static int still_whose_it_was(const struct instinct_policy_change *change, const char **why)
{
	struct instinct_device *dev = instinct_device_peek(change->bdf);

	if (change->of == INSTINCT_POLICY_OF_MANAGED && dev != change->dev) {
		*why = unbound_why;
		return -EAGAIN;
	}
	if (dev == change->dev && (dev || !instinct_device_is_passing(change->bdf)))
		return 0;
	*why = passing_why;
	return -EAGAIN;
}

/*
 * A GPU that is let go of from here on takes its policy along in its record; one that is
 * taken from here on finds the policy in the record that has waited for it.
 */
static int changes_commit(struct instinct_policy_changes *changes,
			  struct instinct_policy_change **culprit, const char **why)
{
	struct instinct_policy_change *change, *end = changes->change + changes->count;
	int ret = 0;

	instinct_record_lock();
	instinct_device_lock();
	for (change = changes->change; change < end && !ret; change++) {
		ret = still_whose_it_was(change, why);
		if (ret)
			*culprit = change;
	}
	for (change = changes->change; change < end && !ret; change++) {
		if (change->of == INSTINCT_POLICY_OF_MANAGED)
			instinct_device_rule(change->dev, &change->policy);
		else if (change->of == INSTINCT_POLICY_OF_WAITING)
			instinct_record_rule(&change->spare, &change->policy);
	}
	instinct_device_unlock();
	instinct_record_unlock();
	return ret;
}

/*
 * It is told where it is news: of a policy that the device was under before, by
 * somebody's word, it is not. Nor of one that waits, which is in force once the device
 * is there, and that is told.
 */
static void change_conclude(struct instinct_policy_change *change)
{
	if (change->of != INSTINCT_POLICY_OF_MANAGED)
		return;
	if (!change->ruled || memcmp(&change->before, &change->policy, sizeof(change->policy)))
		instinct_device_tell(change->dev, INSTINCT_VFIO_EVENT_POLICY_APPLIED, "");
}

/**
 * instinct_policy_changes_set() - all policies take effect, or none
 * @changes: all of them, checked
 * @culprit: set to the one that is to blame when they are refused, or to NULL
 * @why: set to the reason, for people, when they are refused
 *
 * Context: may sleep; under instinct_policy_changes_lock(), no other lock.
 *
 * Return: 0; or -EINVAL, -ENOMEM, -EAGAIN as instinct_isolation_set(), and then
 * nothing has changed.
 */
int instinct_policy_changes_set(struct instinct_policy_changes *changes,
				struct instinct_policy_change **culprit, const char **why)
{
	struct instinct_isolation_change *blamed;
	unsigned int i;
	LIST_HEAD(isolation);
	int ret;

	for (i = 0; i < changes->count; i++) {
		struct instinct_policy_change *change = &changes->change[i];

		if (change->of != INSTINCT_POLICY_OF_WAITING &&
		    change->of != INSTINCT_POLICY_OF_NOBODY &&
		    memcmp(&change->before.isolation, &change->policy.isolation,
			   sizeof(change->policy.isolation)))
			list_add_tail(&change->isolation.node, &isolation);
	}
	ret = instinct_isolation_set(&isolation, &blamed, why);
	*culprit = blamed ? container_of(blamed, struct instinct_policy_change, isolation) :
			    NULL;
	if (ret)
		return ret;
	ret = changes_commit(changes, culprit, why);
	if (ret) {
		instinct_isolation_undo(&isolation);
		return ret;
	}
	for (i = 0; i < changes->count; i++)
		change_conclude(&changes->change[i]);
	return 0;
}

/**
 * instinct_policy_changes_end() - let go of all that was taken for it
 * @changes: set or not
 *
 * Context: may sleep.
 */
void instinct_policy_changes_end(struct instinct_policy_changes *changes)
{
	if (changes->locked)
		mutex_unlock(&policy_lock);
	while (changes->count--) {
		struct instinct_policy_change *change = &changes->change[changes->count];

		instinct_record_free(change->spare);
		if (change->dev)
			instinct_device_put(change->dev);
	}
	kvfree(changes->change);
}
