// SPDX-License-Identifier: GPL-2.0-only
#include "event.h"
#include "isolation.h"
#include "policy_message.h"

/* Attributes with a number, and where it is: first those of the driver's GPUs. */
#define GPU_KEYS(X) \
	X(METHOD, method) \
	X(TENANCY, tenancy) \
	X(BUS_PORT, bus_port) \
	X(READY_TIMEOUT, ready_timeout) \
	X(MAILBOX, mailbox) \
	X(OVERLAP, overlap) \
	X(SCOPE, scope) \
	X(HIVE, hive) \
	X(RESCAN, rescan) \
	X(GUARD, guard) \
	X(GUARD_VERIFY, guard_verify) \
	X(GUARD_KEEP, guard_keep) \
	X(GUARD_FORCE, guard_force) \
	X(GUARD_UNBLOCK, guard_unblock) \
	X(GUARD_TIMEOUT, guard_timeout) \
	X(HOTSPOT_WARNING, thermal.limits[INSTINCT_VFIO_SENSOR_HOTSPOT].warning) \
	X(HOTSPOT_CRITICAL, thermal.limits[INSTINCT_VFIO_SENSOR_HOTSPOT].critical) \
	X(MEMORY_WARNING, thermal.limits[INSTINCT_VFIO_SENSOR_MEMORY].warning) \
	X(MEMORY_CRITICAL, thermal.limits[INSTINCT_VFIO_SENSOR_MEMORY].critical) \
	X(BOARD_WARNING, thermal.limits[INSTINCT_VFIO_SENSOR_BOARD].warning) \
	X(BOARD_CRITICAL, thermal.limits[INSTINCT_VFIO_SENSOR_BOARD].critical) \
	X(THERMAL_HYSTERESIS, thermal.hysteresis) \
	X(THERMAL_HOLD, thermal.hold) \
	X(THERMAL_STALE, thermal.stale) \
	X(THERMAL_INTERVAL, thermal.interval)

/* Then those of any endpoint. */
#define ISOLATION_KEYS(X) \
	X(ACS, isolation.acs.preset) \
	X(ACS_ROOT_PORT, isolation.acs.bits[INSTINCT_VFIO_ACS_ROLE_ROOT_PORT]) \
	X(ACS_SWITCH_UPSTREAM, isolation.acs.bits[INSTINCT_VFIO_ACS_ROLE_SWITCH_UPSTREAM]) \
	X(ACS_DOWNSTREAM, isolation.acs.bits[INSTINCT_VFIO_ACS_ROLE_DOWNSTREAM]) \
	X(ACS_PEER_DOWNSTREAM, isolation.acs.bits[INSTINCT_VFIO_ACS_ROLE_PEER_DOWNSTREAM]) \
	X(ACS_PACKAGE, isolation.acs.bits[INSTINCT_VFIO_ACS_ROLE_PACKAGE]) \
	X(ISOLATION_LOSS, isolation.acs.loss) \
	X(ATS, isolation.ats) \
	X(CHECK_INTERVAL, isolation.check_interval)

#define ATTR(key)	INSTINCT_VFIO_A_POLICY_##key

struct policy_key {
	u16 attr;
	u16 offset;
};

#define KEY(key, member)	{ ATTR(key), offsetof(struct instinct_policy, member) },

static const struct policy_key gpu_keys[] = { GPU_KEYS(KEY) };
static const struct policy_key isolation_keys[] = { ISOLATION_KEYS(KEY) };

const struct nla_policy instinct_policy_attrs[ATTR(MAX) + 1] = {
	[ATTR(BDF)] = { .type = NLA_NUL_STRING, .len = INSTINCT_BDF_BYTES - 1 },
	[ATTR(DEFAULTS)] = { .type = NLA_FLAG },
	[ATTR(METHOD) ... ATTR(CHECK_INTERVAL)] = { .type = NLA_U32 },
	[ATTR(PEER)] = { .type = NLA_NUL_STRING, .len = INSTINCT_PEERS_BYTES - 1 },
	[ATTR(HOTSPOT_WARNING) ... ATTR(THERMAL_INTERVAL)] = { .type = NLA_U32 },
	[ATTR(HOTSPOT_MMIO)] = { .type = NLA_NUL_STRING, .len = INSTINCT_MMIO_BYTES - 1 },
	[ATTR(MEMORY_MMIO)] = { .type = NLA_NUL_STRING, .len = INSTINCT_MMIO_BYTES - 1 },
};

