// SPDX-License-Identifier: GPL-2.0-or-later
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "say.h"
#include "sysroot.h"
#include "take.h"

#define LINKS_MAX	16	/* on one path */

/*
 * Links in a path become links in the capture, and a file keeps its real path there. @place
 * receives the real path, with a slash first; false if a link leads nowhere.
 */
static bool follow(struct tree *tree, const char *path, char *place)
{
	char whole[2 * PATH_MAX], at[PATH_MAX] = "", target[PATH_MAX], part[NAME_MAX + 1];
	int links = LINKS_MAX;

	while (*(path += strspn(path, "/"))) {
		size_t length = strcspn(path, "/"), before = strlen(at);

		if (length > NAME_MAX || before + length + 2 > sizeof(at))
			return false;
		memcpy(part, path, length);
		part[length] = '\0';
		path += length;
		snprintf(at + before, sizeof(at) - before, "/%s", part);
		snprintf(whole, sizeof(whole), "%s%s", opt_sysroot, at);
		if (!sysroot_readlink(whole, target))
			continue;
		bytes_add(&tree_add(tree, at, TREE_LINK)->data, target, strlen(target));
		if (!links-- || !sysroot_realpath(whole, at))
			return false;
	}
	snprintf(place, PATH_MAX, "%s", at);
	return true;
}

/**
 * take_path() - add a file to a capture, with the links that lead to it
 * @tree: files of the capture; extended
 * @path: path below the root; a missing file is no error
 */
void take_path(struct tree *tree, const char *path)
{
	char place[PATH_MAX], whole[2 * PATH_MAX];
	struct stat st;

	if (!follow(tree, path, place))
		return;
	snprintf(whole, sizeof(whole), "%s%s", opt_sysroot, place);
	/* reader_run() notes a file that exists but cannot be read. */
	if (!sysroot_stat(whole, true, &st) && S_ISREG(st.st_mode))
		tree_want(tree, place);
}

static int is_shown(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
}

typedef void (*take_t)(struct tree *tree, const char *path);

static void expand(struct tree *tree, const char *folder, const char *pattern, take_t take);

static void expand_one(struct tree *tree, const char *folder, const char *name,
		       const char *rest, take_t take)
{
	char path[2 * PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/%s", folder, name) >= PATH_MAX)
		return;
	if (*rest)
		expand(tree, path, rest, take);
	else
		take(tree, path);
}

static void expand(struct tree *tree, const char *folder, const char *pattern, take_t take)
{
	char part[NAME_MAX + 1], place[PATH_MAX], whole[2 * PATH_MAX];
	size_t length = strcspn(pattern, "/");
	const char *rest = pattern + length + strspn(pattern + length, "/");
	struct dirent **entries;
	int count, i;

	snprintf(part, sizeof(part), "%.*s", (int)length, pattern);
	if (!strpbrk(part, "*?[")) {
		expand_one(tree, folder, part, rest, take);
		return;
	}
	if (!follow(tree, folder, place))
		return;
	snprintf(whole, sizeof(whole), "%s%s", opt_sysroot, place);
	count = sysroot_scandir(whole, &entries, is_shown, alphasort);
	for (i = 0; i < count; i++) {
		if (!fnmatch(part, entries[i]->d_name, FNM_PERIOD))
			expand_one(tree, place, entries[i]->d_name, rest, take);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
}

/**
 * take_glob() - add all files that match a pattern to a capture
 * @tree: files of the capture; extended
 * @pattern: pattern of paths below the root, as in glob(7)
 */
void take_glob(struct tree *tree, const char *pattern)
{
	expand(tree, "", pattern, take_path);
}

static void note(struct tree *tree, const char *path)
{
	char place[PATH_MAX], whole[2 * PATH_MAX];
	struct stat st;

	if (!follow(tree, path, place))
		return;
	snprintf(whole, sizeof(whole), "%s%s", opt_sysroot, place);
	if (!sysroot_stat(whole, true, &st) && (S_ISDIR(st.st_mode) || S_ISREG(st.st_mode)))
		tree_add(tree, place, S_ISDIR(st.st_mode) ? TREE_FOLDER : TREE_FILE);
}

/**
 * take_presence() - note in a capture that files and folders exist, without their contents
 * @tree: files of the capture; extended
 * @pattern: pattern of paths below the root, as for take_glob()
 */
void take_presence(struct tree *tree, const char *pattern)
{
	expand(tree, "", pattern, note);
}

/**
 * take_children() - note in a capture the folders in some subfolders, without their contents
 * @tree: files of the capture; extended
 * @folder: real path of a folder below the root
 * @names: names of its subfolders, ending with NULL
 */
void take_children(struct tree *tree, const char *folder, const char *const names[])
{
	char path[2 * PATH_MAX], whole[3 * PATH_MAX];
	struct dirent **entries;
	int count, i;

	for (; *names; names++) {
		snprintf(whole, sizeof(whole), "%s%s/%s", opt_sysroot, folder, *names);
		count = sysroot_scandir(whole, &entries, is_shown, alphasort);
		for (i = 0; i < count; i++) {
			snprintf(path, sizeof(path), "%s/%s/%s", folder, *names,
				 entries[i]->d_name);
			if (entries[i]->d_type == DT_DIR)
				tree_add(tree, path, TREE_FOLDER);
			if (!strcmp(*names, "net"))
				take_uppers(tree, entries[i]->d_name);
			free(entries[i]);
		}
		if (count >= 0)
			free(entries);
	}
}
