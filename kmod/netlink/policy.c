// SPDX-License-Identifier: GPL-2.0-only
/*
 * POLICY_APPLY sets the policies of several devices together, all of them or none.
 * The module serves a request in this order, so that it can refuse it until the last step, which
 * cannot fail:
 *
 * 1. Without any lock, it finds out whose policy each one is, which may wake a GPU.
 * 2. Under policy_lock, it reads each policy, changes it as the request says, and checks it.
 * 3. It plans the isolation of all endpoints, and checks the plan.
 * 4. Under instinct_isolation_lock and instinct_devices_lock, no device comes or goes. The module
 *    checks that each policy still belongs to the owner found in step 1, and sets all policies at
 *    once. Then it carries out the plan, which writes to ports.
 * 5. Still under policy_lock, it emits the events.
 *
 * The driver takes a device, or lets go of it, without policy_lock. If the module finds in step 4 that
 * a device is on its way in or out (*passing*), or has changed hands, the request ends with -EAGAIN, and
 * the sender sends it again in a moment. The module does not wait, since genetlink holds its own lock
 * meanwhile.
 */
#include <linux/mm.h>
#include <linux/mutex.h>

#include "device/record.h"
#include "isolation/isolation.h"
#include "netlink/family.h"

/* No host has more endpoints. */
#define CHANGES_MAX	256

/*
 * This lock guards policies between their reading and their setting. Only netlink takes it, before
 * all other locks, and never while it holds a lock of the PCI core.
 */
static DEFINE_MUTEX(policy_lock);

const struct nla_policy instinct_policy_attrs[A(POLICY_MAX) + 1] = {
	[A(POLICY_BDF)] = { .type = NLA_NUL_STRING, .len = INSTINCT_BDF_BYTES - 1 },
	[A(POLICY_DEFAULTS)] = { .type = NLA_FLAG },
	[A(POLICY_METHOD) ... A(POLICY_CHECK_INTERVAL)] = { .type = NLA_U32 },
	[A(POLICY_PARTITION) ... A(POLICY_CONTAIN)] = { .type = NLA_U32 },
	[A(POLICY_PEER)] = {
		.type = NLA_BINARY, .len = INSTINCT_PEERS_MAX * sizeof(struct instinct_peer)
	},
	[A(POLICY_PENDING)] = { .type = NLA_FLAG },
};

/**
 * enum policy_of - owners of a policy
 * @OF_MANAGED: a GPU that this driver has
 * @OF_UNMANAGED: any other endpoint, whose policy has isolation only
 * @OF_PENDING: a GPU that this driver does not have; its policy waits until the driver takes it
 * @OF_NOBODY: an endpoint that turns out to be a GPU that the driver has; the request has a pending
 *	policy for it too, so the module ignores this one
 */
enum policy_of {
	OF_MANAGED,
	OF_UNMANAGED,
	OF_PENDING,
	OF_NOBODY,
};

/**
 * struct change - the change of one device's policy
 * @attrs: attributes of the request; with A_POLICY_PENDING the policy may wait
 * @nest: attribute of the request that holds @attrs
 * @of: owner of the policy, found before any lock is taken; step 4 refuses the request if the owner
 *	has changed since
 * @dev: the managed device, referenced, or NULL
 * @identity: identity of a GPU; of another endpoint the address alone
 * @before: policy that was in force, or pending, when policy_lock was taken
 * @policy_set: @before was set by a request
 * @policy: the new policy
 * @pending: for OF_PENDING, status in the GPU's record, in step 4
 * @isolation: the part of the change that concerns isolation
 */
struct change {
	struct nlattr *attrs[A(POLICY_MAX) + 1];
	const struct nlattr *nest;
	enum policy_of of;
	struct instinct_device *dev;
	struct instinct_identity identity;
	struct instinct_policy before;
	bool policy_set;
	struct instinct_policy policy;
	struct instinct_status *pending;
	struct instinct_isolation_change isolation;
};

/**
 * struct changes - all changes of one request
 * @info: the request
 * @isolation: the changes of policies in force that concern isolation
 * @count: number of changes
 * @change: the changes, each for another device; a GPU that this driver does not have may be there
 *	twice, once as any endpoint and once with a pending policy
 */
