/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The policy of one device, and its keys: one table describes each. The code decides only, on plain
 * structs. The module leaves out the text that only instinctctl prints.
 */
#ifndef _INSTINCT_POLICY_H
#define _INSTINCT_POLICY_H

#include "core/profile.h"
#include "core/pure.h"

/* The words that policy, events and the kernel log use for the enumerators of the uapi header. */
extern const char *const instinct_method_words[__INSTINCT_VFIO_METHOD_MAX];
extern const char *const instinct_cause_words[__INSTINCT_VFIO_CAUSE_MAX];
extern const char *const instinct_state_words[__INSTINCT_VFIO_STATE_MAX];

#define instinct_name_method(_method)	instinct_method_words[_method]
#define instinct_name_cause(_cause)	instinct_cause_words[_cause]
#define instinct_name_state(_state)	instinct_state_words[_state]

/* Each key that the module knows: its attribute A_POLICY_*, and its name in policy.conf. */
#define INSTINCT_POLICY_KEYS_MODULE(X) \
	X(METHOD, method) \
	X(TENANCY, tenancy) \
	X(BUS_PORT, bus_port) \
	X(READY_TIMEOUT, ready_timeout) \
	X(MAILBOX, mailbox) \
	X(OVERLAP, overlap) \
	X(SCOPE, scope) \
	X(HIVE, hive) \
	X(PARTITION, partition) \
	X(FIRST_RESET, first_reset) \
	X(XGMI, xgmi) \
	X(CONTAIN, contain) \
	X(CONFIG_VERIFY, config_verify) \
	X(CONFIG_UNBLOCK, config_unblock) \
	X(CONFIG_TIMEOUT, config_timeout) \
	X(ACS, acs) \
	X(ACS_ROOT_PORT, acs_root_port) \
	X(ACS_SWITCH_UPSTREAM, acs_switch_upstream) \
	X(ACS_DOWNSTREAM, acs_downstream) \
	X(ACS_PEER_DOWNSTREAM, acs_peer_downstream) \
	X(ACS_PACKAGE, acs_package) \
	X(ISOLATION_LOSS, allow_isolation_loss) \
	X(ATS, ats) \
	X(CHECK_INTERVAL, check_interval) \
	X(PEER, peer)

/* The helper adds keys of its own. */
#ifdef __KERNEL__
#define INSTINCT_POLICY_KEYS_HELPER(X)
#define INSTINCT_POLICY_ROWS_HELPER
#else
#include "own_key.h"
#endif

#define INSTINCT_POLICY_KEYS_ALL(X) \
	INSTINCT_POLICY_KEYS_MODULE(X) INSTINCT_POLICY_KEYS_HELPER(X)

#define INSTINCT_POLICY_KEY_NUMBER(_attr, _name)	INSTINCT_KEY_##_attr,

enum instinct_policy_key_number {
	INSTINCT_POLICY_KEYS_ALL(INSTINCT_POLICY_KEY_NUMBER) INSTINCT_POLICY_KEYS
};

/**
 * enum instinct_policy_kind - kind of a key's value
 * @INSTINCT_KIND_WORD: an enumerator; policy.conf has it as a word
 * @INSTINCT_KIND_TIME: time in ms
 * @INSTINCT_KIND_DEGREES: temperature in millidegrees Celsius; helper only
 * @INSTINCT_KIND_NUMBER: number without a unit
 * @INSTINCT_KIND_OFFSET: offset in bytes, a multiple of 4
 * @INSTINCT_KIND_ACS: bits of ACS Control
 * @INSTINCT_KIND_PEERS: text; the module knows it as struct instinct_peers
 * @INSTINCT_KIND_FEED: text that names a sensor; helper only
 * @INSTINCT_KIND_COUNT: number of GPUs of the host or of a family; helper only
 */
enum instinct_policy_kind {
	INSTINCT_KIND_WORD,
	INSTINCT_KIND_TIME,
	INSTINCT_KIND_DEGREES,
	INSTINCT_KIND_NUMBER,
	INSTINCT_KIND_OFFSET,
	INSTINCT_KIND_ACS,
	INSTINCT_KIND_PEERS,
	INSTINCT_KIND_FEED,
	INSTINCT_KIND_COUNT,
};

#define INSTINCT_KEY_SPECIALS	2

/**
 * struct instinct_policy_key - one key of a policy
 * @name: name in policy.conf
 * @refusal: error text for a value that the key does not allow: "NAME must be …"
 * @kind: kind of the value
 * @attr: attribute A_POLICY_*, or 0 if the module does not know the key
 * @offset: offset of the value in struct instinct_policy, bytes
 * @min: least value of the range
 * @max: greatest value of the range
 * @special: values that the key allows besides the range
 * @specials: number of values in @special
 * @fallback: default of a number; the default of a text is "auto"
 * @text: the value is a text in policy.conf, and no number
 * @isolation: the key applies to any endpoint, not only to a GPU of this driver
 * @allowed: allowed values, as @refusal ends with them
 * @words: one word for each value of an enumerator, or for each value in @special
 */
