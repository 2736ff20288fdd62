// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <linux/pci_regs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "bdf.h"
#include "conf_key.h"
#include "ini_file.h"
#include "peers.h"

/* The table's entries of texts set no fallback, so it is 0. */
_Static_assert(TEXT_AUTO == 0, "the default of a text is auto");

#define OFFSET_OF(_attr, _name)	offsetof(struct policy, _name),

/* Offset of each key in struct policy, whose members are named after the keys. */
static const size_t offsets[CONF_KEYS] = { INSTINCT_POLICY_KEYS_ALL(OFFSET_OF) };

/**
 * conf_parse_ms() - parse a time with its unit: ms, s or min
 * @text: text that consists of the time alone
 * @min: smallest allowed time, ms
 * @max: largest allowed time, ms
 * @value: receives the time, ms
 *
 * Return: false if @text is not a time from @min to @max.
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

static void format_time(uint32_t value, char *text, size_t size)
{
	if (value % 1000)
		snprintf(text, size, "%ums", value);
	else
		snprintf(text, size, "%us", value / 1000);
}

static bool parse_number(const char *text, const char *prefix, int base, uint32_t *value)
{
	const char *digits = base == 16 ? "0123456789abcdefABCDEF" : "0123456789";
	unsigned long long number;

	if (strncmp(text, prefix, strlen(prefix)))
		return false;
	text += strlen(prefix);
	if (!*text || text[strspn(text, digits)])
		return false;
	errno = 0;
	number = strtoull(text, NULL, base);
	*value = number;
	return !errno && number <= UINT32_MAX;
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
	char words[TEXT_BYTES], *word, *rest = words;

	if (!strncmp(text, "0x", 2))
		return parse_number(text, "0x", 16, value);
	*value = 0;
	snprintf(words, sizeof(words), "%s", text);
	while ((word = strsep(&rest, "+ ")))
		if (*word && !parse_acs_word(word, value))
			return false;
	return *value;
}

/**
 * acs_format() - format an ACS Control value with the names of its bits
 * @value: ACS Control
 * @text: receives the text, such as "SV+RR+CR+UF", or the number if a bit has no name
 * @size: size of @text in bytes
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

/* Users may leave out the domain of an address; the module's parser needs it. */
static bool peers_of(const char *text, struct instinct_peers *peers, const char **why)
{
	char words[TEXT_BYTES], full[4 * sizeof(words)], bdf[BDF_BYTES];
	char *word, *rest = words;
	size_t used = 0;

	snprintf(words, sizeof(words), "%s", text);
	*full = '\0';
	while ((word = strsep(&rest, INI_FILE_BLANK)) && used < sizeof(full))
		used += snprintf(full + used, sizeof(full) - used, "%s%s", used ? " " : "",
				 bdf_parse(word, bdf) ? bdf : word);
	return !peers_parse(peers, full, why);
}

static bool parse_peer(const char *text, uint32_t *value)
{
	struct instinct_peers peers;
	char canonical[PEERS_BYTES];
	const char *why;

	if (!peers_of(text, &peers, &why))
		return false;
	peers_format(&peers, canonical);
	*value = text_intern(canonical);
	return true;
}

