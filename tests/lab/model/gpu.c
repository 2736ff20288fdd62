// SPDX-License-Identifier: GPL-2.0-only
/*
 * The GPU's config space: that of an MI300X or MI355X as lspci shows it, over the BARs of
 * QEMU's nvme. Capabilities have the real part's offsets where those are known.
 */
#include <linux/log2.h>
#include <linux/moduleparam.h>
#include <linux/pci.h>
#include <linux/sizes.h>

#include "model.h"

#define CAP_PM		0x50
#define CAP_EXP		0x64
#define CAP_MSI		0xa0
#define CAP_MSIX	0xc0
#define EXT_DSN		0x140
#define EXT_AER		0x150
#define EXT_REBAR	0x200
#define EXT_ATS		0x2b0
#define EXT_SRIOV	0x330

#define MSIX_VECTORS	3
#define MSIX_TABLE	0x42000	/* in BAR 5, as in amdgpu's parts of this family */
#define MSIX_PBA	0x43000
#define MSIX_BAR	5

#define VF_EXP			0x64
#define VF_BAR_BYTES		SZ_1M
#define VF_PAGE_SIZES		0x553u	/* 4 KiB to 4 MiB, as most devices */

#define SERIAL_BASE		0x00a1300d1b000000ull

static unsigned int rebar = 1;
module_param(rebar, uint, 0444);
MODULE_PARM_DESC(rebar, "number of sizes of the VRAM BAR, each twice the one before");
static unsigned int rebar_reset;
module_param(rebar_reset, uint, 0444);
MODULE_PARM_DESC(rebar_reset, "index of its size after a reset");
static unsigned int sriov;
module_param(sriov, uint, 0444);
MODULE_PARM_DESC(sriov, "number of VFs of each GPU, 0 to 7; 0: no SR-IOV capability");

/**
 * im_gpu_real_where() - offset of a register in the real function
 * @where: offset in the GPU's config space, a whole dword for BARs
 *
 * VRAM is nvme's persistent memory region, the doorbells are nvme's registers, and the
 * GPU's registers are its controller memory buffer, behind a 64-bit BAR.
 *
 * Return: offset in the config space of QEMU's nvme.
 */
int im_gpu_real_where(int where)
{
	switch (where) {
	case PCI_BASE_ADDRESS_0:
		return PCI_BASE_ADDRESS_4;
	case PCI_BASE_ADDRESS_1:
		return PCI_BASE_ADDRESS_5;
	case PCI_BASE_ADDRESS_2:
		return PCI_BASE_ADDRESS_0;
	case PCI_BASE_ADDRESS_3:
		return PCI_BASE_ADDRESS_1;
	case PCI_BASE_ADDRESS_5:
		return PCI_BASE_ADDRESS_2;
	default:
		return where;
	}
}

static void define_bar(struct im_func *f, int where, u64 size, bool wide)
{
	u32 flags = wide ? PCI_BASE_ADDRESS_MEM_TYPE_64 | PCI_BASE_ADDRESS_MEM_PREFETCH : 0;

	im_def(f, where, 4, flags, lower_32_bits(~(size - 1)) & PCI_BASE_ADDRESS_MEM_MASK);
	im_def_through(f, where, 4);
	if (wide) {
		im_def(f, where + 4, 4, 0, upper_32_bits(~(size - 1)));
		im_def_through(f, where + 4, 4);
	}
}

/* QEMU's BAR is the smallest size. In a larger one nothing answers behind it. */
static void define_rebar(struct im_func *f, int where, int *last, u64 size)
{
	unsigned int order = ilog2(size) - ilog2(SZ_1M);
	unsigned int sizes = clamp(rebar, 1u, 4u);

	im_def_extcap(f, PCI_EXT_CAP_ID_REBAR, 1, where, last);
	im_def(f, where + PCI_REBAR_CAP, 4, (BIT(sizes) - 1) << (order + 4), 0);
	order += min(rebar_reset, sizes - 1);
	im_def(f, where + PCI_REBAR_CTRL, 4, order << PCI_REBAR_CTRL_BAR_SHIFT |
	       1 << PCI_REBAR_CTRL_NBAR_SHIFT, PCI_REBAR_CTRL_BAR_SIZE);
}

/**
 * im_gpu_size_vram() - give the VRAM BAR the size that Resizable BAR Control holds
 * @f: a GPU
 *
 * The BAR loses the address bits that lie below the new size.
 *
 * Context: any, with the tree's lock held once the GPU is visible.
 */
