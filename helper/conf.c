// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <ini.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "conf.h"
#include "profile.h"
#include "say.h"
#include "sysfs.h"

#define READY_TIMEOUT_DEFAULT	60000
#define MAILBOX_END		0x80000	/* of what is used of the register BAR */

/**
 * struct key - one key of a policy
 * @name: as written
 * @names: allowed words, or NULL
 * @parse: of a value that is no word of @names; false if it is not allowed
 * @format: the opposite
 * @allowed: for people, where @names is NULL
 * @fallback: its default
 * @offset: in struct policy
 */
struct key {
	const char *name;
	const struct names *names;
	bool (*parse)(const char *text, uint32_t *value);
	void (*format)(uint32_t value, char *text, size_t size);
	const char *allowed;
	uint32_t fallback;
	size_t offset;
};

static bool parse_time(const char *text, uint32_t *value)
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
	if (errno || number > INSTINCT_VFIO_READY_TIMEOUT_MAX)
		return false;
	end += strspn(end, " ");
	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(end, units[i].unit))
			continue;
		ms = number * units[i].ms;
		*value = ms;
		return ms >= INSTINCT_VFIO_READY_TIMEOUT_MIN &&
		       ms <= INSTINCT_VFIO_READY_TIMEOUT_MAX;
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

/* The one list of keys: what is parsed, checked, printed and sent. */
static const struct key keys[CONF_KEYS] = {
	{ .name = "method", .names = &method_names,
	  .offset = offsetof(struct policy, method) },
	{ .name = "tenancy", .names = &tenancy_names,
	  .offset = offsetof(struct policy, tenancy) },
	{ .name = "bus_port", .names = &bus_port_names,
	  .offset = offsetof(struct policy, bus_port) },
	{ .name = "ready_timeout", .parse = parse_time, .format = format_time,
	  .allowed = "1s to 600s, with a unit: ms, s or min",
	  .fallback = READY_TIMEOUT_DEFAULT,
	  .offset = offsetof(struct policy, ready_timeout) },
	{ .name = "mailbox", .parse = parse_mailbox, .format = format_mailbox,
	  .allowed = "discovery, or a dword-aligned byte offset below 0x80000 such as 0x58000",
	  .offset = offsetof(struct policy, mailbox) },
};

