/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Comparing a config space before and after a reset. */
#ifndef COMPARE_H
#define COMPARE_H

#include <linux/pci_regs.h>
#include <stddef.h>

#include "hardware/config_table.h"

#define COMPARE_MAX	16

/**
 * struct config_image - copy of a config space
 * @dword: dwords of the config space
 * @bytes: number of bytes that could be read
 */
struct config_image {
	uint32_t dword[PCI_CFG_SPACE_EXP_SIZE / 4];
	unsigned int bytes;
};

/**
 * struct difference - a register that has changed
 * @where: offset of its dword, bytes
 * @before: compared bits of the dword before the reset
 * @after: compared bits of the dword after the reset
 * @name: name of the register
 */
struct difference {
	unsigned int where;
	uint32_t before;
	uint32_t after;
	const char *name;
};

/**
 * struct comparison - differences between two config spaces
 * @bits: number of compared bits, 0 if there was no comparison
 * @list: the first COMPARE_MAX registers that differ
 * @count: number of registers that differ
 * @others: number of registers that differ only in bits that may change by themselves
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
