// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "say.h"
#include "tree.h"

#define STEP	1024	/* entries that one allocation adds */

/**
 * tree_add() - append an entry
 * @tree: tree
 * @path: path of the entry below the root; slashes at its beginning are dropped
 * @kind: type of the entry
 *
 * Return: the new entry, empty; valid until the next one is added.
 */
struct tree_entry *tree_add(struct tree *tree, const char *path, enum tree_kind kind)
{
	struct tree_entry *entry;

	if (tree->count % STEP == 0) {
		tree->list = realloc(tree->list, (tree->count + STEP) * sizeof(*tree->list));
		if (!tree->list) {
			perror("instinctctl");
			exit(EXIT_ERROR);
		}
	}
	entry = &tree->list[tree->count++];
	*entry = (struct tree_entry) {
		.path = text_copy(path + strspn(path, "/")), .kind = kind,
	};
	return entry;
}

/**
 * tree_want() - add a file of the host that is to be read later
 * @tree: tree
 * @path: path of the file
 */
void tree_want(struct tree *tree, const char *path)
{
	tree_add(tree, path, TREE_FILE)->wanted = true;
}

/**
 * tree_miss() - note a file that the capture lacks
 * @tree: tree
 * @path: path of the file
 * @why: reason, shown to the user
 */
void tree_miss(struct tree *tree, const char *path, const char *why)
{
	tree_add(tree, path, TREE_FILE)->why = text_copy(why);
}

/**
 * tree_move() - move all entries of one tree into another
 * @tree: tree that receives the entries
 * @from: tree that is left empty
 */
void tree_move(struct tree *tree, struct tree *from)
{
	size_t i;

	for (i = 0; i < from->count; i++) {
		struct tree_entry *entry = tree_add(tree, from->list[i].path, from->list[i].kind);

		entry->data = from->list[i].data;
		entry->why = from->list[i].why;
		from->list[i].data = (struct bytes) { 0 };
		from->list[i].why = NULL;
	}
	tree_free(from);
}

static void entry_free(struct tree_entry *entry)
{
	free(entry->path);
	free(entry->why);
	bytes_free(&entry->data);
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct tree_entry *)a)->path,
		      ((const struct tree_entry *)b)->path);
}

/**
 * tree_sort() - sort the entries by path and drop duplicates
 * @tree: tree
 */
void tree_sort(struct tree *tree)
{
	size_t kept = 0, i;

	if (!tree->count)
		return;
	qsort(tree->list, tree->count, sizeof(*tree->list), by_path);
	for (i = 0; i < tree->count; i++) {
		if (kept && !strcmp(tree->list[i].path, tree->list[kept - 1].path))
			entry_free(&tree->list[i]);
		else
			tree->list[kept++] = tree->list[i];
	}
	tree->count = kept;
	/* tree_add() expects room up to the next multiple of STEP. */
	tree->list = realloc(tree->list, (kept / STEP + 1) * STEP * sizeof(*tree->list));
	if (!tree->list) {
		perror("instinctctl");
		exit(EXIT_ERROR);
	}
}

/**
 * tree_free() - free all entries and leave the tree empty
 * @tree: tree
 */
void tree_free(struct tree *tree)
{
	size_t i;

	for (i = 0; i < tree->count; i++)
		entry_free(&tree->list[i]);
	free(tree->list);
	*tree = (struct tree) { 0 };
}
