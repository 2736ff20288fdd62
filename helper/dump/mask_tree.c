// SPDX-License-Identifier: GPL-2.0-or-later
/* Masking a whole capture: which function masks which file. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mask.h"
#include "model.h"
#include "nl_replay.h"

#define OAM_RECORD	"var/lib/instinct-vfio/oam"

static bool ends(const char *path, const char *name)
{
	size_t length = strlen(path), tail = strlen(name);

	return length > tail && path[length - tail - 1] == '/' &&
	       !strcmp(path + length - tail, name);
}

static bool is_below(const char *path, const char *folder)
{
	return !strncmp(path, folder, strlen(folder));
}

/* Only the kernel and its module provide binary files; a NUL elsewhere does not make a file one. */
static bool is_binary(const struct tree_entry *entry)
{
	return is_below(entry->path, NL_RECORDS "/") ||
	       (is_below(entry->path, "sys/") &&
		memchr(entry->data.data, '\0', entry->data.size));
}

/* Mask the path of an entry and the target of a link alike, so that links still resolve. */
static void mask_place(struct mask *mask, struct tree_entry *entry)
{
	bool named_by_people = !is_below(entry->path, "sys/") &&
			       !is_below(entry->path, "proc/") &&
			       !is_below(entry->path, "instinct-vfio/");
	struct bytes path = { 0 };

	if (entry->kind == TREE_LINK)
		mask_path(mask, &entry->data, named_by_people);
	bytes_add(&path, entry->path, strlen(entry->path));
	mask_path(mask, &path, named_by_people);
	free(entry->path);
	entry->path = path.data;
}

/* The record of OAM numbers has the serial numbers of GPUs that are gone: "0000:05:00.0 7 SERIAL". */
static void note_serials(struct mask *mask, const struct bytes *record)
{
	char *text = calloc(1, record->size + 1), *rest = text, *line;
	uint64_t serial;

	if (text)
		memcpy(text, record->data, record->size);
	while ((line = strsep(&rest, "\n")))
		if (sscanf(line, "%*s %*s %16" SCNx64, &serial) == 1)
			mask_serial(mask, serial);
	free(text);
}

/* Mask fields that hold serial numbers, so that mask_text() recognizes these numbers. */
static void mask_numbers(struct mask *mask, struct tree_entry *entry)
{
	if (is_below(entry->path, NL_RECORDS "/"))
		mask_netlink(mask, &entry->data);
	else if (ends(entry->path, "config") && is_below(entry->path, "sys/"))
		mask_config(mask, &entry->data);
	else if (!strcmp(entry->path, OAM_RECORD))
		note_serials(mask, &entry->data);
}

static bool is_compressed(const struct bytes *data)
{
	return data->size >= 2 && !memcmp(data->data, "\x1f\x8b", 2);
}

static void zero_digits(char *at, const char *end)
{
	for (; at < end; at++)
		if (isxdigit((unsigned char)*at))
			*at = '0';
}

/*
 * /proc/iomem and /proc/modules tell where the kernel and its modules lie (KASLR):
 * "  2a000000-2b2025b9 : Kernel code", "nvme 61440 5 - Live 0xffffffffc0a1b000 (O)".
 */
static void mask_places(struct bytes *text, bool iomem)
{
	char *line = text->data, *end, *words;

	for (; line < text->data + text->size; line = end + 1) {
		end = memchr(line, '\n', text->data + text->size - line);
		if (!end)
			end = text->data + text->size;
		words = memmem(line, end - line, iomem ? " : Kernel " : " 0x", iomem ? 10 : 3);
		if (words && iomem)
			zero_digits(line, words);
		else if (words)
			zero_digits(words + 3, words + 3 + strcspn(words + 3, " \n"));
	}
}

static void mask_rest(struct mask *mask, struct tree_entry *entry)
{
	if (!strcmp(entry->path, "proc/cmdline"))
		mask_cmdline(&entry->data);
	else if (!strcmp(entry->path, "proc/iomem") || !strcmp(entry->path, "proc/modules"))
		mask_places(&entry->data, ends(entry->path, "iomem"));
	else if (mask_is_settings(entry->path))
		mask_settings(entry->path, &entry->data);
	if (is_binary(entry)) {
		mask_sweep(mask, &entry->data);
	} else if (is_compressed(&entry->data)) {
		bytes_free(&entry->data);
		entry->why = text_copy("compressed files cannot be masked");
	} else {
		mask_text(mask, &entry->data);
	}
}

/**
 * mask_tree() - mask all files of a capture
 * @mask: pseudonyms, with the names of the host registered
 * @tree: files of the capture; changed
 */
void mask_tree(struct mask *mask, struct tree *tree)
{
	size_t i;

	for (i = 0; i < tree->count; i++) {
		mask_place(mask, &tree->list[i]);
		if (tree->list[i].kind == TREE_FILE && tree->list[i].data.size)
			mask_numbers(mask, &tree->list[i]);
	}
	for (i = 0; i < tree->count; i++)
		if (tree->list[i].kind == TREE_FILE && tree->list[i].data.size)
			mask_rest(mask, &tree->list[i]);
}
