// SPDX-License-Identifier: GPL-2.0-only
#include <linux/pci_regs.h>

#include "notes.h"

#define BLOCK_BYTES	64

static bool all_noted(const struct instinct_notes *notes, int where, int size)
{
	while (size--)
		if (!notes->noted[where + size])
			return false;
	return true;
}

/* The write that a byte which is noted belongs to, as wide as it may have been. */
static void write_at(const struct instinct_notes *notes, int where,
		     struct instinct_write *write)
{
	int size = 4, i;

	while (size > 1 && (where % size || !all_noted(notes, where, size)))
		size /= 2;
	write->where = where;
	write->size = size;
	write->val = 0;
	for (i = 0; i < size; i++)
		write->val |= (u32)notes->told[where + i] << (8 * i);
}

/* Memory decoding must not come on before the BARs are there. */
static bool is_command(int where)
{
	return where / 4 == PCI_COMMAND / 4;
}

static bool first_in(const struct instinct_notes *notes, int from, bool command,
		     struct instinct_write *write)
{
	int where;

	for (where = from; where < from + BLOCK_BYTES; where++)
		if (notes->noted[where] && is_command(where) == command) {
			write_at(notes, where, write);
			return true;
		}
	return false;
}

/**
 * instinct_notes_next() - what there is a note of, one after the other
 * @notes: of the function; nobody takes one meanwhile, but @blocks may be read
 * @write: set, and its note is dropped
 *
 * By offset, Command last.
 *
 * Return: false if there is none.
 */
bool instinct_notes_next(struct instinct_notes *notes,
			 struct instinct_write *write)
{
	int from;

	for (from = 0; notes->blocks && from < INSTINCT_CONFIG_BYTES;
	     from += BLOCK_BYTES) {
		unsigned long block = BIT(instinct_notes_block(from));

		if (!(notes->blocks & block))
			continue;
		if (first_in(notes, from, false, write)) {
			instinct_notes_drop(notes, write);
			return true;
		}
		/* The first holds Command, whose turn comes last. */
		if (from)
			WRITE_ONCE(notes->blocks, notes->blocks & ~block);
	}
	if (notes->blocks && first_in(notes, 0, true, write)) {
		instinct_notes_drop(notes, write);
		return true;
	}
	WRITE_ONCE(notes->blocks, 0);
	return false;
}

/**
 * instinct_notes_drop() - a register was looked at, or is seen to otherwise
 * @notes: of the function
 * @write: to it
 */
void instinct_notes_drop(struct instinct_notes *notes,
			 const struct instinct_write *write)
{
	instinct_notes_store(&notes->noted[write->where], write->size, 0);
}

/**
 * instinct_notes_expect() - what a read should show, by the notes
 * @notes: of the function
 * @map: of the function
 * @where: offset of the read
 * @size: bytes: 1, 2 or 4
 * @val: what it shows
 *
 * Of a note that is taken at the same time part may be seen: byte by byte, as it was before
 * or as it is after.
 *
 * Return: @val, with the bits that hold of what was told.
 */
u32 instinct_notes_expect(const struct instinct_notes *notes,
			  const struct instinct_config_map *map, int where,
			  int size, u32 val)
{
	u32 holds, told = val;
	int i;

	for (i = 0; i < size; i++)
		if (READ_ONCE(notes->noted[where + i])) {
			told &= ~(0xffu << (8 * i));
			told |= (u32)READ_ONCE(notes->told[where + i]) << (8 * i);
		}
	holds = instinct_config_map_firm(map, where, size, told) |
		instinct_config_map_soft(map, where, size);
	return (val & ~holds) | (told & holds);
}
