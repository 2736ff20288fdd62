// SPDX-License-Identifier: GPL-2.0-only
/*
 * The IP discovery table that the GPU's firmware leaves near the end of VRAM.
 *
 * Layout, little endian, as amdgpu reads it (amdgpu_discovery_init):
 *
 *	struct binary	signature, version, checksum of everything after that field,
 *			total size, six tables: offset, checksum, size
 *	struct header	the first table: signature, version, size, number of
 *			dies, for each of 16 dies its number and offset
 *	struct die	number, count of the blocks that follow
 *	struct block	hardware ID, instance, version, then its base addresses
 *			in dwords, 4 or 8 bytes each
 *	struct harvest	the third table: blocks that are there but do not work
 *
 * Checksums are sums of bytes. Offsets count from the beginning of the binary.
 */
#include <linux/build_bug.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "model.h"

#define BINARY_SIGNATURE	0x28211407
#define TABLE_SIGNATURE		0x53445049
#define HARVEST_SIGNATURE	0x56524148
#define HARVEST_TABLE		2
#define HARVESTED_GC0		11	/* hardware ID in the low half, then the instance */
#define TABLES			6
#define DIES_MAX		16
#define BASES_MAX		5

struct table {
	__le16 offset;
	__le16 checksum;
	__le16 size;
	__le16 padding;
} __packed;

struct binary {
	__le32 signature;
	__le16 major;
	__le16 minor;
	__le16 checksum;
	__le16 size;
	struct table table[TABLES];
} __packed;

struct header {
	__le32 signature;
	__le16 version;
	__le16 size;
	__le32 id;
	__le16 dies;
	struct {
		__le16 number;
		__le16 offset;
	} __packed die[DIES_MAX];
	u8 wide;	/* bit 0: base addresses of 8 bytes, from version 4 on */
	u8 reserved;
} __packed;

struct harvest {
	__le32 signature;
	__le32 version;
	__le32 block[32];
} __packed;

struct die {
	__le16 number;
	__le16 blocks;
} __packed;

struct block {
	__le16 hardware;
	u8 instance;
	u8 bases;
	u8 major;
	u8 minor;
	u8 revision;
	u8 variant;
} __packed;

/* Hardware IDs: soc15_hw_ip.h. The MP blocks have the base addresses that AMD's drivers know for
 * this family, the others those of another one (aldebaran_ip_offset.h), or made-up ones. Versions
 * are an MI300X's; without one of these blocks amdgpu does not begin.
 */
struct block_desc {
	u8 die;
	u16 hardware;
	u8 instance;
	u8 major, minor, revision;
	u8 bases;
	u32 base[BASES_MAX];
};

static const struct block_desc blocks[] = {
	{ 0, 108, 0, 7, 9, 0, 4, { 0x0, 0x14, 0xd20, 0x10400 } },	/* NBIF */
	{ 0, 255, 0, 13, 0, 6, 5, { 0x16000, 0xdc0000, 0xe00000, 0xe40000, 0x243fc00 } },
	{ 0, 1, 0, 13, 0, 6, 5, { 0x16000, 0xdc0000, 0xe00000, 0xe40000, 0x243fc00 } },
	{ 0, 3, 0, 13, 0, 6, 2, { 0x16600, 0x2400c00 } },		/* THM */
	{ 0, 40, 0, 4, 4, 2, 2, { 0x10a0, 0x240a000 } },		/* OSSSYS */
	{ 0, 46, 0, 4, 6, 2, 2, { 0x7000, 0x240b800 } },		/* DF */
	{ 0, 11, 0, 9, 4, 3, 3, { 0x2000, 0xa000, 0x2402c00 } },	/* GC */
	{ 0, 42, 0, 4, 4, 2, 1, { 0x1260 } },				/* SDMA */
	{ 0, 4, 0, 13, 0, 3, 4, { 0x16800, 0x16a00, 0x2401000, 0x3440000 } }, /* SMUIO */
	{ 0, 41, 0, 4, 4, 2, 2, { 0xf20, 0x240a400 } },		/* HDP */
	{ 0, 34, 0, 1, 8, 0, 2, { 0x1a000, 0x2408800 } },	/* MMHUB */
	{ 0, 35, 0, 1, 8, 0, 2, { 0xc20, 0x2408c00 } },		/* ATHUB */
	{ 0, 12, 0, 4, 0, 3, 3, { 0x7800, 0x7e00, 0x2403000 } }, /* VCN */
	{ 1, 11, 1, 9, 4, 3, 3, { IM_GC1, 0xa000, 0x2402c00 } },
	{ 1, 42, 1, 4, 4, 2, 1, { 0x1860 } },
	{ 1, 150, 0, 12, 0, 0, 2, { 0x14000, 0x2425800 } },		/* UMC */
};

#define DIES	2

static u16 checksum(const u8 *data, size_t size)
{
	u16 sum = 0;

	while (size--)
		sum += *data++;
	return sum;
}

