// SPDX-License-Identifier: GPL-2.0-or-later
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host_use.h"
#include "take.h"

static void add_list(struct tree *tree, const char *path, struct bytes *kept)
{
	if (kept->size)
		tree_add(tree, path, TREE_FILE)->data = *kept;
}

/*
 * Of each line that begins so, the first words. These lists are links to those of the
 * process that looks, so they are written where they are looked for.
 */
static void take_words(struct tree *tree, const char *path, const char *beginning, int words)
{
	struct bytes text = { 0 }, kept = { 0 };
	char *line, *rest;

	host_use_list(path, &text);
	for (line = strtok_r(text.data, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		size_t length = 0;
		int word;

		if (strncmp(line, beginning, strlen(beginning)))
			continue;
		for (word = 0; word < words; word++) {
			length += strspn(line + length, " \t");
			length += strcspn(line + length, " \t");
		}
		bytes_print(&kept, "%.*s\n", (int)length, line);
	}
	bytes_free(&text);
	add_list(tree, path, &kept);
}

/* The interface of each route alone. */
static void take_routes6(struct tree *tree)
{
	static const char path[] = "proc/net/ipv6_route";
	struct bytes text = { 0 }, kept = { 0 };
	char *line, *rest;

	host_use_list(path, &text);
	for (line = strtok_r(text.data, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		const char *interface = host_use_route6(line);

		if (interface)
			bytes_print(&kept, "%s\n", interface);
	}
	bytes_free(&text);
	add_list(tree, path, &kept);
}

/**
 * take_use() - what tells that a host needs a NIC or a drive for itself
 * @tree: added to
 * @masked: not where a drive is mounted
 *
 * No address, and of what is mounted only NVMe drives.
 */
void take_use(struct tree *tree, bool masked)
{
	take_words(tree, "proc/net/route", "", 1);
	take_routes6(tree);
	take_words(tree, "proc/mounts", "/dev/nvme", masked ? 1 : 2);
	take_words(tree, "proc/swaps", "/dev/nvme", 1);
	take_glob(tree, "sys/class/nvme/*/nvme*n*/size");
	take_glob(tree, "sys/class/block/nvme*/size");
	take_glob(tree, "sys/class/block/nvme*/holders/*/size");
}

/**
 * take_uppers() - which network interfaces send through one: bonds, bridges, VLANs
 * @tree: added to
 * @name: of it
 */
void take_uppers(struct tree *tree, const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "sys/class/net/%s/upper_*/ifindex", name);
	take_glob(tree, path);
}
