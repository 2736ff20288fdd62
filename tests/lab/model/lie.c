// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hardware that lies: false answers to config reads of a GPU and of its package's ports.
 * Writes still land, so reads are correct again when the lie ends.
 *
 * All of this runs with the tree's lock held, in any context.
 */
#include <linux/pci.h>

#include "model.h"

#define CAPS_MAX	48
#define EXT_CAPS_MAX	256

/* Return: true if a capability begins at @dword. */
static bool is_cap(const struct im_func *f, int dword)
{
	int at = f->cfg[PCI_CAPABILITY_LIST], i;

	for (i = 0; i < CAPS_MAX && at; i++, at = f->cfg[at + PCI_CAP_LIST_NEXT])
		if ((at & ~3) == dword)
			return true;
	return false;
}

static bool is_ext_cap(const struct im_func *f, int dword)
{
	int at = PCI_CFG_SPACE_SIZE, i;

	for (i = 0; i < EXT_CAPS_MAX && at; i++) {
		if (at == dword)
			return true;
		at = PCI_EXT_CAP_NEXT(im_space_read(f, at, 4));
	}
	return false;
}

/* @next, @ext_next: false offset of the next capability. */
static u32 with_next(const struct im_func *f, int dword, u32 val, u8 next, u16 ext_next)
{
	if (dword == (PCI_CAPABILITY_LIST & ~3) || is_cap(f, dword)) {
		int shift = dword == (PCI_CAPABILITY_LIST & ~3) ? 0 : 8;

		return (val & ~(0xffu << shift)) | (u32)next << shift;
	}
	if (dword >= PCI_CFG_SPACE_SIZE && is_ext_cap(f, dword))
		return (val & 0x000fffff) | (u32)ext_next << 20;
	return val;
}

static u32 lie_loops(const struct im_func *f, int dword, u32 val)
{
	return with_next(f, dword, val, f->cfg[PCI_CAPABILITY_LIST], PCI_CFG_SPACE_SIZE);
}

static u32 lie_truncated(const struct im_func *f, int dword, u32 val)
{
	/* A capability that begins there extends past the end of the space. */
	if (dword == 0xfc)
		return PCI_CAP_ID_EXP;
	if (dword == 0xffc)
		return PCI_EXT_CAP_ID_ATS | 1 << 16;
	return with_next(f, dword, val, 0xfc, 0xffc);
}

static u32 lie_overlap(const struct im_func *f, int dword, u32 val)
{
	return with_next(f, dword, val, dword + 4, dword + 4);
}

static u32 lie_bars(const struct im_func *f, int dword, u32 val)
{
	if (dword < PCI_BASE_ADDRESS_0 || dword > PCI_BASE_ADDRESS_5)
		return val;
	/* BARs 0 and 2 claim 16 bytes, BAR 5 claims 2 GiB. */
	return dword & 4 ? 0x80000000 : 0xfffffff0 | (val & 0xf);
}

static u32 roll(struct im_gpu *g)
{
	u32 x = g->lie ?: g->set[IM_LIE_SEED] * 2654435761u + 1;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	g->lie = x;
	return x;
}

static u32 lie_about(struct im_gpu *g, const struct im_func *f, int dword, u32 val)
{
	switch (g->set[IM_LIE]) {
	case IM_LIE_ONES:
		return roll(g) % 32 ? val : IM_ALL_ONES;
	case IM_LIE_RANDOM:
		return roll(g) % 16 ? val : roll(g);
	case IM_LIE_NOISE:
		return val ^ (roll(g) % 8 ? 0 : 1u << roll(g) % 32);
	case IM_LIE_LOOPS:
		return lie_loops(f, dword, val);
	case IM_LIE_TRUNCATED:
		return lie_truncated(f, dword, val);
	case IM_LIE_OVERLAP:
		return lie_overlap(f, dword, val);
	case IM_LIE_BARS:
		return lie_bars(f, dword, val);
	default:
		return val;
	}
}

/**
 * im_lie() - answer to a config read, possibly false
 * @f: the function that is read
 * @where: offset
 * @size: 1, 2 or 4 bytes
 * @val: the true answer
 *
 * Return: @val, or a lie.
 */
u32 im_lie(struct im_func *f, int where, int size, u32 val)
{
	struct im_gpu *g = im_switch_gpu(f);
	int dword = where & ~3;
	u32 told;

	if (!g || g->set[IM_LIE] == IM_LIE_NONE || !im_switch_concerns(g->set[IM_LIE_WHERE], f))
		return val;
	told = lie_about(g, f, dword, im_space_read(f, dword, 4));
	g->count[IM_N_LIES] += told != im_space_read(f, dword, 4);
	return (told >> 8 * (where & 3)) & (IM_ALL_ONES >> 8 * (4 - size));
}