struct instinct_policy_key {
	const char *name;
	const char *refusal;
	enum instinct_policy_kind kind;
	u16 attr;
	u16 offset;
	u32 min;
	u32 max;
	u32 special[INSTINCT_KEY_SPECIALS];
	unsigned int specials;
	u32 fallback;
	bool text;
	bool isolation;
#ifndef __KERNEL__
	const char *allowed;
	const char *const *words;
#endif
};

extern const struct instinct_policy_key instinct_policy_keys[INSTINCT_POLICY_KEYS];

#define instinct_policy_for_each_key(_key)					\
	for ((_key) = instinct_policy_keys;					\
	     (_key) < instinct_policy_keys + INSTINCT_POLICY_KEYS; (_key)++)

#define INSTINCT_PEERS_MAX	16

/**
 * struct instinct_peer - one kind of functions, or one function, that an operator names
 * @kind: INSTINCT_VFIO_PEER_*
 * @value: value of A_POLICY_PEER that belongs to @kind
 */
struct instinct_peer {
	u32 kind;
	u32 value;
};

/**
 * struct instinct_peers - functions that are paired with an endpoint
 * @count: number of used elements of @item
 * @item: peers that the operator names, as A_POLICY_PEER has them; unused elements are zero
 */
struct instinct_peers {
	u32 count;
	struct instinct_peer item[INSTINCT_PEERS_MAX];
};

/**
 * struct instinct_acs_policy - ACS that an operator wants on the ports of an endpoint
 * @preset: preset for all roles
 * @bits: for each role the value of ACS Control, or INSTINCT_VFIO_ACS_BITS_PRESET
 * @loss: whether the module may switch bits off that IOMMU groups rely on
 */
struct instinct_acs_policy {
	enum instinct_vfio_acs preset;
	u32 bits[__INSTINCT_VFIO_ACS_ROLE_MAX];
	enum instinct_vfio_isolation_loss loss;
};

/**
 * struct instinct_isolation_policy - isolation that an operator wants for an endpoint
 * @acs: ACS of the ports on the paths of the endpoint and of its peers
 * @ats: ATS of the endpoint and of its peers
 * @check_interval: interval between two checks of ACS and ATS, ms; 0 for no checks
 * @peers: peers of the endpoint
 *
 * The struct has no padding, so that equal policies have equal bytes.
 */
struct instinct_isolation_policy {
	struct instinct_acs_policy acs;
	enum instinct_vfio_ats ats;
	u32 check_interval;
	struct instinct_peers peers;
};

/**
 * struct instinct_policy - policy of one device
 * @method: reset method
 * @tenancy: whether the next user may get the device unscrubbed
 * @bus_port: port that method "bus" resets
 * @ready_timeout: time that a method has to bring the device back, ms; 0 for as long as amdgpu waits
 * @mailbox: byte offset of MP1 in the register BAR; 0 to take it from the IP discovery table
 * @overlap: resets that run in the background
 * @scope: devices that a reset concerns
 * @hive: number of the hive, INSTINCT_VFIO_HIVE_AUTO or INSTINCT_VFIO_HIVE_NONE
 * @partition: memory partition that a device must have to be handed out
 * @first_reset: whether a device that nobody has used is reset
 * @xgmi: whether several users may have devices of one hive
 * @contain: ports whose error registers a reset may write
 * @config_verify: whether the module verifies and repeats config writes
 * @config_unblock: remedies that the module may try when a switch swallows config writes
 * @config_timeout: time that a register may take to hold the written value, ms
 * @isolation: isolation of the endpoint
 */
struct instinct_policy {
	enum instinct_vfio_method method;
	enum instinct_vfio_tenancy tenancy;
	enum instinct_vfio_bus_port bus_port;
	u32 ready_timeout;
	u32 mailbox;
	enum instinct_vfio_overlap overlap;
	enum instinct_vfio_scope scope;
	u32 hive;
	enum instinct_vfio_partition partition;
	enum instinct_vfio_first_reset first_reset;
	enum instinct_vfio_xgmi xgmi;
	enum instinct_vfio_contain contain;
	enum instinct_vfio_verify config_verify;
	enum instinct_vfio_unblock config_unblock;
	u32 config_timeout;
	struct instinct_isolation_policy isolation;
};

/**
 * instinct_policy_set() - change one value of a policy, without a check
 * @policy: policy to change
 * @key: key with a number as its value
 * @value: new value
 */
static inline void instinct_policy_set(struct instinct_policy *policy,
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
static inline u32 instinct_policy_get(const struct instinct_policy *policy,
				      const struct instinct_policy_key *key)
{
	return *(const u32 *)((const char *)policy + key->offset);
}

bool instinct_policy_key_allows(const struct instinct_policy_key *key, u32 value);
void instinct_policy_defaults(struct instinct_policy *policy);
const struct instinct_policy_key *instinct_policy_fault(const struct instinct_policy *policy,
							const struct instinct_family *family,
							const char **why);

#endif /* _INSTINCT_POLICY_H */
