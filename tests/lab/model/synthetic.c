// SPDX-License-Identifier: GPL-2.0-only
/*
 * Synthetic Mode: for a function that it cannot reach, the switch above a package answers
 * config reads with a placeholder, 1000:02b2, and drops config writes.
 *
 * All of this runs with the tree's lock held, in any context.
 */
#include <linux/pci.h>
#include <linux/timekeeping.h>

#include "model.h"

#define PLACEHOLDER_IDS		0x02b21000
#define PLACEHOLDER_CLASS	0x05800000	/* memory controller, other */

/**
 * im_synthetic_begin() - bring up the placeholder at a reset, if it is set to appear then
 * @g: the GPU
 */
void im_synthetic_begin(struct im_gpu *g)
{
	g->synthetic = g->set[IM_SYNTHETIC] > IM_SYNTHETIC_SCAN;
}

/**
 * im_synthetic_retrained() - retire the placeholder if retraining of the link does so
 * @port: the port above the link
 */
void im_synthetic_retrained(const struct im_func *port)
{
	struct im_gpu *g;

	list_for_each_entry(g, &im_gpus, node)
		if (g->set[IM_SYNTHETIC] == IM_SYNTHETIC_RETRAIN &&
		    (g->swus ? g->swus->parent : g->func->parent) == port)
			g->synthetic = false;
}

/**
 * im_synthetic_sized() - bring up the placeholder if a scan of the package does so
 * @f: the function that gets a config write; a scan sizes the BARs of SWUS before it looks below
 * @where: offset
 * @val: the value
 */
void im_synthetic_sized(const struct im_func *f, int where, u32 val)
{
	struct im_gpu *g;

	if (where != PCI_BASE_ADDRESS_0 || val != IM_ALL_ONES)
		return;
	list_for_each_entry(g, &im_gpus, node)
		if (g->set[IM_SYNTHETIC] == IM_SYNTHETIC_SCAN && g->swus == f)
			g->synthetic = true;
}

/**
 * im_synthetic_answers() - whether the placeholder answers for a function
 * @f: any function
 * @arrives: config cycles reach the function
 *
 * Return: true if it does.
 */
bool im_synthetic_answers(struct im_func *f, bool arrives)
{
	struct im_gpu *g = im_switch_gpu(f);
	u64 until;

	if (!g || g->set[IM_SYNTHETIC] == IM_SYNTHETIC_NONE ||
	    !im_switch_concerns(g->set[IM_SYNTHETIC_WHERE], f))
		return false;
	until = g->ready_at + (u64)g->set[IM_SYNTHETIC_MS] * NSEC_PER_MSEC;
	if (g->set[IM_SYNTHETIC] == IM_SYNTHETIC_TIME && ktime_get_boottime_ns() >= until)
		g->synthetic = false;
	if (g->set[IM_SYNTHETIC] == IM_SYNTHETIC_SCAN)
		return g->synthetic;
	return g->synthetic || !arrives || (f->gpu && !im_gpu_answers(g));
}

/**
 * im_synthetic_read() - read the placeholder
 * @g: the GPU to which the function belongs
 * @where: offset
 * @size: 1, 2 or 4 bytes
 *
 * Return: the answer.
 */
u32 im_synthetic_read(struct im_gpu *g, int where, int size)
{
	u32 val = 0;

	g->count[IM_N_PLACEHOLDER_READS]++;
	switch (where & ~3) {
	case PCI_VENDOR_ID:
	case PCI_SUBSYSTEM_VENDOR_ID:
		val = PLACEHOLDER_IDS;
		break;
	case PCI_CLASS_REVISION:
		val = PLACEHOLDER_CLASS;
		break;
	}
	return (val >> 8 * (where & 3)) & (IM_ALL_ONES >> 8 * (4 - size));
}

/**
 * im_synthetic_write() - write to the placeholder
 * @f: the function that it replaces
 * @where: offset
 * @size: 1, 2 or 4 bytes
 * @val: the value, which is lost
 */
void im_synthetic_write(struct im_func *f, int where, int size, u32 val)
{
	const struct im_write write = {
		.func = f, .where = where, .size = size, .val = val, .fate = IM_VOID,
	};
	struct im_gpu *g = im_switch_gpu(f);

	g->count[IM_N_PLACEHOLDER_WRITES]++;
	im_switch_log(g, &write);
}
