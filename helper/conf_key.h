/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The keys of a policy: one table says all of them. */
#ifndef CONF_KEY_H
#define CONF_KEY_H

#include "model.h"

enum {
	CONF_METHOD,
	CONF_TENANCY,
	CONF_BUS_PORT,
	CONF_READY_TIMEOUT,
	CONF_MAILBOX,
	CONF_OVERLAP,
	CONF_SCOPE,
	CONF_HIVE,
	CONF_RESCAN,
	CONF_GUARD,
	CONF_GUARD_VERIFY,
	CONF_GUARD_KEEP,
	CONF_GUARD_FORCE,
	CONF_GUARD_UNBLOCK,
	CONF_GUARD_TIMEOUT,
	CONF_ACS,
	CONF_ACS_ROOT_PORT,
	CONF_ACS_SWITCH_UPSTREAM,
	CONF_ACS_DOWNSTREAM,
	CONF_ACS_PEER_DOWNSTREAM,
	CONF_ACS_PACKAGE,
	CONF_ALLOW_ISOLATION_LOSS,
	CONF_ATS,
	CONF_CHECK_INTERVAL,
	CONF_PEER,
	CONF_HOTSPOT_WARNING,
	CONF_HOTSPOT_CRITICAL,
	CONF_MEMORY_WARNING,
	CONF_MEMORY_CRITICAL,
	CONF_BOARD_WARNING,
	CONF_BOARD_CRITICAL,
	CONF_THERMAL_HYSTERESIS,
	CONF_THERMAL_HOLD,
	CONF_THERMAL_STALE,
	CONF_THERMAL_INTERVAL,
	CONF_HOTSPOT_MMIO,
	CONF_MEMORY_MMIO,
	CONF_HOTSPOT_SENSOR,
	CONF_MEMORY_SENSOR,
	CONF_BOARD_SENSOR,
	CONF_KEYS
};

/**
 * struct conf_key - one key of a policy
 * @name: as written
 * @names: the allowed words, or NULL
 * @parse: of a value, where there are no @names; false if it is not allowed
 * @format: the opposite
 * @allowed: for people, where there are no @names
 * @fallback: its default
 * @offset: in struct policy
 * @attr: its attribute in netlink messages, 0: the helper's own, which the module
 *	does not know
 * @text: it is a text, whose number is that of text_intern()
 * @isolation: any endpoint has it, not only a GPU of the driver's
 */
struct conf_key {
	const char *name;
	const struct names *names;
	bool (*parse)(const char *text, uint32_t *value);
	void (*format)(uint32_t value, char *text, size_t size);
	const char *allowed;
	uint32_t fallback;
	size_t offset;
	uint16_t attr;
	bool text;
	bool isolation;
};

extern const struct conf_key conf_keys[CONF_KEYS];

bool conf_key_parse(const struct conf_key *key, const char *text,
		    uint32_t *value);
void conf_key_format(const struct conf_key *key, uint32_t value, char *text,
		     size_t size);
void conf_key_allowed(const struct conf_key *key, char *text, size_t size);
uint32_t conf_key_get(const struct conf_key *key, const struct policy *policy);
void conf_key_set(const struct conf_key *key, struct policy *policy,
		  uint32_t value);
bool conf_parse_ms(const char *text, uint32_t min, uint32_t max, uint32_t *value);
void acs_format(uint32_t value, char *text, size_t size);

#endif /* CONF_KEY_H */
