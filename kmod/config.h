/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What one function's registers are to hold, by what Linux and its user believe, and
 * bringing the function to hold it.
 */
#ifndef _INSTINCT_CONFIG_H
#define _INSTINCT_CONFIG_H

#include "config_table.h"

#define INSTINCT_CONFIG_ALL	(~0ul)
#define INSTINCT_CONFIG_IRQS	(BIT(INSTINCT_CONFIG_MSI) | BIT(INSTINCT_CONFIG_MSIX))

struct instinct_port;
struct mutex;
struct pci_dev;
struct pci_saved_state;

/**
 * struct instinct_config - the wanted state of one function
 * @lock: the GPU's reset_lock, which guards all that changes
 * @pdev: function
 * @port: the same as a port of a GPU's package, or NULL for the GPU
 * @table: its registers
 * @want: values of those that were seen, by the index of @table's field
 * @base: the same, of its baseline
 * @baseline: all it held when it was last known good, NULL if it never was
 * @fixed: optional bits that the function turned out to hardwire
 * @known: @want holds more than Command
 * @retried: how often a register was written again
 */
struct instinct_config {
	struct mutex *lock;	/* see above */
	struct pci_dev *pdev;
	const struct instinct_port *port;
	struct instinct_config_table table;
	u32 want[INSTINCT_CONFIG_FIELDS];
	u32 base[INSTINCT_CONFIG_FIELDS];
	struct pci_saved_state *baseline;
	u32 fixed[INSTINCT_CONFIG_FIELDS];
	bool known;
	u64 retried;
};

/**
 * instinct_config_command() - the wanted value of a function's Command register
 * @config: of the function
 *
 * Return: the value, to be changed under the GPU's reset_lock.
 */
static inline u32 *instinct_config_command(struct instinct_config *config)
{
	/* It is the last of the table. */
	return &config->want[config->table.count - 1];
}

void instinct_config_setup(struct instinct_config *config, struct pci_dev *pdev,
			   const struct instinct_port *port, struct mutex *lock);
struct pci_saved_state *instinct_config_keep(struct instinct_config *config);
bool instinct_config_intact(const struct instinct_config *config);
unsigned int instinct_config_restore(struct instinct_config *config,
				     struct pci_saved_state *state, bool force);
void instinct_config_set_base(struct instinct_config *config);
void instinct_config_use_base(struct instinct_config *config);
const struct instinct_config_field *
instinct_config_push(struct instinct_config *config, unsigned long sources);
const struct instinct_config_field *
instinct_config_written(struct instinct_config *config, u64 where, u64 bytes,
			const u8 *val);

#endif /* _INSTINCT_CONFIG_H */
