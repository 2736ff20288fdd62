// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <linux/pci_regs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf_key.h"
#include "policy.h"
#include "thermal_rule.h"
#include "topology.h"

#define MAILBOX_END	0x200000	/* of the largest register BAR known */

/**
 * conf_parse_ms() - a time with its unit: ms, s or min
 * @text: all of it
 * @min: the least that is allowed, in ms
 * @max: the most
 * @value: set, in ms
 *
 * Return: false if it is none that is allowed.
 */
bool conf_parse_ms(const char *text, uint32_t min, uint32_t max, uint32_t *value)
{
	static const struct {
		const char *unit;
		unsigned int ms;
	} units[] = { { "ms", 1 }, { "s", 1000 }, { "min", 60000 } };
	unsigned long long number, ms;
	char *end;
	size_t i;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	number = strtoull(text, &end, 10);
	if (errno || number > max)
		return false;
	end += strspn(end, " ");
	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(end, units[i].unit))
			continue;
		ms = number * units[i].ms;
		*value = ms;
		return ms >= min && ms <= max;
	}
	return false;
}

static bool parse_ready(const char *text, uint32_t *value)
{
	return conf_parse_ms(text, INSTINCT_VFIO_READY_TIMEOUT_MIN,
			INSTINCT_VFIO_READY_TIMEOUT_MAX, value);
}

static bool parse_guard(const char *text, uint32_t *value)
{
	return conf_parse_ms(text, INSTINCT_VFIO_GUARD_TIMEOUT_MIN,
			INSTINCT_VFIO_GUARD_TIMEOUT_MAX, value);
}

static void format_time(uint32_t value, char *text, size_t size)
{
	if (value % 1000)
		snprintf(text, size, "%ums", value);
	else
		snprintf(text, size, "%us", value / 1000);
}

static bool parse_mailbox(const char *text, uint32_t *value)
{
	unsigned long long number;
	char *end;

	if (!strcmp(text, "discovery")) {
		*value = 0;
		return true;
	}
	if (strncmp(text, "0x", 2))
		return false;
	errno = 0;
	number = strtoull(text, &end, 16);
	if (errno || *end || !number || number % 4 || number >= MAILBOX_END)
		return false;
	*value = number;
	return true;
}

static void format_mailbox(uint32_t value, char *text, size_t size)
{
	if (value)
		snprintf(text, size, "0x%x", value);
	else
		snprintf(text, size, "discovery");
}

static bool parse_hive(const char *text, uint32_t *value)
{
	unsigned long number;
	char *end;

	if (!strcmp(text, "auto")) {
		*value = INSTINCT_VFIO_HIVE_AUTO;
		return true;
	}
	if (!strcmp(text, "none")) {
		*value = INSTINCT_VFIO_HIVE_NONE;
		return true;
	}
	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	number = strtoul(text, &end, 10);
	*value = number;
	return !errno && !*end && number && number <= INSTINCT_VFIO_HIVE_MAX;
}

static void format_hive(uint32_t value, char *text, size_t size)
{
	if (value == INSTINCT_VFIO_HIVE_AUTO)
		snprintf(text, size, "auto");
	else if (value == INSTINCT_VFIO_HIVE_NONE)
		snprintf(text, size, "none");
	else
		snprintf(text, size, "%u", value);
}

/* Bits of ACS Control by the names of the PCIe specification. */
static const struct {
	const char *name;
	uint32_t bit;
} acs_bits[] = {
	{ "SV", PCI_ACS_SV }, { "TB", PCI_ACS_TB }, { "RR", PCI_ACS_RR },
	{ "CR", PCI_ACS_CR }, { "UF", PCI_ACS_UF }, { "EC", PCI_ACS_EC },
	{ "DT", PCI_ACS_DT },
};

static bool parse_acs_word(const char *word, uint32_t *value)
{
	size_t i;

	for (i = 0; i < sizeof(acs_bits) / sizeof(acs_bits[0]); i++)
		if (!strcasecmp(acs_bits[i].name, word)) {
			*value |= acs_bits[i].bit;
			return true;
		}
	return false;
}

