/* SPDX-License-Identifier: GPL-2.0-only */
/* Actions with the fds that VFIO gives. */
#ifndef VFIO_DEEDS_H
#define VFIO_DEEDS_H

#include "vfio_open.h"

#define MAPS		2
#define SCRATCH		(256 * 1024)

/**
 * struct worker - a thread of the fuzzer
 * @device: VFIO's fds, which another thread may close
 * @state: state of the random numbers
 * @map: mappings of BARs, or NULL
 * @bytes: size of each mapping
 * @scratch: memory for arguments, followed by an inaccessible page
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
