/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Registers of a function whose writes are verified: which of their bits read back what was
 * written, and which of them a VFIO user writes through to the hardware; and the windows of a
 * port of the GPU's package, composed from what Linux believes.
 */
#ifndef _INSTINCT_CONFIG_TABLE_H
#define _INSTINCT_CONFIG_TABLE_H

#include "pure.h"

/* At PCI_PRIMARY_BUS, without the latency timer. */
#define INSTINCT_BRIDGE_BUSES	0x00ffffff
/* A window's base and limit, without what says how wide they are. */
#define INSTINCT_BRIDGE_WINDOW	0xfff0fff0

/**
 * struct instinct_window - addresses a bridge forwards
 * @start: first, in bytes
 * @end: last
 * @open: it forwards any
 */
struct instinct_window {
	u64 start;
	u64 end;
	bool open;
};

u32 instinct_window_mem(const struct instinct_window *mem);
u32 instinct_window_pref(const struct instinct_window *pref);

#define INSTINCT_CONFIG_BARS	6
#define INSTINCT_CONFIG_FIELDS	32

/**
 * struct instinct_config_facts - what a table is made from
 * @bridge: the function has a type 1 header
 * @window: a bridge has a prefetchable window of 64 bits
 * @bar: bits of each BAR's dword that hold, by its size; 0 for none
 * @pm: offset of the PM capability, here and below 0 for none
 * @msi: of MSI
 * @msi_64: MSI has a 64-bit address
 * @msix: of MSI-X
 * @exp: of PCI Express
 * @aer: of AER
 * @acs: of ACS, on a port
 * @ats: of ATS
 * @pri: of PRI
 * @pasid: of PASID
 * @rebar: of resizable BARs
 */
struct instinct_config_facts {
	bool bridge;
	bool window;
	u32 bar[INSTINCT_CONFIG_BARS];
	u16 pm;
	u16 msi;
	bool msi_64;
	u16 msix;
	u16 exp;
	u16 aer;
	u16 acs;
	u16 ats;
	u16 pri;
	u16 pasid;
	u16 rebar;
};

/**
 * enum instinct_config_source - where the wanted value of a register comes from
 * @INSTINCT_CONFIG_SEEN: it was read while the function was in order, or its VFIO
 *	user wrote it since
 * @INSTINCT_CONFIG_BAR: Linux's resource, one for each BAR, in order
 * @INSTINCT_CONFIG_BAR_LAST: the last of them
 * @INSTINCT_CONFIG_BUSES: Linux's bus numbers
 * @INSTINCT_CONFIG_MEM: Linux's bridge window, likewise the next three
 * @INSTINCT_CONFIG_PREF: the prefetchable one
 * @INSTINCT_CONFIG_PREF_BASE: its upper base
 * @INSTINCT_CONFIG_PREF_LIMIT: its upper limit
 * @INSTINCT_CONFIG_POWER: D0
 * @INSTINCT_CONFIG_MSI: whether Linux has MSI enabled, likewise those below
 * @INSTINCT_CONFIG_MSI_LOW: the address that Linux has given MSI, if it is enabled
 * @INSTINCT_CONFIG_MSI_HIGH: its upper half
 * @INSTINCT_CONFIG_MSI_DATA: likewise the data
 * @INSTINCT_CONFIG_MSIX: MSI-X
 * @INSTINCT_CONFIG_ATS: ATS
 * @INSTINCT_CONFIG_PRI: PRI
 * @INSTINCT_CONFIG_PASID: PASID
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
	INSTINCT_CONFIG_ATS,
	INSTINCT_CONFIG_PRI,
	INSTINCT_CONFIG_PASID,
};

/**
 * struct instinct_config_field - one register, or the part of one that is verified
 * @where: offset
 * @size: bytes: 1, 2 or 4
 * @source: of its wanted value
 * @holds: bits that read back what was written, on every function that has it
 * @optional: bits that do so too unless the function hardwires them
 * @passes: bits that vfio-pci-core passes from a user to the hardware
 * @avoid: bits that start something when they are written as 1
 * @name: as the specification calls it
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
 * @field: registers; Command, which switches the BARs on, is the last
 * @count: how many
 * @facts: what the table was made from
 */
struct instinct_config_table {
	struct instinct_config_field field[INSTINCT_CONFIG_FIELDS];
	unsigned int count;
	struct instinct_config_facts facts;
};

void instinct_config_table_build(struct instinct_config_table *table,
				 const struct instinct_config_facts *facts);
bool instinct_config_table_passes(const struct instinct_config_table *table, u64 where, u64 bytes);
bool instinct_config_table_touches(const struct instinct_config_table *table, u64 where, u64 bytes);

/**
 * instinct_config_overlaps() - does an access concern a register?
 * @field: register
 * @where: offset of the access
 * @bytes: its length
 *
 * Return: true if any byte of @field is accessed.
 */
static inline bool instinct_config_overlaps(const struct instinct_config_field *field,
					    u64 where, u64 bytes)
{
	return where < field->where + field->size && where + bytes > field->where;
}

#endif /* _INSTINCT_CONFIG_TABLE_H */
