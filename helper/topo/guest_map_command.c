// SPDX-License-Identifier: GPL-2.0-or-later
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "bdf.h"
#include "guest_map.h"

#define DRIVER	"vfio-pci"
#define BLANKS	" \t\r\n"
#define JSON_MAX	1024	/* of one device */

/* Parses "vfio-pci,host=0000:26:00.0,id=gpu0"; ",," stands for a comma. */
static bool take_word(const char *device, const char *key, char *value, size_t size)
{
	const char *at = device;
	size_t length = strlen(key), to = 0;

	/* The key of the first word may be left out. */
	if (!strcmp(key, "driver") && !memchr(device, '=', strcspn(device, ","))) {
		snprintf(value, size, "%.*s", (int)strcspn(device, ","), device);
		return true;
	}
	while (strncmp(at, key, length) || at[length] != '=') {
		at += strcspn(at, ",");
		if (!*at++)
			return false;
	}
	for (at += length + 1; *at && (*at != ',' || at[1] == ',') && to + 1 < size; at++) {
		at += *at == ',';
		value[to++] = *at;
	}
	value[to] = '\0';
	return true;
}

/**
 * guest_device_option() - look up a property of a device, as QEMU's option -device has it
 * @device: "DRIVER,KEY=VALUE,..." or a JSON object
 * @key: name of the property; "driver" for the driver
 * @value: receives the value, "" without one
 * @size: bytes of @value
 *
 * Return: false if @device lacks the property.
 */
bool guest_device_option(const char *device, const char *key, char *value, size_t size)
{
	const json_t *found;
	json_t *json;

	*value = '\0';
	if (*device != '{')
		return take_word(device, key, value, size);
	json = json_loads(device, 0, NULL);
	found = json_object_get(json, key);
	if (json_is_string(found))
		snprintf(value, size, "%s", json_string_value(found));
	else if (json_is_integer(found))
		snprintf(value, size, "%lld", (long long)json_integer_value(found));
	json_decref(json);
	return *value;
}

/**
 * guest_device_is_vfio() - tell whether an option -device attaches a PCI device of the host
 * @device: as of guest_device_option()
 *
 * Return: true for vfio-pci and its variants, such as vfio-pci-nohotplug.
 */
bool guest_device_is_vfio(const char *device)
{
	char driver[64] = "";

	guest_device_option(device, "driver", driver, sizeof(driver));
	return !strncmp(driver, DRIVER, strlen(DRIVER)) && (!driver[8] || driver[8] == '-');
}

/**
 * guest_device_host() - get the address on the host of a device that an option -device attaches
 * @device: as of guest_device_option()
 * @host: receives the word for it, the last part of a path in sysfs; "" without one
 * @size: bytes of @host
 */
void guest_device_host(const char *device, char *host, size_t size)
{
	char path[512], *part;
	size_t end;

	if (guest_device_option(device, "host", host, size) || !guest_device_option(device, "sysfsdev", path, sizeof(path)))
		return;
	for (end = strlen(path); end && path[end - 1] == '/';)
		path[--end] = '\0';
	part = strrchr(path, '/');
	snprintf(host, size, "%s", part ? part + 1 : path);
}

static void take_device(struct guest_map *map, const char *file, const char *device)
{
	char host[64], bdf[BDF_BYTES];
	struct guest_device *dev;

	guest_device_host(device, host, sizeof(host));
	if (!*host || !guest_device_is_vfio(device))
		return;
	if (!bdf_parse(host, bdf)) {
		guest_map_wrong(map, file, 0, "host=%s is no PCI address", host);
		return;
	}
	dev = guest_map_add(map, file, 0);
	snprintf(dev->host, sizeof(dev->host), "%s", bdf);
	guest_device_option(device, "id", dev->id, sizeof(dev->id));
}

/* Checks for the first key of a JSON object; @escaped: a backslash stands before each quotation mark. */
static bool opens_json(const char *at, bool *escaped)
{
	at += 1 + strspn(at + 1, BLANKS);
	*escaped = *at == '\\';
	at += *escaped;
	if (*at++ != '"')
		return false;
	at += strcspn(at, "\\\"" BLANKS);
	if (*escaped && *at++ != '\\')
		return false;
	if (*at++ != '"')
		return false;
	return at[strspn(at, BLANKS)] == ':';
}

/* Returns the end of a JSON object, or NULL if nothing closes it. */
static char *json_end(char *at, const char *end, bool escaped)
{
	bool string = false;
	int depth = 0;

	end = end - at > JSON_MAX ? at + JSON_MAX : end;
	for (; at < end; at++) {
		if (*at == '\\' && at + 1 < end && (escaped ? at[1] == '\\' : string))
			at++;
		else if (*at == '"')
			string = !string;
		else if (!string)
			depth += (*at == '{') - (*at == '}');
		if (!depth)
			return at + 1;
	}
	return NULL;
}

/*
 * Ends each word with a NUL. Quotation marks do not hold words together, since whole command lines may
 * stand in them; JSON may have blanks. Returns the end of the last word.
 */
static char *split(char *text, char *end)
{
	char *at = text, *to = text, *stop;
	bool word = false, escaped;

	while (at < end) {
		stop = *at == '{' && !word && opens_json(at, &escaped) ? json_end(at, end, escaped) : NULL;
		if (stop) {
			for (; at < stop; at++)
				if (!escaped || *at != '\\')
					*to++ = *at;
			word = true;
			continue;
		}
		if (*at == '\\' && at[1] == '\n') {
			at += 2;
			continue;
		}
		if (strchr(BLANKS "\\", *at)) {
			if (word)
				*to++ = '\0';
			word = false;
		} else if (*at != '\'' && *at != '"') {
			*to++ = *at;
			word = true;
		}
		at++;
	}
	*to = '\0';
	return to;
}

/**
 * guest_map_command() - read host addresses and names of devices from a QEMU command line
 * @map: the devices are added
 * @file: name of the file, for messages
 * @text: words separated by NULs, as in /proc/PID/cmdline, or by blanks; modified
 * @size: of @text in bytes; a NUL follows
 */
void guest_map_command(struct guest_map *map, const char *file, char *text, size_t size)
{
	char *word, *end = text + size;

	/* The text may come from a shell script, with quotes and continued lines. */
	if (!memchr(text, '\0', size))
		end = split(text, end);
	for (word = text; word < end; word += strlen(word) + 1)
		if (strstr(word, DRIVER))
			take_device(map, file, word);
}