static bool parse_acs(const char *text, uint32_t *value)
{
	char words[TEXT_BYTES], *word, *rest = words, *end;
	unsigned long number;

	if (!strcmp(text, "preset")) {
		*value = INSTINCT_VFIO_ACS_BITS_PRESET;
		return true;
	}
	if (!strncmp(text, "0x", 2)) {
		errno = 0;
		number = strtoul(text, &end, 16);
		*value = number;
		return !errno && end > text + 2 && !*end &&
		       number <= INSTINCT_VFIO_ACS_BITS_MAX;
	}
	*value = 0;
	snprintf(words, sizeof(words), "%s", text);
	while ((word = strsep(&rest, "+ ")))
		if (*word && !parse_acs_word(word, value))
			return false;
	return *value;
}

/**
 * acs_format() - ACS Control for people
 * @value: it
 * @text: set, such as "SV+RR+CR+UF"
 * @size: of @text in bytes
 */
void acs_format(uint32_t value, char *text, size_t size)
{
	size_t used = 0, i;

	snprintf(text, size, "0x%x", value);
	if (!value || value & ~0x7fu)
		return;
	for (i = 0; i < sizeof(acs_bits) / sizeof(acs_bits[0]) && used < size; i++)
		if (value & acs_bits[i].bit)
			used += snprintf(text + used, size - used, "%s%s",
					 used ? "+" : "", acs_bits[i].name);
}

static void format_acs(uint32_t value, char *text, size_t size)
{
	if (value == INSTINCT_VFIO_ACS_BITS_PRESET)
		snprintf(text, size, "preset");
	else
		acs_format(value, text, size);
}

static bool parse_interval(const char *text, uint32_t *value)
{
	if (!strcmp(text, "never")) {
		*value = 0;
		return true;
	}
	return conf_parse_ms(text, INSTINCT_VFIO_CHECK_INTERVAL_MIN,
			INSTINCT_VFIO_CHECK_INTERVAL_MAX, value);
}

static void format_interval(uint32_t value, char *text, size_t size)
{
	if (value)
		format_time(value, text, size);
	else
		snprintf(text, size, "never");
}

static bool parse_peer(const char *text, uint32_t *value)
{
	struct instinct_peers peers;
	char canonical[INSTINCT_PEERS_BYTES];
	const char *why;

	if (instinct_peers_parse(&peers, text, &why))
		return false;
	instinct_peers_format(&peers, canonical, sizeof(canonical));
	*value = text_intern(canonical);
	return true;
}

static void format_text(uint32_t value, char *text, size_t size)
{
	snprintf(text, size, "%s", text_of(value));
}

/* Degrees, with up to three decimals, as millidegrees. */
static bool parse_degrees(const char *text, uint32_t max, uint32_t *value)
{
	unsigned int whole, unit = 1000;
	int used = 0;

	if (*text < '0' || *text > '9' || sscanf(text, "%6u%n", &whole, &used) != 1 ||
	    whole > max / 1000)
		return false;
	*value = whole * 1000;
	text += used;
	if (*text == '.')
		for (text++; *text >= '0' && *text <= '9' && unit > 1; text++) {
			unit /= 10;
			*value += (*text - '0') * unit;
		}
	text += strspn(text, " ");
	return (!*text || !strcmp(text, "C")) && *value <= max;
}

static void format_degrees(uint32_t value, char *text, size_t size)
{
	static const char *const decimals[] = { "%u", "%u.%01u", "%u.%02u", "%u.%03u" };
	unsigned int rest = value % 1000, digits = 3;

	while (digits && rest % 10 == 0) {
		rest /= 10;
		digits--;
	}
	snprintf(text, size, decimals[digits], value / 1000, rest);
}

static bool parse_threshold(const char *text, uint32_t *value)
{
	if (!strcmp(text, "none")) {
		*value = 0;
		return true;
	}
	return parse_degrees(text, INSTINCT_VFIO_THRESHOLD_MAX, value) && *value;
}

static void format_threshold(uint32_t value, char *text, size_t size)
{
	if (value)
		format_degrees(value, text, size);
	else
		snprintf(text, size, "none");
}

static bool parse_hysteresis(const char *text, uint32_t *value)
{
	return parse_degrees(text, INSTINCT_VFIO_THERMAL_HYSTERESIS_MAX, value);
}

