// SPDX-License-Identifier: GPL-2.0-only
/*
 * libFuzzer makes a third of the changes. The others change one header of a tar archive, or
 * whole blocks, and mostly correct the checksums, so that the reader gets past them.
 */
#include <string.h>

#include "fuzz.h"
#include "core/pure.h"

#define BLOCK	512
#define HEAD	1	/* selects the command */

/* Offsets and sizes of the fields of a header. */
#define NAME_AT		0
#define NAME_BYTES	100
#define SIZE_AT		124
#define SIZE_BYTES	12
#define SUM_AT		148
#define SUM_BYTES	8
#define TYPE_AT		156
#define LINK_AT		157
#define MAGIC_AT	257

static const char *const names[] = {
	"", ".", "..", "/", "a/../b", "../a", "./a", "a//b", "a/", "/etc/passwd", "sys", "sys/",
	"sys/bus/pci/devices", "sys/bus/pci/devices/0000:26:00.0", "sys/bus", "x/sys/bus",
	"proc/cmdline", "a/b/c/d/e/f", "etc/instinct-vfio/policy.conf", "sys/bus/pci/devices/x",
	"sys/bus/pci/devices/0000:26:00.0/config", "a\nb", "\x1b[1m", "\xff",
	"instinct-vfio/netlink/GETFAMILY", "instinct-vfio/clock",
};

static const char types[] = "0012345677LKxgSDMNV\0";

static const char sizes[][SIZE_BYTES] = {
	"00000000000", "00000000001", "00000001000", "00000047040", "00000047041", "77777777777",
	"0000000000x", "-0000000001", "\x80\0\0\0\0\0\0\0\0\0\1", "\xff\xff\xff\xff\xff\xff\xff\xff",
};

static bool is_header(const uint8_t *block)
{
	return !memcmp(block + MAGIC_AT, "ustar", 5);
}

static void seal(uint8_t *block)
{
	unsigned int sum = 0, i;
	char text[SUM_BYTES];

	memset(block + SUM_AT, ' ', SUM_BYTES);
	for (i = 0; i < BLOCK; i++)
		sum += block[i];
	snprintf(text, sizeof(text), "%06o", sum);
	memcpy(block + SUM_AT, text, SUM_BYTES - 1);
}

static void seal_all(uint8_t *data, size_t size)
{
	size_t at;

	for (at = HEAD; at + BLOCK <= size; at += BLOCK)
		if (is_header(data + at))
			seal(data + at);
}

/* A random header, or NULL if there is none. */
static uint8_t *any_header(uint8_t *data, size_t size, unsigned int *seed)
{
	size_t at, count = 0;
	uint8_t *chosen = NULL;

	for (at = HEAD; at + BLOCK <= size; at += BLOCK)
		if (is_header(data + at) && !dice(seed, ++count))
			chosen = data + at;
	return chosen;
}

static void put_name(uint8_t *field, unsigned int *seed)
{
	const char *name = names[dice(seed, ARRAY_SIZE(names))];

	if (!dice(seed, 4)) {
		LLVMFuzzerMutate(field, NAME_BYTES, NAME_BYTES);
		return;
	}
	if (dice(seed, 2))
		memset(field, 0, NAME_BYTES);
	memcpy(field, name, strlen(name) + 1);
}

static void change_header(uint8_t *block, unsigned int *seed)
{
	switch (dice(seed, 5)) {
	case 0:
		put_name(block + NAME_AT, seed);
		break;
	case 1:
		put_name(block + LINK_AT, seed);
		break;
	case 2:
		block[TYPE_AT] = types[dice(seed, sizeof(types))];
		break;
	case 3:
		memcpy(block + SIZE_AT, sizes[dice(seed, ARRAY_SIZE(sizes))], SIZE_BYTES - 1);
		break;
	default:
		LLVMFuzzerMutate(block, BLOCK, BLOCK);
	}
}

/* Removes or copies a block, or swaps two. */
static size_t change_blocks(uint8_t *data, size_t size, size_t max, unsigned int *seed)
{
	size_t blocks = (size - HEAD) / BLOCK, at, other;
	uint8_t copy[BLOCK];

	if (!blocks)
		return size;
	at = HEAD + BLOCK * dice(seed, blocks);
	other = HEAD + BLOCK * dice(seed, blocks);
	memcpy(copy, data + at, BLOCK);
	switch (dice(seed, 3)) {
	case 0:
		memmove(data + at, data + at + BLOCK, size - at - BLOCK);
		return size - BLOCK;
	case 1:
		if (size + BLOCK > max)
			return size;
		memmove(data + other + BLOCK, data + other, size - other);
		memcpy(data + other, copy, BLOCK);
		return size + BLOCK;
	default:
		memmove(data + at, data + other, BLOCK);
		memcpy(data + other, copy, BLOCK);
		return size;
	}
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
	uint8_t *header = size > HEAD ? any_header(data, size, &seed) : NULL;

	if (!header || !dice(&seed, 3))
		return LLVMFuzzerMutate(data, size, max);
	if (!dice(&seed, 6))
		data[0] = dice(&seed, 256);
	if (dice(&seed, 3))
		change_header(header, &seed);
	else
		size = change_blocks(data, size, max, &seed);
	if (dice(&seed, 8))
		seal_all(data, size);
	return size;
}
