/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The keys of a policy: one table describes each. The code decides only, on plain structs. The
 * module leaves out the text that only instinctctl prints. Also the words that policy, events and
 * the kernel log use for the enumerators of the uapi header.
 */
#ifndef _INSTINCT_POLICY_KEY_H
#define _INSTINCT_POLICY_KEY_H

#include "core/pure.h"

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

/* Each key that only the helper knows. */
#ifdef __KERNEL__
#define INSTINCT_POLICY_KEYS_HELPER(X)
#else
#define INSTINCT_POLICY_KEYS_HELPER(X) \
	X(HOTSPOT_WARNING, hotspot_warning) \
	X(HOTSPOT_CRITICAL, hotspot_critical) \
	X(MEMORY_WARNING, memory_warning) \
	X(MEMORY_CRITICAL, memory_critical) \
	X(BOARD_WARNING, board_warning) \
	X(BOARD_CRITICAL, board_critical) \
	X(THERMAL_HYSTERESIS, thermal_hysteresis) \
	X(THERMAL_HOLD, thermal_hold) \
	X(THERMAL_STALE, thermal_stale) \
	X(HOTSPOT_SENSOR, hotspot_sensor) \
	X(MEMORY_SENSOR, memory_sensor) \
	X(BOARD_SENSOR, board_sensor) \
	X(EXPECT_GPUS, expect_gpus)
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
 * @INSTINCT_KIND_PEERS: text; instinct_peers_parse() reads it
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
 * @text: the value is a text, both in netlink messages and in policy.conf
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

bool instinct_policy_key_allows(const struct instinct_policy_key *key, u32 value);

#endif /* _INSTINCT_POLICY_KEY_H */