static bool parse_hold(const char *text, uint32_t *value)
{
	return conf_parse_ms(text, 0, INSTINCT_VFIO_THERMAL_HOLD_MAX, value);
}

static bool parse_stale(const char *text, uint32_t *value)
{
	return conf_parse_ms(text, INSTINCT_VFIO_THERMAL_STALE_MIN,
			INSTINCT_VFIO_THERMAL_STALE_MAX, value);
}

static bool parse_sampling(const char *text, uint32_t *value)
{
	return conf_parse_ms(text, INSTINCT_VFIO_THERMAL_INTERVAL_MIN,
			INSTINCT_VFIO_THERMAL_INTERVAL_MAX, value);
}

static bool parse_mmio(const char *text, uint32_t *value)
{
	struct instinct_thermal_register reg;
	char canonical[INSTINCT_MMIO_BYTES];
	const char *why;

	if (instinct_thermal_register_parse(&reg, text, &why))
		return false;
	instinct_thermal_register_format(&reg, canonical, sizeof(canonical));
	*value = text_intern(canonical);
	return true;
}

/* Who feeds a sensor: nobody, whom we find, or a sensor with such a name. */
static bool parse_feed(const char *text, uint32_t *value)
{
	bool named = !strncmp(text, "ipmi:", 5) ? text[5] :
		     !strncmp(text, "hwmon:", 6) && text[6] != '/' &&
		     strchr(text, '/') && strchr(text, '/')[1];

	if (!named && strcmp(text, "auto") && strcmp(text, "none"))
		return false;
	*value = text_intern(text);
	return true;
}

#define FIELD(_name, _attr)	.name = #_name, .offset = offsetof(struct policy, _name), \
				.attr = INSTINCT_VFIO_A_POLICY_##_attr
#define ACS_FIELD(_name, _attr)	FIELD(_name, _attr), .parse = parse_acs, \
	.format = format_acs, .isolation = true, \
	.allowed = "preset, names such as SV+RR+CR+UF+DT, or 0x0 to 0x1fff", \
	.fallback = INSTINCT_VFIO_ACS_BITS_PRESET

#define THRESHOLD(_name, _attr)	FIELD(_name, _attr), .parse = parse_threshold, \
	.format = format_threshold, .allowed = "none, or 0.001 to 200, in degrees Celsius"
#define REGISTER(_name, _attr)	FIELD(_name, _attr), .parse = parse_mmio, \
	.format = format_text, .text = true, .fallback = TEXT_NONE, \
	.allowed = "none, or BAR:OFFSET[,mask=M][,shift=N][,scale=N][,add=N], such as 5:0x59800,shift=21,scale=125,add=-49000"
#define FEED(_name)	.name = #_name, .offset = offsetof(struct policy, _name), \
	.parse = parse_feed, .format = format_text, .text = true, .fallback = TEXT_AUTO, \
	.allowed = "auto, none, ipmi:NAME or hwmon:CHIP/LABEL, with * and ? as in file names"

