// SPDX-License-Identifier: GPL-2.0-only
#include "policy/policy.h"

const char *const instinct_method_words[] = {
	[INSTINCT_VFIO_METHOD_AUTO] = "auto",
	[INSTINCT_VFIO_METHOD_MODE1] = "mode1",
	[INSTINCT_VFIO_METHOD_QUIESCE] = "quiesce",
	[INSTINCT_VFIO_METHOD_BUS] = "bus",
};

const char *const instinct_cause_words[] = {
	[INSTINCT_VFIO_CAUSE_NONE] = "none",
	[INSTINCT_VFIO_CAUSE_OPEN] = "open",
	[INSTINCT_VFIO_CAUSE_CLOSE] = "close",
	[INSTINCT_VFIO_CAUSE_VFIO_RESET] = "vfio-reset",
	[INSTINCT_VFIO_CAUSE_GUEST_FLR] = "guest-flr",
	[INSTINCT_VFIO_CAUSE_SYSFS] = "sysfs",
	[INSTINCT_VFIO_CAUSE_NETLINK] = "netlink",
	[INSTINCT_VFIO_CAUSE_HOT_RESET] = "hot-reset",
	[INSTINCT_VFIO_CAUSE_HIVE] = "hive",
	[INSTINCT_VFIO_CAUSE_RECOVERY] = "recovery",
};

const char *const instinct_state_words[] = {
	[INSTINCT_VFIO_STATE_READY] = "ready",
	[INSTINCT_VFIO_STATE_RESETTING] = "resetting",
	[INSTINCT_VFIO_STATE_LOST] = "lost",
	[INSTINCT_VFIO_STATE_QUARANTINED] = "quarantined",
	[INSTINCT_VFIO_STATE_BLOCKED] = "blocked",
};

#define MAILBOX_MAX	0x1ffffc	/* last dword of the largest register BAR */

/* Text for instinctctl and its man page; the module leaves it out. */
#ifdef __KERNEL__
#define PEOPLE(...)
#else
#define PEOPLE(...)	__VA_ARGS__,
#endif

/* Parts of an entry. Each part ends with its own comma, since some parts expand to nothing. */
#define STRING_OF(_number)	#_number
#define STRING(_macro)	STRING_OF(_macro)
#define NAME(_name, _allowed, _more) \
	.name = #_name, .refusal = #_name " must be " _allowed _more, \
	PEOPLE(.allowed = (_allowed))
#define PLACE(_attr, _member) \
	.attr = INSTINCT_VFIO_A_POLICY_##_attr, \
	.offset = offsetof(struct instinct_policy, _member),
#define KEY(_attr, _name, _member, _allowed) \
	NAME(_name, _allowed, "") PLACE(_attr, _member)
/* Netlink messages carry a time as a number of ms, so a refusal gives the range in ms as well. */
#define TIME(_attr, _name, _member, _allowed, _min, _max) \
	NAME(_name, _allowed, " (" STRING(_min) " to " STRING(_max) " ms)") \
	PLACE(_attr, _member) RANGE(TIME, _min, _max)
#define RANGE(_kind, _min, _max) \
	.kind = INSTINCT_KIND_##_kind, .min = (_min), .max = (_max),
