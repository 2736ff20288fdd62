// SPDX-License-Identifier: GPL-2.0-only
#include "discovery.h"

/*
 * Layout as in Linux's drivers/gpu/drm/amd/include/discovery.h, little endian.
 * Offsets rather than structs: what is read comes from the device, maybe from
 * a tenant's hands, so every access states its bound.
 */
#define BINARY_SIGNATURE	0x28211407
#define BINARY_CHECKSUM		8	/* u16, of all that follows it */
#define BINARY_SIZE		10	/* u16 */
#define BINARY_TABLE_IP		12	/* first of the table list: */
#define TABLE_OFFSET		0	/* u16 */
#define TABLE_CHECKSUM		2	/* u16 */
#define BINARY_HEADER_BYTES	(12 + 6 * 8)

#define IP_SIGNATURE		0x53445049	/* "IPDS" */
#define IP_SIZE			6	/* u16 */
#define IP_NUM_DIES		12	/* u16 */
#define IP_DIE_INFO		14	/* u16 die id, u16 offset, each */
#define IP_DIES_MAX		16
#define IP_FLAGS		(IP_DIE_INFO + 4 * IP_DIES_MAX)
#define IP_FLAG_BASE_64		0x01
#define IP_VERSION		4	/* u16 */
#define IP_HEADER_BYTES		(IP_FLAGS + 2)

#define DIE_NUM_IPS		2	/* u16 */
#define DIE_HEADER_BYTES	4

#define ENTRY_HW_ID		0	/* u16 */
#define ENTRY_INSTANCE		2	/* u8 */
#define ENTRY_NUM_BASES		3	/* u8 */
#define ENTRY_HEADER_BYTES	8

#define HW_ID_MP1		1	/* soc15_hw_ip.h */

struct bin {
	const u8 *data;
	size_t len;
};

static bool bin_has(const struct bin *bin, size_t at, size_t bytes)
{
	return at <= bin->len && bytes <= bin->len - at;
}

/* The callers have asked bin_has(). */
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

/* Find MP1 among the entries of the die at @at. 0, -ENOENT or -EINVAL. */
static int die_find_mp1(const struct bin *bin, size_t at, size_t base_bytes, u32 *base)
{
	unsigned int left;

	if (!bin_has(bin, at, DIE_HEADER_BYTES))
		return -EINVAL;
	left = bin_u16(bin, at + DIE_NUM_IPS);
	at += DIE_HEADER_BYTES;

	for (; left; left--) {
		unsigned int bases;

		if (!bin_has(bin, at, ENTRY_HEADER_BYTES))
			return -EINVAL;
		bases = bin->data[at + ENTRY_NUM_BASES];
		if (!bin_has(bin, at + ENTRY_HEADER_BYTES, bases * base_bytes))
			return -EINVAL;
		if (bin_u16(bin, at + ENTRY_HW_ID) == HW_ID_MP1 &&
		    bin->data[at + ENTRY_INSTANCE] == 0 && bases) {
			/* The upper half is about other dies, as in amdgpu. */
			*base = bin_u32(bin, at + ENTRY_HEADER_BYTES);
			return 0;
		}
		at += ENTRY_HEADER_BYTES + bases * base_bytes;
	}
	return -ENOENT;
}

static const char *binary_check(struct bin *bin)
{
	size_t from = BINARY_CHECKSUM + 2, size;

	if (!bin_has(bin, 0, BINARY_HEADER_BYTES))
		return "IP discovery binary is too short";
	if (bin_u32(bin, 0) != BINARY_SIGNATURE)
		return "IP discovery binary has a wrong signature";
	size = bin_u16(bin, BINARY_SIZE);
	if (size < BINARY_HEADER_BYTES || !bin_has(bin, 0, size))
		return "IP discovery binary has an impossible size";
	if (bin_sum(bin, from, size - from) != bin_u16(bin, BINARY_CHECKSUM))
		return "IP discovery binary has a wrong checksum";
	bin->len = size;
	return NULL;
}

static const char *table_check(const struct bin *bin, size_t at)
{
	size_t size;

	if (at < BINARY_HEADER_BYTES || !bin_has(bin, at, IP_HEADER_BYTES))
		return "IP discovery table lies outside its binary";
	if (bin_u32(bin, at) != IP_SIGNATURE)
		return "IP discovery table has a wrong signature";
	size = bin_u16(bin, at + IP_SIZE);
	if (size < IP_HEADER_BYTES || !bin_has(bin, at, size))
		return "IP discovery table has an impossible size";
	if (bin_sum(bin, at, size) != bin_u16(bin, BINARY_TABLE_IP + TABLE_CHECKSUM))
		return "IP discovery table has a wrong checksum";
	if (bin_u16(bin, at + IP_NUM_DIES) > IP_DIES_MAX)
		return "IP discovery table has too many dies";
	return NULL;
}

/**
 * instinct_discovery_find_mp1() - where the SMU's processor is
 * @bin: the discovery binary as read from the device, trusted in nothing
 * @len: bytes in @bin
 * @base: set to MP1's first dword in the register BAR
 * @why: set to the reason, for people, on failure
 *
 * Return: 0, -EINVAL for a binary that contradicts itself, -ENOENT for one
 * without MP1.
 */
int instinct_discovery_find_mp1(const u8 *bin, size_t len, u32 *base, const char **why)
{
	struct bin b = { .data = bin, .len = len };
	size_t table, base_bytes;
	unsigned int die;

	*why = binary_check(&b);
	if (*why)
		return -EINVAL;
	table = bin_u16(&b, BINARY_TABLE_IP + TABLE_OFFSET);
	*why = table_check(&b, table);
	if (*why)
		return -EINVAL;

	/* Base addresses of 64 bits came with version 4. */
	base_bytes = bin_u16(&b, table + IP_VERSION) >= 4 &&
		     b.data[table + IP_FLAGS] & IP_FLAG_BASE_64 ? 8 : 4;

	for (die = 0; die < bin_u16(&b, table + IP_NUM_DIES); die++) {
		u16 at = bin_u16(&b, table + IP_DIE_INFO + 4 * die + 2);
		int ret = die_find_mp1(&b, at, base_bytes, base);

		if (!ret)
			return 0;
		if (ret == -EINVAL) {
			*why = "IP discovery table has an entry outside its binary";
			return ret;
		}
	}
	*why = "IP discovery table has no MP1";
	return -ENOENT;
}
