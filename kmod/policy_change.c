// SPDX-License-Identifier: GPL-2.0-only
/*
 * POLICY_SET and POLICY_APPLY: policies of several devices are set together, all of them or
 * none. A request is carried out in this order, so that it can be refused until the last
 * step, which cannot fail:
 *
 * 1. Without any lock: whose policies they are, which may wake a GPU.
 * 2. Under policy_lock: what is in force; what the request makes of it; each is checked.
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

#include "identity.h"
#include "isolation.h"
#include "netlink.h"
#include "record.h"

/* More than any host has endpoints. */
#define CHANGES_MAX	256

/*
 * Guards policies between being read and being set. Taken before all other locks, by
 * netlink only, and never by who holds one of the PCI core.
 */
static DEFINE_MUTEX(policy_lock);

/**
 * enum policy_of - whose policy it is
 * @OF_MANAGED: a GPU's that this driver has
 * @OF_PLAIN: another endpoint's: its isolation only
 * @OF_WAITING: a GPU's for which it waits until the driver takes it
 * @OF_NOBODY: any endpoint's, which is a GPU that the driver has, and that is there with its
 *	own policy too
 */
enum policy_of {
	OF_MANAGED,
	OF_PLAIN,
	OF_WAITING,
	OF_NOBODY,
};

/**
 * struct change - what is to change of one device
 * @attrs: what the request says of it; A_POLICY_WAITING: the policy may wait
 * @nest: where the request says so, NULL of a POLICY_SET
 * @of: whose policy it is; that is looked up before any lock is taken, and holds or
 *	ends the whole when it comes to be set
 * @dev: of a managed one, referenced
 * @identity: of a GPU; of another endpoint where it is only
 * @before: what was in force, or waited, when nobody could set it any more
 * @ruled: and somebody had set it
 * @policy: what is to be
 * @isolation: its part in isolation
 */
struct change {
	struct nlattr *attrs[A(POLICY_MAX) + 1];
	const struct nlattr *nest;
	enum policy_of of;
	struct instinct_device *dev;
	struct instinct_identity identity;
	struct instinct_policy before;
	bool ruled;
	struct instinct_policy policy;
	struct instinct_isolation_change isolation;
};

/**
 * struct changes - all that one request changes
 * @info: the request
 * @count: of @change
 * @change: they, each of another device, or one of a GPU that this driver does not
 *	have as any endpoint and one that waits for it
 */
struct changes {
	struct genl_info *info;
	unsigned int count;
	struct change change[];
};

#define for_each_change(_change, _changes) \
	for ((_change) = (_changes)->change; \
	     (_change) < (_changes)->change + (_changes)->count; (_change)++)

static int refuse(const char **why, const char *text, int ret)
{
	*why = text;
	return ret;
}

static int refuse_passing(const char **why)
{
	return refuse(why, "the device is being bound or unbound; try again", -EAGAIN);
}

/* What is in force on one that is gone can be taken back. */
static int find_plain(struct change *change, const char **why)
{
	const char *bdf = change->identity.bdf;

	change->of = OF_PLAIN;
	return instinct_identity_is_endpoint(bdf) ||
	       instinct_isolation_get(bdf, &change->before.isolation) ?
	       0 : refuse(why, "there is no such endpoint", -ENODEV);
}

/* What was meant for a GPU that does not answer holds for none until it is set anew. */
static int find_waiting(struct change *change, const char *bdf, const char **why)
{
	int ret = instinct_identity_find(&change->identity, bdf, why);

	change->of = OF_WAITING;
	if (ret != -ENXIO)
		return ret;
	instinct_record_lock();
	instinct_device_lock();
	if (instinct_device_peek(bdf) || instinct_device_is_passing(bdf))
		ret = refuse_passing(why);
	else
		instinct_record_unrule(bdf);
	instinct_device_unlock();
	instinct_record_unlock();
	return ret;
}

/* No lock is held, since a GPU that waits may have to be woken. */
static int change_find(struct change *change, const char *bdf, const char **why)
{
	bool passing;

	strscpy(change->identity.bdf, bdf, sizeof(change->identity.bdf));
	change->dev = instinct_device_find(bdf);
	if (change->dev) {
		change->identity.profile = change->dev->profile;
		return 0;
	}
	instinct_device_lock();
	passing = instinct_device_is_passing(bdf);
	instinct_device_unlock();
	if (passing)
		return refuse_passing(why);
	return change->attrs[A(POLICY_WAITING)] ? find_waiting(change, bdf, why) :
						  find_plain(change, why);
}

/*
 * A GPU may be there once as any endpoint and once with what waits for it. If the driver
 * has it by now, only the latter is about it.
 */
static int change_pair(struct changes *changes, struct change *change, const char **why)
{
	struct change *other;

	for (other = changes->change; other < change; other++) {
		if (strcmp(other->identity.bdf, change->identity.bdf))
			continue;
		if (!other->attrs[A(POLICY_WAITING)] == !change->attrs[A(POLICY_WAITING)])
			return refuse(why, "the device is named twice", -EEXIST);
		if (other->of == OF_MANAGED && change->of == OF_MANAGED)
			(other->attrs[A(POLICY_WAITING)] ? change : other)->of = OF_NOBODY;
	}
	return 0;
}

