// SPDX-License-Identifier: GPL-2.0-only
/* The IP discovery table's parser, fed with what a device could hold. */
#include <stdlib.h>

#include "discovery.h"
#include "unit.h"

#define TABLE	0x100
#define DIE	(TABLE + 80)
#define ENTRIES	(DIE + 4)

static u8 bin[INSTINCT_DISCOVERY_BYTES];
static const char *why;
static u32 base;

static void w16(size_t at, u16 v)
{
	bin[at] = v;
	bin[at + 1] = v >> 8;
}

static void w32(size_t at, u32 v)
{
	w16(at, v);
	w16(at + 2, v >> 16);
}

static u16 sum(size_t at, size_t n)
{
	u16 s = 0;

	while (n--)
		s += bin[at++];
	return s;
}

#define TABLE_BYTES	0x200
#define BINARY_BYTES	0x400

static void seal(void)
{
	w16(14, sum(TABLE, TABLE_BYTES));
	w16(8, sum(10, BINARY_BYTES - 10));
}

/* An entry of @bases base addresses at @at; returns where the next begins. */
static size_t entry(size_t at, u16 hw_id, u8 bases, u32 first, size_t bytes)
{
	w16(at, hw_id);
	bin[at + 2] = 0;
	bin[at + 3] = bases;
	w32(at + 8, first);
	return at + 8 + bases * bytes;
}

static void make(u16 version, u8 flags)
{
	size_t bytes = flags & 1 && version >= 4 ? 8 : 4, at;

	memset(bin, 0, sizeof(bin));
	w32(0, 0x28211407);
	w16(10, BINARY_BYTES);
	w16(12, TABLE);
	w32(TABLE, 0x53445049);
	w16(TABLE + 4, version);
	w16(TABLE + 6, TABLE_BYTES);
	w16(TABLE + 12, 1);
	w16(TABLE + 16, DIE);
	bin[TABLE + 78] = flags;
	w16(DIE + 2, 3);
	at = entry(ENTRIES, 255, 2, 0x16000, bytes);
	at = entry(at, 11, 5, 0x1234, bytes);
	entry(at, 1, 3, 0x16000, bytes);
	seal();
}

static int find(void)
{
	base = 0;
	return instinct_discovery_find_mp1(bin, sizeof(bin), &base, &why);
}

static void test_finds_mp1(void)
{
	make(3, 0);
	CHECK_INT(find(), 0);
	CHECK_INT(base, 0x16000);
	make(4, 1);
	CHECK_INT(find(), 0);
	CHECK_INT(base, 0x16000);
	/* Before version 4 the flag is padding. */
	make(3, 1);
	CHECK_INT(find(), 0);
}

static void test_refuses_signatures(void)
{
	make(4, 1);
	bin[0] ^= 1;
	CHECK_INT(find(), -EINVAL);
	CHECK_STR(why, "IP discovery binary has a wrong signature");
	make(4, 1);
	w32(TABLE, 0x53445048);
	seal();
	CHECK_INT(find(), -EINVAL);
	CHECK_STR(why, "IP discovery table has a wrong signature");
}

static void test_refuses_checksums(void)
{
	make(4, 1);
	bin[BINARY_BYTES - 1] ^= 1;
	CHECK_INT(find(), -EINVAL);
	CHECK_STR(why, "IP discovery binary has a wrong checksum");
	make(4, 1);
	bin[TABLE + 40] ^= 1;
	w16(8, sum(10, BINARY_BYTES - 10));
	CHECK_INT(find(), -EINVAL);
	CHECK_STR(why, "IP discovery table has a wrong checksum");
}

static void test_refuses_bounds(void)
{
	make(4, 1);
	w16(10, sizeof(bin) + 1);
	CHECK_INT(find(), -EINVAL);
	CHECK_STR(why, "IP discovery binary has an impossible size");
	make(4, 1);
	w16(12, BINARY_BYTES - 8);
	seal();
	CHECK_INT(find(), -EINVAL);
	CHECK_STR(why, "IP discovery table lies outside its binary");
	make(4, 1);
	w16(12, 4);
	seal();
	CHECK_INT(find(), -EINVAL);
	CHECK_STR(why, "IP discovery table lies outside its binary");
	make(4, 1);
	w16(TABLE + 6, 0xffff);
	w16(8, sum(10, BINARY_BYTES - 10));
	CHECK_INT(find(), -EINVAL);
	CHECK_STR(why, "IP discovery table has an impossible size");
	make(4, 1);
	w16(TABLE + 12, 17);
	seal();
	CHECK_INT(find(), -EINVAL);
	CHECK_STR(why, "IP discovery table has too many dies");
	make(4, 1);
	w16(TABLE + 16, BINARY_BYTES - 2);
	seal();
	CHECK_INT(find(), -EINVAL);
	make(4, 1);
	bin[ENTRIES + 3] = 255;
	seal();
	CHECK_INT(find(), -EINVAL);
	CHECK_STR(why, "IP discovery table has an entry outside its binary");
}

static void test_refuses_no_mp1(void)
{
	make(4, 1);
	w16(DIE + 2, 2);
	seal();
	CHECK_INT(find(), -ENOENT);
	CHECK_STR(why, "IP discovery table has no MP1");
}

static void test_short(void)
{
	size_t len;

	make(4, 1);
	/* In a block of its own size, so that ASan sees a read past it. */
	for (len = 0; len < BINARY_BYTES; len++) {
		u8 *copy = malloc(len ? len : 1);

		memcpy(copy, bin, len);
		CHECK(instinct_discovery_find_mp1(copy, len, &base, &why));
		free(copy);
	}
}

/* A die whose entries run up to the end of the binary, or past it. */
static void die_at_the_end(void)
{
	size_t at = BINARY_BYTES - 4 - rand() % 64;

	w16(TABLE + 16, at);
	w16(at + 2, rand() % 8);
	for (at += 4; at + 8 <= BINARY_BYTES; at += 8 + bin[at + 3] * 4) {
		w16(at, rand() % 2 ? 1 : 11);
		bin[at + 2] = 0;
		bin[at + 3] = rand() % 4;
	}
}

/*
 * A fuzzer that knows the structure: sealed, so that the noise gets past the
 * checksums and into the walk, in a block that ends where the binary does. One
 * round in 16 is left unsealed, or cut short.
 */
static void test_noise(void)
{
	u8 *copy = malloc(BINARY_BYTES);
	int i, found = 0;

	srand(1);
	for (i = 0; i < 300000; i++) {
		int n = rand() % 8 + 1;
		size_t len = BINARY_BYTES;
		int ret;

		make(rand() % 2 ? 3 : 4, rand());
		while (n--)
			bin[rand() % BINARY_BYTES] = rand();
		if (rand() % 2)
			die_at_the_end();
		if (rand() % 16) {
			w16(10, BINARY_BYTES);
			w16(12, TABLE);
			w16(TABLE + 6, TABLE_BYTES);
			seal();
		} else {
			len -= rand() % BINARY_BYTES;
		}
		memcpy(copy + BINARY_BYTES - len, bin, len);
		base = 0;
		ret = instinct_discovery_find_mp1(copy + BINARY_BYTES - len, len,
						  &base, &why);
		CHECK((ret == 0) == (why == NULL));
		found += !ret;
	}
	free(copy);
	CHECK(found > 10000);
}

int main(void)
{
	RUN(test_finds_mp1);
	RUN(test_refuses_signatures);
	RUN(test_refuses_checksums);
	RUN(test_refuses_bounds);
	RUN(test_refuses_no_mp1);
	RUN(test_short);
	RUN(test_noise);
	return unit_end();
}
