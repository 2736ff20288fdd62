// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf_key.h"
#include "ini_file.h"
#include "listener.h"
#include "monitor_conf.h"
#include "oam.h"
#include "say.h"

#define TIME_MIN_MS	1000
#define TIME_MAX_MS	600000

/**
 * struct key - a key of monitor.conf
 * @name: name in the file
 * @parse: parses a value; false if the value is not allowed
 * @allowed: allowed values, human-readable
 * @fallback: default value, as in the file
 * @offset: offset of the field in struct monitor_conf
 */
struct key {
	const char *name;
	bool (*parse)(const char *text, void *field);
	const char *allowed;
	const char *fallback;
	size_t offset;
};

static bool parse_yes(const char *text, void *field)
{
	*(bool *)field = !strcmp(text, "yes");
	return *(bool *)field || !strcmp(text, "no");
}

static bool parse_path(const char *text, void *field)
{
	size_t length = strlen(text);

	if (*text != '/' || length >= MONITOR_PATH_BYTES || text[length - 1] == '/')
		return false;
	memcpy(field, text, length + 1);
	return true;
}

static bool parse_path_or_none(const char *text, void *field)
{
	if (strcmp(text, "none"))
		return parse_path(text, field);
	*(char *)field = '\0';
	return true;
}

/* Metrics reveal the host's GPUs and their tenants' activity, so only this host may read them. */
static bool parse_listen(const char *text, void *field)
{
	char why[TEXT_BYTES];
	bool none = !strcmp(text, "none");

	if (!none && !listener_check(text, why, sizeof(why)))
		return false;
	snprintf(field, MONITOR_PATH_BYTES, "%s", none ? "" : text);
	return true;
}

static bool parse_redfish(const char *text, void *field)
{
	bool none = !strcmp(text, "none");

	if (!none && !redfish_conf_url(text))
		return false;
	snprintf(field, REDFISH_CONF_BYTES, "%s", none ? "" : text);
	return true;
}

static bool parse_trust(const char *text, void *field)
{
	if (strcmp(text, "system") && !redfish_conf_pin(text))
		return parse_path(text, field);
	snprintf(field, REDFISH_CONF_BYTES, "%s", text);
	return true;
}

static bool parse_oam(const char *text, void *field)
{
	bool none = !strcmp(text, "none");
	struct oams oams = { 0 };
	bool right = none || (oam_parse(text, &oams) && oams.count);

	oam_free(&oams);
	*(uint32_t *)field = text_intern(none ? "" : text);
	return right;
}

static bool parse_time(const char *text, void *field)
{
	return conf_parse_ms(text, TIME_MIN_MS, TIME_MAX_MS, field);
}

