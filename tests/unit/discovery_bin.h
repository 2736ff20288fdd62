/* SPDX-License-Identifier: GPL-2.0-only */
/* A well-formed IP discovery binary for tests to corrupt. */
#ifndef DISCOVERY_BIN_H
#define DISCOVERY_BIN_H

#include "hardware/discovery.h"

#define TABLE	0x100
#define DIE	(TABLE + 80)
#define ENTRIES	(DIE + 4)

static u8 bin[INSTINCT_DISCOVERY_BYTES];

static inline void w16(size_t at, u16 v)
{
	bin[at] = v;
	bin[at + 1] = v >> 8;
}

static inline void w32(size_t at, u32 v)
{
	w16(at, v);
	w16(at + 2, v >> 16);
}

static inline u16 sum(size_t at, size_t n)
{
	u16 s = 0;

	while (n--)
		s += bin[at++];
	return s;
}

#define TABLE_BYTES	0x200
#define BINARY_BYTES	0x400

static inline void seal(void)
{
	w16(14, sum(TABLE, TABLE_BYTES));
	w16(8, sum(10, BINARY_BYTES - 10));
}

/* Writes an entry with @bases base addresses at @at; returns the offset of the next entry. */
static inline size_t entry(size_t at, u16 hw_id, u8 bases, u32 first, size_t bytes)
{
	w16(at, hw_id);
	bin[at + 2] = 0;
	bin[at + 3] = bases;
	w32(at + 8, first);
	return at + 8 + bases * bytes;
}

static inline void make(u16 version, u8 flags)
{
	size_t bytes = flags & 1 && version >= 4 ? 8 : 4, at;

	memset(bin, 0, sizeof(bin));
	w32(0, 0x28211407);
	w16(10, BINARY_BYTES);
	w16(12, TABLE);
	w32(TABLE, 0x53445049);
	w16(TABLE + 4, version);
	w16(TABLE + 6, TABLE_BYTES);
	w16(TABLE + 12, 1);
	w16(TABLE + 16, DIE);
	bin[TABLE + 78] = flags;
	w16(DIE + 2, 3);
	at = entry(ENTRIES, 255, 2, 0x16000, bytes);
	at = entry(at, 11, 5, 0x1234, bytes);
	entry(at, 1, 3, 0x16000, bytes);
	seal();
}

/* Gives the binary of make() a binary_header_v2 with @tables tables. */
static inline void make_v2(u16 tables)
{
	w16(4, 2);
	w16(12, tables);
	w16(16, TABLE);
	w16(18, sum(TABLE, TABLE_BYTES));
	w16(8, sum(10, BINARY_BYTES - 10));
}

#endif /* DISCOVERY_BIN_H */
