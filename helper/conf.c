// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf.h"
#include "profile.h"
#include "say.h"
#include "sysfs.h"

#define BLANK	" \t"
#define BOM	"\xef\xbb\xbf"

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

static const char *maybe(const char *nearest, char *text, size_t size)
{
	*text = '\0';
	if (nearest)
		snprintf(text, size, "; did you mean \"%s\"?", nearest);
	return text;
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
		      name, allowed, maybe(name_nearest(names, count, name),
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
	size_t length = strcspn(text, BLANK);
	const char *name = text + length + strspn(text + length, BLANK);
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
		      text, maybe(nearest, hint, sizeof(hint)));
	return CONF_WRONG;
}

static void section_add(struct conf *conf, int line, enum conf_kind kind,
			const char *name)
{
	struct conf_section *section = realloc(conf->section,
				(conf->count + 1) * sizeof(*section));

	if (!section) {
		perror("instinctctl");
		exit(EXIT_ERROR);
	}
	conf->section = section;
	section += conf->count++;
	*section = (struct conf_section) { .kind = kind, .line = line };
	snprintf(section->name, sizeof(section->name), "%s", name);
}

static void section_begin(struct conf *conf, int line, const char *text)
{
	char name[TEXT_BYTES] = "";
	enum conf_kind kind = section_kind(conf, line, text, name);
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
		      name, allowed, maybe(name_nearest(known, CONF_KEYS, name),
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
		      key->name, text, allowed, maybe(nearest, hint, sizeof(hint)));
}

static void setting(struct conf *conf, int line, const char *name,
		    const char *value)
{
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

/* Without blanks at either end, and without a comment. */
static char *trim(char *text)
{
	char *end, *at;

	text += strspn(text, BLANK);
	for (at = text; *at; at++)
		if (strchr("#;", *at) && (at == text || strchr(BLANK, at[-1])))
			break;
	*at = '\0';
	end = text + strlen(text);
	while (end > text && isspace((unsigned char)end[-1]))
		*--end = '\0';
	return text;
}

/* One line; libinih splits key from value. */
struct line {
	struct conf *conf;
	int number;
};

static int take(void *data, const char *section, const char *name,
		const char *value)
{
	struct line *line = data;

	(void)section;
	setting(line->conf, line->number, name, value ? value : "");
	return 1;
}

/*
 * libinih calls back for keys only and without a line number, so it gets the
 * lines one by one: a section's line is ours.
 */
static void line_read(struct conf *conf, int number, char *text)
{
	struct line line = { .conf = conf, .number = number };
	char *part, *end;

	if (number == 1 && !strncmp(text, BOM, strlen(BOM)))
		text += strlen(BOM);
	part = trim(text);
	if (*part == '[') {
		end = strchr(part, ']');
		if (end && !end[1]) {
			*end = '\0';
			section_begin(conf, number, trim(part + 1));
			return;
		}
		conf_complain(conf, number, "section without its end, found \"%s\", allowed: [NAME]",
			      part);
		section_add(conf, number, CONF_WRONG, "");
	} else if (strlen(part) >= INI_MAX_LINE) {
		conf_complain(conf, number, "line too long, found %zu bytes, allowed: %d",
			      strlen(part), INI_MAX_LINE - 1);
	} else if (ini_parse_string(part, take, &line)) {
		conf_complain(conf, number, "not a setting, found \"%s\", allowed: KEY = VALUE",
			      part);
	}
}

static int lines_read(struct conf *conf, FILE *in)
{
	char *text = NULL;
	size_t size = 0;
	ssize_t n;
	int number = 0, error;

	errno = 0;
	while ((n = getline(&text, &size, in)) >= 0) {
		number++;
		if (strlen(text) != (size_t)n)
			conf_complain(conf, number, "found a NUL byte, allowed: text");
		else
			line_read(conf, number, text);
		errno = 0;
	}
	error = errno;
	free(text);
	return feof(in) ? 0 : -error;
}

/**
 * conf_open() - read a policy file
 * @conf: set; every error in the file has been said, and counted
 * @file: its name, "-" for standard input
 *
 * Return: 0, or an exit code if it cannot be read, which has been said.
 */
int conf_open(struct conf *conf, const char *file)
{
	bool in_is_stdin = !strcmp(file, "-");
	FILE *in = in_is_stdin ? stdin : fopen(file, "re");
	int ret;

	*conf = (struct conf) { .file = in_is_stdin ? "<stdin>" : file };
	ret = in ? lines_read(conf, in) : -errno;
	if (in && !in_is_stdin)
		fclose(in);
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
