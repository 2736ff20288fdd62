// SPDX-License-Identifier: GPL-2.0-or-later
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "say.h"
#include "sysroot.h"
#include "take.h"

#define LIST_BYTES	(1u << 20)	/* of mounts, say: hosts of containers have thousands */

/* All of a list that the kernel makes at once; "" where there is none. */
static void read_list(const char *path, struct bytes *text)
{
	char whole[PATH_MAX];
	int fd;

	bytes_add(text, "", 0);
	snprintf(whole, sizeof(whole), "%s/%s", opt_sysroot, path);
	fd = sysroot_open_file(whole);
	if (fd < 0)
		return;
	bytes_read(text, fd, LIST_BYTES);
	close(fd);
}

/*
 * Of each line that begins so, the first words. These lists are links to those of the
 * process that looks, so they are written where they are looked for.
 */
static void take_words(struct tree *tree, const char *path, const char *beginning, int words)
{
	struct bytes text = { 0 }, kept = { 0 };
	char *line, *rest;

	read_list(path, &text);
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
	if (kept.size)
		tree_add(tree, path, TREE_FILE)->data = kept;
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
	take_words(tree, "proc/mounts", "/dev/nvme", masked ? 1 : 2);
	take_words(tree, "proc/swaps", "/dev/nvme", 1);
	take_glob(tree, "sys/class/nvme/*/nvme*n*/size");
	take_glob(tree, "sys/class/block/nvme*/size");
	take_glob(tree, "sys/class/block/nvme*/holders/*/size");
}

/**
 * take_master() - whether a network interface is part of another
 * @tree: added to
 * @name: of it
 */
void take_master(struct tree *tree, const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "sys/class/net/%s/master/ifindex", name);
	take_path(tree, path);
}
