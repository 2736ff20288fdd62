// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzzes the IP discovery table's parser. Half of the inputs are sealed after
 * their mutation, with right signatures, sizes and checksums, so that they get
 * past the checks and into the walk. Each answer is compared with that of a
 * reader written in another way.
 */
#include "discovery.h"
#include "fuzz.h"

#define BINARY_BYTES	60
#define FIELDS_END	16	/* of those that are looked at */
#define TABLE_BYTES	80
#define DIES_MAX	16

enum { REFUSED, WITHOUT, FOUND };

const char *const fuzz_ways[] = {
	[REFUSED] = "refused",
	[WITHOUT] = "without",
	[FOUND] = "found",
	NULL
};

/* What the reader below sees, and whether it was asked for more than that. */
struct view {
	const u8 *data;
	size_t end;
	bool outside;
};

struct answer {
	int ret;
	u32 base;
	const char *why;
};

/* @bytes bytes at @at, little endian; 0 where they are not all in @view. */
static u32 get(struct view *view, size_t at, size_t bytes)
{
	u32 val = 0;

	if (at + bytes > view->end) {
		view->outside = true;
		return 0;
	}
	while (bytes--)
		val = val << 8 | view->data[at + bytes];
	return val;
}

/* Modulo 1 << 16. */
static u32 sum(struct view *view, size_t from, size_t to)
{
	u32 total = 0;

	while (from < to)
		total += get(view, from++, 1);
	return total & 0xffff;
}

static int expect_die(struct view *view, size_t at, size_t base_bytes,
		      u32 *base)
{
	u32 i, ips = get(view, at + 2, 2);

	for (i = 0, at += 4; i < ips && !view->outside; i++) {
		u32 name = get(view, at, 3);
		u32 bases = get(view, at + 3, 1);
		size_t next = at + 8 + bases * base_bytes;

		get(view, next - 1, 1);
		/* Hardware 1, instance 0. */
		if (!view->outside && name == 1 && bases) {
			*base = get(view, at + 8, 4);
			return 0;
		}
		at = next;
	}
	return view->outside ? -EINVAL : -ENOENT;
}

/*
 * The answer by the rules. MP1 is where an entry says so that lies, to its last
 * byte, in what the binary's checksum covers. That this is inside the register
 * BAR, and not 0, is for the parser's caller to check.
 */
static int expect(const u8 *data, size_t size, u32 *base)
{
	struct view view = { .data = data, .end = size };
	size_t binary = get(&view, 10, 2), table = get(&view, 12, 2);
	size_t base_bytes, table_bytes;
	u32 die, dies;

	if (binary < BINARY_BYTES || binary > size ||
	    get(&view, 0, 4) != 0x28211407 ||
	    get(&view, 8, 2) != sum(&view, 10, binary))
		return -EINVAL;

	view.end = binary;
	table_bytes = get(&view, table + 6, 2);
	dies = get(&view, table + 12, 2);
	if (table < BINARY_BYTES || table_bytes < TABLE_BYTES ||
	    table + table_bytes > binary || dies > DIES_MAX ||
	    get(&view, table, 4) != 0x53445049 ||
	    get(&view, 14, 2) != sum(&view, table, table + table_bytes))
		return -EINVAL;

	base_bytes = 4;
	if (get(&view, table + 4, 2) >= 4 && get(&view, table + 78, 1) & 1)
		base_bytes = 8;
	for (die = 0; die < dies; die++) {
		size_t at = get(&view, table + 16 + 4 * die, 2);
		int ret = expect_die(&view, at, base_bytes, base);

		if (ret != -ENOENT)
			return ret;
	}
	return -ENOENT;
}

/*
 * In a block of its own size, so that ASan sees every read outside of it, and
 * with @base in what the parser is to overwrite.
 */
static struct answer parse(const u8 *data, size_t size, u32 base)
{
	static const char untouched[] = "untouched";
	struct answer answer = { .base = base, .why = untouched };
	u8 *bin = NULL;

	if (size) {
		bin = malloc(size);
		REQUIRE(bin);
		memcpy(bin, data, size);
	}
	answer.ret = instinct_discovery_find_mp1(bin, size, &answer.base,
						 &answer.why);
	free(bin);

	REQUIRE(answer.why != untouched);
	if (answer.ret) {
		REQUIRE(answer.ret == -EINVAL || answer.ret == -ENOENT);
		REQUIRE(answer.why && *answer.why);
	} else {
		REQUIRE(!answer.why);
	}
	return answer;
}

static void require_same(const struct answer *a, const struct answer *b)
{
	REQUIRE(a->ret == b->ret);
	REQUIRE(a->why == b->why);
	REQUIRE(a->ret || a->base == b->base);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct view view = { .data = data, .end = size };
	size_t binary = get(&view, 10, 2);
	struct answer answer, again;
	u32 base = 0;
	int ret;

	fuzz_input();
	ret = expect(data, size, &base);

	answer = parse(data, size, 0x55555555);
	REQUIRE(answer.ret == ret);
	REQUIRE(ret || answer.base == base);

	again = parse(data, size, 0xaaaaaaaa);
	require_same(&answer, &again);

	/* What follows the binary is covered by no checksum: it is not read. */
	if (binary >= BINARY_BYTES && binary < size) {
		again = parse(data, binary, 0xaaaaaaaa);
		require_same(&answer, &again);
	}

	fuzz_went(!ret ? FOUND : ret == -ENOENT ? WITHOUT : REFUSED);
	return 0;
}

