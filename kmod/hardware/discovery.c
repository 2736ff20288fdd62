// SPDX-License-Identifier: GPL-2.0-only
#include "hardware/discovery.h"

/*
 * The layout is that of Linux's drivers/gpu/drm/amd/include/discovery.h, in little endian. The code
 * uses offsets rather than structs: the bytes come from the device, where a tenant may have written
 * them, so every access states its bound.
 */
#define BINARY_MAJOR		4	/* u16 */
#define BINARY_CHECKSUM		8	/* u16, sum of all bytes behind it */
#define BINARY_SIZE		10	/* u16 */
#define BINARY_TABLES		12	/* list of tables; the first is the IP table */
#define BINARY_TABLES_V1	6	/* number of tables up to version 1 */
#define BINARY_COUNT_V2		12	/* u16, number of tables in version 2 */
#define BINARY_TABLES_V2	16	/* list of tables in version 2: struct binary_header_v2 */
#define TABLE_OFFSET		0	/* u16 */
#define TABLE_CHECKSUM		2	/* u16; the table's size follows as a u16 */
#define TABLE_BYTES		8
#define TABLE_HARVEST		2		/* the third table: blocks that are there but do not work */

#define HARVEST_SIGNATURE	0x56524148	/* "HARV" */
#define HARVEST_LIST		8		/* u16 hardware ID, u8 instance, u8; ends with an ID of 0 */
#define HARVEST_ENTRY_BYTES	4
#define HARVEST_BYTES		(HARVEST_LIST + 32 * HARVEST_ENTRY_BYTES)

#define IP_SIGNATURE		0x53445049	/* "IPDS" */
#define IP_SIZE			6	/* u16 */
#define IP_NUM_DIES		12	/* u16 */
#define IP_DIE_INFO		14	/* u16 die id and u16 offset for each die */
#define IP_DIES_MAX		16
#define IP_FLAGS		(IP_DIE_INFO + 4 * IP_DIES_MAX)
#define IP_FLAG_BASE_64		0x01
/* The bits above it are about other dies: amdgpu_discovery_reg_base_init(). */
#define BASE_64_MASK		0x3fffffffu
#define IP_VERSION		4	/* u16 */
#define IP_HEADER_BYTES		(IP_FLAGS + 2)

#define DIE_NUM_IPS		2	/* u16 */
#define DIE_HEADER_BYTES	4

#define ENTRY_HW_ID		0	/* u16 */
#define ENTRY_INSTANCE		2	/* u8 */
#define ENTRY_NUM_BASES		3	/* u8 */
#define ENTRY_HEADER_BYTES	8

/* Hardware IDs of blocks (soc15_hw_ip.h), and the index of the wanted base address of each. */
#define HW_ID_MP1		1
#define BASE_MP1		0
#define HW_ID_GC		11
#define BASE_GC			0	/* gc_9_4_3_offset.h, regMC_VM_XGMI_LFB_CNTL_BASE_IDX */
#define HW_ID_NBIF		108
#define BASE_NBIF		2	/* nbio_7_9_0_offset.h, regBIF_BX_PF0_PARTITION_*_BASE_IDX */

/**
 * struct bin - discovery binary
 * @data: bytes
 * @len: length of @data, bytes
 * @tables: offset of the list of tables
 * @header: offset of the end of that list
 * @gc: instance of the graphics engine that the parser looks for
 */
struct bin {
	const u8 *data;
	size_t len;
	size_t tables;
	size_t header;
	unsigned int gc;
};

static bool bin_has(const struct bin *bin, size_t at, size_t bytes)
{
	return at <= bin->len && bytes <= bin->len - at;
}

/* A caller of these readers has checked the bounds with bin_has(). */
static u16 bin_u16(const struct bin *bin, size_t at)
{
	return bin->data[at] | bin->data[at + 1] << 8;
}

static u32 bin_u32(const struct bin *bin, size_t at)
{
	return bin_u16(bin, at) | (u32)bin_u16(bin, at + 2) << 16;
}

