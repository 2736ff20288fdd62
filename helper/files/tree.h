/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files of a capture in memory: those of the host, and those that dump adds about it. */
#ifndef TREE_H
#define TREE_H

#include <stdbool.h>

#include "bytes.h"

#define TREE_FILE_BYTES		(4u << 20)	/* the largest of the host's files */
#define TREE_BYTES		(64u << 20)	/* all of the host's files together */

enum tree_kind {
	TREE_FILE,
	TREE_LINK,
	TREE_FOLDER,
};

/**
 * struct tree_entry - a file, link or folder
 * @path: path below the root, without a slash at its beginning
 * @kind: type of the entry
 * @data: contents of a file, target of a link
 * @wanted: the file has not been read from the host yet
 * @why: reason why the capture lacks the file, NULL if it has it
 */
struct tree_entry {
	char *path;
	enum tree_kind kind;
	struct bytes data;
	bool wanted;
	char *why;
};

/**
 * struct tree - the files of a capture
 * @list: entries
 * @count: number of entries
 */
struct tree {
	struct tree_entry *list;
	size_t count;
};

void tree_want(struct tree *tree, const char *path);
struct tree_entry *tree_add(struct tree *tree, const char *path, enum tree_kind kind);
void tree_miss(struct tree *tree, const char *path, const char *why);
void tree_move(struct tree *tree, struct tree *from);
void tree_sort(struct tree *tree);
void tree_free(struct tree *tree);

#endif /* TREE_H */
