// SPDX-License-Identifier: GPL-2.0-only
#include <linux/pci_regs.h>
#include <linux/vfio.h>

#include "touch.h"

/* Control is in the second dword of ATS, PRI and PASID; PRI goes on behind it. */
#define IOMMU_CONTROL	4
static const u8 iommu_ends[] = { 8, 16, 8 };

static bool overlaps(int where, int size, int at, int bytes)
{
	return at && where < at + bytes && where + size > at;
}

/* The byte of @val that lands at @at. */
static u8 byte_at(int where, u32 val, int at)
{
	return val >> (8 * (at - where));
}

static bool touch_command(int where, u32 val)
{
	u8 low;

	/* Bus master and memory decoding are in the first byte. */
	if (where > PCI_COMMAND)
		return false;
	low = byte_at(where, val, PCI_COMMAND);
	return low & (PCI_COMMAND_MASTER | PCI_COMMAND_MEMORY);
}

/* Linux's own, when a user switches INTx: all else as it was. */
static bool only_intx(u16 before, int where, int size, u32 val)
{
	return where == PCI_COMMAND && size == 2 &&
	       (before ^ val) == PCI_COMMAND_INTX_DISABLE &&
	       !(val & PCI_COMMAND_MASTER);
}

/* MSI has its enable bit in the control register's first byte, MSI-X in the
 * second.
 */
static bool touch_msi(int where, int size, u32 val, int at, u8 enable)
{
	return where > at || where + size <= at ||
	       byte_at(where, val, at) & enable;
}

/**
 * instinct_touch_config() - does a config write that reaches it touch a device?
 * @map: of the function
 * @before: Command register as it was written last
 * @where: offset of the write
 * @size: its size in bytes: 1, 2 or 4
 * @val: what is written
 *
 * What Linux itself writes to a device that nobody uses does not: the IOMMU
 * driver's ATS, PRI and PASID, the power state, what switches off interrupts,
 * memory decoding or bus mastering. All else does, known or not.
 *
 * Return: true if the device can no longer be called clean.
 */
bool instinct_touch_config(const struct instinct_touch_map *map, u16 before,
			   int where, int size, u32 val)
{
	unsigned int i;

	if (overlaps(where, size, PCI_COMMAND, 2))
		return !only_intx(before, where, size, val) &&
		       touch_command(where, val);
	if (overlaps(where, size, map->pmcsr, 2))
		return false;
	if (overlaps(where, size, map->msi, 4))
		return touch_msi(where, size, val, map->msi + PCI_MSI_FLAGS,
				 PCI_MSI_FLAGS_ENABLE);
	if (overlaps(where, size, map->msix, 4))
		return touch_msi(where, size, val, map->msix + PCI_MSIX_FLAGS + 1,
				 PCI_MSIX_FLAGS_ENABLE >> 8);
	for (i = 0; i < ARRAY_SIZE(iommu_ends); i++)
		if (map->iommu[i] &&
		    overlaps(where, size, map->iommu[i] + IOMMU_CONTROL,
			     iommu_ends[i] - IOMMU_CONTROL))
			return false;
	return true;
}

/**
 * instinct_touch_feature() - does VFIO_DEVICE_FEATURE touch a device?
 * @flags: struct vfio_device_feature's
 *
 * Return: true unless it only asks. Features that this driver has never heard
 * of are taken to let others at the device.
 */
bool instinct_touch_feature(u32 flags)
{
	u32 feature = flags & VFIO_DEVICE_FEATURE_MASK;

	if (flags & VFIO_DEVICE_FEATURE_PROBE)
		return false;
	/* Up to here a "get" only tells; after it there is DMA-BUF. */
	return flags & VFIO_DEVICE_FEATURE_SET ||
	       feature > VFIO_DEVICE_FEATURE_MIG_DEVICE_STATE;
}
