/* SPDX-License-Identifier: GPL-2.0-only */
/* A device of the client, and the steps that act as Cloud Hypervisor does. */
#ifndef VFIO_CLIENT_H
#define VFIO_CLIENT_H

#include <stdint.h>

#include "fds.h"

#define BARS	6

/**
 * struct device - a device that the client uses
 * @bdf: its address
 * @fds: its fds
 * @canary: a page that is mapped for DMA, or NULL
 * @bars: mappings of its BARs that last from step to step, NULL where there is none
 * @bar_bytes: their sizes
 * @bar_iova: their DMA addresses
 */
struct device {
	const char *bdf;
	struct vfio_fds fds;
	volatile uint8_t *canary;
	void *bars[BARS];
	uint64_t bar_bytes[BARS];
	uint64_t bar_iova[BARS];
};

int vmm_join(struct device *dev);
int vmm_info(struct device *dev);
int vmm_describe(struct device *dev);
int vmm_ram(struct device *dev);
int vmm_migration(struct device *dev);
int vmm_read_config(struct device *dev);
int vmm_intx(struct device *dev);
int vmm_intx_off(struct device *dev);
int vmm_all_msix(struct device *dev);
int vmm_msix_off(struct device *dev);
int vmm_size_bars(struct device *dev);
int vmm_map_bars(struct device *dev);
int vmm_unmap_bars(struct device *dev);
int vmm_leave(struct device *dev);

#endif
