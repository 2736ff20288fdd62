/* SPDX-License-Identifier: GPL-2.0-only */
/* The SMU's mailbox, through which the host asks for a mode-1 reset. */
#ifndef _INSTINCT_MAILBOX_H
#define _INSTINCT_MAILBOX_H

#include <linux/types.h>

#include "registers.h"

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
int instinct_mailbox_test(const struct instinct_mailbox *mailbox,
			  const char **why);
void instinct_mailbox_mode1(const struct instinct_mailbox *mailbox);
bool instinct_mailbox_reacted(const struct instinct_mailbox *mailbox);
int instinct_mailbox_mode1_done(const struct instinct_mailbox *mailbox,
				const char **why);

#endif /* _INSTINCT_MAILBOX_H */
