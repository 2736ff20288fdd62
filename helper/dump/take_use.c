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
 * Keep the first words of each line that begins with @beginning. /proc/net and /proc/mounts are
 * links into the reading process' own folder, so the capture has them under these paths.
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

/* Keep only the interface of each route, without addresses. */
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
 * take_use() - add files that tell which NICs and drives the host itself uses
 * @tree: files of the capture; extended
 * @masked: leave out mount points
 *
 * The files contain no addresses, and only mounts of NVMe drives.
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
 * take_uppers() - add the interfaces on top of a network interface: bonds, bridges, VLANs
 * @tree: files of the capture; extended
 * @name: name of the network interface
 */
void take_uppers(struct tree *tree, const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "sys/class/net/%s/upper_*/ifindex", name);
	take_glob(tree, path);
}