static u16 bin_sum(const struct bin *bin, size_t at, size_t bytes)
{
	u16 sum = 0;

	while (bytes--)
		sum += bin->data[at++];
	return sum;
}

/* Finds the blocks of the die at @at. Returns false if an entry reaches past the binary. */
static bool die_scan(const struct bin *bin, size_t at, size_t base_bytes,
		     struct instinct_discovery *found)
{
	const struct {
		u16 id;
		u16 wanted;
		unsigned int instance;
		u32 *base;
	} blocks[] = {
		{ HW_ID_MP1, BASE_MP1, 0, &found->mp1 },
		{ HW_ID_GC, BASE_GC, bin->gc, &found->gc },
		{ HW_ID_NBIF, BASE_NBIF, 0, &found->nbif },
	};
	unsigned int left, bases, i;

	if (!bin_has(bin, at, DIE_HEADER_BYTES))
		return false;
	left = bin_u16(bin, at + DIE_NUM_IPS);
	at += DIE_HEADER_BYTES;

	for (; left; left--) {
		if (!bin_has(bin, at, ENTRY_HEADER_BYTES))
			return false;
		bases = bin->data[at + ENTRY_NUM_BASES];
		if (!bin_has(bin, at + ENTRY_HEADER_BYTES, bases * base_bytes))
			return false;
		for (i = 0; i < ARRAY_SIZE(blocks); i++)
			if (bin_u16(bin, at + ENTRY_HW_ID) == blocks[i].id && !*blocks[i].base &&
			    blocks[i].wanted < bases &&
			    bin->data[at + ENTRY_INSTANCE] == blocks[i].instance)
				*blocks[i].base = bin_u32(bin, at + ENTRY_HEADER_BYTES +
							  blocks[i].wanted * base_bytes) &
						  (base_bytes == 8 ? BASE_64_MASK : ~0u);
		at += ENTRY_HEADER_BYTES + bases * base_bytes;
	}
	return true;
}

/*
 * Finds the first instance of the graphics engine that is there: a register of a harvested die must not
 * be touched, and amdgpu does not (amdgpu_discovery_read_from_harvest_table()). Without a table of
 * harvested blocks all are there. Returns no instance if the table is bad.
 */
static unsigned int gc_present(const struct bin *bin)
{
	size_t entry = bin->tables + TABLE_HARVEST * TABLE_BYTES, at, end;
	unsigned int first = 0;
	u32 harvested = 0;

	at = entry + TABLE_BYTES <= bin->header ? bin_u16(bin, entry + TABLE_OFFSET) : 0;
	if (!at)
		return 0;
	if (!bin_has(bin, at, HARVEST_BYTES) || bin_u32(bin, at) != HARVEST_SIGNATURE)
		return ~0u;
	end = at + HARVEST_BYTES;
	for (at += HARVEST_LIST; at < end && bin_u16(bin, at); at += HARVEST_ENTRY_BYTES)
		if (bin_u16(bin, at) == HW_ID_GC && bin->data[at + 2] < 32)
			harvested |= BIT(bin->data[at + 2]);
	while (harvested & BIT(first))
		first++;
	return first;
}

/* Finds the list of tables and the end of the binary's header. Returns an error text or NULL. */
static const char *binary_head(struct bin *bin)
{
	if (!bin_has(bin, 0, INSTINCT_DISCOVERY_HEAD))
		return "IP discovery binary is too short";
	if (bin_u32(bin, 0) != INSTINCT_DISCOVERY_SIGNATURE)
		return "IP discovery binary has a wrong signature";
	switch (bin_u16(bin, BINARY_MAJOR)) {
	case 0:
	case 1:
		bin->tables = BINARY_TABLES;
		bin->header = BINARY_TABLES + BINARY_TABLES_V1 * TABLE_BYTES;
		break;
	case 2:
		bin->tables = BINARY_TABLES_V2;
		bin->header = BINARY_TABLES_V2 + bin_u16(bin, BINARY_COUNT_V2) * TABLE_BYTES;
		if (bin->header > BINARY_TABLES_V2)
			break;
		fallthrough;
	default:
		return "IP discovery binary has an unknown version, or no tables";
	}
	return NULL;
}