void im_gpu_size_vram(struct im_func *f)
{
	u32 sizes = im_space_read(f, EXT_REBAR + PCI_REBAR_CAP, 4) >> 4;
	u32 order = (im_space_read(f, EXT_REBAR + PCI_REBAR_CTRL, 4) & PCI_REBAR_CTRL_BAR_SIZE) >>
		    PCI_REBAR_CTRL_BAR_SHIFT;
	u64 mask;
	int i;

	if (!(sizes >> order & 1))
		return;
	mask = ~(((u64)SZ_1M << order) - 1);
	for (i = 0; i < 8; i++, mask >>= 8) {
		int where = PCI_BASE_ADDRESS_0 + i;

		f->wmask[where] = mask;
		f->cfg[where] = (f->cfg[where] & mask) | (f->def[where] & ~mask);
	}
}

static void define_sriov(struct im_func *f, int where, int *last)
{
	const u32 bar = PCI_BASE_ADDRESS_MEM_TYPE_64 | PCI_BASE_ADDRESS_MEM_PREFETCH;
	u32 vf = im_board->gpu == 0x100275a3 ? 0x75b3 : 0x74b5;

	im_def_extcap(f, PCI_EXT_CAP_ID_SRIOV, 1, where, last);
	im_def(f, where + PCI_SRIOV_CTRL, 2, 0,
	       PCI_SRIOV_CTRL_VFE | PCI_SRIOV_CTRL_MSE | PCI_SRIOV_CTRL_ARI);
	im_def(f, where + PCI_SRIOV_INITIAL_VF, 2, sriov, 0);
	im_def(f, where + PCI_SRIOV_TOTAL_VF, 2, sriov, 0);
	im_def(f, where + PCI_SRIOV_NUM_VF, 2, 0, 0xffff);
	im_def(f, where + PCI_SRIOV_VF_OFFSET, 2, 1, 0);
	im_def(f, where + PCI_SRIOV_VF_STRIDE, 2, 1, 0);
	im_def(f, where + PCI_SRIOV_VF_DID, 2, vf, 0);
	im_def(f, where + PCI_SRIOV_SUP_PGSIZE, 4, VF_PAGE_SIZES, 0);
	im_def(f, where + PCI_SRIOV_SYS_PGSIZE, 4, 1, VF_PAGE_SIZES);
	im_def(f, where + PCI_SRIOV_BAR, 4, bar, ~(VF_BAR_BYTES - 1u));
	im_def(f, where + PCI_SRIOV_BAR + 4, 4, 0, ~0u);
}

/**
 * im_gpu_vfs() - count the VFs that a GPU has, or has enabled
 * @pf: a GPU; before its config space is defined, all VFs that it can have count
 *
 * Return: the number of VFs.
 */
u32 im_gpu_vfs(const struct im_func *pf)
{
	if (!pf->exp)
		return min_t(u32, sriov, IM_VFS_MAX);
	if (!(im_space_read(pf, EXT_SRIOV + PCI_SRIOV_CTRL, 2) & PCI_SRIOV_CTRL_VFE))
		return 0;
	return im_space_read(pf, EXT_SRIOV + PCI_SRIOV_NUM_VF, 2);
}

/**
 * im_vf_define() - define the config space of a VF
 * @f: the function
 *
 * Its BAR is in its GPU's SR-IOV capability, and nothing answers there.
 */
void im_vf_define(struct im_func *f)
{
	int last = 0;

	im_def(f, PCI_VENDOR_ID, 4, IM_ALL_ONES, 0);
	im_def(f, PCI_COMMAND, 2, 0, PCI_COMMAND_MASTER);
	im_def(f, PCI_STATUS, 2, PCI_STATUS_CAP_LIST, 0);
	im_def(f, PCI_CLASS_REVISION, 4, IM_GPU_CLASS << 8, 0);
	im_def(f, PCI_SUBSYSTEM_VENDOR_ID, 4, im_board->gpu >> 16 | im_board->gpu << 16, 0);
	im_def_exp(f, VF_EXP, &last, PCI_EXP_TYPE_ENDPOINT);
	im_space_reset(f);
}

/**
 * im_gpu_set_d3hot() - apply the d3hot setting to No_Soft_Reset
 * @g: the GPU
 *
 * Context: any, with the tree's lock held once the GPU is visible.
 */
