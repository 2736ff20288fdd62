// SPDX-License-Identifier: GPL-2.0-only
/*
 * Config spaces of the switch ports, of the package's own two, and of the
 * network card.
 */
#include <linux/moduleparam.h>
#include <linux/pci.h>
#include <linux/sizes.h>

#include "model.h"

static bool slots;
module_param(slots, bool, 0444);
MODULE_PARM_DESC(slots, "1: the switch's downstream ports are hot-plug slots");

#define ID_SWUS		0x10221500u
#define ID_SWDS		0x10021501u
#define ID_SWITCH	0x1000c030u

#define CAP_PM		0x40
#define CAP_MSI		0x48
#define CAP_EXP		0x68
#define CAP_SSVID	0xa4
#define EXT_AER		0x100
#define EXT_DSN		0x150
#define EXT_ACS		0x160
#define EXT_DPC		0x180
#define EXT_ATS		0x2b0

#define ACS_CAPABLE	(PCI_ACS_SV | PCI_ACS_TB | PCI_ACS_RR | PCI_ACS_CR | \
			 PCI_ACS_UF | PCI_ACS_EC | PCI_ACS_DT)
#define ACS_EGRESS_BITS	(8 << 8)	/* size of the egress control vector */

#define SERIAL_SWITCH	0x00c030b089104000ull
#define SERIAL_PACKAGE	0x0015000000300000ull
#define SERIAL_NIC	0x0c42a1ff00101e00ull

static void define_id(struct im_func *f, u32 id, u32 class)
{
	im_def(f, PCI_VENDOR_ID, 4, id >> 16 | id << 16, 0);
	im_def(f, PCI_COMMAND, 2, 0, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER |
	       PCI_COMMAND_PARITY | PCI_COMMAND_SERR | PCI_COMMAND_INTX_DISABLE);
	im_def_through(f, PCI_COMMAND, 2);
	im_def(f, PCI_STATUS, 2, PCI_STATUS_CAP_LIST, 0);
	im_def_w1c(f, PCI_STATUS, 2, 0xf900);
	im_def(f, PCI_CLASS_REVISION, 4, class << 8, 0);
	im_def(f, PCI_CACHE_LINE_SIZE, 1, 0, 0xff);
	/* No interrupt pin, as with the GPU. */
	im_def(f, PCI_INTERRUPT_LINE, 2, 0xff, 0xff);
}

static void define_bridge_header(struct im_func *f)
{
	im_def(f, PCI_HEADER_TYPE, 1, PCI_HEADER_TYPE_BRIDGE, 0);
	im_def(f, PCI_PRIMARY_BUS, 4, 0, 0x00ffffff);
	im_def_through(f, PCI_PRIMARY_BUS, 4);
	im_def(f, PCI_IO_BASE, 2, 0x00f0, 0);	/* base above limit: no window */
	im_def_w1c(f, PCI_SEC_STATUS, 2, 0xf900);
	im_def(f, PCI_MEMORY_BASE, 4, 0, 0xfff0fff0);
	im_def(f, PCI_PREF_MEMORY_BASE, 4, 0x00010001, 0xfff0fff0);
	im_def(f, PCI_PREF_BASE_UPPER32, 4, 0, ~0u);
	im_def(f, PCI_PREF_LIMIT_UPPER32, 4, 0, ~0u);
	im_def_through(f, PCI_MEMORY_BASE, 16);
	im_def(f, PCI_BRIDGE_CONTROL, 2, 0, PCI_BRIDGE_CTL_PARITY |
	       PCI_BRIDGE_CTL_SERR | PCI_BRIDGE_CTL_BUS_RESET);
	im_def_through(f, PCI_BRIDGE_CONTROL, 2);
}

static void define_dpc(struct im_func *f, int where, int *last)
{
	im_def_extcap(f, PCI_EXT_CAP_ID_DPC, 1, where, last);
	im_def(f, where + PCI_EXP_DPC_CTL, 2, 0, PCI_EXP_DPC_CTL_EN_FATAL |
	       PCI_EXP_DPC_CTL_EN_NONFATAL | PCI_EXP_DPC_CTL_INT_EN);
	im_def_w1c(f, where + PCI_EXP_DPC_STATUS, 2, PCI_EXP_DPC_STATUS_TRIGGER |
		   PCI_EXP_DPC_STATUS_INTERRUPT);
	f->dpc = where;
}

