// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "conf_parse.h"
#include "core/profile.h"
#include "sysfs.h"

#define SERIAL_DIGITS	16
#define SECTIONS	"[default], [family NAME], [device BDF] or [device serial=NUMBER]"

/* Collect the names of all families that the module knows, each once. */
static size_t family_names(const char *names[INSTINCT_FAMILY_COUNT])
{
#define ID(_device, _model, _family)	_device,
	static const uint16_t ids[] = { INSTINCT_DEVICES(ID) };
	size_t count = 0, i, j;

	for (i = 0; i < ARRAY_SIZE(ids) && count < INSTINCT_FAMILY_COUNT; i++) {
		const char *name = instinct_profile_find(INSTINCT_VENDOR_AMD_GPU,
							 ids[i])->family->name;

		for (j = 0; j < count; j++)
			if (!strcmp(names[j], name))
				break;
		if (j == count)
			names[count++] = name;
	}
	return count;
}

static void list(const char *const names[], size_t count, char *text, size_t size)
{
	const struct names all = { names, count };

	name_list(&all, text, size);
}

static enum conf_kind family_section(struct conf *conf, int line,
				     const char *name, char *full)
{
	const char *names[INSTINCT_FAMILY_COUNT] = { 0 };
	char allowed[TEXT_BYTES], hint[TEXT_BYTES];
	size_t count = family_names(names), i;

	for (i = 0; i < count; i++)
		if (!strcmp(names[i], name)) {
			snprintf(full, TEXT_BYTES, "%s", name);
			return CONF_FAMILY;
		}
	list(names, count, allowed, sizeof(allowed));
	conf_complain(conf, conf->file, line, "unknown family, found \"%s\", allowed: %s%s",
		      name, allowed, ini_maybe(name_nearest(names, count, name),
					   hint, sizeof(hint)));
	return CONF_WRONG;
}

/**
 * conf_parse_serial() - parse a PCIe Device Serial Number
 * @text: 16 hexadecimal digits, as status prints them or with - or : between bytes
 * @serial: receives the serial number
 *
 * Return: false if @text is not a serial number.
 */
bool conf_parse_serial(const char *text, uint64_t *serial)
{
	unsigned int digits = 0;

	*serial = 0;
	if (!strncmp(text, "0x", 2))
		text += 2;
	for (; *text; text++) {
		if (digits && digits % 2 == 0 && strchr("-:", *text))
			continue;
		if (!isxdigit((unsigned char)*text) || digits++ == SERIAL_DIGITS)
			return false;
		*serial = *serial << 4 | (isdigit((unsigned char)*text) ? *text - '0' :
					  tolower((unsigned char)*text) - 'a' + 10);
	}
	return digits == SERIAL_DIGITS && *serial;
}

static enum conf_kind device_section(struct conf *conf, int line, const char *name,
				     char *full, uint64_t *serial)
{
	static const char word[] = "serial";
	const char *number = name + strlen(word) + strspn(name + strlen(word), INI_FILE_BLANK);

	if (bdf_parse(name, full))
		return CONF_DEVICE;
	if (strncmp(name, word, strlen(word)) || *number != '=') {
		conf_complain(conf, conf->file, line, "not a PCI address, found \"%s\", allowed: such as 0000:c1:00.0, or serial=NUMBER",
			      name);
		return CONF_WRONG;
	}
	number += 1 + strspn(number + 1, INI_FILE_BLANK);
	if (conf_parse_serial(number, serial)) {
		snprintf(full, TEXT_BYTES, "serial=0x%016" PRIx64, *serial);
		return CONF_DEVICE;
	}
	conf_complain(conf, conf->file, line, "not a serial number, found \"%s\", allowed: 16 hexadecimal digits, as instinctctl status --json prints them",
		      number);
	return CONF_WRONG;
}

/* Parse "default", "family mi300x", "device c1:00.0"; complain of any other text. */
static enum conf_kind section_kind(struct conf *conf, int line, const char *text,
				   char *full, uint64_t *serial)
{
	static const char *const kinds[] = { "default", "family", "device" };
	size_t length = strcspn(text, INI_FILE_BLANK);
	const char *name = text + length + strspn(text + length, INI_FILE_BLANK);
	char word[TEXT_BYTES], hint[TEXT_BYTES];
	const char *nearest;

	snprintf(word, sizeof(word), "%.*s",
		 (int)(length < sizeof(word) ? length : sizeof(word) - 1), text);
	if (!strcmp(text, "default"))
		return CONF_DEFAULT;
	if (!strcmp(word, "family") && *name)
		return family_section(conf, line, name, full);
	if (!strcmp(word, "device") && *name)
		return device_section(conf, line, name, full, serial);
	nearest = name_nearest(kinds, 3, word);
	if (nearest && !strcmp(nearest, word))
		nearest = NULL;
	conf_complain(conf, conf->file, line, "unknown section, found [%s], allowed: " SECTIONS "%s",
		      text, ini_maybe(nearest, hint, sizeof(hint)));
	return CONF_WRONG;
}

static struct conf_section *section_add(struct conf *conf, int line, enum conf_kind kind,
					const char *name)
{
	struct conf_section *section = list_add((void **)&conf->section, &conf->count,
						sizeof(*section));

	section->kind = kind;
	section->file = conf->file;
	section->line = line;
	snprintf(section->name, sizeof(section->name), "%s", name);
	return section;
}

