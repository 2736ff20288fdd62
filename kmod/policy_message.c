// SPDX-License-Identifier: GPL-2.0-only
#include "event.h"
#include "isolation.h"
#include "policy_message.h"

#define ATTR(key)	INSTINCT_VFIO_A_POLICY_##key

const struct nla_policy instinct_policy_attrs[ATTR(MAX) + 1] = {
	[ATTR(BDF)] = { .type = NLA_NUL_STRING, .len = INSTINCT_BDF_BYTES - 1 },
	[ATTR(DEFAULTS)] = { .type = NLA_FLAG },
	[ATTR(METHOD) ... ATTR(CHECK_INTERVAL)] = { .type = NLA_U32 },
	[ATTR(PEER)] = { .type = NLA_NUL_STRING, .len = INSTINCT_PEERS_BYTES - 1 },
	[ATTR(HOTSPOT_WARNING) ... ATTR(THERMAL_INTERVAL)] = { .type = NLA_U32 },
	[ATTR(HOTSPOT_MMIO)] = { .type = NLA_NUL_STRING, .len = INSTINCT_MMIO_BYTES - 1 },
	[ATTR(MEMORY_MMIO)] = { .type = NLA_NUL_STRING, .len = INSTINCT_MMIO_BYTES - 1 },
	[ATTR(WAITING)] = { .type = NLA_FLAG },
};

static int put_value(struct sk_buff *skb, const struct instinct_policy *policy,
		     const struct instinct_policy_key *key)
{
	char text[INSTINCT_POLICY_TEXT_BYTES];

	if (!key->text)
		return nla_put_u32(skb, key->attr, instinct_policy_get(policy, key));
	instinct_policy_format(policy, key, text);
	return nla_put_string(skb, key->attr, text);
}

/**
 * instinct_policy_message_put() - A_POLICY_*
 * @skb: message
 * @bdf: name of the device, or NULL to leave it out
 * @policy: in force
 * @plain: this driver does not have the device: only what is any endpoint's
 * @ruled: somebody has set it
 *
 * Return: 0 or -EMSGSIZE.
 */
int instinct_policy_message_put(struct sk_buff *skb, const char *bdf,
				const struct instinct_policy *policy, bool plain,
				bool ruled)
{
	const struct instinct_policy_key *key;
	size_t i;

	if (bdf && nla_put_string(skb, ATTR(BDF), bdf))
		return -EMSGSIZE;
	for (i = 0; i < INSTINCT_POLICY_KEYS; i++) {
		key = &instinct_policy_keys[i];
		if ((!plain || key->isolation) && put_value(skb, policy, key))
			return -EMSGSIZE;
	}
	return ruled ? nla_put_flag(skb, ATTR(RULED)) : 0;
}

static int merge_value(struct instinct_policy *policy, const struct instinct_policy_key *key,
		       const struct nlattr *attr, const char **why)
{
	if (key->text)
		return instinct_policy_parse(policy, key, nla_data(attr), why);
	instinct_policy_set(policy, key, nla_get_u32(attr));
	return 0;
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
	const struct instinct_policy_key *key;
	int ret = 0;
	size_t i;

	if (attrs[ATTR(DEFAULTS)])
		instinct_policy_defaults(policy);
	for (i = 0; i < INSTINCT_POLICY_KEYS && !ret; i++) {
		key = &instinct_policy_keys[i];
		if (attrs[key->attr])
			ret = merge_value(policy, key, attrs[key->attr], why);
	}
	return ret;
}

/**
 * instinct_policy_message_foreign() - what only this driver's GPUs can be told
 * @attrs: A_POLICY_*
 *
 * Return: the first such attribute, or NULL.
 */
const struct nlattr *instinct_policy_message_foreign(struct nlattr **attrs)
{
	const struct instinct_policy_key *key;
	size_t i;

	for (i = 0; i < INSTINCT_POLICY_KEYS; i++) {
		key = &instinct_policy_keys[i];
		if (!key->isolation && attrs[key->attr])
			return attrs[key->attr];
	}
	return NULL;
}
