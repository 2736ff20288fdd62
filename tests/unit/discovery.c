// SPDX-License-Identifier: GPL-2.0-only
/* The IP discovery table's parser, fed with what a device could hold. */
#include <stdlib.h>

#include "discovery_bin.h"
#include "unit.h"

static const char *why;
static u32 base;

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
