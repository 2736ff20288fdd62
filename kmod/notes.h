/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What was written to a config space in quiet times, to be looked at later.
 * Taking a note is all that each write pays for.
 */
#ifndef _INSTINCT_NOTES_H
#define _INSTINCT_NOTES_H

#include "config_io.h"
#include "config_map.h"

/**
 * struct instinct_notes - of one function
 * @blocks: bit (offset / 64) for each part in which there is one
 * @told: what each byte was told last
 * @noted: 1 for each byte that was told something since it was looked at
 */
struct instinct_notes {
	unsigned long blocks;
	u8 told[INSTINCT_CONFIG_BYTES];
	u8 noted[INSTINCT_CONFIG_BYTES];
};

/**
 * instinct_notes_block() - the part of the config space that an offset is in
 * @where: offset of an access, which no part's end divides
 *
 * Return: the number of its bit in struct instinct_notes's @blocks.
 */
static inline unsigned int instinct_notes_block(int where)
{
	return (unsigned int)where / 64;
}

static inline void instinct_notes_store(u8 *at, int size, u32 val)
{
	switch (size) {
	case 4:
		at[3] = (val >> 24) & 0xff;
		at[2] = (val >> 16) & 0xff;
		fallthrough;
	case 2:
		at[1] = (val >> 8) & 0xff;
		fallthrough;
	default:
		at[0] = val & 0xff;
	}
}

/**
 * instinct_notes_take() - take a note of a write
 * @notes: of the function; @blocks is the caller's to see to
 * @where: offset
 * @size: bytes: 1, 2 or 4
 * @val: what is written
 *
 * May run at the same time as itself: who writes the same register at the same
 * time as others gets a note of one of them.
 */
static inline void instinct_notes_take(struct instinct_notes *notes, int where,
				       int size, u32 val)
{
	instinct_notes_store(&notes->told[where], size, val);
	instinct_notes_store(&notes->noted[where], size, 0x01010101);
}

static inline u32 instinct_notes_load(const u8 *at, int size)
{
	u32 val = at[0];

	if (size > 1)
		val |= (u32)at[1] << 8;
	if (size > 2)
		val |= (u32)at[2] << 16 | (u32)at[3] << 24;
	return val;
}

/**
 * instinct_notes_agree() - does a read show what was told?
 * @notes: of the function
 * @where: offset of the read
 * @size: bytes: 1, 2 or 4
 * @val: what it shows
 *
 * Of a note that is taken or dropped at the same time part may be seen. If it agrees, the
 * read came first; if not, it is looked at under the guard's lock.
 *
 * Return: true if it does, byte by byte, as far as there are notes.
 */
static inline bool instinct_notes_agree(const struct instinct_notes *notes,
					int where, int size, u32 val)
{
	const u8 *told = &notes->told[where], *noted = &notes->noted[where];

	/* Half of a note is seen as said above. 1 for each byte: all its bits. */
	return data_race(!((val ^ instinct_notes_load(told, size)) &
			   (instinct_notes_load(noted, size) * 0xff)));
}

bool instinct_notes_next(struct instinct_notes *notes,
			 struct instinct_write *write);
void instinct_notes_drop(struct instinct_notes *notes,
			 const struct instinct_write *write);
u32 instinct_notes_expect(const struct instinct_notes *notes,
			  const struct instinct_config_map *map, int where,
			  int size, u32 val);

#endif /* _INSTINCT_NOTES_H */
