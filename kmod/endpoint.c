// SPDX-License-Identifier: GPL-2.0-only
#include <linux/delay.h>
#include <linux/pci.h>

#include "device.h"
#include "endpoint.h"

/**
 * instinct_endpoint_answers() - does the function answer config reads?
 * @pdev: function
 *
 * A function answers only with its own IDs. All ones means that none answers; 0x0001 in
 * the Vendor ID is what a root port with RRS software visibility returns for a function
 * that is not ready yet (PCIe r6.0 sec 2.3.2); and a switch may answer with a placeholder.
 *
 * Return: true if the function is there and ready.
 */
bool instinct_endpoint_answers(struct pci_dev *pdev)
{
	u32 id;

	pci_read_config_dword(pdev, PCI_VENDOR_ID, &id);
	return id == (pdev->device << 16 | pdev->vendor);
}

/**
 * instinct_endpoint_thaw() - an error that froze a function is over
 * @pdev: function that was reset, and is back
 *
 * Where the PCI core has reset the slot it says so itself. Where it has given up, who asks
 * pci_channel_offline() would be told so until the function is enumerated anew.
 */
void instinct_endpoint_thaw(struct pci_dev *pdev)
{
	cmpxchg(&pdev->error_state, pci_channel_io_frozen, pci_channel_io_normal);
}

/* Where Linux believes a BAR to be, false if there is none or it has no place. */
static bool bar_region(struct pci_dev *pdev, int bar, struct pci_bus_region *region)
{
	struct resource *res = &pdev->resource[bar];

	if (!(res->flags & IORESOURCE_MEM) || res->flags & IORESOURCE_UNSET || !resource_size(res))
		return false;
	pcibios_resource_to_bus(pdev->bus, region, res);
	return true;
}

static bool bar_intact(struct pci_dev *pdev, int bar)
{
	struct pci_bus_region region;
	u32 low;

	if (!bar_region(pdev, bar, &region))
		return true;
	pci_read_config_dword(pdev, PCI_BASE_ADDRESS_0 + 4 * bar, &low);
	return (low & (u32)PCI_BASE_ADDRESS_MEM_MASK) == lower_32_bits(region.start);
}

/**
 * instinct_endpoint_intact() - are the BARs what Linux believes?
 * @pdev: function that answers
 *
 * Return: false if the function was reset without Linux having restored it.
 */
bool instinct_endpoint_intact(struct pci_dev *pdev)
{
	int i;

	for (i = 0; i < PCI_STD_NUM_BARS; i++)
		if (!bar_intact(pdev, i))
			return false;
	return true;
}

/**
 * instinct_endpoint_quiesce() - stop DMA
 * @pdev: function that answers
 *
 * Context: may sleep, about a second and a half if transactions do not drain.
 */
void instinct_endpoint_quiesce(struct pci_dev *pdev)
{
	pci_clear_master(pdev);
	if (!pci_wait_for_pending_transaction(pdev))
		pci_warn(pdev, "transactions still pending, resetting anyway\n");
}

/**
 * instinct_endpoint_keep() - the function's config state as it is now
 * @pdev: function that answers
 *
 * Return: the state, to be freed with kfree(), or NULL without memory.
 */
struct pci_saved_state *instinct_endpoint_keep(struct pci_dev *pdev)
{
	struct pci_saved_state *state;

	pci_save_state(pdev);
	state = pci_store_saved_state(pdev);
	pci_load_saved_state(pdev, NULL);
	return state;
}

/*
 * From what Linux believes, for want of a saved state: what the PCI core keeps of its own
 * (sizes of BARs, ATS), then the BARs.
 */
static void endpoint_rebuild(struct pci_dev *pdev)
{
	struct pci_dev *port = pci_upstream_bridge(pdev);
	struct pci_bus_region region;
	int i;

	pci_save_state(pdev);
	pci_restore_state(pdev);
	for (i = 0; i < PCI_STD_NUM_BARS; i++) {
		int at = PCI_BASE_ADDRESS_0 + 4 * i;

		if (!bar_region(pdev, i, &region))
			continue;
		pci_write_config_dword(pdev, at, lower_32_bits(region.start));
		if (pdev->resource[i].flags & IORESOURCE_MEM_64)
			pci_write_config_dword(pdev, at + 4, upper_32_bits(region.start));
	}
	pci_write_config_word(pdev, PCI_COMMAND, PCI_COMMAND_MEMORY);
	if (port)
		pcie_set_mps(pdev, pcie_get_mps(port));
}

/*
 * The header once more, whatever reads back: pci_restore_state() writes only
 * what reads back different, and there are switches on MI300X boards that go
 * on answering with the old BARs after the GPU lost them (Linux commit
 * 30d1cda8ce31). BARs with decoding off, Command last.
 */
