/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chooses the devices of a new guest among the free ones, as near to each other as possible. */
#ifndef CHOICE_H
#define CHOICE_H

#include "rank.h"

/**
 * struct choice_part - a chosen or free device
 * @index: index of the device
 * @gpu: index of the GPU that the device is chosen for; a GPU's own index; -1 while free
 * @tier: 0 for a NIC that no NIC of the host excels by RDMA or a much faster link, and for other
 *	devices; else one more than the tier of NICs that do
 */
struct choice_part {
	int index;
	int gpu;
	unsigned int tier;
};

/**
 * struct choice_list - devices of one kind
 * @list: the devices
 * @count: number of entries in @list
 */
struct choice_list {
	struct choice_part *list;
	size_t count;
};

/**
 * struct left_over - a device that must not be chosen
 * @index: index of the device
 * @why: the reason, for messages
 */
struct left_over {
	int index;
	char why[TEXT_BYTES];
};

/**
 * struct choice - the devices that may be chosen, and the best choice among them
 * @free: by kind, devices that may be chosen
 * @best: by kind, devices that are chosen
 * @left: devices that must not be chosen
 * @lefts: number of entries in @left
 */
struct choice {
	struct choice_list free[TOPO_KINDS];
	struct choice_list best[TOPO_KINDS];
	struct left_over *left;
	size_t lefts;
};

void choice_offer(struct choice *choice, const struct topo *topo, int index);
void choice_leave(struct choice *choice, int index, const char *why);
bool choice_make(struct choice *choice, const struct topo *topo,
		 const size_t wanted[TOPO_KINDS]);
void choice_slow_text(const struct choice *choice, char *text, size_t size);
void choice_free(struct choice *choice);

#endif /* CHOICE_H */
