/* SPDX-License-Identifier: GPL-2.0-only */
/* The fds that VFIO gives, by either of its ways. */
#ifndef VFIO_OPEN_H
#define VFIO_OPEN_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct device - the fds of a life
 * @fd: the device's
 * @group: its group's, -1 if it was opened by its character device
 * @container: the container's or iommufd's
 */
struct device {
	int fd;
	int group;
	int container;
};

bool open_somehow(struct device *device, const char *bdf, uint64_t *state);
void close_all(struct device *device);

#endif
