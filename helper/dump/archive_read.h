/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An archive, somebody else's, becomes a tree in memory. */
#ifndef ARCHIVE_READ_H
#define ARCHIVE_READ_H

#include "tree.h"

/**
 * struct archive_limits - what an archive may be at most
 * @entries: how many files, links and folders
 * @file_bytes: of the largest file
 * @bytes: of all files and names
 */
struct archive_limits {
	size_t entries;
	size_t file_bytes;
	size_t bytes;
};

extern const struct archive_limits archive_limits;

int archive_read_tree(int fd, const char *name, const struct archive_limits *limits,
		      struct tree *tree);

#endif /* ARCHIVE_READ_H */
