/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A config space before and after a reset. */
#ifndef COMPARE_H
#define COMPARE_H

#include <linux/pci_regs.h>
#include <stddef.h>

#include "config_table.h"

#define COMPARE_MAX	16

/**
 * struct config_image - a config space
 * @dword: of it
 * @bytes: that could be read
 */
struct config_image {
	uint32_t dword[PCI_CFG_SPACE_EXP_SIZE / 4];
	unsigned int bytes;
};

/**
 * struct difference - a register that is not what it was
 * @where: offset in bytes
 * @before: it, the bits that are compared
 * @after: it, the same
 * @name: what people call it
 */
struct difference {
	unsigned int where;
	uint32_t before;
	uint32_t after;
	const char *name;
};

/**
 * struct comparison - two config spaces
 * @bits: how many were compared
 * @list: registers that differ
 * @count: how many, of which at most COMPARE_MAX are in @list
 * @others: registers that changed in bits of which nobody promises that they hold
 */
struct comparison {
	unsigned int bits;
	struct difference list[COMPARE_MAX];
	unsigned int count;
	unsigned int others;
};

void compare_images(const struct config_image *before, const struct config_image *after,
		    struct comparison *found);

#endif /* COMPARE_H */
