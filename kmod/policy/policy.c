// SPDX-License-Identifier: GPL-2.0-only
#include "policy/policy.h"

#define PEER_BYTES	16

static_assert(sizeof(struct instinct_isolation_policy) ==
	      (11 + 2 * INSTINCT_PEERS_MAX) * sizeof(u32), "the struct has padding");

static void format_item(const struct instinct_peer *item, char *text)
{
	u32 value = item->value;

	if (item->by_id)
		snprintf(text, PEER_BYTES, "%04x:%04x", value >> 16, value & 0xffff);
	else
		snprintf(text, PEER_BYTES, "%04x:%02x:%02x.%u", value >> 16, (value >> 8) & 0xff,
			 (value >> 3) & 31, value & 7);
}

static bool parse_item(struct instinct_peer *item, const char *text, size_t length)
{
	unsigned int domain, bus, slot, function;
	char again[PEER_BYTES];

	if (sscanf(text, "%4x:%2x:%2x.%1x", &domain, &bus, &slot, &function) == 4)
		item->value = domain << 16 | bus << 8 | slot << 3 | function;
	else if (sscanf(text, "%4x:%4x", &domain, &bus) == 2)
		*item = (struct instinct_peer) { .by_id = true, .value = domain << 16 | bus };
	else
		return false;
	/* A text that reads back differently has too many digits, too few, or too large numbers. */
	format_item(item, again);
	return length == strlen(again) && !strncasecmp(text, again, length);
}

/**
 * instinct_peers_parse() - parse the peers that an operator names
 * @peers: set to the peers
 * @text: "none", "auto", or BDFs and vendor:device pairs with a blank between
 * @why: set to an error text on failure
 *
 * Return: 0 or -EINVAL.
 */
int instinct_peers_parse(struct instinct_peers *peers, const char *text, const char **why)
{
	*peers = (struct instinct_peers) { .automatic = !strcmp(text, "auto") };
	if (peers->automatic || !strcmp(text, "none"))
		return 0;
	for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
		size_t length = strcspn(text, " ");

		if (peers->count == INSTINCT_PEERS_MAX) {
			*why = "peer names more than 16 functions";
			return -EINVAL;
		}
		if (!parse_item(&peers->item[peers->count++], text, length)) {
			peers->count = 0;
			break;
		}
		text += length;
	}
	if (peers->count)
		return 0;
	*why = "peer must be none, auto, or addresses such as 0000:c1:00.0 and IDs such as 15b3:1021";
	return -EINVAL;
}

/**
 * instinct_peers_format() - write peers in the form that instinct_peers_parse() reads
 * @peers: peers to write
 * @text: buffer of INSTINCT_PEERS_BYTES, set
 */
void instinct_peers_format(const struct instinct_peers *peers, char *text)
{
	char item[PEER_BYTES];
	size_t used = 0;
	unsigned int i;

	if (!peers->count)
		snprintf(text, INSTINCT_PEERS_BYTES, "%s", peers->automatic ? "auto" : "none");
	for (i = 0; i < peers->count; i++) {
		format_item(&peers->item[i], item);
		used += snprintf(text + used, INSTINCT_PEERS_BYTES - used, "%s%s", i ? " " : "",
				 item);
	}
}

/**
 * instinct_policy_set() - change one value of a policy, without a check
 * @policy: policy to change
 * @key: key with a number as its value
 * @value: new value
 */
void instinct_policy_set(struct instinct_policy *policy,
			 const struct instinct_policy_key *key, u32 value)
{
	*(u32 *)((char *)policy + key->offset) = value;
}

/**
 * instinct_policy_get() - read one value of a policy
 * @policy: policy to read
 * @key: key with a number as its value
 *
 * Return: the value.
 */
u32 instinct_policy_get(const struct instinct_policy *policy, const struct instinct_policy_key *key)
{
	return *(const u32 *)((const char *)policy + key->offset);
}

/**
 * instinct_policy_defaults() - make the policy of a device for which nobody has set one
 * @policy: set to the defaults; their isolation part leaves ACS and ATS as Linux has them, on any
 *	endpoint
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
 * instinct_policy_fault() - find the first value of a policy that a device cannot have
 * @policy: policy to check
 * @family: family of the device; NULL for an endpoint that is no GPU, for which only the
 *	isolation part counts
 * @why: set to an error text if a value is wrong
 *
 * Return: the key of the first wrong value, or NULL.
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
