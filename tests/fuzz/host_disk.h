/* SPDX-License-Identifier: GPL-2.0-only */
/* The base on disk, and changes of it that can be undone. */
#ifndef HOST_DISK_H
#define HOST_DISK_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tree.h"

void host_disk_begin(void);
const char *host_disk_root(void);
const char *host_disk_outside(void);
void host_disk_gone(const char *path);
void host_disk_make(const char *path, const struct tree_entry *entry);
void host_disk_special(const char *path, mode_t type);
void host_disk_sparse(const char *path, off_t size);
void host_disk_undo(void);

#endif /* HOST_DISK_H */