struct changes {
	struct genl_info *info;
	struct instinct_isolation_changes isolation;
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

/*
 * Takes no policy_lock, since it may have to wake a GPU with a pending policy. A GPU that is being bound or
 * unbound looks like one that the driver does not have, until still_whose_it_was() finds it.
 */
static int change_find(struct change *change, const char *bdf, const char **why)
{
	strscpy(change->identity.bdf, bdf, sizeof(change->identity.bdf));
	change->dev = instinct_device_find(bdf);
	if (change->dev) {
		change->identity.profile = change->dev->profile;
		change->identity.packaged = instinct_path_has_package(&change->dev->path);
		return 0;
	}
	if (change->attrs[A(POLICY_PENDING)]) {
		change->of = OF_PENDING;
		return instinct_identity_find(&change->identity, bdf, why);
	}
	change->of = OF_UNMANAGED;
	/* A request can take back the policy of an endpoint that is gone. */
	return instinct_identity_is_endpoint(bdf) ||
	       instinct_isolation_get(bdf, &change->before.isolation) ?
	       0 : refuse(why, "there is no such endpoint", -ENODEV);
}

/*
 * A request may hold a GPU once as any endpoint and once with a pending policy. If the driver has
 * the GPU by now, only the latter counts.
 */
static int change_pair(struct changes *changes, struct change *change, const char **why)
{
	struct change *other;

	for (other = changes->change; other < change; other++) {
		if (strcmp(other->identity.bdf, change->identity.bdf))
			continue;
		if (!other->attrs[A(POLICY_PENDING)] == !change->attrs[A(POLICY_PENDING)])
			return refuse(why, "the device is named twice", -EEXIST);
		if (other->of == OF_MANAGED && change->of == OF_MANAGED)
			(other->attrs[A(POLICY_PENDING)] ? change : other)->of = OF_NOBODY;
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
		.policy = &change->policy.isolation,
	};
	return 0;
}

static void change_read(struct change *change)
{
	struct instinct_status status;

	lockdep_assert_held(&policy_lock);
	instinct_policy_defaults(&change->before);
	if (change->of == OF_MANAGED) {
		instinct_device_status(change->dev, &status);
		change->before = status.policy;
		change->policy_set = status.policy_set;
	} else if (change->of == OF_UNMANAGED) {
		instinct_isolation_get(change->identity.bdf, &change->before.isolation);
	} else if (change->of == OF_PENDING) {
		change->policy_set = instinct_record_policy(&change->identity, &change->before);
	}
	change->policy = change->before;
}

static int take_peers(struct instinct_peers *peers, const struct nlattr *attr, const char **why)
{
	unsigned int i;

	*peers = (struct instinct_peers) { .count = nla_len(attr) / sizeof(*peers->item) };
	memcpy(peers->item, nla_data(attr), nla_len(attr));
	for (i = 0; i < peers->count && peers->item[i].kind <= INSTINCT_VFIO_PEER_ID; i++)
		;
	return i == peers->count && nla_len(attr) % sizeof(*peers->item) == 0 ?
	       0 : refuse(why, "peer must be pairs of a kind and a value", -EINVAL);
}

/*
 * Changes a policy as the request says, and checks it. For a pending policy the module makes only
 * the checks that need no access to the GPU. When the driver takes the GPU, an event reports any
 * other fault.
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
		if (change->of == OF_UNMANAGED && !key->isolation)
			return refuse(why, "only ACS and ATS of a device that is not bound to instinct_vfio_pci can be set (see instinctctl bind)",
				      -ENODEV);
		if (!key->text) {
			instinct_policy_set(&change->policy, key, nla_get_u32(attr));
			continue;
		}
		ret = take_peers(&change->policy.isolation.peers, attr, why);
		if (ret)
			return ret;
	}
	key = instinct_policy_fault(&change->policy, profile ? profile->family : NULL, why);
	if (key) {
		*blamed = attrs[key->attr];
		return -ERANGE;
	}
	*blamed = attrs[A(POLICY_METHOD)];
	return change->policy.method != INSTINCT_VFIO_METHOD_BUS || change->identity.packaged ?
	       0 : refuse(why, INSTINCT_PATH_UNPACKAGED, -EOPNOTSUPP);
}

/*
 * Refuses the request, and emits an event if the policy is a GPU's. A request that the sender has
 * to send again causes no event.
 */
static int change_reject(struct changes *changes, struct change *change,
			 const struct nlattr *blamed, const char *why, int ret)
{
	struct instinct_event event = {
		.kind = INSTINCT_VFIO_EVENT_POLICY_REJECTED,
		.serial = change->identity.serial,
	};

	strscpy(event.reason, why, sizeof(event.reason));
	if (change->of != OF_UNMANAGED && ret != -EAGAIN)
		instinct_device_emit_of(change->identity.bdf, &event);
	return instinct_netlink_refuse(changes->info, blamed ?: change->nest, why, ret);
}

/* Is the policy's owner still the one found in step 1? Under instinct_devices_lock. */
static int still_whose_it_was(const struct change *change, const char **why)
{
	struct instinct_device *dev = instinct_device_peek(change->identity.bdf);

	lockdep_assert_held(&instinct_devices_lock);
	return dev == change->dev && (!dev || dev->status.present) ?
	       0 : refuse(why, "the device is being bound or unbound; try again", -EAGAIN);
}

/*
 * If the driver lets go of a GPU after this, the GPU's record keeps the policy. If the driver takes
 * a GPU after this, it finds the pending policy in the record.
 */
static int changes_commit(struct instinct_isolation_changes *isolation)
{
	struct changes *changes = container_of(isolation, struct changes, isolation);
	struct change *change;
	int ret = 0;

	mutex_lock(&instinct_devices_lock);
	for_each_change(change, changes) {
		isolation->culprit = &change->isolation;
		ret = still_whose_it_was(change, &isolation->why);
		if (!ret && change->of == OF_PENDING) {
			change->pending = instinct_record_get(&change->identity);
			if (!change->pending)
				ret = refuse(&isolation->why, "out of memory", -ENOMEM);
		}
		if (ret)
			goto out;
	}
	for_each_change(change, changes) {
		if (change->of == OF_MANAGED) {
			spin_lock(&change->dev->status_lock);
			change->dev->status.policy = change->policy;
			change->dev->status.policy_set = true;
			spin_unlock(&change->dev->status_lock);
		} else if (change->of == OF_PENDING) {
			change->pending->policy = change->policy;
			change->pending->policy_set = true;
		}
	}
out:
	mutex_unlock(&instinct_devices_lock);
	return ret;
}

static int changes_apply(struct changes *changes)
{
	struct instinct_isolation_changes *isolation = &changes->isolation;
	const struct nlattr *blamed = NULL;
	const char *why = NULL;
	struct change *change;
	int ret;

	lockdep_assert_held(&policy_lock);
	for_each_change(change, changes)
		change_read(change);
	for_each_change(change, changes) {
		ret = change->of == OF_NOBODY ? 0 : change_merge(change, &blamed, &why);
		if (ret)
			return change_reject(changes, change, blamed, why, ret);
	}
	for_each_change(change, changes)
		if ((change->of == OF_MANAGED || change->of == OF_UNMANAGED) &&
		    memcmp(&change->before.isolation, &change->policy.isolation,
			   sizeof(change->policy.isolation)))
			list_add_tail(&change->isolation.node, &isolation->list);
	ret = instinct_isolation_set(isolation);
	if (ret && isolation->culprit) {
		change = container_of(isolation->culprit, struct change, isolation);
		return change_reject(changes, change, NULL, isolation->why, ret);
	}
	if (ret)
		return instinct_netlink_refuse(changes->info, NULL, isolation->why, ret);
	/*
	 * An event reports only policies that are new: a device that a request had put under the
	 * same policy before gets none. A pending policy causes its event when the driver takes
	 * the GPU.
	 */
	for_each_change(change, changes)
		if (change->of == OF_MANAGED &&
		    (!change->policy_set ||
		     memcmp(&change->before, &change->policy, sizeof(change->policy))))
			instinct_device_tell(change->dev, INSTINCT_VFIO_EVENT_POLICY_APPLIED, "");
	return 0;
}

static int changes_begin(struct changes *changes)
{
	struct genl_info *info = changes->info;
	struct change *change = changes->change;
	struct nlattr *nest;
	int rest, ret;

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
 * instinct_netlink_policy_apply() - serve POLICY_APPLY
 * @skb: request
 * @info: request, parsed
 *
 * Context: may sleep.
 *
 * Return: 0 or a negative errno.
 */
int instinct_netlink_policy_apply(struct sk_buff *skb, struct genl_info *info)
{
	unsigned int count = 0;
	struct changes *changes;
	struct change *change;
	struct nlattr *nest;
	int rest, ret;

	nlmsg_for_each_attr(nest, info->nlhdr, GENL_HDRLEN, rest)
		count += nla_type(nest) == A(APPLY_POLICY);
	if (!count)
		return instinct_netlink_refuse(info, NULL, "no policy is given: give one for each device",
					       -EINVAL);
	if (count > CHANGES_MAX)
		return instinct_netlink_refuse(info, NULL, "one request can have at most 256 policies",
					       -E2BIG);
	/* The sender chooses the size, and gets -ENOMEM; a warning would let it fill the log. */
	changes = kvzalloc(struct_size(changes, change, count), GFP_KERNEL | __GFP_NOWARN);
	if (!changes)
		return -ENOMEM;
	changes->info = info;
	changes->count = count;
	changes->isolation.commit = changes_commit;
	INIT_LIST_HEAD(&changes->isolation.list);
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
