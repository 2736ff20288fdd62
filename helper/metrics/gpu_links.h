/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The PCIe links of managed GPUs and of their packages, with the errors that AER counts there. */
#ifndef GPU_LINKS_H
#define GPU_LINKS_H

#include "aer.h"
#include "host_link.h"

/**
 * struct gpu_link - a GPU, a port above it as far as the port to which its package is connected, or a port
 *	further up with a link above it
 * @bdf: address of the GPU
 * @port: address of the function: of the GPU itself, or of a port above it
 * @link: the link above the function, with the maximum that both ends support; zeroed for a port
 *	without a PCIe link above it, and for a GPU that is in reset or lost
 * @aer: errors that the function has detected
 */
struct gpu_link {
	char bdf[BDF_BYTES];
	char port[BDF_BYTES];
	struct host_link link;
	struct aer aer;
};

/**
 * struct gpu_links - the functions of all managed GPUs
 * @list: for each GPU its ports, the uppermost first, and the GPU itself
 * @count: number of entries
 */
struct gpu_links {
	struct gpu_link *list;
	size_t count;
};

void gpu_links_read(struct gpu_links *links, const struct devices *devices);
void gpu_links_free(struct gpu_links *links);

#endif /* GPU_LINKS_H */
