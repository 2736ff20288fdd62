/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writing a tree of files as an archive. */
#ifndef ARCHIVE_WRITE_H
#define ARCHIVE_WRITE_H

#include <time.h>

#include "tree.h"

/* The compression of an archive. */
enum archive_filter {
	ARCHIVE_PLAIN,
	ARCHIVE_ZSTD,
	ARCHIVE_XZ,
	ARCHIVE_GZIP,
};

int archive_write_tree(const struct tree *tree, const char *top, time_t when,
		       enum archive_filter filter, int fd, const char *name);

#endif /* ARCHIVE_WRITE_H */
