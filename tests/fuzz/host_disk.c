// SPDX-License-Identifier: GPL-2.0-only
/*
 * A change moves the old entry aside and adds a step to a journal, which host_disk_undo() goes
 * through backwards. So an input costs only its changes, not a copy of the whole tree.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "fuzz.h"
#include "host_base.h"
#include "host_disk.h"
#include "work.h"

#define STEPS_MAX	64

/* The entry that was at @path is now at @aside, which is "" if there was none. */
struct step {
	char path[PATH_MAX];
	char aside[64];
};

static char root[64];		/* the host */
static char outside[64];	/* a file outside the host */
static struct step steps[STEPS_MAX];
static size_t step_count, moved;

static void create(const char *path, const struct tree_entry *entry)
{
	switch (entry->kind) {
	case TREE_FILE:
		work_write(path, entry->data.data, entry->data.size);
		break;
	case TREE_LINK:
		REQUIRE(!symlink(entry->data.data, path));
		break;
	case TREE_FOLDER:
		REQUIRE(!mkdir(path, 0755) || errno == EEXIST);
	}
}

/**
 * host_disk_begin() - write the base to disk
 */
void host_disk_begin(void)
{
	const struct tree *base = host_base();
	char path[PATH_MAX];
	size_t i;

	snprintf(root, sizeof(root), "%s/root", work_folder());
	for (i = 0; i < base->count; i++) {
		snprintf(path, sizeof(path), "%s/%s", root, base->list[i].path);
		work_make_folders(path);
		create(path, &base->list[i]);
	}
	snprintf(path, sizeof(path), "%s/aside/", work_folder());
	work_make_folders(path);
	snprintf(outside, sizeof(outside), "%s/outside", work_folder());
	work_write(outside, "0x1002\n", 7);
}

/**
 * host_disk_root() - get the folder of the host
 *
 * Return: its path.
 */
const char *host_disk_root(void)
{
	return root;
}

/**
 * host_disk_outside() - get a file that is not below the root
 *
 * Return: its path.
 */
const char *host_disk_outside(void)
{
	return outside;
}

static bool is_in(const char *path, const char *folder)
{
	size_t length = strlen(folder);

	return !strncmp(path, folder, length) && (!path[length] || path[length] == '/');
}

/*
 * Moves the entry at a path aside. An entry at or below a path of the journal is not from the
 * base, so it is removed instead. Returns the full path.
 */
static const char *clear(const char *below)
{
	static char path[PATH_MAX];
	struct step *step = &steps[step_count];
	size_t i;

	REQUIRE(snprintf(path, sizeof(path), "%s/%s", root, below) < PATH_MAX);
	for (i = 0; i < step_count; i++)
		if (is_in(path, steps[i].path)) {
			work_remove(path);
			return path;
		}
	REQUIRE(++step_count <= STEPS_MAX);
	memcpy(step->path, path, strlen(path) + 1);
	snprintf(step->aside, sizeof(step->aside), "%s/aside/%zu", work_folder(), moved);
	if (rename(path, step->aside))
		*step->aside = '\0';
	else
		moved++;
	return path;
}

/**
 * host_disk_gone() - remove an entry
 * @path: path below the root
 */
void host_disk_gone(const char *path)
{
	clear(path);
}

/**
 * host_disk_make() - create a file, link or folder
 * @path: path below the root, in an existing folder
 * @entry: kind and contents
 */
void host_disk_make(const char *path, const struct tree_entry *entry)
{
	create(clear(path), entry);
}

/**
 * host_disk_special() - create a pipe, socket or device
 * @path: path below the root
 * @type: file type for mknod()
 */
void host_disk_special(const char *path, mode_t type)
{
	const char *at = clear(path);

	/* /dev/zero never ends. Without the privilege to create it, a pipe stands in. */
	if (mknod(at, type | 0644, makedev(1, 5)))
		REQUIRE(!mkfifo(at, 0644));
}

/**
 * host_disk_sparse() - create a big file without data
 * @path: path below the root
 * @size: of the file in bytes
 */
void host_disk_sparse(const char *path, off_t size)
{
	const char *at = clear(path);

	work_write(at, "", 0);
	REQUIRE(!truncate(at, size));
}

/**
 * host_disk_undo() - undo all changes
 */
void host_disk_undo(void)
{
	while (step_count) {
		struct step *step = &steps[--step_count];

		work_remove(step->path);
		if (*step->aside)
			REQUIRE(!rename(step->aside, step->path));
	}
	moved = 0;
}
