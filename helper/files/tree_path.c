// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "say.h"
#include "tree_path.h"

#define LINKS_MAX	40	/* MAXSYMLINKS of the kernel */

/* Index of the first entry whose path is not less than @path. */
static size_t lower_bound(const struct tree *tree, const char *path)
{
	size_t from = 0, to = tree->count;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (strcmp(tree->list[middle].path, path) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/**
 * tree_find() - look up an entry
 * @tree: sorted tree
 * @real: path without links, from tree_resolve()
 *
 * Return: the entry or NULL; a folder need not have an entry of its own.
 */
const struct tree_entry *tree_find(const struct tree *tree, const char *real)
{
	size_t at = lower_bound(tree, real);

	if (at == tree->count || strcmp(tree->list[at].path, real) || tree->list[at].why)
		return NULL;
	return &tree->list[at];
}

/* Index of the first entry inside a folder; @prefix is the folder's path with a slash. */
static size_t inside(const struct tree *tree, const char *real, char *prefix, size_t *length)
{
	*length = snprintf(prefix, PATH_MAX, "%s%s", real, *real ? "/" : "");
	return *length < PATH_MAX ? lower_bound(tree, prefix) : tree->count;
}

/**
 * tree_is_folder() - tell whether a path is a folder
 * @tree: sorted tree
 * @real: path without links; "" for the root
 *
 * Return: true if the tree has an entry for the folder or an entry inside it.
 */
bool tree_is_folder(const struct tree *tree, const char *real)
{
	const struct tree_entry *entry = tree_find(tree, real);
	char prefix[PATH_MAX];
	size_t length, at;

	if (!*real || entry)
		return !*real || entry->kind == TREE_FOLDER;
	for (at = inside(tree, real, prefix, &length);
	     at < tree->count && !strncmp(tree->list[at].path, prefix, length); at++)
		if (!tree->list[at].why)
			return true;
	return false;
}

static void go_up(char *at)
{
	char *end = strrchr(at, '/');

	*(end ? end : at) = '\0';
}

/* Append a path component; false if the path would be too long. */
static bool go_down(char *at, const char *part, size_t length)
{
	size_t before = strlen(at);

	if (before + length + 2 > PATH_MAX)
		return false;
	snprintf(at + before, PATH_MAX - before, "%s%.*s", before ? "/" : "", (int)length, part);
	return true;
}

/* The component is "." or "..". */
static bool is_dots(const char *part, size_t length)
{
	return length <= 2 && !strncmp(part, "..", length);
}

/**
 * tree_absent() - get the error that the kernel would return for a path
 * @tree: sorted tree
 * @real: path without links, which is not a folder
 *
 * Return: -ENOTDIR if the path, or one of its parents, is a file or link; else -ENOENT.
 */
int tree_absent(const struct tree *tree, const char *real)
{
	char at[PATH_MAX];

	snprintf(at, sizeof(at), "%s", real);
	for (; !tree_is_folder(tree, at); go_up(at))
		if (tree_find(tree, at))
			return -ENOTDIR;
	return -ENOENT;
}

/**
 * tree_resolve() - resolve the links of a path within the tree
 * @tree: sorted tree
 * @path: path
 * @follow: follow the last component, too
 * @real: buffer of PATH_MAX; receives the path without links, which need not exist
 *
 * Return: 0; -ELOOP if the path is too long or has a loop of links; the error of
 * tree_absent() for a component that must be a folder and is not.
 */
int tree_resolve(const struct tree *tree, const char *path, bool follow, char *real)
{
	char rest[2 * PATH_MAX], next[2 * PATH_MAX], *part = rest;
	int links = LINKS_MAX;

	*real = '\0';
	if (snprintf(rest, sizeof(rest), "%s", path) >= PATH_MAX)
		return -ELOOP;
	while (*(part += strspn(part, "/"))) {
		size_t length = strcspn(part, "/");
		const struct tree_entry *entry;

		if (is_dots(part, length)) {
			if (!tree_is_folder(tree, real))
				return tree_absent(tree, real);
			if (length == 2)
				go_up(real);
		} else if (!go_down(real, part, length)) {
			return -ELOOP;
		}
		part += length;
		entry = tree_find(tree, real);
		if (!entry || entry->kind != TREE_LINK || (!follow && !part[strspn(part, "/")]))
			continue;
		if (!links-- || snprintf(next, sizeof(next), "%s%s", entry->data.data, part) >=
		    PATH_MAX)
			return -ELOOP;
		go_up(real);
		if (*next == '/')
			*real = '\0';
		memcpy(rest, next, strlen(next) + 1);
		part = rest;
	}
	/* A path that ends with a slash must name a folder. */
	return part == rest || part[-1] != '/' || tree_is_folder(tree, real) ? 0 :
	       tree_absent(tree, real);
}

/**
 * tree_stat() - get the type and size of an entry, as stat(2)
 * @tree: sorted tree
 * @real: path from tree_resolve()
 * @st: receives mode and size, all else 0
 *
 * Return: 0 or the error of tree_absent().
 */
int tree_stat(const struct tree *tree, const char *real, struct stat *st)
{
	const struct tree_entry *entry = tree_find(tree, real);

	*st = (struct stat) { 0 };
	if (tree_is_folder(tree, real))
		st->st_mode = S_IFDIR;
	else if (entry)
		st->st_mode = entry->kind == TREE_LINK ? S_IFLNK : S_IFREG;
	else
		return tree_absent(tree, real);
	st->st_size = entry ? entry->data.size : 0;
	return 0;
}

static struct dirent *make_entry(const char *name, size_t length, unsigned char type)
{
	struct dirent *entry = calloc(1, sizeof(*entry));

	if (!entry) {
		perror("instinctctl");
		exit(EXIT_ERROR);
	}
	entry->d_type = type;
	snprintf(entry->d_name, sizeof(entry->d_name), "%.*s", (int)length, name);
	return entry;
}

static unsigned char type_of(const struct tree_entry *entry, bool below)
{
	if (below || entry->kind == TREE_FOLDER)
		return DT_DIR;
	return entry->kind == TREE_LINK ? DT_LNK : DT_REG;
}

/*
 * A subfolder may have an entry of its own and entries inside it. Only one of them counts:
 * its own, or without that the first inside.
 */
static bool is_first(const struct tree *tree, size_t at, size_t length, size_t size)
{
	const char *path = tree->list[at].path;
	char folder[PATH_MAX];

	if (!path[length + size])
		return true;
	snprintf(folder, sizeof(folder), "%.*s", (int)(length + size), path);
	if (tree_find(tree, folder))
		return false;
	while (at-- && !strncmp(tree->list[at].path, path, length + size + 1))
		if (!tree->list[at].why)
			return false;
	return true;
}

/* Collect the names in a folder, each once; return their number. */
static size_t list(const struct tree *tree, const char *real, struct dirent **names,
		   int (*filter)(const struct dirent *))
{
	size_t count = 0, at, length, size;
	char prefix[PATH_MAX];

	for (at = inside(tree, real, prefix, &length);
	     at < tree->count && !strncmp(tree->list[at].path, prefix, length); at++) {
		const char *name = tree->list[at].path + length;
		struct dirent *entry;

		size = strcspn(name, "/");
		if (tree->list[at].why || !size || size > NAME_MAX ||
		    !is_first(tree, at, length, size))
			continue;
		entry = make_entry(name, size, type_of(&tree->list[at], name[size]));
		if (!filter || filter(entry))
			names[count++] = entry;
		else
			free(entry);
	}
	return count;
}

/**
 * tree_scandir() - list a folder, as scandir(3)
 * @tree: sorted tree
 * @real: path from tree_resolve()
 * @entries: receives the entries; the caller frees them and the list
 * @filter: tells which entries to take, or NULL for all
 * @compare: order of the entries, or NULL
 *
 * Return: number of entries, or -1 with errno set.
 */
int tree_scandir(const struct tree *tree, const char *real, struct dirent ***entries,
		 int (*filter)(const struct dirent *),
		 int (*compare)(const struct dirent **, const struct dirent **))
{
	char prefix[PATH_MAX];
	size_t room, count, from, length;

	if (!tree_is_folder(tree, real)) {
		errno = -tree_absent(tree, real);
		return -1;
	}
	for (from = room = inside(tree, real, prefix, &length);
	     room < tree->count && !strncmp(tree->list[room].path, prefix, length); room++)
		;
	*entries = calloc(room - from + 1, sizeof(**entries));
	if (!*entries)
		return -1;
	count = list(tree, real, *entries, filter);
	if (compare && count)
		qsort(*entries, count, sizeof(**entries),
		      (int (*)(const void *, const void *))compare);
	return count;
}
