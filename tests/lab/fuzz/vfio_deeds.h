/* SPDX-License-Identifier: GPL-2.0-only */
/* What can be done with the fds that VFIO gives. */
#ifndef VFIO_DEEDS_H
#define VFIO_DEEDS_H

#include "vfio_open.h"

#define MAPS		2
#define SCRATCH		(256 * 1024)

/**
 * struct worker - a thread
 * @device: the fds, which another thread may close
 * @state: of its dice
 * @map: what it has mapped
 * @bytes: of that
 * @scratch: memory for arguments; the page behind it cannot be reached
 */
struct worker {
	struct vfio_fds *device;
	uint64_t state;
	void *map[MAPS];
	size_t bytes[MAPS];
	uint8_t *scratch;
};

void deeds_begin(void);
void deed(struct worker *w);
bool deeds_as_wanted(void);
void deeds_tell(void);
uint64_t now_ns(void);

#endif
