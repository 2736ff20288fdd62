/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading an untrusted archive into a tree in memory. */
#ifndef ARCHIVE_READ_H
#define ARCHIVE_READ_H

#include "tree.h"

/**
 * struct archive_limits - largest archive that is accepted
 * @entries: number of files, links and folders
 * @file_bytes: bytes of one file
 * @bytes: bytes of all files and names together
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