/* Find an earlier section of the same file with the same canonical name. */
static const struct conf_section *section_find(const struct conf *conf,
					       enum conf_kind kind, const char *name)
{
	size_t i;

	for (i = conf->count; i && conf->section[i - 1].file == conf->file; i--)
		if (conf->section[i - 1].kind == kind &&
		    !strcmp(conf->section[i - 1].name, name))
			return &conf->section[i - 1];
	return NULL;
}

static void section_begin(int line, const char *text, void *data)
{
	struct conf *conf = data;
	char name[TEXT_BYTES] = "";
	uint64_t serial = 0;
	enum conf_kind kind = text ? section_kind(conf, line, text, name, &serial) :
				     CONF_WRONG;
	const struct conf_section *first = kind == CONF_WRONG ? NULL :
					   section_find(conf, kind, name);

	if (first) {
		conf_complain(conf, conf->file, line, "section given twice, found [%s], allowed: once in a file; the first is in line %d",
			      text, first->line);
		kind = CONF_WRONG;
	}
	section_add(conf, line, kind, name)->serial = serial;
}

static void list_keys(char *text, size_t size)
{
	const char *known[CONF_KEYS];
	size_t i;

	for (i = 0; i < CONF_KEYS; i++)
		known[i] = conf_keys[i].name;
	list(known, CONF_KEYS, text, size);
}

static const struct conf_key *key_find(struct conf *conf, int line, const char *name)
{
	char allowed[8 * TEXT_BYTES];
	const char *nearest;
	const struct conf_key *key = conf_key_find(name, &nearest);

	if (key)
		return key;
	if (nearest) {
		conf_complain(conf, conf->file, line, "unknown key, found \"%s\"; did you mean \"%s\"? See instinctctl show-policy --keys",
			      name, nearest);
		return NULL;
	}
	list_keys(allowed, sizeof(allowed));
	conf_complain(conf, conf->file, line, "unknown key, found \"%s\", allowed: %s",
		      name, allowed);
	return NULL;
}

/* Find the word of the key that means the same as @text. */
static const char *synonym(const struct names *words, const char *text)
{
	static const char *const alike[][6] = {
		{ "yes", "on", "true", "1" },
		{ "no", "off", "none", "never", "false", "0" },
	};
	const char *found = NULL;
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(alike); i++) {
		bool same = false;

		found = NULL;
		for (j = 0; j < ARRAY_SIZE(alike[i]) && alike[i][j]; j++) {
			same |= !strcmp(alike[i][j], text);
			if (!found && name_find(words, alike[i][j]) >= 0)
				found = alike[i][j];
		}
		if (same)
			return found;
	}
	return NULL;
}

/* Guess the word that the user meant, ignoring case. */
static const char *word_meant(const struct names *words, const char *text)
{
	char lower[TEXT_BYTES];
	const char *found;
	size_t i;

	snprintf(lower, sizeof(lower), "%s", text);
	for (i = 0; lower[i]; i++)
		lower[i] = tolower((unsigned char)lower[i]);
	found = synonym(words, lower);
	return found ? found : name_nearest(words->name, words->count, lower);
}

static void value_complain(struct conf *conf, int line,
			   const struct conf_key *key, const char *text)
{
	const char *more = conf_key_why(key, text);
	char allowed[TEXT_BYTES], hint[TEXT_BYTES];
	struct names words;

	conf_key_words(key, &words);
	conf_key_allowed(key, allowed, sizeof(allowed));
	ini_maybe(more ? NULL : word_meant(&words, text), hint, sizeof(hint));
	conf_complain(conf, conf->file, line, "wrong value of %s, found \"%s\", allowed: %s%s%s%s",
		      key->name, text, allowed, more ? "; " : "", more ? more : "", hint);
}

static void setting(int line, const char *name, const char *value, void *data)
{
	struct conf *conf = data;
	struct conf_section *section;
	const struct conf_key *key;
	size_t index;

	if (!conf->count || conf->section[conf->count - 1].file != conf->file) {
		conf_complain(conf, conf->file, line, "key outside a section, found \"%s\", allowed: after " SECTIONS,
			      name);
		return;
	}
	section = &conf->section[conf->count - 1];
	key = key_find(conf, line, name);
	if (!key)
		return;
	index = key - conf_keys;
	if (key->kind == INSTINCT_KIND_COUNT && section->kind == CONF_DEVICE) {
		conf_complain(conf, conf->file, line, "key of a whole host in the section of a device, found \"%s\", allowed: in [default] and [family NAME]",
			      name);
		return;
	}
	if (section->at[index]) {
		conf_complain(conf, conf->file, line, "key given twice, found \"%s\", allowed: once in a section; the first is in line %d",
			      name, section->at[index]);
		return;
	}
	section->at[index] = line;
	if (conf_key_parse(key, value, &section->value[index]))
		return;
	section->value[index] = key->fallback;
	value_complain(conf, line, key, value);
}

static void wrong(int line, const char *text, void *data)
{
	struct conf *conf = data;

	conf_complain(conf, conf->file, line, "%s", text);
}

const struct ini_calls conf_parse_calls = {
	.section = section_begin,
	.setting = setting,
	.wrong = wrong,
};