static unsigned int endpoint_force_header(struct pci_dev *pdev)
{
	const u32 *saved = pdev->saved_config_space;
	unsigned int writes = 5;
	int i;

	pci_write_config_word(pdev, PCI_COMMAND,
			      saved[PCI_COMMAND / 4] &
				      ~(PCI_COMMAND_MEMORY | PCI_COMMAND_IO | PCI_COMMAND_MASTER));
	pci_write_config_byte(pdev, PCI_CACHE_LINE_SIZE, saved[PCI_CACHE_LINE_SIZE / 4] & 0xff);
	for (i = PCI_BASE_ADDRESS_0; i <= PCI_BASE_ADDRESS_5; i += 4, writes++)
		pci_write_config_dword(pdev, i, saved[i / 4]);
	pci_write_config_dword(pdev, PCI_ROM_ADDRESS, saved[PCI_ROM_ADDRESS / 4]);
	pci_write_config_byte(pdev, PCI_INTERRUPT_LINE, saved[PCI_INTERRUPT_LINE / 4] & 0xff);
	pci_write_config_word(pdev, PCI_COMMAND, saved[PCI_COMMAND / 4] & 0xffff);
	return writes;
}

/*
 * Without decoding, which comes on once, when the BARs are whole. Not with MSI-X
 * on: its table, in a BAR, is written here.
 */
static void endpoint_restore_state(struct pci_dev *pdev)
{
	u32 *command = &pdev->saved_config_space[PCI_COMMAND / 4];
	u32 saved = *command;

	if (!pdev->msix_enabled)
		*command &= ~(PCI_COMMAND_MEMORY | PCI_COMMAND_IO |
			      PCI_COMMAND_MASTER);
	pci_restore_state(pdev);
	*command = saved;
}

/**
 * instinct_endpoint_restore() - write the function's config space back
 * @pdev: function that answers
 * @state: from instinct_endpoint_keep(), or NULL if there never was one
 * @force: write the header even where it reads back as it was
 *
 * Capabilities first, since the size of a resizable BAR decides which bits of
 * its BAR hold; then the header; then MSI-X, whose table is
 * only reached now where the switch had lied about the BARs.
 *
 * Context: may sleep.
 *
 * Return: how many writes were forced.
 */
unsigned int instinct_endpoint_restore(struct pci_dev *pdev,
				       struct pci_saved_state *state, bool force)
{
	unsigned int forced = 0;

	if (!state) {
		endpoint_rebuild(pdev);
		return 0;
	}
	pci_load_saved_state(pdev, state);
	if (force) {
		endpoint_restore_state(pdev);
		forced = endpoint_force_header(pdev);
	} else {
		pci_restore_state(pdev);
	}
	pci_restore_msi_state(pdev);
	return forced;
}

#define D0_MS	10	/* from D3hot: PCIe r6.0 sec 5.9 */

/**
 * instinct_power_wake() - bring a device to D0 that is within reach
 * @dev: device
 *
 * Context: may sleep. Not under reset_lock: the PCI core takes pci_bus_sem for this, which
 * it holds when it resumes devices to recover from an error; vfio's take memory_lock then,
 * and who holds that may wait for a reset.
 */
void instinct_power_wake(struct instinct_device *dev)
{
	struct pci_dev *pdev = dev->pdev;

	if (pdev->current_state != PCI_D0 && instinct_fabric_intact(&dev->fabric) &&
	    instinct_endpoint_answers(pdev))
		pci_set_power_state(pdev, PCI_D0);
}

/**
 * instinct_power_restore() - bring a device to D0 that has come back into reach
 * @pdev: function
 *
 * By its register: the PCI core would take pci_bus_sem, which who recovers from an error
 * holds already. It may have been put to sleep before it was lost; or its slot was reset,
 * which leaves D0, whatever the core could not reach before.
 *
 * Context: may sleep, some ms; may be under reset_lock.
 */
void instinct_power_restore(struct pci_dev *pdev)
{
	int at = pdev->pm_cap + PCI_PM_CTRL;
	u16 control;

	if (pdev->current_state == PCI_D0 || !pdev->pm_cap ||
	    pci_read_config_word(pdev, at, &control))
		return;
	if (control & PCI_PM_CTRL_STATE_MASK) {
		pci_write_config_word(pdev, at, control & ~PCI_PM_CTRL_STATE_MASK);
		msleep(D0_MS);
		if (pci_read_config_word(pdev, at, &control))
			return;
	}
	if ((control & PCI_PM_CTRL_STATE_MASK) == (__force int)PCI_D0)
		pdev->current_state = PCI_D0;
}
