// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf.h"
#include "ini_file.h"
#include "profile.h"
#include "say.h"
#include "sysfs.h"

/**
 * conf_complain() - an error of a policy: FILE:LINE: what, found, allowed
 * @conf: policy, whose errors are counted
 * @line: where
 * @format: as for printf(), without a newline
 */
void conf_complain(struct conf *conf, int line, const char *format, ...)
{
	va_list args;

	conf->errors++;
	fflush(stdout);
	fprintf(stderr, "%s:%d: ", conf->file, line);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

/* Every family that the module knows, once. */
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
	size_t count;

	if (instinct_profile_family(name)) {
		snprintf(full, TEXT_BYTES, "%s", name);
		return CONF_FAMILY;
	}
	count = family_names(names);
	list(names, count, allowed, sizeof(allowed));
	conf_complain(conf, line, "unknown family, found \"%s\", allowed: %s%s",
		      name, allowed, ini_maybe(name_nearest(names, count, name),
					   hint, sizeof(hint)));
	return CONF_WRONG;
}

static enum conf_kind device_section(struct conf *conf, int line,
				     const char *name, char *full)
{
	if (bdf_parse(name, full))
		return CONF_DEVICE;
	conf_complain(conf, line, "not a PCI address, found \"%s\", allowed: such as 0000:c1:00.0",
		      name);
	return CONF_WRONG;
}

/* "default", "family mi300x", "device c1:00.0"; what else has been said. */
static enum conf_kind section_kind(struct conf *conf, int line,
				   const char *text, char *full)
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
		return device_section(conf, line, name, full);
	nearest = name_nearest(kinds, 3, word);
	if (nearest && !strcmp(nearest, word))
		nearest = NULL;
	conf_complain(conf, line, "unknown section, found [%s], allowed: [default], [family NAME] or [device BDF]%s",
		      text, ini_maybe(nearest, hint, sizeof(hint)));
	return CONF_WRONG;
}

static void section_add(struct conf *conf, int line, enum conf_kind kind,
			const char *name)
{
	struct conf_section *section = list_add((void **)&conf->section, &conf->count,
						sizeof(*section));

	section->kind = kind;
	section->line = line;
	snprintf(section->name, sizeof(section->name), "%s", name);
}

static void section_begin(int line, const char *text, void *data)
{
	struct conf *conf = data;
	char name[TEXT_BYTES] = "";
	enum conf_kind kind = text ? section_kind(conf, line, text, name) : CONF_WRONG;
	size_t i;

	for (i = 0; i < conf->count && kind != CONF_WRONG; i++)
		if (conf->section[i].kind == kind &&
		    !strcmp(conf->section[i].name, name)) {
			conf_complain(conf, line, "section given twice, found [%s], allowed: once; the first is in line %d",
				      text, conf->section[i].line);
			kind = CONF_WRONG;
		}
	section_add(conf, line, kind, name);
}

static const struct conf_key *key_find(struct conf *conf, int line,
				       const char *name)
{
	char allowed[8 * TEXT_BYTES], hint[TEXT_BYTES];
	const char *known[CONF_KEYS];
	size_t i;

	for (i = 0; i < CONF_KEYS; i++) {
		known[i] = conf_keys[i].name;
		if (!strcmp(known[i], name))
			return &conf_keys[i];
	}
	list(known, CONF_KEYS, allowed, sizeof(allowed));
	conf_complain(conf, line, "unknown key, found \"%s\", allowed: %s%s",
		      name, allowed, ini_maybe(name_nearest(known, CONF_KEYS, name),
					   hint, sizeof(hint)));
	return NULL;
}

static void value_complain(struct conf *conf, int line,
			   const struct conf_key *key, const char *text)
{
	char allowed[TEXT_BYTES], hint[TEXT_BYTES];
	const char *nearest = NULL;

	if (key->names)
		nearest = name_nearest(key->names->name, key->names->count, text);
	conf_key_allowed(key, allowed, sizeof(allowed));
	conf_complain(conf, line, "wrong value of %s, found \"%s\", allowed: %s%s",
		      key->name, text, allowed, ini_maybe(nearest, hint, sizeof(hint)));
}

static void setting(int line, const char *name, const char *value, void *data)
{
	struct conf *conf = data;
	struct conf_section *section;
	const struct conf_key *key;
	size_t index;

	if (!conf->count) {
		conf_complain(conf, line, "key outside a section, found \"%s\", allowed: after [default], [family NAME] or [device BDF]",
			      name);
		return;
	}
	section = &conf->section[conf->count - 1];
	key = key_find(conf, line, name);
	if (!key)
		return;
	index = key - conf_keys;
	if (section->at[index]) {
		conf_complain(conf, line, "key given twice, found \"%s\", allowed: once in a section; the first is in line %d",
			      name, section->at[index]);
		return;
	}
	section->at[index] = line;
	if (!conf_key_parse(key, value, &section->value[index]))
		value_complain(conf, line, key, value);
}

static void wrong(int line, const char *text, void *data)
{
	conf_complain(data, line, "%s", text);
}

static const struct ini_calls calls = {
	.section = section_begin,
	.setting = setting,
	.wrong = wrong,
};

/**
 * conf_open() - read a policy file
 * @conf: set; every error in the file has been said, and counted
 * @file: its name, "-" for standard input
 *
 * Return: 0, or an exit code if it cannot be read, which has been said.
 */
int conf_open(struct conf *conf, const char *file)
{
	int ret;

	*conf = (struct conf) { .file = strcmp(file, "-") ? file : "<stdin>" };
	ret = ini_file_read(file, &calls, conf);
	if (!ret)
		return EXIT_OK;
	say_error("cannot read the policy %s: %s%s", conf->file, strerror(-ret),
		  ret == -ENOENT && !strcmp(file, CONF_INSTALLED) ?
		  "; no policy is installed, an empty file means all defaults" : "");
	return exit_code_of(-ret);
}

/**
 * conf_free() - let go of a policy
 * @conf: policy
 */
void conf_free(struct conf *conf)
{
	free(conf->section);
	*conf = (struct conf) { 0 };
}
