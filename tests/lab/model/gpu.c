// SPDX-License-Identifier: GPL-2.0-only
/*
 * The GPU's config space: what lspci shows of an MI300X or MI355X, over the
 * BARs of QEMU's nvme. Offsets of the capabilities are those of the real part
 * where they are known.
 */
#include <linux/log2.h>
#include <linux/pci.h>
#include <linux/sizes.h>

#include "model.h"

#define CAP_PM		0x50
#define CAP_EXP		0x64
#define CAP_MSIX	0xc0
#define EXT_DSN		0x140
#define EXT_AER		0x150
#define EXT_REBAR	0x200
#define EXT_ATS		0x2b0

#define MSIX_VECTORS	3
#define MSIX_TABLE	0x42000	/* in BAR 5, as in amdgpu's parts of this family */
#define MSIX_PBA	0x43000
#define MSIX_BAR	5

#define SERIAL_BASE		0x00a1300d1b000000ull

/**
 * im_gpu_real_where() - where the real function keeps a register
 * @where: offset in the GPU's config space, a whole dword for BARs
 *
 * VRAM is nvme's persistent memory, the doorbells are its registers, the
 * registers its controller memory, which has a BAR of 64 bits there.
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

static void define_rebar(struct im_func *f, int where, int *last, u64 size)
{
	unsigned int order = ilog2(size) - ilog2(SZ_1M);

	im_def_extcap(f, PCI_EXT_CAP_ID_REBAR, 1, where, last);
	im_def(f, where + PCI_REBAR_CAP, 4, BIT(order + 4), 0);
	im_def(f, where + PCI_REBAR_CTRL, 4, order << PCI_REBAR_CTRL_BAR_SHIFT |
	       1 << PCI_REBAR_CTRL_NBAR_SHIFT, PCI_REBAR_CTRL_BAR_SIZE);
}

/**
 * im_gpu_set_id() - take over the ID that the settings ask for
 * @g: the GPU
 *
 * Seen by the kernel when it enumerates the device again.
 * Context: any, with the tree's lock held, if others know the GPU already.
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
	/* No interrupt pin: looking up where INTx goes means minutes of AML over a test. */
	im_def(f, PCI_INTERRUPT_LINE, 2, 0xff, 0xff);

	im_def_pm(f, CAP_PM, &last);
	im_def_exp(f, CAP_EXP, &last, PCI_EXP_TYPE_ENDPOINT);
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

	im_space_reset(f);
	im_gpu_set_id(g);
}
