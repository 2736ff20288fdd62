/* SPDX-License-Identifier: GPL-2.0-only */
/* Replay of a recorded sequence of config accesses. */
#ifndef VFIO_REPLAY_H
#define VFIO_REPLAY_H

#include <stdint.h>

int replay_load(const char *path);
int replay_run(int fd, uint64_t config);

#endif
