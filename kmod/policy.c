// SPDX-License-Identifier: GPL-2.0-only
#include "policy.h"

static void *member(const struct instinct_policy *policy, const struct instinct_policy_key *key)
{
	return (char *)policy + key->offset;
}

/**
 * instinct_policy_set() - change a value
 * @policy: changed, and not checked
 * @key: which, that is no text
 * @value: of it
 */
void instinct_policy_set(struct instinct_policy *policy,
			 const struct instinct_policy_key *key, u32 value)
{
	*(u32 *)member(policy, key) = value;
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
	return *(u32 *)member(policy, key);
}

/**
 * instinct_policy_parse() - change a value that is a text
 * @policy: changed, and not checked
 * @key: which, that is a text
 * @text: value
 * @why: set to what is wrong, for people
 *
 * Return: 0, -EINVAL or -ERANGE.
 */
int instinct_policy_parse(struct instinct_policy *policy, const struct instinct_policy_key *key,
			  const char *text, const char **why)
{
	return instinct_peers_parse(member(policy, key), text, why);
}

/**
 * instinct_policy_format() - a value that is a text
 * @policy: policy
 * @key: which, that is a text
 * @text: of INSTINCT_POLICY_TEXT_BYTES, set
 */
void instinct_policy_format(const struct instinct_policy *policy,
			    const struct instinct_policy_key *key, char *text)
{
	instinct_peers_format(member(policy, key), text, INSTINCT_POLICY_TEXT_BYTES);
}

/**
 * instinct_policy_defaults() - the policy of a device that nobody spoke about
 * @policy: set
 */
void instinct_policy_defaults(struct instinct_policy *policy)
{
	const struct instinct_policy_key *key;
	unsigned int i;

	*policy = (struct instinct_policy) {
		.isolation.peers.automatic =
			instinct_policy_keys[INSTINCT_KEY_PEER].fallback == INSTINCT_TEXT_AUTO,
	};
	for (i = 0; i < INSTINCT_POLICY_KEYS; i++) {
		key = &instinct_policy_keys[i];
		if (key->attr && !key->text)
			instinct_policy_set(policy, key, key->fallback);
	}
}

/**
 * instinct_isolation_defaults() - the policy of an endpoint that nobody spoke about
 * @isolation: set: all is left as Linux has it
 */
void instinct_isolation_defaults(struct instinct_isolation_policy *isolation)
{
	struct instinct_policy policy;

	instinct_policy_defaults(&policy);
	*isolation = policy.isolation;
}

static bool is_fault(struct instinct_policy_fault *fault, const char *why,
		     enum instinct_policy_key_number key)
{
	*fault = (struct instinct_policy_fault) { .why = why, .key = key };
	return true;
}

static bool range_fault(const struct instinct_policy *policy, struct instinct_policy_fault *fault)
{
	const struct instinct_policy_key *key;
	unsigned int i;

	for (i = 0; i < INSTINCT_POLICY_KEYS; i++) {
		key = &instinct_policy_keys[i];
		if (key->attr && !key->text &&
		    !instinct_policy_key_allows(key, instinct_policy_get(policy, key)))
			return is_fault(fault, key->refusal, i);
	}
	return false;
}

static bool mailbox_fault(const struct instinct_policy *policy,
			  const struct instinct_family *family, struct instinct_policy_fault *fault)
{
	if (!policy->mailbox ||
	    policy->mailbox + family->mp1.response * 4 < family->register_bytes)
		return false;
	return is_fault(fault, "mailbox must be a dword-aligned offset inside the register BAR",
			INSTINCT_KEY_MAILBOX);
}

/**
 * instinct_isolation_policy_check() - is a policy one at all?
 * @isolation: to check
 * @why: set to what is wrong, for people
 *
 * Return: 0 or -ERANGE.
 */
int instinct_isolation_policy_check(const struct instinct_isolation_policy *isolation,
				    const char **why)
{
	struct instinct_policy_fault fault;
	struct instinct_policy policy;

	instinct_policy_defaults(&policy);
	policy.isolation = *isolation;
	if (!range_fault(&policy, &fault))
		return 0;
	*why = fault.why;
	return -ERANGE;
}

/**
 * instinct_policy_fault() - what is wrong with a policy, for a device of this family?
 * @policy: what is asked
 * @family: of the device; of an endpoint that is no GPU, and has no mailbox, NULL
 * @fault: set to the first thing that is
 *
 * Return: false if nothing is.
 */
bool instinct_policy_fault(const struct instinct_policy *policy,
			   const struct instinct_family *family,
			   struct instinct_policy_fault *fault)
{
	return range_fault(policy, fault) || mailbox_fault(policy, family, fault);
}

/**
 * instinct_policy_check() - can a device of this family have this policy?
 * @policy: what is asked
 * @family: of the device
 * @why: set to the reason, for people, when it cannot
 *
 * Return: 0, -ERANGE for a value out of its range.
 */
int instinct_policy_check(const struct instinct_policy *policy,
			  const struct instinct_family *family, const char **why)
{
	struct instinct_policy_fault fault;

	if (!instinct_policy_fault(policy, family, &fault))
		return 0;
	*why = fault.why;
	return -ERANGE;
}
