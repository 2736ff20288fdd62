/* SPDX-License-Identifier: GPL-2.0-only */
/* The GPU's registers, reached through its register BAR. */
#ifndef _INSTINCT_REGISTERS_H
#define _INSTINCT_REGISTERS_H

#include <linux/types.h>

struct pci_dev;
struct instinct_family;

/**
 * struct instinct_registers - the mapped register BAR
 * @pdev: function
 * @family: facts
 * @map: its registers, or NULL if the BAR has no address
 */
struct instinct_registers {
	struct pci_dev *pdev;
	const struct instinct_family *family;
	void __iomem *map;
};

void instinct_registers_map(struct instinct_registers *regs,
			    struct pci_dev *pdev,
			    const struct instinct_family *family);
void instinct_registers_unmap(struct instinct_registers *regs);
u16 instinct_registers_open(struct instinct_registers *regs);
void instinct_registers_close(struct instinct_registers *regs, u16 command);
u32 instinct_registers_read(const struct instinct_registers *regs, u32 offset);
void instinct_registers_write(const struct instinct_registers *regs, u32 offset,
			      u32 val);
bool instinct_registers_alive(const struct instinct_registers *regs);
int instinct_registers_read_discovery(const struct instinct_registers *regs,
				      u8 *bin, const char **why);

#endif /* _INSTINCT_REGISTERS_H */
