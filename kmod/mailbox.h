/* SPDX-License-Identifier: GPL-2.0-only */
/* The GPU's registers, and the SMU's mailbox, through which a mode-1 reset is asked for. */
#ifndef _INSTINCT_MAILBOX_H
#define _INSTINCT_MAILBOX_H

#include <linux/types.h>

struct mutex;
struct pci_dev;
struct instinct_family;

/**
 * struct instinct_registers - the mapped register BAR
 * @lock: the GPU's reset_lock, under which they are reached
 * @pdev: function
 * @family: facts
 * @map: its registers, or NULL if the BAR has no address
 */
struct instinct_registers {
	struct mutex *lock;	/* see above */
	struct pci_dev *pdev;
	const struct instinct_family *family;
	void __iomem *map;
};

void instinct_registers_map(struct instinct_registers *regs, struct pci_dev *pdev,
			    const struct instinct_family *family, struct mutex *lock);
void instinct_registers_unmap(struct instinct_registers *regs);
u16 instinct_registers_open(struct instinct_registers *regs);
void instinct_registers_close(struct instinct_registers *regs, u16 command);
bool instinct_registers_alive(const struct instinct_registers *regs);

/**
 * struct instinct_mailbox - where it is
 * @regs: through which it is reached; open while a function below runs
 * @base: MP1's first dword, as it is used
 * @discovered: the same by the IP discovery table, 0 while it is not known
 */
struct instinct_mailbox {
	struct instinct_registers *regs;
	u32 base;
	u32 discovered;
};

int instinct_mailbox_find(struct instinct_mailbox *mailbox, const char **why);
int instinct_mailbox_test(const struct instinct_mailbox *mailbox, const char **why);
void instinct_mailbox_mode1(const struct instinct_mailbox *mailbox);
bool instinct_mailbox_reacted(const struct instinct_mailbox *mailbox);
int instinct_mailbox_mode1_done(const struct instinct_mailbox *mailbox, const char **why);

#endif /* _INSTINCT_MAILBOX_H */