void im_gpu_set_d3hot(struct im_gpu *g)
{
	u8 bit = g->set[IM_D3HOT] == IM_D3HOT_KEEPS ? PCI_PM_CTRL_NO_SOFT_RESET : 0;
	int where = CAP_PM + PCI_PM_CTRL;

	g->func->def[where] = bit;
	g->func->cfg[where] = (g->func->cfg[where] & ~PCI_PM_CTRL_NO_SOFT_RESET) | bit;
}

/**
 * im_gpu_set_id() - apply the gpu_id setting
 * @g: the GPU
 *
 * The kernel sees the new ID at its next enumeration of the device.
 *
 * Context: any, with the tree's lock held once the GPU is visible.
 */
void im_gpu_set_id(struct im_gpu *g)
{
	struct im_func *f = g->func;
	u32 id = g->set[IM_GPU_ID] ?: im_board->gpu;

	im_def(f, PCI_VENDOR_ID, 4, id >> 16 | id << 16, 0);
	im_def(f, PCI_SUBSYSTEM_VENDOR_ID, 4, id >> 16 | id << 16, 0);
	memcpy(f->cfg + PCI_VENDOR_ID, f->def + PCI_VENDOR_ID, 4);
	memcpy(f->cfg + PCI_SUBSYSTEM_VENDOR_ID, f->def + PCI_SUBSYSTEM_VENDOR_ID, 4);
}

/**
 * im_gpu_define() - define the config space of a GPU
 * @f: the function; its settings and BAR sizes are known
 */
void im_gpu_define(struct im_func *f)
{
	struct im_gpu *g = f->gpu;
	int last = 0;

	im_def(f, PCI_COMMAND, 2, 0, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER |
	       PCI_COMMAND_PARITY | PCI_COMMAND_SERR | PCI_COMMAND_INTX_DISABLE);
	im_def_through(f, PCI_COMMAND, 2);
	im_def(f, PCI_STATUS, 2, PCI_STATUS_CAP_LIST, 0);
	im_def_w1c(f, PCI_STATUS, 2, 0xf900);
	im_def(f, PCI_CLASS_REVISION, 4, IM_GPU_CLASS << 8, 0);
	im_def(f, PCI_CACHE_LINE_SIZE, 1, 0, 0xff);
	define_bar(f, PCI_BASE_ADDRESS_0, g->bar_size[IM_VRAM], true);
	define_bar(f, PCI_BASE_ADDRESS_2, g->bar_size[IM_DOORBELLS], true);
	define_bar(f, PCI_BASE_ADDRESS_5, g->bar_size[IM_REGS], false);
	/* No interrupt pin: INTx routing would cost a test minutes in the AML interpreter. */
	im_def(f, PCI_INTERRUPT_LINE, 2, 0xff, 0xff);

	im_def_pm(f, CAP_PM, &last);
	im_def_exp(f, CAP_EXP, &last, PCI_EXP_TYPE_ENDPOINT);
	im_def_msi(f, CAP_MSI, &last);
	im_def_cap(f, PCI_CAP_ID_MSIX, CAP_MSIX, &last);
	im_def(f, CAP_MSIX + PCI_MSIX_FLAGS, 2, MSIX_VECTORS - 1,
	       PCI_MSIX_FLAGS_ENABLE | PCI_MSIX_FLAGS_MASKALL);
	im_def(f, CAP_MSIX + PCI_MSIX_TABLE, 4, MSIX_TABLE | MSIX_BAR, 0);
	im_def(f, CAP_MSIX + PCI_MSIX_PBA, 4, MSIX_PBA | MSIX_BAR, 0);

	im_def_extcap(f, PCI_EXT_CAP_ID_VNDR, 1, PCI_CFG_SPACE_SIZE, &last);
	im_def(f, PCI_CFG_SPACE_SIZE + 4, 4, 0x01010001, 0);	/* 16 bytes, as AMD's */
	im_def_dsn(f, EXT_DSN, &last, SERIAL_BASE + g->index);
	im_def_aer(f, EXT_AER, &last);
	define_rebar(f, EXT_REBAR, &last, g->bar_size[IM_VRAM]);
	im_def_ats(f, EXT_ATS, &last);
	if (sriov)
		define_sriov(f, EXT_SRIOV, &last);

	im_space_reset(f);
	im_gpu_size_vram(f);
	im_gpu_set_id(g);
	im_gpu_set_d3hot(g);
}