static u32 *value_of(const struct instinct_policy *policy, const struct policy_key *key)
{
	return (u32 *)((char *)policy + key->offset);
}

static int put_keys(struct sk_buff *skb, const struct instinct_policy *policy,
		    const struct policy_key *keys, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (nla_put_u32(skb, keys[i].attr, *value_of(policy, &keys[i])))
			return -EMSGSIZE;
	return 0;
}

static const u16 mmio_keys[INSTINCT_MMIO_SENSORS] = {
	[INSTINCT_VFIO_SENSOR_HOTSPOT] = ATTR(HOTSPOT_MMIO),
	[INSTINCT_VFIO_SENSOR_MEMORY] = ATTR(MEMORY_MMIO),
};

static int put_registers(struct sk_buff *skb, const struct instinct_policy *policy)
{
	char text[INSTINCT_MMIO_BYTES];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(mmio_keys); i++) {
		instinct_thermal_register_format(&policy->thermal.mmio[i], text,
						 sizeof(text));
		if (nla_put_string(skb, mmio_keys[i], text))
			return -EMSGSIZE;
	}
	return 0;
}

static int merge_registers(struct instinct_policy *policy, struct nlattr **attrs,
			   const char **why)
{
	int ret = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(mmio_keys) && !ret; i++)
		if (attrs[mmio_keys[i]])
			ret = instinct_thermal_register_parse(&policy->thermal.mmio[i],
							      nla_data(attrs[mmio_keys[i]]),
							      why);
	return ret;
}

/**
 * instinct_policy_message_put() - A_POLICY_*
 * @skb: message
 * @bdf: name of the device, or NULL to leave it out
 * @policy: in force
 * @plain: this driver does not have the device: only what is any endpoint's
 *
 * Return: 0 or -EMSGSIZE.
 */
int instinct_policy_message_put(struct sk_buff *skb, const char *bdf,
				const struct instinct_policy *policy, bool plain)
{
	char peers[INSTINCT_PEERS_BYTES];

	instinct_peers_format(&policy->isolation.peers, peers, sizeof(peers));
	if ((bdf && nla_put_string(skb, ATTR(BDF), bdf)) ||
	    (!plain && (put_keys(skb, policy, gpu_keys, ARRAY_SIZE(gpu_keys)) ||
			put_registers(skb, policy))) ||
	    put_keys(skb, policy, isolation_keys, ARRAY_SIZE(isolation_keys)) ||
	    nla_put_string(skb, ATTR(PEER), peers))
		return -EMSGSIZE;
	return 0;
}

static void merge_keys(struct instinct_policy *policy, struct nlattr **attrs,
		       const struct policy_key *keys, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (attrs[keys[i].attr])
			*value_of(policy, &keys[i]) = nla_get_u32(attrs[keys[i].attr]);
}

/**
 * instinct_policy_message_merge() - change a policy as a message says
 * @policy: changed, and not checked yet
 * @attrs: A_POLICY_*
 * @why: set to what is wrong, for people
 *
 * Return: 0, -EINVAL or -ERANGE.
 */
int instinct_policy_message_merge(struct instinct_policy *policy,
				  struct nlattr **attrs, const char **why)
{
	int ret;

	if (attrs[ATTR(DEFAULTS)])
		instinct_policy_defaults(policy);
	merge_keys(policy, attrs, gpu_keys, ARRAY_SIZE(gpu_keys));
	merge_keys(policy, attrs, isolation_keys, ARRAY_SIZE(isolation_keys));
	ret = merge_registers(policy, attrs, why);
	if (ret || !attrs[ATTR(PEER)])
		return ret;
	return instinct_peers_parse(&policy->isolation.peers,
				    nla_data(attrs[ATTR(PEER)]), why);
}

/**
 * instinct_policy_message_foreign() - what only this driver's GPUs can be told
 * @attrs: A_POLICY_*
 *
 * Return: the first such attribute, or NULL.
 */
const struct nlattr *instinct_policy_message_foreign(struct nlattr **attrs)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(gpu_keys); i++)
		if (attrs[gpu_keys[i].attr])
			return attrs[gpu_keys[i].attr];
	for (i = 0; i < ARRAY_SIZE(mmio_keys); i++)
		if (attrs[mmio_keys[i]])
			return attrs[mmio_keys[i]];
	return NULL;
}
