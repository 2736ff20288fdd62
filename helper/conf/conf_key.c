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

/* Which the table does not say of them. */
_Static_assert(TEXT_AUTO == 0, "the default of a text is auto");

#define OFFSET_OF(_attr, _name)	offsetof(struct policy, _name),

/* Where each is in struct policy, whose members have the keys' names. */
static const size_t offsets[CONF_KEYS] = { INSTINCT_POLICY_KEYS_ALL(OFFSET_OF) };

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

/* Addresses may be without their domain, which the module's rules do not take. */
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
	return !instinct_peers_parse(peers, full, why);
}

static bool parse_peer(const char *text, uint32_t *value)
{
	struct instinct_peers peers;
	char canonical[INSTINCT_PEERS_BYTES];
	const char *why;

	if (!peers_of(text, &peers, &why))
		return false;
	instinct_peers_format(&peers, canonical);
	*value = text_intern(canonical);
	return true;
}

/* Degrees, with up to three decimals, as millidegrees. */
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

/* Of the words that a key has, the one that it is; -1: none. */
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
 * conf_key_parse() - a value as it is written in a policy
 * @key: of it
 * @text: the value
 * @value: set
 *
 * Return: false if it is not allowed.
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
	/* A number that has a word is written as that. */
	return key->text || (*value >= key->min && *value <= key->max &&
			     instinct_policy_key_allows(key, *value));
}

/**
 * conf_key_why() - what is wrong with a value, where that is more than its form
 * @key: of it
 * @text: a value that conf_key_parse() does not take
 *
 * Return: for people, or NULL.
 */
const char *conf_key_why(const struct conf_key *key, const char *text)
{
	struct instinct_peers peers;
	const char *why = NULL;

	if (key->kind == INSTINCT_KIND_PEERS)
		peers_of(text, &peers, &why);
	/* What its form is stands in what is allowed. */
	return why && !strstr(why, " none") ? why : NULL;
}

/* A value that has a word of its own, as that. */
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
 * conf_key_format() - a value as it is written in a policy
 * @key: of it
 * @value: the value
 * @text: set
 * @size: of @text in bytes
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
 * conf_key_words() - the words that a key takes
 * @key: of them
 * @words: set
 */
void conf_key_words(const struct conf_key *key, struct names *words)
{
	words->name = key->words;
	words->count = key->kind == INSTINCT_KIND_WORD ? key->max + 1 : key->specials;
}

/**
 * conf_key_word() - the word of an enumerator
 * @number: CONF_* of its key
 * @value: what a policy has there
 *
 * Return: it, or "unknown".
 */
const char *conf_key_word(unsigned int number, uint32_t value)
{
	struct names words;

	conf_key_words(&conf_keys[number], &words);
	return name_of(&words, value);
}

/**
 * conf_key_unit() - in which units a key's value is written
 * @key: of it
 *
 * Return: for people, or NULL.
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
 * conf_key_allowed() - the allowed values, for people
 * @key: of them
 * @text: set
 * @size: of @text in bytes
 */
void conf_key_allowed(const struct conf_key *key, char *text, size_t size)
{
	snprintf(text, size, "%s%s%s", key->allowed,
		 key->kind == INSTINCT_KIND_TIME ? ", with a unit: " : "",
		 key->kind == INSTINCT_KIND_TIME ? conf_key_unit(key) : "");
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
	return *(const uint32_t *)((const char *)policy + offsets[key - conf_keys]);
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
	*(uint32_t *)((char *)policy + offsets[key - conf_keys]) = value;
}

/**
 * conf_key_rules() - a policy as the module has it
 * @policy: to read
 * @rules: set
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
			instinct_peers_parse(&rules->isolation.peers, text_of(value), &why);
		else if (key->attr)
			instinct_policy_set(rules, key, value);
	}
}

/**
 * conf_key_find() - a key by its name
 * @name: as it was written
 * @nearest: set where there is none: what may have been meant, or NULL
 *
 * Return: it, or NULL.
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
 * conf_key_of_attr() - a key by its attribute in messages
 * @attr: INSTINCT_VFIO_A_POLICY_*
 *
 * Return: it, or NULL.
 */
const struct conf_key *conf_key_of_attr(unsigned int attr)
{
	size_t i;

	for (i = 0; i < CONF_KEYS; i++)
		if (conf_keys[i].attr && conf_keys[i].attr == attr)
			return &conf_keys[i];
	return NULL;
}
