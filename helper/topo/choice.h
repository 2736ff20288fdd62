/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which devices a guest should get, of those that are free: the ones nearest to each other. */
#ifndef CHOICE_H
#define CHOICE_H

#include "rank.h"

/**
 * struct choice_part - a device of the choice
 * @index: of it
 * @gpu: index of the GPU that it is for; of a GPU itself
 */
struct choice_part {
	int index;
	int gpu;
};

/**
 * struct choice_list - devices of one kind
 * @list: they
 * @count: how many
 */
struct choice_list {
	struct choice_part *list;
	size_t count;
};

/**
 * struct left_over - a device that was not to be chosen
 * @index: of it
 * @why: for people
 */
struct left_over {
	int index;
	char why[TEXT_BYTES];
};

/**
 * struct choice - what there is, and what is best of it
 * @free: by kind, devices that may be chosen
 * @best: by kind, those that are
 * @left: those that may not
 * @lefts: how many
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
void choice_free(struct choice *choice);

#endif /* CHOICE_H */
