/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which bits of a function's config space read back as they were written, so
 * that a write which did not land can be told from one that did.
 */
#ifndef _INSTINCT_CONFIG_MAP_H
#define _INSTINCT_CONFIG_MAP_H

#include "pure.h"

#define INSTINCT_CONFIG_BYTES	4096
#define INSTINCT_CONFIG_BARS	6

/**
 * instinct_config_within() - is an access one of the config space?
 * @where: offset
 * @size: bytes: 1, 2 or 4
 *
 * The PCI core asks for what is behind the end, if a capability begins where its
 * registers have no room.
 *
 * Return: true if it is; false if any byte of it is not.
 */
static inline bool instinct_config_within(int where, int size)
{
	return where >= 0 && where <= INSTINCT_CONFIG_BYTES - size;
}

/**
 * enum instinct_config_part - parts of the config space that a switch may treat
 *	differently
 * @INSTINCT_CONFIG_HEADER: up to 0x3f
 * @INSTINCT_CONFIG_CAPABILITIES: up to 0xff
 * @INSTINCT_CONFIG_EXTENDED: the rest
 * @INSTINCT_CONFIG_PARTS: how many
 */
enum instinct_config_part {
	INSTINCT_CONFIG_HEADER,
	INSTINCT_CONFIG_CAPABILITIES,
	INSTINCT_CONFIG_EXTENDED,
	INSTINCT_CONFIG_PARTS,
};

/**
 * struct instinct_config_facts - what a map is made from
 * @bridge: a type 1 header
 * @bar: bits of each BAR's dword that hold, by its size; 0 for none
 * @pm: offset of the PM capability, here and below 0 for none
 * @msi: of MSI
 * @msi_64: MSI has a 64-bit address
 * @msix: of MSI-X
 * @exp: of PCI Express
 * @aer: of AER
 * @acs: of ACS
 * @ats: of ATS
 * @pri: of PRI
 * @pasid: of PASID
 * @rebar: of resizable BARs
 */
struct instinct_config_facts {
	bool bridge;
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
 * struct instinct_config_map - the map, byte by byte
 * @facts: what it was made from
 * @firm: bits that hold what is written, or the write did not land
 * @soft: bits that hold it too, unless this function has hardwired them
 * @seen: soft bits that were seen to hold 0, and 1; both make them firm
 * @doubted: soft bits that did not hold, when nobody could tell why
 * @pmcsr: offset of PM Control/Status, 0 for none: PowerState holds what is
 *	written if that is D0 or D3hot
 */
struct instinct_config_map {
	struct instinct_config_facts facts;
	u8 firm[INSTINCT_CONFIG_BYTES];
	u8 soft[INSTINCT_CONFIG_BYTES];
	u8 seen[2][INSTINCT_CONFIG_BYTES];
	u8 doubted[INSTINCT_CONFIG_BYTES];
	u16 pmcsr;
};

void instinct_config_map_build(struct instinct_config_map *map,
			       const struct instinct_config_facts *facts);
u32 instinct_config_map_firm(const struct instinct_config_map *map, int where,
			     int size, u32 val);
u32 instinct_config_map_soft(const struct instinct_config_map *map, int where,
			     int size);
void instinct_config_map_landed(struct instinct_config_map *map, int where,
				int size, u32 val);
void instinct_config_map_proven(struct instinct_config_map *map, int where,
				int size, u32 bits);
void instinct_config_map_hardwired(struct instinct_config_map *map, int where,
				   int size, u32 bits);
void instinct_config_map_doubt(struct instinct_config_map *map, int where,
			       int size, u32 bits);

/**
 * instinct_config_map_any() - does a write concern any bits that read back?
 * @map: of the function
 * @where: offset of the write
 * @size: its size in bytes: 1, 2 or 4
 *
 * Return: false if nothing is to be seen of it; in doubt true.
 */
static inline bool instinct_config_map_any(const struct instinct_config_map *map,
					   int where, int size)
{
	u8 any = 0;

	while (size--) {
		any |= map->firm[where] | map->soft[where] |
		       (where == map->pmcsr);
		where++;
	}
	return any;
}

enum instinct_config_part instinct_config_part(int where);
void instinct_config_map_trust(struct instinct_config_map *map);
const char *instinct_config_map_name(const struct instinct_config_map *map,
				     int where);

#endif /* _INSTINCT_CONFIG_MAP_H */
