// SPDX-License-Identifier: GPL-2.0-only
/*
 * The shadow config space of a function, and its capabilities.
 */
#include <linux/pci.h>
#include <linux/string.h>

#include "model.h"

/**
 * im_space_read() - read the shadow
 * @f: the function
 * @where: offset
 * @size: 1, 2 or 4 bytes
 *
 * Context: any, with the tree's lock held.
 * Return: the value.
 */
u32 im_space_read(const struct im_func *f, int where, int size)
{
	u32 val = 0;
	int i;

	for (i = 0; i < size; i++)
		val |= (u32)f->cfg[where + i] << (8 * i);
	return val;
}

/**
 * im_space_write() - write the shadow as hardware would
 * @f: the function
 * @where: offset
 * @size: 1, 2 or 4 bytes
 * @val: the value to write
 *
 * Context: any, with the tree's lock held.
 */
void im_space_write(struct im_func *f, int where, int size, u32 val)
{
	int i;

	for (i = where; i < where + size; i++, val >>= 8) {
		f->cfg[i] &= ~(val & f->w1c[i]);
		f->cfg[i] = (f->cfg[i] & ~f->wmask[i]) | (val & f->wmask[i]);
	}
}

/**
 * im_space_reset() - give every register its value after a reset
 * @f: the function
 *
 * The real function keeps its values.
 *
 * Context: any, with the tree's lock held.
 */
void im_space_reset(struct im_func *f)
{
	memcpy(f->cfg, f->def, sizeof(f->cfg));
}

/**
 * im_def() - define a register
 * @f: the function
 * @where: offset
 * @size: 1, 2 or 4 bytes
 * @val: its value after a reset
 * @wmask: bits that can be written
 */
void im_def(struct im_func *f, int where, int size, u32 val, u32 wmask)
{
	int i;

	for (i = where; i < where + size; i++, val >>= 8, wmask >>= 8) {
		f->def[i] = val;
		f->wmask[i] = wmask;
	}
}

/**
 * im_def_w1c() - define the write-1-to-clear bits of a register
 * @f: the function
 * @where: offset
 * @size: 1, 2 or 4 bytes
 * @w1c: the bits
 */
void im_def_w1c(struct im_func *f, int where, int size, u32 w1c)
{
	int i;

	for (i = where; i < where + size; i++, w1c >>= 8)
		f->w1c[i] = w1c;
}

/**
 * im_def_through() - mark registers whose writes also go to the real function
 * @f: the function
 * @where: offset
 * @len: number of bytes, whole words
 */
void im_def_through(struct im_func *f, int where, int len)
{
	memset(f->through + where, 1, len);
}

/**
 * im_def_get() - read a register's value as im_def() defined it
 * @f: the function
 * @where: offset
 * @size: 1, 2 or 4 bytes
 *
 * Return: the value after a reset.
 */
u32 im_def_get(const struct im_func *f, int where, int size)
{
	u32 val = 0;
	int i;

	for (i = 0; i < size; i++)
		val |= (u32)f->def[where + i] << (8 * i);
	return val;
}

/**
 * im_def_cap() - define the header of a capability and link it in
 * @f: the function
 * @id: the capability
 * @where: offset
 * @last: offset of the previous capability, 0 for none; set to @where
 */
void im_def_cap(struct im_func *f, u8 id, int where, int *last)
{
	f->def[where + PCI_CAP_LIST_ID] = id;
	f->def[*last ? *last + PCI_CAP_LIST_NEXT : PCI_CAPABILITY_LIST] = where;
	*last = where;
}

/**
 * im_def_extcap() - define the header of an extended capability, link it in
 * @f: the function
 * @id: the capability
 * @version: its version
 * @where: offset, PCI_CFG_SPACE_SIZE for the first one
 * @last: offset of the previous capability; set to @where
 */
void im_def_extcap(struct im_func *f, u16 id, u8 version, int where, int *last)
{
	im_def(f, where, 4, id | version << 16, 0);
	if (where != PCI_CFG_SPACE_SIZE)
		im_def(f, *last + 2, 2, where << 4 | (im_def_get(f, *last + 2, 2) & 0xf), 0);
	*last = where;
}

/**
 * im_def_pm() - define power management: D0 and D3hot, no soft reset
 * @f: the function
 * @where: offset
 * @last: as in im_def_cap()
 */
void im_def_pm(struct im_func *f, int where, int *last)
{
	f->pm = where;
	im_def_cap(f, PCI_CAP_ID_PM, where, last);
	im_def(f, where + PCI_PM_PMC, 2, 3, 0);
	im_def(f, where + PCI_PM_CTRL, 2, PCI_PM_CTRL_NO_SOFT_RESET, PCI_PM_CTRL_STATE_MASK);
}

/**
 * im_def_msi() - define MSI: one message, a 64-bit address
 * @f: the function
 * @where: offset
 * @last: as in im_def_cap()
 */
void im_def_msi(struct im_func *f, int where, int *last)
{
	im_def_cap(f, PCI_CAP_ID_MSI, where, last);
	im_def(f, where + PCI_MSI_FLAGS, 2, PCI_MSI_FLAGS_64BIT, PCI_MSI_FLAGS_ENABLE);
	im_def(f, where + PCI_MSI_ADDRESS_LO, 4, 0, ~3u);
	im_def(f, where + PCI_MSI_ADDRESS_HI, 4, 0, ~0u);
	im_def(f, where + PCI_MSI_DATA_64, 2, 0, 0xffff);
}

