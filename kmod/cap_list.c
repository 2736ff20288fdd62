// SPDX-License-Identifier: GPL-2.0-only
#include <linux/pci_regs.h>

#include "cap_list.h"
#include "config_io.h"

/* The longest form of the PCI Express capability (PCIe r6.0 sec 7.5.3). */
#define EXPRESS_BYTES	0x3c
/* Of extended ones whose length is written nowhere, none is longer (PCIe r6.0 sec 7.7 to 7.9). */
#define FIXED_MAX	0x48
/* Eight virtual channels and an arbitration table of 128 phases (sec 7.9.1). */
#define CHANNELS_MAX	0xb0
#define TPH_ENTRY_BYTES	2
#define LENGTH_SHIFT	20	/* of VSEC and DVSEC alike */

/**
 * instinct_cap_list_answer() - what a config read is shown
 * @list: of the function
 * @where: offset, which is a multiple of @size
 * @size: bytes: 1, 2 or 4
 * @val: set, if that is of the list
 *
 * Return: false if the function is to answer.
 */
bool instinct_cap_list_answer(const struct instinct_cap_list *list, int where,
			      int size, u32 *val)
{
	unsigned int i;

	for (i = 0; i < list->count; i++) {
		if (list->dword[i].where != (where & ~3))
			continue;
		*val = instinct_config_extract(list->dword[i].val, where, size);
		return true;
	}
	return false;
}

/**
 * struct walk - through one list
 * @list: what it leads to
 * @read: of the function
 * @data: for @read
 * @header: index of the dword with the link to what is shown next
 * @ids: that were shown
 * @been: dwords that were looked at, a bit each
 * @taken: dwords of the standard part that are of a capability, a bit each
 */
struct walk {
	struct instinct_cap_list *list;
	instinct_cap_read_fn *read;
	void *data;
	unsigned int header;
	u64 ids;
	u64 been[PCI_CFG_SPACE_EXP_SIZE / 4 / 64];
	u64 taken;
};

/* Always two are free for it, see is_full(). */
static void show(struct walk *walk, int where, u32 val)
{
	struct instinct_cap_list *list = walk->list;

	list->dword[list->count++] = (struct instinct_cap_dword) { where, val };
}

static bool is_full(const struct walk *walk)
{
	return walk->list->count + 2 > ARRAY_SIZE(walk->list->dword);
}

static bool was_at(const struct walk *walk, int at)
{
	return walk->been[at / 256] >> at / 4 % 64 & 1;
}

static void be_at(struct walk *walk, int at)
{
	walk->been[at / 256] |= 1ULL << at / 4 % 64;
}

/*
 * Who takes bytes with one ID for one capability is not shown two side by side. An ID of
 * which nobody knows is hidden by whom it is shown to.
 */
static bool is_new(struct walk *walk, unsigned int id, bool may_repeat)
{
	bool shown;

	if (may_repeat || id >= 64)
		return true;
	shown = walk->ids >> id & 1;
	walk->ids |= 1ULL << id;
	return !shown;
}

static int msi_bytes(u16 flags)
{
	return 12 + (flags & PCI_MSI_FLAGS_64BIT ? 4 : 0) +
	       (flags & PCI_MSI_FLAGS_MASKBIT ? 8 : 0);
}

/* How long it may be taken for, at most. */
static int standard_bytes(unsigned int id, u32 dword)
{
	switch (id) {
	case PCI_CAP_ID_AGP:
		return PCI_AGP_SIZEOF;
	case PCI_CAP_ID_MSI:
		return msi_bytes(dword >> (8 * PCI_MSI_FLAGS));
	case PCI_CAP_ID_PCIX:
		return PCI_CAP_PCIX_SIZEOF_V2;
	case PCI_CAP_ID_HT:
		return HT_CAP_SIZEOF_LONG;
	case PCI_CAP_ID_VNDR:
		return dword >> (8 * PCI_CAP_FLAGS) & 0xff;
	case PCI_CAP_ID_EXP:
		return EXPRESS_BYTES;
	case PCI_CAP_ID_MSIX:
		return PCI_CAP_MSIX_SIZEOF;
	case PCI_CAP_ID_SATA:
		return PCI_SATA_SIZEOF_LONG;
	default:
		return 8;
	}
}

static void link_standard(struct walk *walk, int next)
{
	struct instinct_cap_dword *header = &walk->list->dword[walk->header];
	int shift = header->where == (PCI_CAPABILITY_LIST & ~3) ?
		0 : 8 * PCI_CAP_LIST_NEXT;

	header->val = (header->val & ~(0xffu << shift)) | (u32)next << shift;
}

/* Does it have its bytes for itself? Then it has them from here on. */
static bool takes(struct walk *walk, int at, int bytes)
{
	int dwords = bytes > 4 ? (bytes + 3) / 4 : 1;
	u64 mask;

	if (at + 4 * dwords > PCI_CFG_SPACE_SIZE)
		return false;
	mask = (~0ULL >> (64 - dwords)) << at / 4;
	if (walk->taken & mask)
		return false;
	walk->taken |= mask;
	return true;
}

