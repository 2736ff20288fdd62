// SPDX-License-Identifier: GPL-2.0-or-later
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "bdf.h"
#include "guest_map.h"

#define DRIVER	"vfio-pci"

static void add(struct guest_map *map, const char *file, const char *host, const char *id)
{
	struct guest_device *dev;
	char bdf[BDF_BYTES];

	if (!bdf_parse(host, bdf)) {
		guest_map_wrong(map, file, 0, "host=%s is no PCI address", host);
		return;
	}
	dev = guest_map_add(map, file, 0);
	snprintf(dev->host, sizeof(dev->host), "%s", bdf);
	snprintf(dev->id, sizeof(dev->id), "%s", id);
}

/* Copies a value such as "0000:26:00.0", or the last part of a sysfs path. */
static void take_value(char *into, size_t size, const char *value, size_t length, bool is_path)
{
	const char *at = value + length;

	while (is_path && at > value && at[-1] != '/')
		at--;
	if (!is_path)
		at = value;
	snprintf(into, size, "%.*s", (int)(value + length - at), at);
}

/* Parses "vfio-pci,host=0000:26:00.0,id=gpu0". */
static void take_options(struct guest_map *map, const char *file, const char *text)
{
	char host[64] = "", id[GUEST_ID_BYTES] = "";
	const char *at = text, *value;
	size_t length;

	while (*(at += strcspn(at, ",")) == ',') {
		at++;
		length = strcspn(at, ",");
		value = memchr(at, '=', length);
		if (!value)
			continue;
		value++;
		length -= value - at;
		if (!strncmp(at, "host=", 5))
			take_value(host, sizeof(host), value, length, false);
		else if (!strncmp(at, "sysfsdev=", 9))
			take_value(host, sizeof(host), value, length, true);
		else if (!strncmp(at, "id=", 3))
			take_value(id, sizeof(id), value, length, false);
	}
	if (*host)
		add(map, file, host, id);
}

/* Parses libvirt's form: {"driver":"vfio-pci","host":"0000:26:00.0","id":"hostdev0"} */
static void take_json(struct guest_map *map, const char *file, const char *text)
{
	json_t *json = json_loads(text, 0, NULL);
	const char *driver, *host, *id;

	driver = json_string_value(json_object_get(json, "driver"));
	host = json_string_value(json_object_get(json, "host"));
	id = json_string_value(json_object_get(json, "id"));
	if (driver && !strcmp(driver, DRIVER) && host)
		add(map, file, host, id ? id : "");
	json_decref(json);
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
	bool blanks = !memchr(text, '\0', size);
	char *word, *end = text + size;

	/* The text may come from a shell script, with quotes and continued lines. */
	for (word = text; blanks && word < end; word++)
		if (strchr(" \t\n\r'\\", *word))
			*word = '\0';
	for (word = text; word < end; word += strlen(word) + 1) {
		if (*word == '"') {
			word++;
			word[strcspn(word, "\"")] = '\0';
		}
		if (!strncmp(word, DRIVER ",", strlen(DRIVER ",")))
			take_options(map, file, word);
		else if (*word == '{' && strstr(word, DRIVER))
			take_json(map, file, word);
	}
}