/* What is parsed, checked, printed and sent; the man page explains each. */
const struct conf_key conf_keys[CONF_KEYS] = {
	[CONF_METHOD] = { FIELD(method, METHOD), .names = &method_names,
		.fallback = INSTINCT_VFIO_METHOD_AUTO },
	[CONF_TENANCY] = { FIELD(tenancy, TENANCY), .names = &tenancy_names,
		.fallback = INSTINCT_VFIO_TENANCY_SINGLE },
	[CONF_BUS_PORT] = { FIELD(bus_port, BUS_PORT), .names = &bus_port_names,
		.fallback = INSTINCT_VFIO_BUS_PORT_SWDS },
	[CONF_READY_TIMEOUT] = { FIELD(ready_timeout, READY_TIMEOUT), .parse = parse_ready, .format = format_time,
		.allowed = "1s to 600s, with a unit: ms, s or min",
		.fallback = INSTINCT_READY_TIMEOUT_DEFAULT },
	[CONF_MAILBOX] = { FIELD(mailbox, MAILBOX), .parse = parse_mailbox, .format = format_mailbox,
		.allowed = "discovery, or a byte offset below 0x200000, a multiple of 4, such as 0x58000",
		.fallback = 0 },
	[CONF_OVERLAP] = { FIELD(overlap, OVERLAP), .names = &overlap_names,
		.fallback = INSTINCT_VFIO_OVERLAP_CLOSE },
	[CONF_SCOPE] = { FIELD(scope, SCOPE), .names = &scope_names,
		.fallback = INSTINCT_VFIO_SCOPE_AUTO },
	[CONF_HIVE] = { FIELD(hive, HIVE), .parse = parse_hive, .format = format_hive,
		.allowed = "auto, none, or a number from 1 to 255",
		.fallback = INSTINCT_VFIO_HIVE_AUTO },
	[CONF_RESCAN] = { FIELD(rescan, RESCAN), .names = &rescan_names,
		.fallback = INSTINCT_VFIO_RESCAN_NO },
	[CONF_GUARD] = { FIELD(guard, GUARD), .names = &guard_names,
		.fallback = INSTINCT_VFIO_GUARD_ON },
	[CONF_GUARD_VERIFY] = { FIELD(guard_verify, GUARD_VERIFY), .names = &guard_names,
		.fallback = INSTINCT_VFIO_GUARD_ON },
	[CONF_GUARD_KEEP] = { FIELD(guard_keep, GUARD_KEEP), .names = &guard_names,
		.fallback = INSTINCT_VFIO_GUARD_ON },
	[CONF_GUARD_FORCE] = { FIELD(guard_force, GUARD_FORCE), .names = &guard_names,
		.fallback = INSTINCT_VFIO_GUARD_ON },
	[CONF_GUARD_UNBLOCK] = { FIELD(guard_unblock, GUARD_UNBLOCK), .names = &unblock_names,
		.fallback = INSTINCT_VFIO_UNBLOCK_RETRAIN },
	[CONF_GUARD_TIMEOUT] = { FIELD(guard_timeout, GUARD_TIMEOUT), .parse = parse_guard, .format = format_time,
		.allowed = "100ms to 600s, with a unit: ms, s or min",
		.fallback = INSTINCT_GUARD_TIMEOUT_DEFAULT },
	[CONF_ACS] = { FIELD(acs, ACS), .names = &acs_names, .isolation = true,
		.fallback = INSTINCT_VFIO_ACS_KERNEL },
	[CONF_ACS_ROOT_PORT] = { ACS_FIELD(acs_root_port, ACS_ROOT_PORT) },
	[CONF_ACS_SWITCH_UPSTREAM] = { ACS_FIELD(acs_switch_upstream, ACS_SWITCH_UPSTREAM) },
	[CONF_ACS_DOWNSTREAM] = { ACS_FIELD(acs_downstream, ACS_DOWNSTREAM) },
	[CONF_ACS_PEER_DOWNSTREAM] = { ACS_FIELD(acs_peer_downstream, ACS_PEER_DOWNSTREAM) },
	[CONF_ACS_PACKAGE] = { ACS_FIELD(acs_package, ACS_PACKAGE) },
	[CONF_ALLOW_ISOLATION_LOSS] = { FIELD(allow_isolation_loss, ISOLATION_LOSS),
		.names = &loss_names, .isolation = true,
		.fallback = INSTINCT_VFIO_ISOLATION_LOSS_NO },
	[CONF_ATS] = { FIELD(ats, ATS), .names = &ats_names, .isolation = true,
		.fallback = INSTINCT_VFIO_ATS_IGNORE },
	[CONF_CHECK_INTERVAL] = { FIELD(check_interval, CHECK_INTERVAL),
		.parse = parse_interval, .format = format_interval, .isolation = true,
		.allowed = "100ms to 60min, with a unit: ms, s or min; or never",
		.fallback = INSTINCT_CHECK_INTERVAL_DEFAULT },
	[CONF_PEER] = { FIELD(peer, PEER), .parse = parse_peer, .format = format_text,
		.text = true, .isolation = true,
		.allowed = "none, auto, or addresses such as 0000:c1:00.0 and IDs such as 15b3:1021",
		.fallback = TEXT_AUTO },
	[CONF_HOTSPOT_WARNING] = { THRESHOLD(hotspot_warning, HOTSPOT_WARNING),
		.fallback = INSTINCT_HOTSPOT_WARNING_DEFAULT },
	[CONF_HOTSPOT_CRITICAL] = { THRESHOLD(hotspot_critical, HOTSPOT_CRITICAL),
		.fallback = INSTINCT_HOTSPOT_CRITICAL_DEFAULT },
	[CONF_MEMORY_WARNING] = { THRESHOLD(memory_warning, MEMORY_WARNING),
		.fallback = INSTINCT_MEMORY_WARNING_DEFAULT },
	[CONF_MEMORY_CRITICAL] = { THRESHOLD(memory_critical, MEMORY_CRITICAL),
		.fallback = INSTINCT_MEMORY_CRITICAL_DEFAULT },
	[CONF_BOARD_WARNING] = { THRESHOLD(board_warning, BOARD_WARNING) },
	[CONF_BOARD_CRITICAL] = { THRESHOLD(board_critical, BOARD_CRITICAL) },
	[CONF_THERMAL_HYSTERESIS] = { FIELD(thermal_hysteresis, THERMAL_HYSTERESIS),
		.parse = parse_hysteresis, .format = format_degrees,
		.allowed = "0 to 50, in degrees Celsius",
		.fallback = INSTINCT_THERMAL_HYSTERESIS_DEFAULT },
	[CONF_THERMAL_HOLD] = { FIELD(thermal_hold, THERMAL_HOLD),
		.parse = parse_hold, .format = format_time,
		.allowed = "0s to 60min, with a unit: ms, s or min",
		.fallback = INSTINCT_THERMAL_HOLD_DEFAULT },
	[CONF_THERMAL_STALE] = { FIELD(thermal_stale, THERMAL_STALE),
		.parse = parse_stale, .format = format_time,
		.allowed = "1s to 60min, with a unit: ms, s or min",
		.fallback = INSTINCT_THERMAL_STALE_DEFAULT },
	[CONF_THERMAL_INTERVAL] = { FIELD(thermal_interval, THERMAL_INTERVAL),
		.parse = parse_sampling, .format = format_time,
		.allowed = "100ms to 60s, with a unit: ms, s or min",
		.fallback = INSTINCT_THERMAL_INTERVAL_DEFAULT },
	[CONF_HOTSPOT_MMIO] = { REGISTER(hotspot_mmio, HOTSPOT_MMIO) },
	[CONF_MEMORY_MMIO] = { REGISTER(memory_mmio, MEMORY_MMIO) },
	[CONF_HOTSPOT_SENSOR] = { FEED(hotspot_sensor) },
	[CONF_MEMORY_SENSOR] = { FEED(memory_sensor) },
	[CONF_BOARD_SENSOR] = { FEED(board_sensor) },
};