static int change_begin(struct changes *changes, struct change *change)
{
	const struct nlattr *bdf = change->attrs[A(POLICY_BDF)];
	const char *why = NULL;
	int ret;

	if (!bdf)
		return instinct_netlink_refuse(changes->info, change->nest, "the device is missing: give its bdf, such as 0000:c1:00.0",
					       -EINVAL);
	ret = change_find(change, nla_data(bdf), &why) ?: change_pair(changes, change, &why);
	if (ret)
		return instinct_netlink_refuse(changes->info, bdf, why, ret);
	change->isolation = (struct instinct_isolation_change) {
		.bdf = change->identity.bdf,
		.dev = change->dev,
		.policy = &change->policy.isolation,
	};
	return 0;
}

static void change_read(struct change *change)
{
	lockdep_assert_held(&policy_lock);
	instinct_policy_defaults(&change->before);
	if (change->of == OF_MANAGED)
		change->ruled = instinct_device_policy(change->dev, &change->before);
	else if (change->of == OF_PLAIN)
		instinct_isolation_get(change->identity.bdf, &change->before.isolation);
	else if (change->of == OF_WAITING)
		instinct_record_policy(&change->identity, &change->before, &change->ruled);
	change->policy = change->before;
}

/* If it has just gone, what waits is looked at when it is taken. */
static const char *change_unmet(const struct change *change)
{
	struct pci_dev *pdev = instinct_identity_get(change->identity.bdf);
	const char *why = pdev ? instinct_identity_unmet(pdev, &change->policy) : NULL;

	pci_dev_put(pdev);
	return why;
}

/*
 * Changes a policy as the request says, and checks it. Of a GPU for which it waits, all is
 * checked for which the GPU need not be asked. What else cannot be is told by an event when
 * the driver takes it.
 */
static int change_merge(struct change *change, const struct nlattr **blamed, const char **why)
{
	struct nlattr **attrs = change->attrs;
	const struct instinct_profile *profile = change->identity.profile;
	const struct instinct_policy_key *key;
	int ret;

	if (attrs[A(POLICY_DEFAULTS)])
		instinct_policy_defaults(&change->policy);
	instinct_policy_for_each_key(key) {
		const struct nlattr *attr = attrs[key->attr];

		if (!attr)
			continue;
		*blamed = attr;
		if (change->of == OF_PLAIN && !key->isolation)
			return refuse(why, "of a device that is not bound to instinct_vfio_pci (see instinctctl bind) only ACS and ATS can be ruled",
				      -ENODEV);
		if (!key->text) {
			instinct_policy_set(&change->policy, key, nla_get_u32(attr));
			continue;
		}
		ret = instinct_peers_parse(&change->policy.isolation.peers, nla_data(attr), why);
		if (ret)
			return ret;
	}
	key = instinct_policy_fault(&change->policy, profile ? profile->family : NULL, why);
	if (key) {
		*blamed = attrs[key->attr];
		return -ERANGE;
	}
	*blamed = attrs[A(POLICY_METHOD)];
	*why = change->of == OF_PLAIN ? NULL : change_unmet(change);
	return *why ? -EOPNOTSUPP : 0;
}

/*
 * Tells that a policy was refused; nobody is told of an endpoint that is not a GPU of this
 * driver's, or of a request that is to be sent again.
 */
static int change_reject(struct changes *changes, struct change *change,
			 const struct nlattr *blamed, const char *why, int ret)
{
	struct instinct_event event = { .kind = INSTINCT_VFIO_EVENT_POLICY_REJECTED };

	strscpy(event.reason, why, sizeof(event.reason));
	if (change->of == OF_MANAGED && ret != -EAGAIN) {
		instinct_device_emit(change->dev, &event);
	} else if (change->of == OF_WAITING && ret != -EAGAIN) {
		event.serial = change->identity.serial;
		strscpy(event.bdf, change->identity.bdf, sizeof(event.bdf));
		instinct_event_emit(&event);
	}
	return instinct_netlink_refuse(changes->info, blamed ?: change->nest, why, ret);
}

/* Under the lock of the registry. */
static int still_whose_it_was(const struct change *change, const char **why)
{
	const char *bdf = change->identity.bdf;
	struct instinct_device *dev = instinct_device_peek(bdf);

	if (change->of == OF_MANAGED && dev != change->dev)
		return refuse(why, "the device has just been unbound; try again", -EAGAIN);
	return dev == change->dev && (dev || !instinct_device_is_passing(bdf)) ?
	       0 : refuse_passing(why);
}

/*
 * A GPU that is let go of from here on takes its policy along in its record; one that is
 * taken from here on finds the policy in the record that has waited for it.
 */
