/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A capture of all that a maintainer needs from a host: an archive that --sysroot reads. */
#ifndef DUMP_H
#define DUMP_H

#include "archive_write.h"
#include "host_clock.h"
#include "show.h"
#include "tree.h"

#define DUMP_TOP_BYTES	128

/**
 * struct dump - a capture being taken
 * @mask: the user wants serial numbers, addresses and names masked
 * @masked: they are masked, by @mask or because the copied capture was masked
 * @all_log: the user wants the whole kernel log
 * @tree: files of the capture
 * @when: time of the capture
 * @top: folder that holds all files, "instinct-vfio-HOST-DATE"
 */
struct dump {
	bool mask;
	bool masked;
	bool all_log;
	struct tree tree;
	struct host_clock when;
	char top[DUMP_TOP_BYTES];
};

void dump_take(struct dump *dump, show_run_t run);
bool dump_knows(const char *file);
enum archive_filter dump_filter(const char *file);
const char *dump_suffix(enum archive_filter filter);
int dump_write(const struct dump *dump, const char *file, enum archive_filter filter);
int dump_write_fd(const struct dump *dump, int fd, const char *name,
		  enum archive_filter filter);
void dump_free(struct dump *dump);

#endif /* DUMP_H */
