// SPDX-License-Identifier: GPL-2.0-only
#include "policy.h"

/**
 * instinct_policy_set() - change a value
 * @policy: changed, and not checked
 * @key: which, that is no text
 * @value: of it
 */
void instinct_policy_set(struct instinct_policy *policy,
			 const struct instinct_policy_key *key, u32 value)
{
	*(u32 *)((char *)policy + key->offset) = value;
}

/**
 * instinct_policy_get() - a value
 * @policy: policy
 * @key: which, that is no text
 *
 * Return: it.
 */
u32 instinct_policy_get(const struct instinct_policy *policy, const struct instinct_policy_key *key)
{
	return *(const u32 *)((const char *)policy + key->offset);
}

/**
 * instinct_policy_defaults() - the policy of a device that nobody spoke about
 * @policy: set; its isolation is that of any endpoint that nobody spoke about, which leaves
 *	all as Linux has it
 */
void instinct_policy_defaults(struct instinct_policy *policy)
{
	const struct instinct_policy_key *key;

	*policy = (struct instinct_policy) { .isolation.peers.automatic = true };
	instinct_policy_for_each_key(key)
		if (key->attr && !key->text)
			instinct_policy_set(policy, key, key->fallback);
}

/**
 * instinct_policy_fault() - what is wrong with a policy, for a device of this family?
 * @policy: what is asked
 * @family: of the device; NULL for any endpoint, of which only @policy's isolation counts
 * @why: set to the reason, for people, when something is
 *
 * Return: the key of the first value that is wrong, or NULL.
 */
const struct instinct_policy_key *instinct_policy_fault(const struct instinct_policy *policy,
							const struct instinct_family *family,
							const char **why)
{
	const struct instinct_policy_key *key;

	instinct_policy_for_each_key(key)
		if (key->attr && !key->text &&
		    !instinct_policy_key_allows(key, instinct_policy_get(policy, key))) {
			*why = key->refusal;
			return key;
		}
	if (!family || !policy->mailbox ||
	    policy->mailbox + family->mp1.response * 4 < family->register_bytes)
		return NULL;
	*why = "mailbox must be a dword-aligned offset inside the register BAR";
	return &instinct_policy_keys[INSTINCT_KEY_MAILBOX];
}
