/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Path resolution in a captured host in memory; links cannot leave it. */
#ifndef TREE_PATH_H
#define TREE_PATH_H

#include <dirent.h>
#include <sys/stat.h>

#include "tree.h"

int tree_absent(const struct tree *tree, const char *real);
int tree_resolve(const struct tree *tree, const char *path, bool follow, char *real);
const struct tree_entry *tree_find(const struct tree *tree, const char *real);
bool tree_is_folder(const struct tree *tree, const char *real);
int tree_stat(const struct tree *tree, const char *real, struct stat *st);
int tree_scandir(const struct tree *tree, const char *real, struct dirent ***entries,
		 int (*filter)(const struct dirent *),
		 int (*compare)(const struct dirent **, const struct dirent **));

#endif /* TREE_PATH_H */