static const char *binary_check(struct bin *bin)
{
	size_t from = BINARY_CHECKSUM + 2, size;
	const char *why = binary_head(bin);

	if (why)
		return why;
	size = bin_u16(bin, BINARY_SIZE);
	if (size < bin->header || !bin_has(bin, 0, size) ||
	    bin_sum(bin, from, size - from) != bin_u16(bin, BINARY_CHECKSUM))
		return "IP discovery binary has a wrong size or checksum";
	bin->len = size;
	return NULL;
}

static const char *table_check(const struct bin *bin, size_t at)
{
	size_t size;

	if (at < bin->header || !bin_has(bin, at, IP_HEADER_BYTES))
		return "IP discovery table lies outside its binary";
	if (bin_u32(bin, at) != IP_SIGNATURE)
		return "IP discovery table has a wrong signature";
	size = bin_u16(bin, at + IP_SIZE);
	if (size < IP_HEADER_BYTES || !bin_has(bin, at, size) ||
	    bin_sum(bin, at, size) != bin_u16(bin, bin->tables + TABLE_CHECKSUM))
		return "IP discovery table has a wrong size or checksum";
	if (bin_u16(bin, at + IP_NUM_DIES) > IP_DIES_MAX)
		return "IP discovery table has too many dies";
	return NULL;
}

/**
 * instinct_discovery_fingerprint() - make a number that tells IP discovery tables apart
 * @head: the first INSTINCT_DISCOVERY_HEAD bytes of the discovery binary
 *
 * The fingerprint covers the IP table alone: other tables change with the GPU's partition.
 *
 * Return: size and checksum of the IP table, as the binary lists them; 0 if @head is not the
 * beginning of a discovery binary.
 */
u32 instinct_discovery_fingerprint(const u8 *head)
{
	struct bin b = { .data = head, .len = INSTINCT_DISCOVERY_HEAD };

	return binary_head(&b) ? 0 : bin_u32(&b, b.tables + TABLE_CHECKSUM);
}

/**
 * instinct_discovery_parse() - find the blocks of a GPU
 * @bin: discovery binary as read from the device; this function trusts no byte of it
 * @len: length of @bin, bytes
 * @found: set to the places of the blocks
 * @why: set to an error text on failure
 *
 * Return: 0, -EINVAL for a binary that contradicts itself, -ENOENT for one without MP1.
 */
int instinct_discovery_parse(const u8 *bin, size_t len, struct instinct_discovery *found,
			     const char **why)
{
	struct bin b = { .data = bin, .len = len };
	size_t table, base_bytes;
	unsigned int die;

	*found = (struct instinct_discovery) { };
	*why = binary_check(&b);
	if (*why)
		return -EINVAL;
	table = bin_u16(&b, b.tables + TABLE_OFFSET);
	*why = table_check(&b, table);
	if (*why)
		return -EINVAL;
	found->fingerprint = bin_u32(&b, b.tables + TABLE_CHECKSUM);
	b.gc = gc_present(&b);

	/* Base addresses of 64 bits came with version 4. */
	base_bytes = bin_u16(&b, table + IP_VERSION) >= 4 &&
		     b.data[table + IP_FLAGS] & IP_FLAG_BASE_64 ? 8 : 4;

	for (die = 0; die < bin_u16(&b, table + IP_NUM_DIES); die++)
		if (!die_scan(&b, bin_u16(&b, table + IP_DIE_INFO + 4 * die + 2), base_bytes,
			      found)) {
			*why = "IP discovery table has an entry outside its binary";
			return -EINVAL;
		}
	if (found->mp1)
		return 0;
	*why = "IP discovery table has no MP1";
	return -ENOENT;
}
