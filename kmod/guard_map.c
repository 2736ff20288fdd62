// SPDX-License-Identifier: GPL-2.0-only
/* Where a function has what its guard looks at. */
#include <linux/pci.h>

#include "guard_state.h"

static u32 bar_bits(struct pci_dev *pdev, int bar)
{
	struct resource *res = &pdev->resource[bar];
	u64 bits;

	if (bar > 0 && pdev->resource[bar - 1].flags & IORESOURCE_MEM_64 &&
	    resource_size(&pdev->resource[bar - 1]))
		return ~(resource_size(&pdev->resource[bar - 1]) - 1) >> 32;
	if (!(res->flags & IORESOURCE_MEM) || !resource_size(res))
		return 0;
	bits = ~(resource_size(res) - 1);
	return (u32)bits & (u32)PCI_BASE_ADDRESS_MEM_MASK;
}

/* Hardware may have one so near to the end that its registers would lie behind it. */
static u16 fitting(u16 at, int bytes)
{
	return at <= PCI_CFG_SPACE_EXP_SIZE - bytes ? at : 0;
}

static u16 ext_cap(struct pci_dev *pdev, int id, int bytes)
{
	return fitting(pci_find_ext_capability(pdev, id), bytes);
}

/*
 * By what the PCI core has found when the function came, as far as it keeps that: one that
 * is lost now does not tell where it has anything, and is guarded when it is back.
 */
static void map_config(struct instinct_guard *guard)
{
	struct pci_dev *pdev = guard->pdev;
	struct instinct_config_facts facts = {
		.bridge = pdev->hdr_type == PCI_HEADER_TYPE_BRIDGE,
		.pm = pdev->pm_cap,
		.msi = pdev->msi_cap,
		.msix = pdev->msix_cap,
		.exp = pci_pcie_cap(pdev),
		.aer = ext_cap(pdev, PCI_EXT_CAP_ID_ERR, PCI_ERR_HEADER_LOG),
		.acs = fitting(pdev->acs_cap, PCI_ACS_EGRESS_CTL_V),
		.ats = fitting(pdev->ats_cap, PCI_EXT_CAP_ATS_SIZEOF),
		.pri = ext_cap(pdev, PCI_EXT_CAP_ID_PRI, PCI_EXT_CAP_PRI_SIZEOF),
		.pasid = ext_cap(pdev, PCI_EXT_CAP_ID_PASID, PCI_EXT_CAP_PASID_SIZEOF),
		.rebar = ext_cap(pdev, PCI_EXT_CAP_ID_REBAR, PCI_REBAR_CTRL + 4),
	};
	u16 flags = 0;
	int i;

	if (facts.msi)
		pci_read_config_word(pdev, facts.msi + PCI_MSI_FLAGS, &flags);
	facts.msi_64 = flags & PCI_MSI_FLAGS_64BIT;
	for (i = 0; !facts.bridge && i < INSTINCT_CONFIG_BARS; i++)
		facts.bar[i] = bar_bits(pdev, i);
	instinct_config_map_build(&guard->keeper.map, &facts);
}

static void map_prompt(struct instinct_guard *guard)
{
	const struct instinct_config_facts *facts = &guard->keeper.map.facts;
	const u16 at[] = {
		PCI_COMMAND,
		PCI_CACHE_LINE_SIZE,
		facts->exp ? facts->exp + PCI_EXP_DEVCTL : 0,
		facts->pm ? facts->pm + PCI_PM_CTRL : 0,
		facts->msi,
		facts->msix,
		facts->ats ? facts->ats + PCI_ATS_CTRL : 0,
		facts->pri ? facts->pri + PCI_PRI_CTRL : 0,
		facts->pasid ? facts->pasid + PCI_PASID_CTRL : 0,
		facts->aer ? facts->aer + PCI_ERR_COR_MASK : 0,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(at); i++)
		if (at[i])
			__set_bit(at[i] / 4, guard->prompt);
}

/**
 * instinct_guard_map() - learn what registers a function has, and which of them matter
 * @guard: of the function, which nobody asks yet
 *
 * Context: may sleep.
 */
void instinct_guard_map(struct instinct_guard *guard)
{
	const struct instinct_config_facts *facts = &guard->keeper.map.facts;

	map_config(guard);
	guard->touch = (struct instinct_touch_map) {
		.pmcsr = facts->pm ? facts->pm + PCI_PM_CTRL : 0,
		.msi = facts->msi,
		.msix = facts->msix,
		.iommu = { facts->ats, facts->pri, facts->pasid },
	};
	guard->devctl = facts->exp + PCI_EXP_DEVCTL;
	map_prompt(guard);
}
