/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Registers of a function whose writes the module verifies: the bits that read back as written, and
 * the bits that vfio-pci-core passes from a user to the hardware. Also the window registers of a
 * port of the GPU's package, made from the windows that Linux believes.
 */
#ifndef _INSTINCT_CONFIG_TABLE_H
#define _INSTINCT_CONFIG_TABLE_H

#include "core/pure.h"

/* The bus numbers at PCI_PRIMARY_BUS, without the Secondary Latency Timer. */
#define INSTINCT_BRIDGE_BUSES	0x00ffffff
/* Base and limit of a window, without the bits that give their width. */
#define INSTINCT_BRIDGE_WINDOW	0xfff0fff0

/* A bridge whose window starts here, and ends at 0, forwards nothing. */
#define INSTINCT_BRIDGE_CLOSED	0xfff00000

#define INSTINCT_CONFIG_BARS	6
#define INSTINCT_CONFIG_FIELDS	32

/**
 * struct instinct_config_facts - facts about a function from which its table follows
 * @bridge: the function has a type 1 header
 * @window: the bridge has a prefetchable window of 64 bits
 * @bar: bits of each BAR's dword that hold an address; 0 without a BAR
 * @pm: offset of the PM capability; 0 without one, as for the capabilities below
 * @msi: offset of the MSI capability, with a 64-bit address
 * @msix: offset of the MSI-X capability
 * @exp: offset of the PCI Express capability
 * @aer: offset of the AER capability
 * @acs: offset of the ACS capability, of a port only
 * @rebar: offset of the Resizable BAR capability
 */
struct instinct_config_facts {
	bool bridge;
	bool window;
	u32 bar[INSTINCT_CONFIG_BARS];
	u16 pm;
	u16 msi;
	u16 msix;
	u16 exp;
	u16 aer;
	u16 acs;
	u16 rebar;
};

/**
 * enum instinct_config_source - source of the wanted value of a register
 * @INSTINCT_CONFIG_SEEN: the module read the value while the function was in order, or the VFIO
 *	user has written it since
 * @INSTINCT_CONFIG_BAR: Linux's resource of BAR 0; the next values are those of the other BARs
 * @INSTINCT_CONFIG_BAR_LAST: Linux's resource of the last BAR
 * @INSTINCT_CONFIG_BUSES: bus numbers that Linux has given the bridge
 * @INSTINCT_CONFIG_MEM: non-prefetchable window that Linux has given the bridge
 * @INSTINCT_CONFIG_PREF: lower halves of the prefetchable window that Linux has given the bridge
 * @INSTINCT_CONFIG_PREF_BASE: upper half of the base of that window
 * @INSTINCT_CONFIG_PREF_LIMIT: upper half of the limit of that window
 * @INSTINCT_CONFIG_POWER: always D0
 * @INSTINCT_CONFIG_MSI: whether Linux has enabled MSI
 * @INSTINCT_CONFIG_MSI_LOW: lower half of the address that Linux has given MSI
 * @INSTINCT_CONFIG_MSI_HIGH: upper half of that address
 * @INSTINCT_CONFIG_MSI_DATA: data that Linux has given MSI
 * @INSTINCT_CONFIG_MSIX: whether Linux has enabled MSI-X
 */
enum instinct_config_source {
	INSTINCT_CONFIG_SEEN,
	INSTINCT_CONFIG_BAR,
	INSTINCT_CONFIG_BAR_LAST = INSTINCT_CONFIG_BAR + INSTINCT_CONFIG_BARS - 1,
	INSTINCT_CONFIG_BUSES,
	INSTINCT_CONFIG_MEM,
	INSTINCT_CONFIG_PREF,
	INSTINCT_CONFIG_PREF_BASE,
	INSTINCT_CONFIG_PREF_LIMIT,
	INSTINCT_CONFIG_POWER,
	INSTINCT_CONFIG_MSI,
	INSTINCT_CONFIG_MSI_LOW,
	INSTINCT_CONFIG_MSI_HIGH,
	INSTINCT_CONFIG_MSI_DATA,
	INSTINCT_CONFIG_MSIX,
};

/**
 * struct instinct_config_field - one register, or the part of one that the module verifies
 * @where: offset in the config space
 * @size: size in bytes: 2 or 4
 * @source: source of the wanted value
 * @holds: bits that read back as written, on every function that has the register
 * @optional: bits that read back as written unless the function hardwires them
 * @passes: bits that vfio-pci-core passes from a user to the hardware
 * @avoid: bits that start an action when they are written as 1
 * @name: name of the register in the specification
 */
struct instinct_config_field {
	u16 where;
	u8 size;
	enum instinct_config_source source;
	u32 holds;
	u32 optional;
	u32 passes;
	u32 avoid;
	const char *name;
};

/**
 * struct instinct_config_table - the registers, in the order in which they are written
 * @field: registers; Command, which switches the BARs on, is the last one
 * @count: number of registers
 * @facts: facts from which the table was made
 */
struct instinct_config_table {
	struct instinct_config_field field[INSTINCT_CONFIG_FIELDS];
	unsigned int count;
	struct instinct_config_facts facts;
};

u32 instinct_window_register(u64 start, u64 end, enum instinct_config_source source);
void instinct_config_table_build(struct instinct_config_table *table,
				 const struct instinct_config_facts *facts);
bool instinct_config_table_passes(const struct instinct_config_table *table, u64 where, u64 bytes);
bool instinct_config_table_touches(const struct instinct_config_table *table, u64 where, u64 bytes);

/**
 * instinct_config_overlaps() - does an access overlap a register?
 * @field: register
 * @where: offset of the access
 * @bytes: length of the access
 *
 * Return: true if the access covers any byte of @field.
 */
static inline bool instinct_config_overlaps(const struct instinct_config_field *field,
					    u64 where, u64 bytes)
{
	return where < field->where + field->size && where + bytes > field->where;
}

#endif /* _INSTINCT_CONFIG_TABLE_H */
