/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All of a host that a maintainer needs, in one archive that --sysroot reads. */
#ifndef DUMP_H
#define DUMP_H

#include "archive_write.h"
#include "host_clock.h"
#include "show.h"
#include "tree.h"

#define DUMP_TOP_BYTES	128

/**
 * struct dump - a capture being taken
 * @mask: serial numbers, addresses and names are to be masked
 * @masked: they are, perhaps since they were in the capture that this one is of
 * @all_log: all of the kernel's log is wanted
 * @tree: what is in it
 * @when: it was taken
 * @top: the folder that all is in, "instinct-vfio-HOST-DATE"
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
