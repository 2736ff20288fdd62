// SPDX-License-Identifier: GPL-2.0-only
#include <linux/io.h>
#include <linux/pci.h>

#include "core/profile.h"
#include "hardware/config.h"
#include "hardware/discovery.h"
#include "hardware/registers.h"

/* Maps a part of a BAR. Returns NULL if the BAR has no address or ends before, or without memory. */
static void __iomem *bar_map(struct pci_dev *pdev, int bar, u64 at, u64 bytes)
{
	const struct resource *res = &pdev->resource[bar];

	if (!(res->flags & IORESOURCE_MEM) || res->flags & IORESOURCE_UNSET || !res->start ||
	    at > resource_size(res) || resource_size(res) - at < bytes)
		return NULL;
	return ioremap(res->start + at, bytes);
}

/**
 * instinct_registers_map() - map the register BAR
 * @regs: set; @regs->map is NULL if the BAR has no address or is too small
 * @pdev: function
 * @family: hardware facts
 * @lock: the GPU's reset_lock
 *
 * The function does not request the region: vfio-pci-core does so when a user maps the BAR.
 *
 * Context: may sleep.
 */
void instinct_registers_map(struct instinct_registers *regs, struct pci_dev *pdev,
			    const struct instinct_family *family, struct mutex *lock)
{
	regs->lock = lock;
	regs->pdev = pdev;
	regs->family = family;
	regs->map = bar_map(pdev, family->register_bar, 0, family->register_bytes);
}

/**
 * instinct_registers_open() - turn memory decoding on
 * @regs: registers of a GPU
 *
 * The function writes nothing to a GPU that does not answer config reads. A caller must not read
 * registers of such a GPU: an MMIO read can cost milliseconds or a machine check.
 *
 * Context: may sleep; under the device's reset_lock.
 *
 * Return: the old value of Command, for instinct_registers_close(), or all ones if the GPU does not
 * answer.
 */
u16 instinct_registers_open(struct instinct_registers *regs)
{
	u16 command = U16_MAX;

	lockdep_assert_held(regs->lock);
	if (instinct_endpoint_answers(regs->pdev))
		pci_read_config_word(regs->pdev, PCI_COMMAND, &command);
	if (command != U16_MAX)
		pci_write_config_word(regs->pdev, PCI_COMMAND, command | PCI_COMMAND_MEMORY);
	return command;
}

/**
 * instinct_registers_close() - put the Command register back
 * @regs: registers of a GPU
 * @command: value from instinct_registers_open()
 */
void instinct_registers_close(struct instinct_registers *regs, u16 command)
{
	if (command != U16_MAX && instinct_endpoint_answers(regs->pdev))
		pci_write_config_word(regs->pdev, PCI_COMMAND, command);
}

/* GIM accepts neither a larger memory size nor all ones (mi300_gpuiov.c). */
#define MEMORY_MAX_MIB	0x80000u

/**
 * instinct_registers_alive() - does the device show life through MMIO?
 * @regs: open registers
 *
 * Config reads prove little, since a switch may answer them. The register with the memory size
 * reads all ones while the device is dead (amdgpu_device_mode1_reset() waits for the same), and 0
 * before the firmware has run.
 *
 * Return: true if the register holds a size that a GPU can have.
 */
bool instinct_registers_alive(const struct instinct_registers *regs)
{
	u32 mib;

	if (!regs->map)
		return false;
	mib = readl(regs->map + regs->family->memory_size);
	return mib && mib < MEMORY_MAX_MIB;
}

/* Copies @bytes from the offset @at in video memory. May sleep. */
static int vram_read(const struct instinct_registers *regs, u64 at, u8 *bin, size_t bytes,
		     const char **why)
{
	void __iomem *map = bar_map(regs->pdev, regs->family->vram_bar, at, INSTINCT_DISCOVERY_BYTES);

	if (!map) {
		*why = "the VRAM BAR does not reach the IP discovery table, or has no address";
		return -ENXIO;
	}
	memcpy_fromio(bin, map, bytes);
	iounmap(map);
	return 0;
}

/**
 * instinct_registers_read_discovery() - copy the IP discovery binary, or its first bytes
 * @regs: open registers of a device that is alive
 * @bin: buffer for the binary, set
 * @bytes: number of bytes to copy, up to INSTINCT_DISCOVERY_BYTES
 * @why: set to an error text on failure
 *
 * Context: may sleep.
 *
 * Return: 0, or -ENXIO if the VRAM BAR does not reach the binary or cannot be mapped.
 */
int instinct_registers_read_discovery(const struct instinct_registers *regs,
				      u8 *bin, size_t bytes, const char **why)
{
	const struct instinct_family *family = regs->family;
	u64 at = ((u64)readl(regs->map + family->memory_size) << 20) -
		 family->discovery_from_end, elsewhere;
	int ret = vram_read(regs, at, bin, bytes, why);

	/* The place of amdgpu_discovery_get_tmr_info() counts if the usual one has no table. */
	if ((!ret && le32_to_cpup((const __le32 *)bin) == INSTINCT_DISCOVERY_SIGNATURE) ||
	    !readl(regs->map + family->scratch + 8))
		return ret;
	elsewhere = readl(regs->map + family->scratch) |
		    (u64)readl(regs->map + family->scratch + 4) << 32;
	return vram_read(regs, elsewhere, bin, bytes, why);
}