/* A slot without a power controller and attention button, always occupied. */
static void define_slot(struct im_func *f)
{
	im_def(f, f->exp + PCI_EXP_FLAGS, 2, im_def_get(f, f->exp + PCI_EXP_FLAGS, 2) |
	       PCI_EXP_FLAGS_SLOT, 0);
	im_def(f, f->exp + PCI_EXP_SLTCAP, 4, PCI_EXP_SLTCAP_HPS | PCI_EXP_SLTCAP_HPC |
	       PCI_EXP_SLTCAP_NCCS | (f->tree->index + 1) << 19, 0);
	im_def(f, f->exp + PCI_EXP_SLTCTL, 2, 0, 0x1fff);
	im_def(f, f->exp + PCI_EXP_SLTSTA, 2, PCI_EXP_SLTSTA_PDS, 0);
	im_def_w1c(f, f->exp + PCI_EXP_SLTSTA, 2, PCI_EXP_SLTSTA_PDC | PCI_EXP_SLTSTA_DLLSC);
}

static void define_acs(struct im_func *f, int where, int *last)
{
	f->acs = where;
	im_def_extcap(f, PCI_EXT_CAP_ID_ACS, 1, where, last);
	im_def(f, where + PCI_ACS_CAP, 2, ACS_CAPABLE | ACS_EGRESS_BITS, 0);
	im_def(f, where + PCI_ACS_CTRL, 2, 0, ACS_CAPABLE);
	im_def(f, where + PCI_ACS_EGRESS_CTL_V, 4, 0, 0xff);
}

/**
 * im_port_define() - define the config space of a switch port
 * @f: a port of the board's switch or of the package's
 */
void im_port_define(struct im_func *f)
{
	bool package = f->role == IM_SWUS || f->role == IM_SWDS;
	bool down = f->role == IM_SWDS || f->role == IM_SWITCH_DOWN;
	u32 id = f->role == IM_SWUS ? ID_SWUS : f->role == IM_SWDS ? ID_SWDS : ID_SWITCH;
	int last = 0;

	define_id(f, id, PCI_CLASS_BRIDGE_PCI << 8);
	define_bridge_header(f);

	im_def_pm(f, CAP_PM, &last);
	im_def_msi(f, CAP_MSI, &last);
	im_def_exp(f, CAP_EXP, &last, down ? PCI_EXP_TYPE_DOWNSTREAM : PCI_EXP_TYPE_UPSTREAM);
	im_def_cap(f, PCI_CAP_ID_SSVID, CAP_SSVID, &last);
	im_def(f, CAP_SSVID + PCI_SSVID_VENDOR_ID, 4, id >> 16 | id << 16, 0);

	im_def_aer(f, EXT_AER, &last);
	im_def_dsn(f, EXT_DSN, &last,
		   (package ? SERIAL_PACKAGE : SERIAL_SWITCH) + f->tree->index);
	f->aer = EXT_AER;
	if (down)
		define_acs(f, EXT_ACS, &last);
	if (f->role == IM_SWITCH_DOWN)
		define_dpc(f, EXT_DPC, &last);
	if (f->role == IM_SWITCH_DOWN && slots)
		define_slot(f);

	im_space_reset(f);
}

/**
 * im_nic_define() - define the config space of a network card
 * @f: the function
 * @pdev: QEMU's device, which keeps its BARs
 */
void im_nic_define(struct im_func *f, struct pci_dev *pdev)
{
	int last = 0;
	int i;

	define_id(f, im_board->nic, PCI_CLASS_NETWORK_ETHERNET << 8);
	im_def(f, PCI_SUBSYSTEM_VENDOR_ID, 4, im_board->nic >> 16 | im_board->nic << 16, 0);

	for (i = 0; i < PCI_STD_NUM_BARS; i++) {
		unsigned long flags = pci_resource_flags(pdev, i);
		u64 mask = ~((u64)pci_resource_len(pdev, i) - 1);
		int where = PCI_BASE_ADDRESS_0 + 4 * i;

		if (!(flags & IORESOURCE_MEM) || !pci_resource_len(pdev, i))
			continue;
		im_def(f, where, 4, flags & ~PCI_BASE_ADDRESS_MEM_MASK & 0xf,
		       mask & PCI_BASE_ADDRESS_MEM_MASK);
		im_def_through(f, where, 4);
		if (flags & IORESOURCE_MEM_64) {
			im_def(f, where + 4, 4, 0, mask >> 32);
			im_def_through(f, where + 4, 4);
			i++;
		}
	}

	im_def_pm(f, CAP_PM, &last);
	im_def_exp(f, CAP_EXP, &last, PCI_EXP_TYPE_ENDPOINT);
	im_def_aer(f, EXT_AER, &last);
	im_def_dsn(f, EXT_DSN, &last, SERIAL_NIC + f->tree->index);
	im_def_ats(f, EXT_ATS, &last);

	im_space_reset(f);
}

