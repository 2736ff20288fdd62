/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lists of capabilities in a function's config space, as they may be shown to who
 * believes them: looked at once, put in order, and shown so from then on.
 */
#ifndef _INSTINCT_CAP_LIST_H
#define _INSTINCT_CAP_LIST_H

#include "pure.h"

#define INSTINCT_CAP_DWORDS	192

/**
 * struct instinct_cap_dword - one that is not read from the function any more
 * @where: its offset
 * @val: what is shown
 */
struct instinct_cap_dword {
	u16 where;
	u32 val;
};

/**
 * struct instinct_cap_list - both lists
 * @dword: what is shown of them
 * @count: how many of those
 * @flaws: places in which what the function answers is out of order
 */
struct instinct_cap_list {
	struct instinct_cap_dword dword[INSTINCT_CAP_DWORDS];
	unsigned int count;
	unsigned int flaws;
};

/**
 * instinct_cap_read_fn - read a dword of a config space
 * @data: whose
 * @where: offset
 */
typedef u32 instinct_cap_read_fn(void *data, int where);

void instinct_cap_list_build(struct instinct_cap_list *list,
			     instinct_cap_read_fn *read, void *data);
bool instinct_cap_list_answer(const struct instinct_cap_list *list, int where,
			      int size, u32 *val);

#endif /* _INSTINCT_CAP_LIST_H */
