// SPDX-License-Identifier: GPL-2.0-only
#include <linux/io.h>
#include <linux/pci.h>

#include "discovery.h"
#include "profile.h"
#include "registers.h"

/**
 * instinct_registers_map() - map the register BAR
 * @regs: filled in; @regs->map is NULL if there is nothing to map
 * @pdev: function
 * @family: facts
 *
 * The region is not requested: vfio does that when a user maps the BAR.
 *
 * Context: may sleep.
 */
void instinct_registers_map(struct instinct_registers *regs,
			    struct pci_dev *pdev,
			    const struct instinct_family *family)
{
	int bar = family->register_bar;

	regs->pdev = pdev;
	regs->family = family;
	regs->map = NULL;
	if (pci_resource_start(pdev, bar) &&
	    pci_resource_flags(pdev, bar) & IORESOURCE_MEM &&
	    pci_resource_len(pdev, bar) >= family->register_bytes)
		regs->map = ioremap(pci_resource_start(pdev, bar),
				    family->register_bytes);
}

/**
 * instinct_registers_unmap() - undo instinct_registers_map()
 * @regs: mapped or not
 */
void instinct_registers_unmap(struct instinct_registers *regs)
{
	if (regs->map)
		iounmap(regs->map);
	regs->map = NULL;
}

/**
 * instinct_registers_open() - turn memory decoding on
 * @regs: of a function that answers config reads: an MMIO read of one that
 *	does not can cost milliseconds or a machine check
 *
 * Context: may sleep; under the device's reset_lock.
 *
 * Return: the Command register as it was, for instinct_registers_close().
 */
u16 instinct_registers_open(struct instinct_registers *regs)
{
	u16 command;

	pci_read_config_word(regs->pdev, PCI_COMMAND, &command);
	pci_write_config_word(regs->pdev, PCI_COMMAND,
			      command | PCI_COMMAND_MEMORY);
	return command;
}

/**
 * instinct_registers_close() - put the Command register back
 * @regs: of the function
 * @command: from instinct_registers_open()
 */
void instinct_registers_close(struct instinct_registers *regs, u16 command)
{
	pci_write_config_word(regs->pdev, PCI_COMMAND, command);
}

/**
 * instinct_registers_read() - read a register
 * @regs: mapped and open
 * @offset: in bytes, inside the mapping
 *
 * Return: its value, all ones if the device does not answer.
 */
u32 instinct_registers_read(const struct instinct_registers *regs, u32 offset)
{
	return readl(regs->map + offset);
}

/**
 * instinct_registers_write() - write a register
 * @regs: mapped and open
 * @offset: in bytes, inside the mapping
 * @val: value
 */
void instinct_registers_write(const struct instinct_registers *regs, u32 offset,
			      u32 val)
{
	writel(val, regs->map + offset);
}

/**
 * instinct_registers_alive() - does the device show life through MMIO?
 * @regs: open
 *
 * Config reads prove little, since a switch may answer them. The memory-size
 * register reads all ones while the device is dead (amdgpu waits for the same
 * in amdgpu_device_mode1_reset()), and 0 before its firmware has run.
 *
 * Return: true if it does.
 */
bool instinct_registers_alive(const struct instinct_registers *regs)
{
	u32 mib;

	if (!regs->map)
		return false;
	mib = instinct_registers_read(regs, regs->family->memory_size);
	return mib && mib != ~0u;
}

/**
 * instinct_registers_read_discovery() - copy the IP discovery binary
 * @regs: open, of a device that is alive
 * @bin: INSTINCT_DISCOVERY_BYTES long
 * @why: set to the reason, for people, on failure
 *
 * Context: may sleep.
 *
 * Return: 0, -ENXIO if the VRAM BAR does not reach it, -ENOMEM.
 */
int instinct_registers_read_discovery(const struct instinct_registers *regs,
				      u8 *bin, const char **why)
{
	const struct instinct_family *family = regs->family;
	u32 mib = instinct_registers_read(regs, family->memory_size);
	u64 at = ((u64)mib << 20) - family->discovery_from_end;
	u64 len = pci_resource_len(regs->pdev, family->vram_bar);
	void __iomem *map;

	if (!mib || mib == ~0u || !len || at > len ||
	    len - at < INSTINCT_DISCOVERY_BYTES) {
		*why = "the VRAM BAR does not reach the IP discovery table";
		return -ENXIO;
	}
	map = ioremap(pci_resource_start(regs->pdev, family->vram_bar) + at,
		      INSTINCT_DISCOVERY_BYTES);
	if (!map) {
		*why = "no memory to map the IP discovery table";
		return -ENOMEM;
	}
	memcpy_fromio(bin, map, INSTINCT_DISCOVERY_BYTES);
	iounmap(map);
	return 0;
}
