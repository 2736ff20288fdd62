/* SPDX-License-Identifier: GPL-2.0-only */
/* A recorded sequence of accesses to a config space, made again. */
#ifndef VFIO_REPLAY_H
#define VFIO_REPLAY_H

#include <stdint.h>

int replay_load(const char *path);
int replay_run(int fd, uint64_t config);

#endif
