// SPDX-License-Identifier: GPL-2.0-only
/* The IP discovery table's parser, on well-formed, malformed and random binaries. */
#include <stdlib.h>

#include "discovery_bin.h"
#include "unit.h"

static const char *why;
static struct instinct_discovery table;

static int find(void)
{
	memset(&table, 0xff, sizeof(table));
	return instinct_discovery_parse(bin, sizeof(bin), &table, &why);
}

static void test_finds_mp1(void)
{
	make(3, 0);
	CHECK_INT(find(), 0);
	CHECK_INT(table.mp1, 0x16000);
	make(4, 1);
	CHECK_INT(find(), 0);
	CHECK_INT(table.mp1, 0x16000);
	/* Before version 4 the flag is padding. */
	make(3, 1);
	CHECK_INT(find(), 0);
}

/* The parser finds GC and NBIF, too, and skips instances other than 0. */
static void test_finds_the_rest(void)
{
	struct instinct_discovery first;

	make(4, 1);
	CHECK_INT(find(), 0);
	CHECK_INT(table.gc, 0x1234);
	CHECK_INT(table.nbif, 0);
	first = table;
	/* Turn the first of the three entries into NBIF, whose third base address counts. */
	w16(ENTRIES, 108);
	bin[ENTRIES + 3] = 3;
	w32(ENTRIES + 8 + 2 * 8, 0xd20);
	entry(entry(ENTRIES + 8 + 3 * 8, 11, 5, 0x1234, 8), 1, 3, 0x16000, 8);
	seal();
	CHECK_INT(find(), 0);
	CHECK_INT(table.nbif, 0xd20);
	CHECK_INT(table.mp1, 0x16000);
	CHECK(table.fingerprint != first.fingerprint);
	bin[ENTRIES + 2] = 1;
	seal();
	CHECK_INT(find(), 0);
	CHECK_INT(table.nbif, 0);
	/* The binary's first bytes give the same fingerprint. */
	CHECK_INT(instinct_discovery_fingerprint(bin), table.fingerprint);
	make_v2(3);
	CHECK_INT(find(), 0);
	CHECK_INT(instinct_discovery_fingerprint(bin), table.fingerprint);
	bin[0] ^= 1;
	CHECK_INT(instinct_discovery_fingerprint(bin), 0);
	make(4, 1);
	CHECK_INT(find(), 0);
	CHECK_INT(table.fingerprint, first.fingerprint);
}

/* A harvested die must not be touched: the first instance that is there counts. */
static void test_harvested(void)
{
	const size_t list = BINARY_BYTES - 0x90;

	make(4, 1);
	w16(12 + 2 * 8, list);
	w32(list, 0x56524148);
	seal();
	CHECK_INT(find(), 0);
	CHECK_INT(table.gc, 0x1234);
	/* VCN's instance 0 is no die; GC's is. */
	w16(list + 8, 12);
	w16(list + 12, 11);
	seal();
	CHECK_INT(find(), 0);
	CHECK_INT(table.gc, 0);
	bin[ENTRIES + 2] = 1;
	entry(entry(entry(ENTRIES, 11, 5, 0x4321, 8), 11, 5, 0x1234, 8), 1, 3, 0x16000, 8);
	bin[ENTRIES + 2] = 1;
	seal();
	CHECK_INT(find(), 0);
	CHECK_INT(table.gc, 0x4321);
	/* A list that is no list hides the engine, and nothing else. */
	w32(list, 0x56524149);
	seal();
	CHECK_INT(find(), 0);
	CHECK_INT(table.gc, 0);
	CHECK_INT(table.mp1, 0x16000);
	w16(12 + 2 * 8, BINARY_BYTES - 0x80);
	w32(BINARY_BYTES - 0x80, 0x56524148);
	seal();
	CHECK_INT(find(), 0);
	CHECK_INT(table.gc, 0);
}

static void test_versions(void)
{
	u16 version;

	make(4, 1);
	make_v2(3);
	CHECK_INT(find(), 0);
	CHECK_INT(table.mp1, 0x16000);
	/* The list of tables would run into the IP table. */
	make_v2((TABLE - 16) / 8 + 1);
	CHECK_INT(find(), -EINVAL);
	CHECK_STR(why, "IP discovery table lies outside its binary");
	make_v2(0xffff);
	CHECK_INT(find(), -EINVAL);
	CHECK_STR(why, "IP discovery binary has a wrong size or checksum");
	make_v2(0);
	CHECK_INT(find(), -EINVAL);
	CHECK_STR(why, "IP discovery binary has an unknown version, or no tables");
	for (version = 3; version; version++) {
		make(4, 1);
		w16(4, version);
		seal();
		CHECK_INT(find(), -EINVAL);
		CHECK_STR(why, "IP discovery binary has an unknown version, or no tables");
	}
	make(4, 1);
	w16(4, 1);
	seal();
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
	CHECK_STR(why, "IP discovery binary has a wrong size or checksum");
	make(4, 1);
	bin[TABLE + 40] ^= 1;
	w16(8, sum(10, BINARY_BYTES - 10));
	CHECK_INT(find(), -EINVAL);
	CHECK_STR(why, "IP discovery table has a wrong size or checksum");
}

static void test_refuses_bounds(void)
{
	make(4, 1);
	w16(10, sizeof(bin) + 1);
	CHECK_INT(find(), -EINVAL);
	CHECK_STR(why, "IP discovery binary has a wrong size or checksum");
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
	CHECK_STR(why, "IP discovery table has a wrong size or checksum");
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
	/* Each copy has its exact size, so that ASan sees a read past its end. */
	for (len = 0; len < BINARY_BYTES; len++) {
		u8 *copy = malloc(len ? len : 1);

		memcpy(copy, bin, len);
		CHECK(instinct_discovery_parse(copy, len, &table, &why));
		if (len < INSTINCT_DISCOVERY_HEAD)
			CHECK_STR(why, "IP discovery binary is too short");
		free(copy);
	}
}

/* Adds a die whose entries run up to the end of the binary, or past it. */
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
 * A fuzzer that knows the structure. It seals the binary, so that the noise passes the checksums
 * and reaches the walk; the buffer ends with the binary, so that ASan sees a read past it. One
 * round in 16 is not sealed, and is cut short.
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
		ret = instinct_discovery_parse(copy + BINARY_BYTES - len, len, &table, &why);
		CHECK((ret == 0) == (why == NULL));
		found += !ret;
	}
	free(copy);
	CHECK(found > 10000);
}

int main(void)
{
	RUN(test_finds_mp1);
	RUN(test_finds_the_rest);
	RUN(test_harvested);
	RUN(test_versions);
	RUN(test_refuses_signatures);
	RUN(test_refuses_checksums);
	RUN(test_refuses_bounds);
	RUN(test_refuses_no_mp1);
	RUN(test_short);
	RUN(test_noise);
	return unit_end();
}
