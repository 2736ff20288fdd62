/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files of a capture, in memory: those of the host, and those about it. */
#ifndef TREE_H
#define TREE_H

#include <stdbool.h>

#include "bytes.h"

#define TREE_FILE_BYTES		(4u << 20)	/* the largest of the host's files */
#define TREE_BYTES		(64u << 20)	/* of all of them together */

enum tree_kind {
	TREE_FILE,
	TREE_LINK,
	TREE_FOLDER,
};

/**
 * struct tree_entry - one of them
 * @path: where, below the root, without a slash at its beginning
 * @kind: what it is
 * @data: what is in it; of a link, where it leads
 * @wanted: it is still to be read from the host
 * @why: why it is missing, NULL: it is not
 */
struct tree_entry {
	char *path;
	enum tree_kind kind;
	struct bytes data;
	bool wanted;
	char *why;
};

/**
 * struct tree - all of them
 * @list: they
 * @count: how many
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