static void put(u8 *data, size_t size, size_t at, size_t bytes, u32 val)
{
	if (at + bytes > size)
		return;
	for (; bytes--; val >>= 8)
		data[at++] = val;
}

/* A number near one that decides something, or any. */
static u32 pick(unsigned int *seed, u32 limit)
{
	switch (dice(seed, 4)) {
	case 0:
		return dice(seed, 20);
	case 1:
		return limit - 12 + dice(seed, 16);
	case 2:
		return limit ? dice(seed, limit) : 0;
	default:
		return dice(seed, 0x10000);
	}
}

/* Change one field of the header of the table at @table. */
static void change_table(u8 *data, size_t size, size_t table,
			 unsigned int *seed)
{
	switch (dice(seed, 5)) {
	case 0:
		put(data, size, table + 4, 2, dice(seed, 6));
		break;
	case 1:
		put(data, size, table + 6, 2,
		    pick(seed, dice(seed, 2) ? size - table : TABLE_BYTES));
		break;
	case 2:
		put(data, size, table + 12, 2, dice(seed, DIES_MAX + 2));
		break;
	case 3:
		put(data, size, table + 16 + 4 * dice(seed, DIES_MAX), 2,
		    pick(seed, size));
		break;
	default:
		put(data, size, table + 78, 1, dice(seed, 4));
	}
}

/* Change one field of a die, or of an entry on the way through it. */
static void change_die(u8 *data, size_t size, size_t table, unsigned int *seed)
{
	struct view view = { .data = data, .end = size };
	u32 dies = get(&view, table + 12, 2) % DIES_MAX;
	size_t at, base_bytes = get(&view, table + 78, 1) & 1 ? 8 : 4;
	u32 entry;

	at = get(&view, table + 16 + 4 * dice(seed, dies + 1), 2);
	if (!dice(seed, 4)) {
		put(data, size, at + 2, 2, pick(seed, 8));
		return;
	}
	for (entry = dice(seed, 6), at += 4; entry; entry--)
		at += 8 + get(&view, at + 3, 1) * base_bytes;
	switch (dice(seed, 4)) {
	case 0:
		put(data, size, at, 2, dice(seed, 3));
		break;
	case 1:
		put(data, size, at + 2, 1, dice(seed, 2));
		break;
	case 2:
		put(data, size, at + 3, 1, pick(seed, (size - at) / base_bytes));
		break;
	default:
		put(data, size, at + 8, 4, pick(seed, 0x20000));
	}
}

static void change(u8 *data, size_t size, unsigned int *seed)
{
	struct view view = { .data = data, .end = size };
	size_t table = get(&view, 12, 2);

	switch (dice(seed, 8)) {
	case 0:
		put(data, size, 10, 2, pick(seed, size));
		break;
	case 1:
		put(data, size, 12, 2,
		    pick(seed, dice(seed, 2) ? size : BINARY_BYTES));
		break;
	case 2 ... 3:
		change_table(data, size, table, seed);
		break;
	default:
		change_die(data, size, table, seed);
	}
}

/*
 * Make the binary's size, signature and checksum right; on @deep the table's,
 * too. A table that begins inside the binary's header, but behind the fields
 * set here, is left there, and one shorter than its header as it is: nothing
 * but the check for just that is to stop them.
 */
static void seal(u8 *data, size_t size, bool deep)
{
	struct view view = { .data = data, .end = size };
	size_t binary = get(&view, 10, 2), table = get(&view, 12, 2);
	size_t table_bytes = get(&view, table + 6, 2);

	if (binary < BINARY_BYTES + TABLE_BYTES || binary > size)
		binary = size;
	put(data, size, 0, 4, 0x28211407);
	put(data, size, 10, 2, binary);
	if (deep) {
		if (table < FIELDS_END || table + TABLE_BYTES > binary) {
			table = BINARY_BYTES;
			table_bytes = get(&view, table + 6, 2);
		}
		if (table_bytes < 8 || table + table_bytes > binary)
			table_bytes = binary - table;
		put(data, size, 12, 2, table);
		put(data, size, table, 4, 0x53445049);
		put(data, size, table + 6, 2, table_bytes);
		put(data, size, 14, 2, sum(&view, table, table + table_bytes));
	}
	put(data, size, 8, 2, sum(&view, 10, binary));
}

size_t LLVMFuzzerCustomMutator(u8 *data, size_t size, size_t max,
			       unsigned int seed)
{
	if (dice(&seed, 2))
		size = LLVMFuzzerMutate(data, size, max);
	else
		change(data, size, &seed);

	/* What is too short for a table stays as it is. */
	if (dice(&seed, 2) && size >= BINARY_BYTES + TABLE_BYTES &&
	    size <= 0xffff)
		seal(data, size, dice(&seed, 4));
	return size;
}
