/* SPDX-License-Identifier: GPL-2.0-only */
/* The GPU's register BAR: its mapping, and memory decoding while the module reads registers. */
#ifndef _INSTINCT_REGISTERS_H
#define _INSTINCT_REGISTERS_H

#include <linux/types.h>

struct instinct_family;
struct mutex;
struct pci_dev;

/**
 * struct instinct_registers - the mapped register BAR
 * @lock: the GPU's reset_lock; accesses to the registers happen under it
 * @pdev: function
 * @family: hardware facts
 * @map: mapped registers, or NULL if the BAR has no address
 */
struct instinct_registers {
	struct mutex *lock;	/* see above */
	struct pci_dev *pdev;
	const struct instinct_family *family;
	void __iomem *map;
};

void instinct_registers_map(struct instinct_registers *regs, struct pci_dev *pdev,
			    const struct instinct_family *family, struct mutex *lock);
u16 instinct_registers_open(struct instinct_registers *regs);
void instinct_registers_close(struct instinct_registers *regs, u16 command);
bool instinct_registers_alive(const struct instinct_registers *regs);
int instinct_registers_read_discovery(const struct instinct_registers *regs, u8 *bin, size_t bytes,
				      const char **why);

#endif /* _INSTINCT_REGISTERS_H */