/**
 * im_def_exp() - define PCI Express, at 32 GT/s and 16 lanes
 * @f: the function
 * @where: offset
 * @last: as in im_def_cap()
 * @type: PCI_EXP_TYPE_*
 */
void im_def_exp(struct im_func *f, int where, int *last, int type)
{
	u32 lnkctl = PCI_EXP_LNKCTL_ASPMC | PCI_EXP_LNKCTL_RCB | PCI_EXP_LNKCTL_CCC |
		     PCI_EXP_LNKCTL_ES;
	u32 devcap = PCI_EXP_DEVCAP_RBER | PCI_EXP_DEVCAP_EXT_TAG | 2; /* payload: 512 */
	u32 lnkcap = IM_LINK_SPEED | IM_LINK_WIDTH << 4;
	u32 lnksta = IM_LINK_SPEED | IM_LINK_WIDTH << PCI_EXP_LNKSTA_NLW_SHIFT | PCI_EXP_LNKSTA_SLC;

	if (type == PCI_EXP_TYPE_ENDPOINT)
		devcap |= PCI_EXP_DEVCAP_FLR;
	if (type == PCI_EXP_TYPE_DOWNSTREAM) {
		lnkctl |= PCI_EXP_LNKCTL_LD;
		lnkcap |= PCI_EXP_LNKCAP_DLLLARC;
		lnksta |= PCI_EXP_LNKSTA_DLLLA;
	}

	f->exp = where;
	im_def_cap(f, PCI_CAP_ID_EXP, where, last);
	im_def(f, where + PCI_EXP_FLAGS, 2, 2 | type << 4, 0);
	im_def(f, where + PCI_EXP_DEVCAP, 4, devcap, 0);
	im_def(f, where + PCI_EXP_DEVCTL, 2, PCI_EXP_DEVCTL_RELAX_EN |
	       PCI_EXP_DEVCTL_NOSNOOP_EN | PCI_EXP_DEVCTL_READRQ_512B,
	       0x7fff & ~(PCI_EXP_DEVCTL_PHANTOM | PCI_EXP_DEVCTL_AUX_PME));
	im_def_w1c(f, where + PCI_EXP_DEVSTA, 2, 0xf);
	im_def(f, where + PCI_EXP_LNKCAP, 4, lnkcap, 0);
	im_def(f, where + PCI_EXP_LNKCTL, 2, 0, lnkctl);
	im_def(f, where + PCI_EXP_LNKSTA, 2, lnksta, 0);
	im_def_w1c(f, where + PCI_EXP_LNKSTA, 2, PCI_EXP_LNKSTA_LBMS | PCI_EXP_LNKSTA_LABS);
	im_def(f, where + PCI_EXP_DEVCAP2, 4, PCI_EXP_DEVCAP2_COMP_TMOUT_DIS | 0xf, 0);
	im_def(f, where + PCI_EXP_DEVCTL2, 2, 0, 0x1f);
	im_def(f, where + PCI_EXP_LNKCAP2, 4, IM_LINK_SPEEDS, 0);
	im_def(f, where + PCI_EXP_LNKCTL2, 2, IM_LINK_SPEED, 0xf);
	im_def(f, where + PCI_EXP_LNKSTA2, 2, 0x1e, 0);	/* equalization is done */
}

/**
 * im_def_aer() - define Advanced Error Reporting
 * @f: the function
 * @where: offset
 * @last: as in im_def_extcap()
 */
void im_def_aer(struct im_func *f, int where, int *last)
{
	const u32 uncorrectable = 0x05fff030, correctable = 0x0000f1c1;

	im_def_extcap(f, PCI_EXT_CAP_ID_ERR, 2, where, last);
	im_def_w1c(f, where + PCI_ERR_UNCOR_STATUS, 4, uncorrectable);
	im_def(f, where + PCI_ERR_UNCOR_MASK, 4, 0x00400000, uncorrectable);
	im_def(f, where + PCI_ERR_UNCOR_SEVER, 4, 0x00462030, uncorrectable);
	im_def_w1c(f, where + PCI_ERR_COR_STATUS, 4, correctable);
	im_def(f, where + PCI_ERR_COR_MASK, 4, 0x0000e000, correctable);
}

/**
 * im_def_dsn() - define the Device Serial Number
 * @f: the function
 * @where: offset
 * @last: as in im_def_extcap()
 * @serial: the number
 */
void im_def_dsn(struct im_func *f, int where, int *last, u64 serial)
{
	im_def_extcap(f, PCI_EXT_CAP_ID_DSN, 1, where, last);
	im_def(f, where + 4, 4, serial, 0);
	im_def(f, where + 8, 4, serial >> 32, 0);
}

/**
 * im_def_ats() - define Address Translation Services: 32 requests, aligned
 * @f: the function
 * @where: offset
 * @last: as in im_def_extcap()
 *
 * ATS is a register only: QEMU's function never requests a translation.
 */
void im_def_ats(struct im_func *f, int where, int *last)
{
	im_def_extcap(f, PCI_EXT_CAP_ID_ATS, 1, where, last);
	im_def(f, where + PCI_ATS_CAP, 2, PCI_ATS_CAP_PAGE_ALIGNED, 0);
	im_def(f, where + PCI_ATS_CTRL, 2, 0, PCI_ATS_CTRL_ENABLE | PCI_ATS_CTRL_STU(0x1f));
}