#define KEY_AT(_name, _field, _parse, _allowed, _fallback)			\
	{ #_name, _parse, _allowed, _fallback, offsetof(struct monitor_conf, _field) }
#define KEY(_name, _parse, _allowed, _fallback)				\
	KEY_AT(_name, _name, _parse, _allowed, _fallback)
#define PATH_ALLOWED	"the full path of a file, or none"
#define TIME_ALLOWED	"1s to 10min, with a unit: ms, s or min"

static const struct key keys[] = {
	KEY(journal, parse_yes, "yes or no", "yes"),
	KEY(json, parse_path_or_none, PATH_ALLOWED, "/var/log/instinct-vfio/events.jsonl"),
	KEY(textfile, parse_path_or_none, PATH_ALLOWED, "none"),
	KEY(listen, parse_listen, "127.0.0.1:PORT, [::1]:PORT, unix:PATH, systemd or none; nothing but this host", "none"),
	KEY(hooks, parse_path_or_none, "the full path of a folder, or none", "/etc/instinct-vfio/hooks.d"),
	KEY(hook_timeout, parse_time, TIME_ALLOWED, "30s"),
	KEY(state, parse_path, "the full path of a file", "/var/lib/instinct-vfio/monitor.json"),
	KEY(sample_interval, parse_time, TIME_ALLOWED, "10s"),
	KEY(metrics_interval, parse_time, TIME_ALLOWED, "15s"),
	KEY_AT(redfish, redfish.url, parse_redfish, "https://HOST[:PORT][/PATH] without a user and without /redfish, the same with http, or none", "none"),
	KEY_AT(redfish_credentials, redfish.credentials, parse_path, "the full path of a file", REDFISH_CREDENTIALS),
	KEY_AT(redfish_ca, redfish.ca, parse_trust, "system, the full path of a file of certificates, or sha256//HASH of the BMC's public key", "system"),
	KEY(oam, parse_oam, "BDF=NUMBER for each GPU, with blanks between them, each number from 0 to 63 once; or none", "none"),
};

#define KEYS	(sizeof(keys) / sizeof(keys[0]))

/**
 * struct reading - a file being read
 * @file: name of the file in errors
 * @conf: settings read so far
 * @section: line of [monitor], 0 before it
 * @elsewhere: the current section is not [monitor]
 * @at: line of each key, 0 for a key that is not set
 * @errors: number of reported errors
 */
struct reading {
	const char *file;
	struct monitor_conf conf;
	int section;
	bool elsewhere;
	int at[KEYS];
	int errors;
};

static void *field_of(struct monitor_conf *conf, const struct key *key)
{
	return (char *)conf + key->offset;
}

static void __attribute__((format(printf, 3, 4)))
complain(struct reading *reading, int line, const char *format, ...)
{
	va_list args;

	reading->errors++;
	fflush(stdout);
	fprintf(stderr, "%s:%d: ", reading->file, line);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

static void wrong(int line, const char *text, void *data)
{
	complain(data, line, "%s", text);
}

static void section_begin(int line, const char *name, void *data)
{
	struct reading *reading = data;

	reading->elsewhere = !name || strcmp(name, "monitor");
	if (!name)
		return;
	if (reading->elsewhere)
		complain(reading, line, "unknown section, found [%s], allowed: [monitor]", name);
	else if (reading->section)
		complain(reading, line, "section given twice, found [monitor], allowed: once; the first is in line %d",
			 reading->section);
	else
		reading->section = line;
}

static void unknown_key(struct reading *reading, int line, const char *name)
{
	char allowed[TEXT_BYTES], hint[TEXT_BYTES];
	const char *known[KEYS];
	const struct names all = { known, KEYS };
	size_t i;

	for (i = 0; i < KEYS; i++)
		known[i] = keys[i].name;
	name_list(&all, allowed, sizeof(allowed));
	complain(reading, line, "unknown key, found \"%s\", allowed: %s%s", name, allowed,
		 ini_maybe(name_nearest(known, KEYS, name), hint, sizeof(hint)));
}

static void setting(int line, const char *name, const char *value, void *data)
{
	/* An address may have a password before its host. */
	const char *at = strcmp(name, "redfish") ? NULL : strrchr(value, '@');
	const char *hidden = at ?: value;
	struct reading *reading = data;
	size_t i;

	if (reading->elsewhere)
		return;
	if (!reading->section) {
		complain(reading, line, "key outside a section, found \"%s\", allowed: after [monitor]", name);
		return;
	}
	for (i = 0; i < KEYS; i++)
		if (!strcmp(keys[i].name, name))
			break;
	if (i == KEYS) {
		unknown_key(reading, line, name);
	} else if (reading->at[i]) {
		complain(reading, line, "key given twice, found \"%s\", allowed: once; the first is in line %d",
			 name, reading->at[i]);
	} else {
		reading->at[i] = line;
		if (!keys[i].parse(value, field_of(&reading->conf, &keys[i])))
			complain(reading, line, "wrong value of %s, found \"%s%s\", allowed: %s",
				 name, hidden > value ? "..." : "", hidden, keys[i].allowed);
	}
}

/**
 * monitor_conf_read() - parse the settings of the service
 * @file: name of the file, or NULL for the installed file, which may be missing
 * @conf: set if the file has no errors, else left alone
 *
 * Return: 0, or an exit code after it has reported all errors.
 */
int monitor_conf_read(const char *file, struct monitor_conf *conf)
{
	static const struct ini_calls calls = {
		.section = section_begin,
		.setting = setting,
		.wrong = wrong,
	};
	struct reading reading = { .file = file ? file : MONITOR_CONF_INSTALLED };
	size_t i;
	int ret;

	for (i = 0; i < KEYS; i++)
		keys[i].parse(keys[i].fallback, field_of(&reading.conf, &keys[i]));
	ret = ini_file_read(reading.file, &calls, &reading);
	if (ret && (file || ret != -ENOENT)) {
		say_error(error_code_of(-ret, ERROR_IO), "cannot read %s: %s", reading.file, strerror(-ret));
		return exit_code_of(-ret);
	}
	if (reading.errors)
		return EXIT_ERROR;
	*conf = reading.conf;
	return EXIT_OK;
}
