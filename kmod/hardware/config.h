/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The wanted state of one function's registers, which follows from what Linux and the user believe,
 * and the writes that bring the function to it.
 */
#ifndef _INSTINCT_CONFIG_H
#define _INSTINCT_CONFIG_H

#include "hardware/config_table.h"

#define INSTINCT_CONFIG_ALL	(~0ul)
/* VFIO_DEVICE_SET_IRQS changes the PCI core's fields that these follow from, and frees the message. */
#define INSTINCT_CONFIG_IRQS	GENMASK(INSTINCT_CONFIG_MSIX, INSTINCT_CONFIG_MSI)

struct instinct_port;
struct mutex;
struct pci_dev;
struct pci_saved_state;

/**
 * struct instinct_config - the wanted state of one function
 * @lock: the GPU's reset_lock, which guards every member that changes
 * @pdev: the function
 * @port: the port of a GPU's package that the function is, or NULL for the GPU
 * @table: registers that the module verifies
 * @want: wanted values of the registers with the source INSTINCT_CONFIG_SEEN, by index in @table
 * @base: values of the same registers in @baseline
 * @baseline: config space of the function when it was last known good; NULL if it never was, and then
 *	@want holds only Command
 * @fixed: optional bits that the function turned out to hardwire, by index in @table
 * @no_l1: a restore keeps the function's link out of L1
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
	bool no_l1;
};

/**
 * instinct_config_command() - find the wanted value of the Command register
 * @config: wanted state of a function
 *
 * Return: a pointer to the value; a caller changes it under the GPU's reset_lock only.
 */
static inline u32 *instinct_config_command(struct instinct_config *config)
{
	/* Command is the last register of the table. */
	return &config->want[config->table.count - 1];
}

u32 instinct_endpoint_other(struct pci_dev *pdev);

/**
 * instinct_endpoint_answers() - does a function answer config reads?
 * @pdev: function
 *
 * Return: true if the function is there and ready.
 */
static inline bool instinct_endpoint_answers(struct pci_dev *pdev)
{
	return !instinct_endpoint_other(pdev);
}

/**
 * instinct_endpoint_stranger() - does something else answer in place of a function?
 * @other: result of instinct_endpoint_other()
 *
 * All ones mean that nothing answers. A root port with RRS software visibility returns a Vendor ID
 * of 0x0001 for a function that is not ready yet (PCIe r6.0 sec 2.3.2). Anything else comes from a
 * switch, which may have a placeholder.
 *
 * Return: true if the IDs are those of another function.
 */
static inline bool instinct_endpoint_stranger(u32 other)
{
	return other && other != ~0u && (other & 0xffff) != 1;
}

void instinct_config_setup(struct instinct_config *config, struct pci_dev *pdev,
			   const struct instinct_port *port, struct mutex *lock);
struct pci_saved_state *instinct_config_keep(struct instinct_config *config);
bool instinct_config_intact(const struct instinct_config *config);
void instinct_config_restore(struct instinct_config *config, struct pci_saved_state *state, bool force);
void instinct_config_set_base(struct instinct_config *config);
const struct instinct_config_field *
instinct_config_push(struct instinct_config *config, unsigned long sources, u64 *retried);
const struct instinct_config_field *
instinct_config_written(struct instinct_config *config, u64 where, u64 bytes,
			const u8 *val, u16 decodes, u64 *retried);

#endif /* _INSTINCT_CONFIG_H */