static void complain(struct conf *conf, int line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* FILE:LINE: what, found, allowed. */
static void complain(struct conf *conf, int line, const char *format, ...)
{
	va_list args;

	conf->errors++;
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
		snprintf(text, size, " (did you mean \"%s\"?)", nearest);
	return text;
}

/* "[device c1:00.0]" and so on; false if it is none of the kinds. */
static bool section_name(struct conf_section *section, const char *text)
{
	if (!strcmp(text, "default")) {
		section->kind = CONF_DEFAULT;
		return true;
	}
	if (!strncmp(text, "family ", 7)) {
		section->kind = CONF_FAMILY;
		snprintf(section->name, sizeof(section->name), "%s",
			 text + 7 + strspn(text + 7, " "));
		return instinct_profile_family(section->name);
	}
	if (!strncmp(text, "device ", 7)) {
		section->kind = CONF_DEVICE;
		return bdf_parse(text + 7 + strspn(text + 7, " "), section->name,
				 sizeof(section->name));
	}
	return false;
}

static void section_complain(struct conf *conf, int line, const char *text)
{
	if (!strncmp(text, "family ", 7))
		complain(conf, line, "unknown family, found \"%s\", allowed: mi300a, mi300x, mi308x, mi325x, mi350p, mi350x, mi355x",
			 text + 7);
	else if (!strncmp(text, "device ", 7))
		complain(conf, line, "not a PCI address, found \"%s\", allowed: such as 0000:c1:00.0",
			 text + 7);
	else
		complain(conf, line, "unknown section, found [%s], allowed: [default], [family NAME] or [device BDF]",
			 text);
}

static struct conf_section *section_add(struct conf *conf, const char *text,
					int line)
{
	struct conf_section section = { .line = line }, *list;
	size_t i;

	if (!section_name(&section, text)) {
		section_complain(conf, line, text);
		/* Kept, without a kind of its own, to check its keys. */
		section.kind = CONF_DEVICE;
		snprintf(section.name, sizeof(section.name), "?");
	} else {
		for (i = 0; i < conf->count; i++)
			if (conf->section[i].kind == section.kind &&
			    !strcmp(conf->section[i].name, section.name))
				complain(conf, line, "section given twice, found [%s], allowed: once; the first is in line %d",
					 text, conf->section[i].line);
	}
	list = realloc(conf->section, (conf->count + 1) * sizeof(section));
	if (!list) {
		perror("instinctctl");
		exit(EXIT_ERROR);
	}
	conf->section = list;
	conf->section[conf->count] = section;
	return &conf->section[conf->count++];
}

static const struct key *key_find(struct conf *conf, int line, const char *name)
{
	const char *known[CONF_KEYS];
	char hint[TEXT_BYTES];
	size_t i;

	for (i = 0; i < CONF_KEYS; i++) {
		known[i] = keys[i].name;
		if (!strcmp(keys[i].name, name))
			return &keys[i];
	}
	complain(conf, line, "unknown key, found \"%s\", allowed: method, tenancy, bus_port, ready_timeout or mailbox%s",
		 name, maybe(name_nearest(known, CONF_KEYS, name), hint, sizeof(hint)));
	return NULL;
}

static bool key_parse(struct conf *conf, int line, const struct key *key,
		      const char *text, uint32_t *value)
{
	char allowed[TEXT_BYTES], hint[TEXT_BYTES];
	int word;

	if (!key->names) {
		if (key->parse(text, value))
			return true;
		complain(conf, line, "wrong value of %s, found \"%s\", allowed: %s",
			 key->name, text, key->allowed);
		return false;
	}
	word = name_find(key->names, text);
	if (word >= 0) {
		*value = word;
		return true;
	}
	name_list(key->names, allowed, sizeof(allowed));
	complain(conf, line, "wrong value of %s, found \"%s\", allowed: %s%s",
		 key->name, text, allowed,
		 maybe(name_nearest(key->names->name, key->names->count, text),
		       hint, sizeof(hint)));
	return false;
}

static void entry(struct conf *conf, int line, const char *name,
		  const char *value)
{
	struct conf_section *section;
	const struct key *key;
	size_t index;

	if (!conf->count) {
		complain(conf, line, "key outside a section, found \"%s\", allowed: after [default], [family NAME] or [device BDF]",
			 name);
		return;
	}
	section = &conf->section[conf->count - 1];
	key = key_find(conf, line, name);
	if (!key)
		return;
	index = key - keys;
	if (section->at[index]) {
		complain(conf, line, "key given twice, found \"%s\", allowed: once in a section; the first is in line %d",
			 name, section->at[index]);
		return;
	}
	section->at[index] = line;
	key_parse(conf, line, key, value, &section->value[index]);
}

static char *trim(char *text)
{
	char *end;

	text += strspn(text, " \t");
	end = text + strlen(text);
	while (end > text && strchr(" \t\r\n", end[-1]))
		*--end = '\0';
	return text;
}

/* One line, in a buffer of its own; libinih splits key from value. */
struct line {
	struct conf *conf;
	int number;
};

static int take(void *data, const char *section, const char *name,
		const char *value)
{
	struct line *line = data;

	(void)section;
	entry(line->conf, line->number, name, value ? value : "");
	return 1;
}

/*
 * libinih calls back for keys only and without a line number, so it gets the
 * lines one by one: a section's line is ours.
 */
static void line_read(struct conf *conf, int number, char *text)
{
	struct line line = { .conf = conf, .number = number };
	char *part = trim(text), *end;

	if (number == 1 && !strncmp(part, "\xef\xbb\xbf", 3))
		part = trim(part + 3);
	if (*part == '[') {
		end = strchr(part, ']');
		if (!end || (*trim(end + 1) && !strchr("#;", *trim(end + 1)))) {
			complain(conf, number, "section without its end, found \"%s\", allowed: [NAME]",
				 part);
			return;
		}
		*end = '\0';
		section_add(conf, trim(part + 1), number);
		return;
	}
	if (ini_parse_string(part, take, &line))
		complain(conf, number, "not a setting, found \"%s\", allowed: KEY = VALUE",
			 part);
}

static int lines_read(struct conf *conf, FILE *in)
{
	char *text = NULL;
	size_t size = 0;
	ssize_t n;
	int number = 0;

	while ((n = getline(&text, &size, in)) >= 0) {
		number++;
		if (strlen(text) != (size_t)n)
			complain(conf, number, "found a NUL byte, allowed: text");
		else if (n >= INI_MAX_LINE)
			complain(conf, number, "line too long, found %zd bytes, allowed: %d",
				 n, INI_MAX_LINE - 1);
		else
			line_read(conf, number, text);
	}
	free(text);
	return ferror(in) ? -EIO : 0;
}

/**
 * conf_read() - read a policy file
 * @conf: set; every error in the file has been said, and counted
 * @file: its name, "-" for standard input
 *
 * Return: 0, or a negative errno if it cannot be read.
 */
int conf_read(struct conf *conf, const char *file)
{
	FILE *in = strcmp(file, "-") ? fopen(file, "re") : stdin;
	int ret;

	*conf = (struct conf) { .file = file };
	if (!in)
		return -errno;
	ret = lines_read(conf, in);
	if (in != stdin)
		fclose(in);
	return ret;
}

/**
 * conf_check_devices() - are the devices that a policy names there?
 * @conf: policy; errors are said, and counted
 * @devices: those that are managed
 */
void conf_check_devices(struct conf *conf, const struct devices *devices)
{
	size_t i;

	for (i = 0; i < conf->count; i++) {
		const struct conf_section *section = &conf->section[i];

		if (section->kind != CONF_DEVICE || !strcmp(section->name, "?") ||
		    devices_find(devices, section->name))
			continue;
		if (!sysfs_exists(section->name, ""))
			complain(conf, section->line, "no such PCI device, found %s, allowed: a device of this host (see instinctctl status)",
				 section->name);
		else
			complain(conf, section->line, "device not managed, found %s, allowed: one that is bound to %s (instinctctl bind %s)",
				 section->name, DRIVER_NAME, section->name);
	}
}

static bool applies(const struct conf_section *section, const struct device *dev)
{
	switch (section->kind) {
	case CONF_DEFAULT:
		return true;
	case CONF_FAMILY:
		return !strcmp(section->name, dev->family);
	default:
		return !strcmp(section->name, dev->bdf);
	}
}

static uint32_t *field(struct policy *policy, unsigned int key)
{
	return (uint32_t *)((char *)policy + keys[key].offset);
}

/**
 * conf_merge() - the policy for a device
 * @conf: without errors
 * @dev: device
 * @policy: set: defaults, then [default], [family …], [device …]
 */
void conf_merge(const struct conf *conf, const struct device *dev,
		struct policy *policy)
{
	unsigned int key;
	int kind;
	size_t i;

	for (key = 0; key < CONF_KEYS; key++)
		*field(policy, key) = keys[key].fallback;
	for (kind = CONF_DEFAULT; kind <= CONF_DEVICE; kind++)
		for (i = 0; i < conf->count; i++) {
			const struct conf_section *section = &conf->section[i];

			if ((int)section->kind != kind || !applies(section, dev))
				continue;
			for (key = 0; key < CONF_KEYS; key++)
				if (section->at[key])
					*field(policy, key) = section->value[key];
		}
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

/**
 * conf_key_name() - name of a key
 * @key: below CONF_KEYS
 *
 * Return: it.
 */
const char *conf_key_name(unsigned int key)
{
	return keys[key].name;
}

/**
 * conf_key_format() - a value as it is written in a policy
 * @key: below CONF_KEYS
 * @value: of it
 * @text: set
 * @size: of @text in bytes
 */
void conf_key_format(unsigned int key, uint32_t value, char *text, size_t size)
{
	if (keys[key].names)
		snprintf(text, size, "%s", name_of(keys[key].names, value));
	else
		keys[key].format(value, text, size);
}

/**
 * conf_key_get() - a key's value in a policy
 * @policy: it
 * @key: below CONF_KEYS
 *
 * Return: the value.
 */
uint32_t conf_key_get(const struct policy *policy, unsigned int key)
{
	return *field((struct policy *)policy, key);
}