/**
 * im_nic_set_ats() - show or hide ATS of a tree's network card
 * @tree: the tree
 * @present: true shows ATS, from the next scan on
 *
 * Context: any, with the tree's lock held.
 */
void im_nic_set_ats(struct im_tree *tree, bool present)
{
	u16 id = present ? PCI_EXT_CAP_ID_ATS : 0;
	struct im_func *f;

	/* ID 0 marks a null capability (PCIe r6.0 sec 7.9.28). */
	list_for_each_entry(f, &tree->funcs, node)
		if (f->role == IM_NIC) {
			memcpy(f->cfg + EXT_ATS, &id, sizeof(id));
			memcpy(f->def + EXT_ATS, &id, sizeof(id));
		}
}

/**
 * im_root_define() - define how a root port differs from QEMU's
 * @f: the function
 * @exp: offset of the PCI Express capability
 *
 * The shadow, not QEMU, provides the bits in the write mask.
 */
void im_root_define(struct im_func *f, int exp)
{
	f->exp = exp;
	im_def(f, exp + PCI_EXP_LNKCAP, 4, IM_LINK_SPEED | IM_LINK_WIDTH << 4,
	       PCI_EXP_LNKCAP_SLS | PCI_EXP_LNKCAP_MLW);
	im_def(f, exp + PCI_EXP_LNKSTA, 2,
	       IM_LINK_SPEED | IM_LINK_WIDTH << PCI_EXP_LNKSTA_NLW_SHIFT,
	       PCI_EXP_LNKSTA_CLS | PCI_EXP_LNKSTA_NLW);
	im_def(f, exp + PCI_EXP_LNKCAP2, 4, IM_LINK_SPEEDS, 0xfe);
	im_def(f, exp + PCI_EXP_LNKCTL, 1, 0, PCI_EXP_LNKCTL_LD);
	im_space_reset(f);
}

typedef u32 (*read_fn)(struct im_func *f, int where, int size);

static bool within_windows(struct im_func *f, read_fn read, u64 start, u64 size)
{
	u64 end = start + size - 1;
	u64 base, limit;

	if (!(read(f, PCI_COMMAND, 2) & PCI_COMMAND_MEMORY))
		return false;

	base = (u64)(read(f, PCI_MEMORY_BASE, 2) & 0xfff0) << 16;
	limit = (u64)(read(f, PCI_MEMORY_LIMIT, 2) & 0xfff0) << 16 | (SZ_1M - 1);
	if (start >= base && end <= limit)
		return true;

	base = (u64)(read(f, PCI_PREF_MEMORY_BASE, 2) & 0xfff0) << 16 |
	       (u64)read(f, PCI_PREF_BASE_UPPER32, 4) << 32;
	limit = (u64)(read(f, PCI_PREF_MEMORY_LIMIT, 2) & 0xfff0) << 16 | (SZ_1M - 1) |
		(u64)read(f, PCI_PREF_LIMIT_UPPER32, 4) << 32;
	return start >= base && end <= limit;
}

static u32 read_shadow(struct im_func *f, int where, int size)
{
	return im_space_read(f, where, size);
}

/**
 * im_port_forwards() - whether a port forwards a memory range downstream
 * @f: a port of a switch or a package
 * @start: first address
 * @size: length in bytes
 *
 * Context: any, with the tree's lock held.
 * Return: true if the range lies in one of the port's windows and the port
 * decodes memory.
 */
bool im_port_forwards(struct im_func *f, u64 start, u64 size)
{
	return within_windows(f, read_shadow, start, size);
}

/**
 * im_root_forwards() - whether QEMU's root port forwards a memory range downstream
 * @f: the root port
 * @start: first address
 * @size: length in bytes
 *
 * Context: any, with the tree's lock held.
 * Return: true if the range lies in one of the port's windows and the port
 * decodes memory.
 */
bool im_root_forwards(struct im_func *f, u64 start, u64 size)
{
	return within_windows(f, im_real_read, start, size);
}