#define ENUM(_name)	RANGE(WORD, 0, __INSTINCT_VFIO_##_name##_MAX - 1)
/* One word for each enumerator, in the order of their values. */
#define WORDS(_name, ...) \
	ENUM(_name) \
	PEOPLE(.words = (const char *const[__INSTINCT_VFIO_##_name##_MAX]) { __VA_ARGS__ })
#define SPECIAL(...)	(const char *const[]) { __VA_ARGS__ }
#define OR(_words, ...) \
	.special = { __VA_ARGS__ }, \
	.specials = sizeof((const u32[]){ __VA_ARGS__ }) / sizeof(u32), \
	PEOPLE(.words = _words)
#define TEXT(_kind)	.kind = INSTINCT_KIND_##_kind, .text = true,
#define DEFAULT(_value)	.fallback = (_value),
#define ANY_ENDPOINT	.isolation = true,

/* The entries of the ACS keys of one port role each. */
#define ROLE(_role, _name) \
	KEY(ACS_##_role, _name, isolation.acs.bits[INSTINCT_VFIO_ACS_ROLE_##_role], \
	    "preset, names such as SV+RR+CR+UF+DT, or 0x0 to 0x1fff") \
	RANGE(ACS, 0, INSTINCT_VFIO_ACS_BITS_MAX) \
	OR(SPECIAL("preset"), INSTINCT_VFIO_ACS_BITS_PRESET) \
	DEFAULT(INSTINCT_VFIO_ACS_BITS_PRESET) ANY_ENDPOINT

const struct instinct_policy_key instinct_policy_keys[INSTINCT_POLICY_KEYS] = {
	[INSTINCT_KEY_METHOD] = { KEY(METHOD, method, method, "auto, mode1, quiesce or bus")
		ENUM(METHOD) PEOPLE(.words = instinct_method_words)
		DEFAULT(INSTINCT_VFIO_METHOD_AUTO) },
	[INSTINCT_KEY_TENANCY] = { KEY(TENANCY, tenancy, tenancy, "single or multi")
		WORDS(TENANCY, "single", "multi") DEFAULT(INSTINCT_VFIO_TENANCY_MULTI) },
	[INSTINCT_KEY_BUS_PORT] = { KEY(BUS_PORT, bus_port, bus_port, "swds or switch")
		WORDS(BUS_PORT, "swds", "switch") DEFAULT(INSTINCT_VFIO_BUS_PORT_SWDS) },
	[INSTINCT_KEY_READY_TIMEOUT] = { TIME(READY_TIMEOUT, ready_timeout, ready_timeout,
					      "auto, or 1s to 600s",
					      INSTINCT_VFIO_READY_TIMEOUT_MIN,
					      INSTINCT_VFIO_READY_TIMEOUT_MAX)
		OR(SPECIAL("auto"), 0) },
	[INSTINCT_KEY_MAILBOX] = { KEY(MAILBOX, mailbox, mailbox,
				       "discovery, or a byte offset below 0x200000, a multiple of 4, such as 0x58000")
		RANGE(OFFSET, 4, MAILBOX_MAX) OR(SPECIAL("discovery"), 0) },
	[INSTINCT_KEY_OVERLAP] = { KEY(OVERLAP, overlap, overlap, "none, close or all")
		WORDS(OVERLAP, "none", "close", "all") DEFAULT(INSTINCT_VFIO_OVERLAP_CLOSE) },
	[INSTINCT_KEY_SCOPE] = { KEY(SCOPE, scope, scope, "auto, device or hive")
		WORDS(SCOPE, "auto", "device", "hive") DEFAULT(INSTINCT_VFIO_SCOPE_AUTO) },
	[INSTINCT_KEY_HIVE] = { KEY(HIVE, hive, hive, "auto, none, or a number from 1 to 255")
		RANGE(NUMBER, 1, INSTINCT_VFIO_HIVE_MAX)
		OR(SPECIAL("auto", "none"), INSTINCT_VFIO_HIVE_AUTO, INSTINCT_VFIO_HIVE_NONE)
		DEFAULT(INSTINCT_VFIO_HIVE_AUTO) },
	[INSTINCT_KEY_PARTITION] = { KEY(PARTITION, partition, partition,
					 "any, NPS1, NPS2, NPS4 or NPS8")
		WORDS(PARTITION, "any", "NPS1", "NPS2", "NPS4", "NPS8")
		DEFAULT(INSTINCT_VFIO_PARTITION_ANY) },
	[INSTINCT_KEY_FIRST_RESET] = { KEY(FIRST_RESET, first_reset, first_reset, "auto or always")
		WORDS(FIRST_RESET, "auto", "always") DEFAULT(INSTINCT_VFIO_FIRST_RESET_AUTO) },
	[INSTINCT_KEY_XGMI] = { KEY(XGMI, xgmi, xgmi, "private or shared")
		WORDS(XGMI, "private", "shared") DEFAULT(INSTINCT_VFIO_XGMI_PRIVATE) },
	[INSTINCT_KEY_CONTAIN] = { KEY(CONTAIN, contain, contain, "linux-owned or always")
		WORDS(CONTAIN, "linux-owned", "always") DEFAULT(INSTINCT_VFIO_CONTAIN_LINUX_OWNED) },
	[INSTINCT_KEY_CONFIG_VERIFY] = { KEY(CONFIG_VERIFY, config_verify, config_verify,
					     "off or on")
		WORDS(VERIFY, "off", "on") DEFAULT(INSTINCT_VFIO_VERIFY_ON) },
	[INSTINCT_KEY_CONFIG_UNBLOCK] = { KEY(CONFIG_UNBLOCK, config_unblock, config_unblock,
					      "none, read, buses or retrain")
		WORDS(UNBLOCK, "none", "read", "buses", "retrain")
		DEFAULT(INSTINCT_VFIO_UNBLOCK_RETRAIN) },
	[INSTINCT_KEY_CONFIG_TIMEOUT] = { TIME(CONFIG_TIMEOUT, config_timeout, config_timeout,
					       "100ms to 600s", INSTINCT_VFIO_CONFIG_TIMEOUT_MIN,
					       INSTINCT_VFIO_CONFIG_TIMEOUT_MAX)
		DEFAULT(10000) },
	[INSTINCT_KEY_ACS] = { KEY(ACS, acs, isolation.acs.preset,
				   "kernel, vm-p2p, vm or bare-metal")
		WORDS(ACS, "kernel", "vm-p2p", "vm", "bare-metal")
		DEFAULT(INSTINCT_VFIO_ACS_KERNEL) ANY_ENDPOINT },
	[INSTINCT_KEY_ACS_ROOT_PORT] = { ROLE(ROOT_PORT, acs_root_port) },
	[INSTINCT_KEY_ACS_SWITCH_UPSTREAM] = { ROLE(SWITCH_UPSTREAM, acs_switch_upstream) },
	[INSTINCT_KEY_ACS_DOWNSTREAM] = { ROLE(DOWNSTREAM, acs_downstream) },
	[INSTINCT_KEY_ACS_PEER_DOWNSTREAM] = { ROLE(PEER_DOWNSTREAM, acs_peer_downstream) },
	[INSTINCT_KEY_ACS_PACKAGE] = { ROLE(PACKAGE, acs_package) },
	[INSTINCT_KEY_ISOLATION_LOSS] = { KEY(ISOLATION_LOSS, allow_isolation_loss,
					      isolation.acs.loss, "no or yes")
		WORDS(ISOLATION_LOSS, "no", "yes")
		DEFAULT(INSTINCT_VFIO_ISOLATION_LOSS_NO) ANY_ENDPOINT },
	[INSTINCT_KEY_ATS] = { KEY(ATS, ats, isolation.ats, "ignore, preferred or required")
		WORDS(ATS, "ignore", "preferred", "required")
		DEFAULT(INSTINCT_VFIO_ATS_IGNORE) ANY_ENDPOINT },
	[INSTINCT_KEY_CHECK_INTERVAL] = { TIME(CHECK_INTERVAL, check_interval,
					       isolation.check_interval, "never, or 100ms to 60min",
					       INSTINCT_VFIO_CHECK_INTERVAL_MIN,
					       INSTINCT_VFIO_CHECK_INTERVAL_MAX)
		OR(SPECIAL("never"), 0) DEFAULT(10000) ANY_ENDPOINT },
	[INSTINCT_KEY_PEER] = { KEY(PEER, peer, isolation.peers,
				    "none, auto, or addresses such as 0000:c1:00.0 and IDs such as 15b3:1021")
		TEXT(PEERS) ANY_ENDPOINT },
	INSTINCT_POLICY_ROWS_HELPER
};

static_assert(sizeof(struct instinct_isolation_policy) ==
	      (10 + 2 * INSTINCT_PEERS_MAX) * sizeof(u32), "the struct has padding");

/**
 * instinct_policy_key_allows() - is a value in the range of its key?
 * @key: key with a number; the parser of a text checks the text itself
 * @value: value to check
 *
 * Return: true if @key allows @value.
 */
bool instinct_policy_key_allows(const struct instinct_policy_key *key, u32 value)
{
	unsigned int i;

	for (i = 0; i < key->specials; i++)
		if (value == key->special[i])
			return true;
	if (key->kind == INSTINCT_KIND_OFFSET && value % 4)
		return false;
	return value >= key->min && value <= key->max;
}

/**
 * instinct_policy_defaults() - make the policy of a device for which nobody has set one
 * @policy: set to the defaults; their isolation part leaves ACS and ATS as Linux has them, on any
 *	endpoint, and its one peer is INSTINCT_VFIO_PEER_AUTO, which is 0
 */
void instinct_policy_defaults(struct instinct_policy *policy)
{
	const struct instinct_policy_key *key;

	*policy = (struct instinct_policy) { .isolation.peers.count = 1 };
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