/**
 * conf_key_parse() - a value as it is written in a policy
 * @key: of it
 * @text: the value
 * @value: set
 *
 * Return: false if it is not allowed.
 */
bool conf_key_parse(const struct conf_key *key, const char *text,
		    uint32_t *value)
{
	int word;

	if (!key->names)
		return key->parse(text, value);
	word = name_find(key->names, text);
	if (word >= 0)
		*value = word;
	return word >= 0;
}

/**
 * conf_key_format() - a value as it is written in a policy
 * @key: of it
 * @value: the value
 * @text: set
 * @size: of @text in bytes
 */
void conf_key_format(const struct conf_key *key, uint32_t value, char *text,
		     size_t size)
{
	if (key->names)
		snprintf(text, size, "%s", name_of(key->names, value));
	else
		key->format(value, text, size);
}

/**
 * conf_key_allowed() - the allowed values, for people
 * @key: of them
 * @text: set
 * @size: of @text in bytes
 */
void conf_key_allowed(const struct conf_key *key, char *text, size_t size)
{
	if (key->names)
		name_list(key->names, text, size);
	else
		snprintf(text, size, "%s", key->allowed);
}

/**
 * conf_key_get() - a key's value in a policy
 * @key: which
 * @policy: to read
 *
 * Return: the value.
 */
uint32_t conf_key_get(const struct conf_key *key, const struct policy *policy)
{
	return *(const uint32_t *)((const char *)policy + key->offset);
}

/**
 * conf_key_set() - set a key's value in a policy
 * @key: which
 * @policy: to change
 * @value: new value
 */
void conf_key_set(const struct conf_key *key, struct policy *policy,
		  uint32_t value)
{
	*(uint32_t *)((char *)policy + key->offset) = value;
}