static int changes_commit(struct changes *changes, struct change **culprit, const char **why)
{
	struct change *change;
	int ret = 0;

	instinct_record_lock();
	instinct_device_lock();
	for_each_change(change, changes) {
		*culprit = change;
		ret = still_whose_it_was(change, why);
		if (ret)
			goto out;
	}
	for_each_change(change, changes) {
		*culprit = change;
		if (change->of == OF_WAITING && instinct_record_prepare(&change->identity)) {
			ret = refuse(why, "out of memory", -ENOMEM);
			goto out;
		}
	}
	for_each_change(change, changes)
		if (change->of == OF_MANAGED)
			instinct_device_rule(change->dev, &change->policy);
		else if (change->of == OF_WAITING)
			instinct_record_rule(&change->identity, &change->policy);
out:
	instinct_device_unlock();
	instinct_record_unlock();
	return ret;
}

static int changes_set(struct changes *changes, struct change **culprit, const char **why)
{
	struct instinct_isolation_change *blamed;
	struct change *change;
	LIST_HEAD(isolation);
	int ret;

	for_each_change(change, changes)
		if ((change->of == OF_MANAGED || change->of == OF_PLAIN) &&
		    memcmp(&change->before.isolation, &change->policy.isolation,
			   sizeof(change->policy.isolation)))
			list_add_tail(&change->isolation.node, &isolation);
	ret = instinct_isolation_set(&isolation, &blamed, why);
	*culprit = blamed ? container_of(blamed, struct change, isolation) : NULL;
	if (ret)
		return ret;
	ret = changes_commit(changes, culprit, why);
	if (ret)
		instinct_isolation_undo(&isolation);
	return ret;
}

/*
 * A policy is told of where it is news: one that the device was under before, by somebody's
 * word, is not. Nor is one that waits, which is in force once the device is there, and that
 * is told.
 */
static bool change_is_news(const struct change *change)
{
	return change->of == OF_MANAGED &&
	       (!change->ruled || memcmp(&change->before, &change->policy, sizeof(change->policy)));
}

static int changes_apply(struct changes *changes)
{
	const struct nlattr *blamed = NULL;
	struct change *change, *culprit;
	const char *why = NULL;
	int ret;

	lockdep_assert_held(&policy_lock);
	for_each_change(change, changes)
		change_read(change);
	for_each_change(change, changes) {
		ret = change->of == OF_NOBODY ? 0 : change_merge(change, &blamed, &why);
		if (ret)
			return change_reject(changes, change, blamed, why, ret);
	}
	ret = changes_set(changes, &culprit, &why);
	if (ret)
		return culprit ? change_reject(changes, culprit, NULL, why, ret) :
				 instinct_netlink_refuse(changes->info, NULL, why, ret);
	for_each_change(change, changes)
		if (change_is_news(change))
			instinct_device_tell(change->dev, INSTINCT_VFIO_EVENT_POLICY_APPLIED, "");
	return 0;
}

static int changes_begin(struct changes *changes)
{
	struct genl_info *info = changes->info;
	struct change *change = changes->change;
	struct nlattr *nest;
	int rest, ret;

	if (info->genlhdr->cmd == INSTINCT_VFIO_CMD_POLICY_SET) {
		memcpy(change->attrs, info->attrs, sizeof(change->attrs));
		return change_begin(changes, change);
	}
	nlmsg_for_each_attr(nest, info->nlhdr, GENL_HDRLEN, rest) {
		if (nla_type(nest) != A(APPLY_POLICY))
			continue;
		change->nest = nest;
		ret = nla_parse_nested(change->attrs, A(POLICY_MAX), nest, instinct_policy_attrs,
				       info->extack) ?: change_begin(changes, change);
		if (ret)
			return ret;
		change++;
	}
	return 0;
}

/**
 * instinct_netlink_policy_change() - POLICY_SET and POLICY_APPLY
 * @skb: request
 * @info: request, parsed
 *
 * Return: 0 or a negative errno.
 */
int instinct_netlink_policy_change(struct sk_buff *skb, struct genl_info *info)
{
	unsigned int count = info->genlhdr->cmd == INSTINCT_VFIO_CMD_POLICY_SET;
	struct changes *changes;
	struct change *change;
	struct nlattr *nest;
	int rest, ret;

	/* The attributes of a POLICY_SET have other numbers. */
	if (!count)
		nlmsg_for_each_attr(nest, info->nlhdr, GENL_HDRLEN, rest)
			count += nla_type(nest) == A(APPLY_POLICY);
	if (!count)
		return instinct_netlink_refuse(info, NULL, "no policy is given: give one for each device",
					       -EINVAL);
	if (count > CHANGES_MAX)
		return instinct_netlink_refuse(info, NULL, "these are more policies than one request can have, which is 256",
					       -E2BIG);
	/* The sender chooses how many, and is told. */
	changes = kvzalloc(struct_size(changes, change, count), GFP_KERNEL | __GFP_NOWARN);
	if (!changes)
		return -ENOMEM;
	changes->info = info;
	changes->count = count;
	ret = changes_begin(changes);
	if (!ret) {
		mutex_lock(&policy_lock);
		ret = changes_apply(changes);
		mutex_unlock(&policy_lock);
	}
	for_each_change(change, changes)
		if (change->dev)
			instinct_device_put(change->dev);
	kvfree(changes);
	return ret;
}