static void put_le32(u8 *to, u32 value)
{
	__le32 le = cpu_to_le32(value);

	memcpy(to, &le, sizeof(le));
}

static size_t put_block(u8 *to, const struct block_desc *desc, bool wide)
{
	struct block *block = (struct block *)to;
	size_t len = sizeof(*block);
	int i;

	block->hardware = cpu_to_le16(desc->hardware);
	block->instance = desc->instance;
	block->bases = desc->bases;
	block->major = desc->major;
	block->minor = desc->minor;
	block->revision = desc->revision;
	for (i = 0; i < desc->bases; i++, len += wide ? 8 : 4)
		put_le32(to + len, desc->base[i]);
	return len;
}

static size_t put_die(u8 *to, unsigned int number, bool wide)
{
	struct die *die = (struct die *)to;
	size_t len = sizeof(*die);
	u16 count = 0;
	int i;

	for (i = 0; i < ARRAY_SIZE(blocks); i++)
		if (blocks[i].die == number) {
			len += put_block(to + len, &blocks[i], wide);
			count++;
		}
	die->number = cpu_to_le16(number);
	die->blocks = cpu_to_le16(count);
	return len;
}

static void put_checksum(u8 *to)
{
	struct binary *binary = (struct binary *)to;
	size_t start = offsetofend(struct binary, checksum);

	binary->checksum = cpu_to_le16(checksum(to + start, le16_to_cpu(binary->size) - start));
}

static void put_table(struct binary *binary, unsigned int number, size_t offset, size_t size)
{
	struct table *table = &binary->table[number];

	table->offset = cpu_to_le16(offset);
	table->size = cpu_to_le16(size);
	table->checksum = cpu_to_le16(checksum((u8 *)binary + offset, size));
}

static void put_binary(u8 *to, bool wide, unsigned int index, bool harvested)
{
	struct binary *binary = (struct binary *)to;
	struct header *header = (struct header *)(to + sizeof(*binary));
	size_t len = sizeof(*binary) + sizeof(*header);
	unsigned int i;

	for (i = 0; i < DIES; i++) {
		header->die[i].number = cpu_to_le16(i);
		header->die[i].offset = cpu_to_le16(len);
		len += put_die(to + len, i, wide);
	}
	header->signature = cpu_to_le32(TABLE_SIGNATURE);
	header->version = cpu_to_le16(wide ? 4 : 3);
	header->size = cpu_to_le16(len - sizeof(*binary));
	header->id = cpu_to_le32(index);
	header->dies = cpu_to_le16(DIES);
	header->wide = wide;

	put_table(binary, 0, sizeof(*binary), le16_to_cpu(header->size));
	((struct harvest *)(to + len))->signature = cpu_to_le32(HARVEST_SIGNATURE);
	if (harvested)
		((struct harvest *)(to + len))->block[0] = cpu_to_le32(HARVESTED_GC0);
	put_table(binary, HARVEST_TABLE, len, sizeof(struct harvest));
	len += sizeof(struct harvest);

	binary->signature = cpu_to_le32(BINARY_SIGNATURE);
	binary->major = cpu_to_le16(1);
	binary->size = cpu_to_le16(len);
	put_checksum(to);
}

/**
 * im_discovery_build() - make a discovery table
 * @table: IM_DISCOVERY_SIZE bytes of zeros, to be filled
 * @kind: the table's defect, if any: one of IM_DISCOVERY_*
 * @index: number of the GPU, so that no two tables are the same
 * @harvested: the first die does not work
 */
void im_discovery_build(u8 *table, unsigned int kind, unsigned int index, bool harvested)
{
	struct binary *binary = (struct binary *)table;

	BUILD_BUG_ON(sizeof(struct binary) != 60 || sizeof(struct header) != 80);

	if (kind == IM_DISCOVERY_NONE)
		return;
	if (kind == IM_DISCOVERY_GARBAGE) {
		u32 noise = 0x9e3779b9 + index;
		size_t i;

		for (i = 0; i < IM_DISCOVERY_SIZE; i++) {
			noise = noise * 1664525 + 1013904223;
			table[i] = noise >> 24;
		}
		return;
	}

	put_binary(table, kind != IM_DISCOVERY_OK32, index, harvested);
	switch (kind) {
	case IM_DISCOVERY_BADSIG:
		binary->signature = cpu_to_le32(BINARY_SIGNATURE ^ 1);
		break;
	case IM_DISCOVERY_BADSUM:
		table[sizeof(*binary) + sizeof(struct header)] ^= 0x55;
		break;
	case IM_DISCOVERY_TRUNCATED:
		/* The size field ends within the first die; only the binary's checksum fits. */
		binary->size = cpu_to_le16(sizeof(*binary) + sizeof(struct header) + 32);
		memset(table + le16_to_cpu(binary->size), 0,
		       IM_DISCOVERY_SIZE - le16_to_cpu(binary->size));
		put_checksum(table);
		break;
	}
}
