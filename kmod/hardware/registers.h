/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The GPU's registers: the mapped BAR, memory decoding while the module reads registers, and the
 * SMU's mailbox, which takes the message for a mode-1 reset.
 */
#ifndef _INSTINCT_REGISTERS_H
#define _INSTINCT_REGISTERS_H

#include "hardware/discovery.h"

/* MP0's C2PMSG_33 and C2PMSG_35 once its bootloader is ready. */
#define INSTINCT_BOOTLOADER_READY	0x80000000u

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

/**
 * struct instinct_mailbox - the SMU's mailbox of a GPU
 * @regs: registers of the GPU; they must be open while a function below runs
 * @base: first dword of MP1 in use
 * @table: facts from the IP discovery table; all 0 while the module has none
 * @tested: the @base of the last test
 * @denied: reason why there is no mailbox at @tested, or NULL
 * @sos: sign of life of the secure OS right before the mode-1 reset
 * @gone: since the message, the GPU has stopped answering, or has answered as after a reset
 * @blank: since the message, its registers have read all ones although it decodes memory accesses
 * @early: since the message, the SMU has said OK before @blank
 * @refused_at: time since which the SMU refuses the message, ktime_get_ns(); 0 while it does not
 */
struct instinct_mailbox {
	struct instinct_registers *regs;
	u32 base;
	struct instinct_discovery table;
	u32 tested;
	const char *denied;
	u32 sos;
	bool gone;
	bool blank;
	bool early;
	u64 refused_at;
};

/**
 * struct instinct_seen - facts from a GPU's registers
 * @hive_nodes: number of nodes in the hive, 0 if the registers do not tell
 * @hive_node: number of the GPU in the hive, from 0
 * @secure_os: whether a secure OS runs
 * @partition: partition of the memory
 * @partition_next: somebody has requested another partition of the memory
 * @compute: partition of the compute dies
 * @ready: C2PMSG_33 of MP0
 * @bootloader: C2PMSG_35 of MP0
 * @fingerprint: fingerprint of the IP discovery table, 0 without a good table
 * @subsystem: subsystem IDs, as the dword of the config space
 */
struct instinct_seen {
	unsigned int hive_nodes;
	unsigned int hive_node;
	enum instinct_vfio_secure_os secure_os;
	enum instinct_vfio_partition partition;
	bool partition_next;
	enum instinct_vfio_compute compute;
	u32 ready;
	u32 bootloader;
	u32 fingerprint;
	u32 subsystem;
};

void instinct_registers_map(struct instinct_registers *regs, struct pci_dev *pdev,
			    const struct instinct_family *family, struct mutex *lock);
u16 instinct_registers_open(struct instinct_registers *regs);
void instinct_registers_close(struct instinct_registers *regs, u16 command);
bool instinct_registers_alive(const struct instinct_registers *regs);

const char *instinct_mailbox_inspect(struct instinct_mailbox *mailbox, u32 by_policy, bool used,
				     bool whole);
void instinct_mailbox_mode1(struct instinct_mailbox *mailbox, bool fatal);
bool instinct_mailbox_blank(const struct instinct_mailbox *mailbox);
int instinct_mailbox_mode1_done(struct instinct_mailbox *mailbox, u64 passed, const char **why);
bool instinct_mailbox_boots(const struct instinct_mailbox *mailbox);
void instinct_mailbox_settle(struct instinct_mailbox *mailbox, bool anew);
void instinct_mailbox_look(const struct instinct_mailbox *mailbox, struct instinct_seen *seen);
const char *instinct_mailbox_missing(const struct instinct_mailbox *mailbox, char *why);

#endif /* _INSTINCT_REGISTERS_H */