/* Parse degrees with up to three decimals into millidegrees. */
static bool parse_degrees(const char *text, uint32_t *value)
{
	unsigned int whole, unit = 1000;
	int used = 0;

	if (*text < '0' || *text > '9' || sscanf(text, "%6u%n", &whole, &used) != 1)
		return false;
	*value = whole * 1000;
	text += used;
	if (*text == '.')
		for (text++; *text >= '0' && *text <= '9' && unit > 1; text++) {
			unit /= 10;
			*value += (*text - '0') * unit;
		}
	text += strspn(text, " ");
	return !*text || !strcmp(text, "C");
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

/* A feed is "none", "auto", or the name of a sensor of the BMC or of hwmon. */
static bool parse_feed(const char *text, uint32_t *value)
{
	bool named = !strncmp(text, "ipmi:", 5) ? text[5] :
		     !strncmp(text, "redfish:", 8) ? text[8] :
		     !strncmp(text, "hwmon:", 6) && text[6] != '/' &&
		     strchr(text, '/') && strchr(text, '/')[1];

	if (!named && strcmp(text, "auto") && strcmp(text, "none"))
		return false;
	*value = text_intern(text);
	return true;
}

/* Index of @text among the words of a key, or -1. */
static int find_word(const struct conf_key *key, const char *text)
{
	struct names words;

	conf_key_words(key, &words);
	return name_find(&words, text);
}

static bool parse_kind(const struct conf_key *key, const char *text, uint32_t *value)
{
	switch (key->kind) {
	case INSTINCT_KIND_TIME:
		return conf_parse_ms(text, key->min, key->max, value);
	case INSTINCT_KIND_DEGREES:
		return parse_degrees(text, value);
	case INSTINCT_KIND_NUMBER:
	case INSTINCT_KIND_COUNT:
		return parse_number(text, "", 10, value);
	case INSTINCT_KIND_OFFSET:
		return parse_number(text, "0x", 16, value);
	case INSTINCT_KIND_ACS:
		return parse_acs(text, value);
	case INSTINCT_KIND_PEERS:
		return parse_peer(text, value);
	case INSTINCT_KIND_FEED:
		return parse_feed(text, value);
	default:
		return false;
	}
}

/**
 * conf_key_parse() - parse a value as policy files have it
 * @key: key of the value
 * @text: value
 * @value: receives the value
 *
 * Return: false if the value is not allowed.
 */
bool conf_key_parse(const struct conf_key *key, const char *text, uint32_t *value)
{
	int word = find_word(key, text);

	if (word >= 0) {
		*value = key->kind == INSTINCT_KIND_WORD ? (uint32_t)word : key->special[word];
		return true;
	}
	if (!parse_kind(key, text, value))
		return false;
	/* A number that stands for a word is not allowed; the file must use the word. */
	return key->text || (*value >= key->min && *value <= key->max &&
			     instinct_policy_key_allows(key, *value));
}

/**
 * conf_key_why() - explain an error in a value beyond its syntax
 * @key: key of the value
 * @text: value that conf_key_parse() has refused
 *
 * Return: the explanation, or NULL if the list of allowed values suffices.
 */
const char *conf_key_why(const struct conf_key *key, const char *text)
{
	struct instinct_peers peers;
	const char *why = NULL;

	if (key->kind == INSTINCT_KIND_PEERS)
		peers_of(text, &peers, &why);
	/* The list of allowed values describes the syntax already. */
	return why && !strstr(why, " none") ? why : NULL;
}

/* The word that stands for a value, or NULL. */
static const char *word_of(const struct conf_key *key, uint32_t value)
{
	unsigned int i;

	if (key->kind == INSTINCT_KIND_WORD)
		return value <= key->max ? key->words[value] : "unknown";
	for (i = 0; i < key->specials; i++)
		if (key->special[i] == value)
			return key->words[i];
	return NULL;
}

/**
 * conf_key_format() - format a value as policy files have it
 * @key: key of the value
 * @value: value
 * @text: receives the text
 * @size: size of @text in bytes
 */
void conf_key_format(const struct conf_key *key, uint32_t value, char *text,
		     size_t size)
{
	const char *word = key->text ? text_of(value) : word_of(key, value);

	if (word)
		snprintf(text, size, "%s", word);
	else if (key->kind == INSTINCT_KIND_TIME)
		format_time(value, text, size);
	else if (key->kind == INSTINCT_KIND_DEGREES)
		format_degrees(value, text, size);
	else if (key->kind == INSTINCT_KIND_ACS)
		acs_format(value, text, size);
	else
		snprintf(text, size, key->kind == INSTINCT_KIND_OFFSET ? "0x%x" : "%u", value);
}

/**
 * conf_key_words() - get the words that a key accepts
 * @key: key
 * @words: receives the words
 */
void conf_key_words(const struct conf_key *key, struct names *words)
{
	words->name = key->words;
	words->count = key->kind == INSTINCT_KIND_WORD ? key->max + 1 : key->specials;
}

/**
 * conf_key_word() - get the word of an enumerator
 * @number: CONF_* of the key
 * @value: value of the key in a policy
 *
 * Return: the word, or "unknown".
 */
const char *conf_key_word(unsigned int number, uint32_t value)
{
	struct names words;

	conf_key_words(&conf_keys[number], &words);
	return name_of(&words, value);
}

/**
 * conf_key_unit() - get the units of a key's values
 * @key: key
 *
 * Return: the units, such as "ms, s or min", or NULL for values without one.
 */
const char *conf_key_unit(const struct conf_key *key)
{
	switch (key->kind) {
	case INSTINCT_KIND_TIME:
		return "ms, s or min";
	case INSTINCT_KIND_DEGREES:
		return "degrees Celsius";
	case INSTINCT_KIND_OFFSET:
		return "bytes";
	default:
		return NULL;
	}
}

/**
 * conf_key_allowed() - describe the allowed values of a key
 * @key: key
 * @text: receives the description
 * @size: size of @text in bytes
 */
void conf_key_allowed(const struct conf_key *key, char *text, size_t size)
{
	snprintf(text, size, "%s%s%s", key->allowed,
		 key->kind == INSTINCT_KIND_TIME ? ", with a unit: " : "",
		 key->kind == INSTINCT_KIND_TIME ? conf_key_unit(key) : "");
}

/**
 * conf_key_get() - get a key's value in a policy
 * @key: key
 * @policy: policy
 *
 * Return: the value.
 */
uint32_t conf_key_get(const struct conf_key *key, const struct policy *policy)
{
	return *(const uint32_t *)((const char *)policy + offsets[key - conf_keys]);
}

/**
 * conf_key_set() - set a key's value in a policy
 * @key: key
 * @policy: policy to change
 * @value: new value
 */
void conf_key_set(const struct conf_key *key, struct policy *policy,
		  uint32_t value)
{
	*(uint32_t *)((char *)policy + offsets[key - conf_keys]) = value;
}

/**
 * conf_key_rules() - convert a policy into the module's representation
 * @policy: policy
 * @rules: receives the keys that the module knows
 */
void conf_key_rules(const struct policy *policy, struct instinct_policy *rules)
{
	const char *why;
	size_t i;

	instinct_policy_defaults(rules);
	for (i = 0; i < CONF_KEYS; i++) {
		const struct conf_key *key = &conf_keys[i];
		uint32_t value = conf_key_get(key, policy);

		if (key->attr && key->text)
			peers_parse(&rules->isolation.peers, text_of(value), &why);
		else if (key->attr)
			instinct_policy_set(rules, key, value);
	}
}

/**
 * conf_key_find() - look up a key by its name
 * @name: name as the user wrote it
 * @nearest: on failure receives the key name that the user may have meant, or NULL
 *
 * Return: the key or NULL.
 */
const struct conf_key *conf_key_find(const char *name, const char **nearest)
{
	const char *known[CONF_KEYS];
	size_t i;

	for (i = 0; i < CONF_KEYS; i++) {
		known[i] = conf_keys[i].name;
		if (!strcmp(known[i], name))
			return &conf_keys[i];
	}
	*nearest = name_nearest(known, CONF_KEYS, name);
	return NULL;
}

/**
 * conf_key_of_attr() - look up a key by its netlink attribute
 * @attr: INSTINCT_VFIO_A_POLICY_*
 *
 * Return: the key or NULL.
 */
const struct conf_key *conf_key_of_attr(unsigned int attr)
{
	size_t i;

	for (i = 0; i < CONF_KEYS; i++)
		if (conf_keys[i].attr && conf_keys[i].attr == attr)
			return &conf_keys[i];
	return NULL;
}
