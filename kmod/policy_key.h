/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The keys of a policy: one table says all that there is to say of each. Decides
 * only, on plain structs. What only people read is left out of the module.
 */
#ifndef _INSTINCT_POLICY_KEY_H
#define _INSTINCT_POLICY_KEY_H

#include "pure.h"

/* Each key of the module: its attribute A_POLICY_*, and its name. */
#define INSTINCT_POLICY_KEYS_MODULE(X) \
	X(METHOD, method) \
	X(TENANCY, tenancy) \
	X(BUS_PORT, bus_port) \
	X(READY_TIMEOUT, ready_timeout) \
	X(MAILBOX, mailbox) \
	X(OVERLAP, overlap) \
	X(SCOPE, scope) \
	X(HIVE, hive) \
	X(RESCAN, rescan) \
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

/* And those of the helper, which the module does not know. */
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
	X(BOARD_SENSOR, board_sensor)
#endif

#define INSTINCT_POLICY_KEYS_ALL(X) \
	INSTINCT_POLICY_KEYS_MODULE(X) INSTINCT_POLICY_KEYS_HELPER(X)

#define INSTINCT_POLICY_KEY_NUMBER(_attr, _name)	INSTINCT_KEY_##_attr,

enum instinct_policy_key_number {
	INSTINCT_POLICY_KEYS_ALL(INSTINCT_POLICY_KEY_NUMBER) INSTINCT_POLICY_KEYS
};

/**
 * enum instinct_policy_kind - what a key's value is
 * @INSTINCT_KIND_WORD: an enumerator, written as a word
 * @INSTINCT_KIND_TIME: ms
 * @INSTINCT_KIND_DEGREES: millidegrees Celsius; of the helper
 * @INSTINCT_KIND_NUMBER: a number
 * @INSTINCT_KIND_OFFSET: bytes, a multiple of 4
 * @INSTINCT_KIND_ACS: bits of ACS Control
 * @INSTINCT_KIND_PEERS: text, of struct instinct_peers
 * @INSTINCT_KIND_FEED: text, which names a sensor; of the helper
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
};

#define INSTINCT_KEY_SPECIALS	2

/**
 * struct instinct_policy_key - one key of a policy
 * @name: as written in policy.conf
 * @refusal: of another value: "NAME must be …"
 * @kind: what its value is
 * @attr: A_POLICY_*, 0: the module does not know it
 * @offset: in struct instinct_policy, bytes
 * @min: the least value
 * @max: the greatest
 * @special: values beside those
 * @specials: how many
 * @fallback: its default; that of a text is "auto"
 * @text: it is a text, in messages and files
 * @isolation: any endpoint has it, not only a GPU of this driver
 * @allowed: the end of @refusal
 * @words: one for each value of an enumerator, else for each of @special
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
