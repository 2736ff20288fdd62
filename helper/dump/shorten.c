// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shorten.h"

/* Options of the kernel's configuration that matter here contain one of these. */
static const char *const options[] = {
	"IOMMU", "VFIO", "PCI", "KVM", "HUGETLB", "TRANSPARENT_HUGEPAGE", "MODULE_SIG", "LOCKDOWN",
	"AMDGPU", "HMEM", "P2PDMA", "DMABUF", "EFI_STUB", "PREEMPT", "NUMA", "IPMI",
};

static bool matters(const char *line)
{
	size_t i;

	for (i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (strstr(line, options[i]))
			return true;
	return false;
}

static void shorten_config(struct bytes *text)
{
	struct bytes kept = { 0 };
	char *line, *rest;

	for (line = strtok_r(text->data, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		if (matters(line))
			bytes_print(&kept, "%s\n", line);
	bytes_free(text);
	*text = kept;
}

/* The socket number in the lines of a processor, -1 without one. */
static int socket_of(const char *block)
{
	const char *at = strstr(block, "physical id");
	int socket;

	return at && sscanf(at, "physical id : %d", &socket) == 1 ? socket : -1;
}

/* Keep one processor for each socket; they differ in nothing that matters here. */
static void shorten_cpuinfo(struct bytes *text)
{
	char *block = text->data, *end;
	struct bytes kept = { 0 };
	int last = -2;

	for (; *block; block = end) {
		char *gap = strstr(block, "\n\n");
		char saved;

		end = gap ? gap + 2 : block + strlen(block);
		saved = *end;
		*end = '\0';
		if (socket_of(block) != last)
			bytes_print(&kept, "%s", block);
		last = socket_of(block);
		*end = saved;
	}
	bytes_free(text);
	*text = kept;
}

static bool is_config(const char *path)
{
	size_t length = strlen(path), tail = strlen("/config");

	return !strncmp(path, "boot/config-", strlen("boot/config-")) ||
	       (strstr(path, "lib/modules/") && length > tail &&
		!strcmp(path + length - tail, "/config"));
}

/**
 * shorten() - drop irrelevant lines from /proc/cpuinfo and the kernel's configuration
 * @tree: files of the capture, already read; changed
 */
void shorten(struct tree *tree)
{
	size_t i;

	for (i = 0; i < tree->count; i++) {
		struct tree_entry *entry = &tree->list[i];

		if (entry->kind != TREE_FILE || !entry->data.size)
			continue;
		if (!strcmp(entry->path, "proc/cpuinfo"))
			shorten_cpuinfo(&entry->data);
		else if (is_config(entry->path))
			shorten_config(&entry->data);
	}
}