static void show_standard(struct walk *walk, int at, u32 dword)
{
	unsigned int id = dword & 0xff;

	if (!takes(walk, at, standard_bytes(id, dword)) ||
	    !is_new(walk, id, id == PCI_CAP_ID_VNDR)) {
		walk->list->flaws++;
		return;
	}
	link_standard(walk, at);
	walk->header = walk->list->count;
	show(walk, at, dword);
	link_standard(walk, 0);
}

static void walk_standard(struct walk *walk)
{
	u32 dword = walk->read(walk->data, PCI_CAPABILITY_LIST & ~3);
	int at = dword & 0xfc;

	walk->header = walk->list->count;
	show(walk, PCI_CAPABILITY_LIST & ~3, dword);
	link_standard(walk, 0);
	while (at >= PCI_STD_HEADER_SIZEOF && !was_at(walk, at) && !is_full(walk)) {
		be_at(walk, at);
		dword = walk->read(walk->data, at);
		show_standard(walk, at, dword);
		at = dword >> (8 * PCI_CAP_LIST_NEXT) & 0xfc;
	}
	walk->list->flaws += !!at;
}

/* Does the second dword say how long it is? */
static bool tells_length(unsigned int id)
{
	return id == PCI_EXT_CAP_ID_VNDR || id == PCI_EXT_CAP_ID_DVSEC ||
	       id == PCI_EXT_CAP_ID_TPH;
}

/* If so, it has one, which is not the header of another, that is shown otherwise. */
static bool is_told(const struct walk *walk, int at, unsigned int id)
{
	return !tells_length(id) || (at + 4 < PCI_CFG_SPACE_EXP_SIZE && !was_at(walk, at + 4));
}

static int tph_bytes(u32 second)
{
	u32 entries = (second & PCI_TPH_CAP_ST_MASK) >> PCI_TPH_CAP_ST_SHIFT;

	if ((second & PCI_TPH_CAP_LOC_MASK) != PCI_TPH_LOC_CAP)
		return PCI_TPH_BASE_SIZEOF;
	return PCI_TPH_BASE_SIZEOF + TPH_ENTRY_BYTES * (entries + 1);
}

/* How long it may be taken for, at most. */
static int extended_bytes(unsigned int id, u32 second)
{
	switch (id) {
	case PCI_EXT_CAP_ID_VNDR:
	case PCI_EXT_CAP_ID_DVSEC:
		return second >> LENGTH_SHIFT;
	case PCI_EXT_CAP_ID_TPH:
		return tph_bytes(second);
	case PCI_EXT_CAP_ID_VC:
	case PCI_EXT_CAP_ID_VC9:
	case PCI_EXT_CAP_ID_MFVC:
		return CHANNELS_MAX;
	default:
		return FIXED_MAX;
	}
}

static bool may_repeat(unsigned int id)
{
	return id == PCI_EXT_CAP_ID_VNDR || id == PCI_EXT_CAP_ID_DVSEC ||
	       id == PCI_EXT_CAP_ID_DOE;
}

static void link_extended(struct walk *walk, int next)
{
	struct instinct_cap_dword *header = &walk->list->dword[walk->header];

	header->val = (header->val & 0xfffff) | (u32)next << 20;
}

/*
 * The list begins where it begins, be it with a capability of ID 0, which is none. Who
 * does not know the first one's ID may take its lower byte for another.
 */
static void show_extended(struct walk *walk, int at, u32 dword, u32 second)
{
	unsigned int id = PCI_EXT_CAP_ID(dword);
	bool first = at == PCI_CFG_SPACE_SIZE;
	bool good = is_told(walk, at, id) &&
		    at + extended_bytes(id, second) <= PCI_CFG_SPACE_EXP_SIZE &&
		    (!first || id <= PCI_EXT_CAP_ID_MAX) &&
		    is_new(walk, id, may_repeat(id));

	walk->list->flaws += !good;
	if (!good && !first)
		return;
	if (!first)
		link_extended(walk, at);
	walk->header = walk->list->count;
	show(walk, at, good ? dword : 0);
	link_extended(walk, 0);
	if (good && tells_length(id)) {
		be_at(walk, at + 4);
		show(walk, at + 4, second);
	}
}

static void walk_extended(struct walk *walk)
{
	int at = PCI_CFG_SPACE_SIZE;

	while (at >= PCI_CFG_SPACE_SIZE && !was_at(walk, at) && !is_full(walk)) {
		u32 dword = walk->read(walk->data, at), second = 0;

		be_at(walk, at);
		if (at + 4 < PCI_CFG_SPACE_EXP_SIZE)
			second = walk->read(walk->data, at + 4);
		show_extended(walk, at, dword, second);
		at = PCI_EXT_CAP_NEXT(dword);
	}
	walk->list->flaws += !!at;
}

/**
 * instinct_cap_list_build() - look at a function's capabilities
 * @list: set
 * @read: of the function
 * @data: for @read
 *
 * Left out is what goes on behind the end of its part of the config space, what lies on
 * another or repeats it though it may not, and what there is no room for. Lists that go in
 * circles end. What the function answers may be anything, and another thing each time.
 */
void instinct_cap_list_build(struct instinct_cap_list *list,
			     instinct_cap_read_fn *read, void *data)
{
	struct walk standard = { .list = list, .read = read, .data = data };
	struct walk extended = standard;

	*list = (struct instinct_cap_list) { };
	walk_standard(&standard);
	walk_extended(&extended);
}
