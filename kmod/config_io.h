/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Config accesses as the files see them that only decide: a write, and how a function is
 * reached.
 */
#ifndef _INSTINCT_CONFIG_IO_H
#define _INSTINCT_CONFIG_IO_H

#include <linux/pci_regs.h>

#include "pure.h"

/**
 * struct instinct_write - one config write
 * @where: offset
 * @size: bytes: 1, 2 or 4
 * @val: what is written
 */
struct instinct_write {
	u16 where;
	u8 size;
	u32 val;
};

/**
 * struct instinct_config_io - how the function is reached
 * @read: a config read
 * @write: a config write
 * @now: any clock, ns
 * @data: for all of them
 */
struct instinct_config_io {
	u32 (*read)(void *data, int where, int size);
	void (*write)(void *data, int where, int size, u32 val);
	u64 (*now)(void *data);
	void *data;
};

/**
 * instinct_config_ones() - what a read answers if nobody does
 * @size: of the access in bytes: 1, 2 or 4
 *
 * Return: all of its bits.
 */
static inline u32 instinct_config_ones(int size)
{
	return size < 4 ? (u32)BIT(8 * size) - 1 : ~0u;
}

/**
 * instinct_config_extract() - the part of a dword that a read asks for
 * @dword: what is at @where rounded down to a multiple of 4
 * @where: offset of the read
 * @size: its size in bytes: 1, 2 or 4
 *
 * Return: that part.
 */
static inline u32 instinct_config_extract(u32 dword, int where, int size)
{
	return dword >> (8 * (where & 3)) & instinct_config_ones(size);
}

/**
 * instinct_config_absent() - is the function not there?
 * @io: how it is reached
 *
 * Return: true if it answers with ones, whatever was written.
 */
static inline bool instinct_config_absent(const struct instinct_config_io *io)
{
	return io->read(io->data, PCI_VENDOR_ID, 4) == ~0u;
}

/**
 * instinct_write_over() - a write over what is there
 * @write: the write
 * @mask: of its bits, those that count
 * @where: offset of what is there
 * @size: its bytes
 * @val: it
 *
 * Return: @val, where @write is at it with the bits of that.
 */
static inline u32 instinct_write_over(const struct instinct_write *write, u32 mask,
				      int where, int size, u32 val)
{
	int i;

	for (i = 0; i < size; i++) {
		int at = where + i - write->where;
		u32 bits;

		if (at < 0 || at >= write->size)
			continue;
		bits = (mask >> (8 * at)) & 0xff;
		val &= ~(bits << (8 * i));
		val |= ((write->val >> (8 * at)) & bits) << (8 * i);
	}
	return val;
}

#endif /* _INSTINCT_CONFIG_IO_H */
