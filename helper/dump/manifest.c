// SPDX-License-Identifier: GPL-2.0-or-later
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "manifest.h"
#include "out.h"
#include "say.h"
#include "sysroot.h"

#define MANIFEST_FILE		"MANIFEST.json"
#define MANIFEST_VERSION	1

/**
 * manifest_says_masked() - check whether --sysroot names a masked capture
 *
 * Return: true if its manifest says so.
 */
bool manifest_says_masked(void)
{
	char path[PATH_MAX];
	struct bytes text = { 0 };
	json_t *json = NULL;
	bool masked;
	int fd;

	snprintf(path, sizeof(path), "%s/" MANIFEST_FILE, opt_sysroot);
	fd = *opt_sysroot ? sysroot_open_file(path) : -1;
	if (fd >= 0) {
		if (bytes_read(&text, fd, TREE_FILE_BYTES) > 0)
			json = json_loadb(text.data, text.size, 0, NULL);
		close(fd);
	}
	masked = json_is_true(json_object_get(json, "masked"));
	json_decref(json);
	bytes_free(&text);
	return masked;
}

/* Count files and bytes for each top folder; there are few. */
static json_t *parts_json(const struct tree *tree)
{
	json_t *parts = json_object();
	size_t i;

	for (i = 0; i < tree->count; i++) {
		const struct tree_entry *entry = &tree->list[i];
		char name[32];
		json_t *part;

		if (entry->why || entry->kind != TREE_FILE)
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(entry->path, "/"), entry->path);
		part = json_object_get(parts, name);
		if (!part) {
			part = json_pack("{s:i, s:i}", "files", 0, "bytes", 0);
			json_object_set_new(parts, name, part);
		}
		json_integer_set(json_object_get(part, "files"),
				 json_integer_value(json_object_get(part, "files")) + 1);
		json_integer_set(json_object_get(part, "bytes"),
				 json_integer_value(json_object_get(part, "bytes")) +
				 entry->data.size);
	}
	return parts;
}

/**
 * manifest_missing() - list the files that a capture lacks
 * @tree: files of the capture
 *
 * Return: a JSON list of objects with path and reason.
 */
json_t *manifest_missing(const struct tree *tree)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < tree->count; i++)
		if (tree->list[i].why)
			json_array_append_new(list, json_pack("{s:s, s:s}",
							      "path", tree->list[i].path,
							      "reason", tree->list[i].why));
	return list;
}

/**
 * manifest_add() - write MANIFEST.json into a capture
 * @dump: dump with all other files, sorted
 */
void manifest_add(struct dump *dump)
{
	struct tree_entry *entry;
	json_t *json;
	char *text;

	json = json_pack("{s:i, s:s, s:s, s:I, s:I, s:b, s:b, s:b, s:o, s:o}",
			 "version", MANIFEST_VERSION,
			 "instinctctl", INSTINCT_VERSION,
			 "taken", out_time(dump->when.realtime),
			 "realtime_ns", (json_int_t)dump->when.realtime,
			 "boottime_ns", (json_int_t)dump->when.boottime,
			 "masked", dump->masked,
			 "root", !*opt_sysroot && !geteuid(),
			 "of_capture", !!*opt_sysroot,
			 "parts", parts_json(&dump->tree),
			 "missing", manifest_missing(&dump->tree));
	text = json_dumps(json, JSON_INDENT(2));
	json_decref(json);
	entry = tree_add(&dump->tree, MANIFEST_FILE, TREE_FILE);
	if (text)
		bytes_print(&entry->data, "%s\n", text);
	free(text);
}
