// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzzes the parser of the IP discovery table. Half of the inputs get correct signatures, sizes
 * and checksums after their mutation, so that the parser gets past its checks and into the walk.
 * Each answer must match that of a second reader, written independently.
 */
#include "hardware/discovery.h"
#include "fuzz.h"

#define BINARY_BYTES	60
#define FIELDS_END	20	/* end of the header fields that seal() sets */
#define TABLE_BYTES	80
#define DIES_MAX	16
#define HARVEST_SIGNATURE	0x56524148
#define HARVEST_BYTES	136
#define NO_ENGINE	0x100

enum { REFUSED, WITHOUT, FOUND };

const char *const fuzz_ways[] = {
	[REFUSED] = "refused",
	[WITHOUT] = "valid, without MP1",
	[FOUND] = "valid, with MP1",
	NULL
};

/* Bytes that the second reader sees, and whether it has read past their end. */
struct view {
	const u8 *data;
	size_t end;
	bool outside;
};

struct answer {
	int ret;
	struct instinct_discovery table;
	const char *why;
};

/* Reads a little-endian number; one that is not wholly in @view reads as 0. */
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

/* The sum of the bytes modulo 1 << 16. */
static u32 sum(struct view *view, size_t from, size_t to)
{
	u32 total = 0;

	while (from < to)
		total += get(view, from++, 1);
	return total & 0xffff;
}

/* The first graphics engine that the list of harvested blocks leaves; none if that list is bad. */
static u32 first_engine(struct view *view, size_t list, size_t header)
{
	size_t at = list + 24 <= header ? get(view, list + 16, 2) : 0;
	bool gone[33] = { false };
	u32 i, name;

	if (!at)
		return 0;
	if (at + HARVEST_BYTES > view->end || get(view, at, 4) != HARVEST_SIGNATURE)
		return NO_ENGINE;
	for (i = 0; i < 32 && get(view, at + 8 + 4 * i, 2); i++) {
		name = get(view, at + 8 + 4 * i, 3);
		if ((name & 0xffff) == 11 && name >> 16 < 32)
			gone[name >> 16] = true;
	}
	for (i = 0; gone[i]; i++)
		;
	return i;
}

static void expect_die(struct view *view, size_t at, size_t base_bytes, u32 engine,
		       struct instinct_discovery *table)
{
	const struct { u32 name, base; } blocks[] = { { 1, 0 }, { engine << 16 | 11, 0 }, { 108, 2 } };
	u32 *const wanted[] = { &table->mp1, &table->gc, &table->nbif };
	u32 i, ips = get(view, at + 2, 2);
	unsigned int block;

	for (i = 0, at += 4; i < ips && !view->outside; i++) {
		u32 name = get(view, at, 3);
		u32 bases = get(view, at + 3, 1);
		size_t next = at + 8 + bases * base_bytes;

		get(view, next - 1, 1);
		/* The name is a hardware ID and, in its third byte, the instance. */
		for (block = 0; block < ARRAY_SIZE(blocks); block++)
			if (!view->outside && name == blocks[block].name &&
			    bases > blocks[block].base && !*wanted[block])
				*wanted[block] = get(view, at + 8 + blocks[block].base * base_bytes,
						     4) & (base_bytes == 8 ? 0x3fffffff : ~0u);
		at = next;
	}
}

/*
 * The second reader. An entry that reaches past the range of the binary's checksum makes the
 * table invalid. The parser's caller checks that the blocks are inside the register BAR.
 */
static int expect(const u8 *data, size_t size, struct instinct_discovery *table_of)
{
	struct view view = { .data = data, .end = size };
	size_t binary = get(&view, 10, 2), major = get(&view, 4, 2);
	size_t list = major == 2 ? 16 : 12;
	size_t header = list + 8 * (major == 2 ? get(&view, 12, 2) : 6);
	size_t table = get(&view, list, 2);
	size_t base_bytes, table_bytes;
	u32 die, dies, engine;

	if (major > 2 || header == 16 || binary < header || binary > size ||
	    get(&view, 0, 4) != 0x28211407 ||
	    get(&view, 8, 2) != sum(&view, 10, binary))
		return -EINVAL;

	view.end = binary;
	table_bytes = get(&view, table + 6, 2);
	dies = get(&view, table + 12, 2);
	if (table < header || table_bytes < TABLE_BYTES ||
	    table + table_bytes > binary || dies > DIES_MAX ||
	    get(&view, table, 4) != 0x53445049 ||
	    get(&view, list + 2, 2) != sum(&view, table, table + table_bytes))
		return -EINVAL;

	base_bytes = 4;
	if (get(&view, table + 4, 2) >= 4 && get(&view, table + 78, 1) & 1)
		base_bytes = 8;
	engine = first_engine(&view, list, header);
	for (die = 0; die < dies && !view.outside; die++)
		expect_die(&view, get(&view, table + 16 + 4 * die, 2), base_bytes, engine, table_of);
	if (view.outside)
		return -EINVAL;
	return table_of->mp1 ? 0 : -ENOENT;
}

/*
 * The copy has no spare bytes, so that ASan sees each read outside of it. @fill shows the fields
 * that the parser leaves unset.
 */
static struct answer parse(const u8 *data, size_t size, u8 fill)
{
	static const char untouched[] = "untouched";
	struct answer answer = { .why = untouched };
	u8 *bin = NULL;

	memset(&answer.table, fill, sizeof(answer.table));

	if (size) {
		bin = malloc(size);
		REQUIRE(bin);
		memcpy(bin, data, size);
	}
	answer.ret = instinct_discovery_parse(bin, size, &answer.table, &answer.why);
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
	REQUIRE(a->ret || !memcmp(&a->table, &b->table, sizeof(a->table)));
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct view view = { .data = data, .end = size };
	size_t binary = get(&view, 10, 2);
	struct answer answer, again;
	struct instinct_discovery table = { };
	int ret;

	fuzz_input();
	ret = expect(data, size, &table);

	answer = parse(data, size, 0x55);
	REQUIRE(answer.ret == ret);
	REQUIRE(ret || (answer.table.mp1 == table.mp1 && answer.table.gc == table.gc &&
			answer.table.nbif == table.nbif));

	again = parse(data, size, 0xaa);
	require_same(&answer, &again);

	/* No checksum covers the bytes after the binary, so the parser must ignore them. */
	if (binary >= BINARY_BYTES && binary < size) {
		again = parse(data, binary, 0xaa);
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

/* A small number, one near @limit, one below it, or any. */
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

/* Changes one field of the header of the table at @table. */
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

/* Changes one field of a die, or of one of its entries. */
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
		put(data, size, at, 2, (const u8[]){ 0, 1, 2, 11, 108 }[dice(seed, 5)]);
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

/* Changes the list of harvested blocks, or where it is. */
static void change_harvest(u8 *data, size_t size, size_t list, unsigned int *seed)
{
	struct view view = { .data = data, .end = size };
	size_t at;

	if (!dice(seed, 3))
		put(data, size, list + 16, 2, pick(seed, size));
	at = get(&view, list + 16, 2);
	if (dice(seed, 4))
		put(data, size, at, 4, HARVEST_SIGNATURE);
	at += 8 + 4 * dice(seed, 3);
	put(data, size, at, 2, (const u8[]){ 0, 11, 11, 12 }[dice(seed, 4)]);
	put(data, size, at + 2, 1, pick(seed, 3));
}

static void change(u8 *data, size_t size, unsigned int *seed)
{
	struct view view = { .data = data, .end = size };
	size_t list = get(&view, 4, 2) == 2 ? 16 : 12;
	size_t table = get(&view, list, 2);

	switch (dice(seed, 10)) {
	case 9:
		change_harvest(data, size, list, seed);
		break;
	case 0:
		put(data, size, 10, 2, pick(seed, size));
		break;
	case 1:
		put(data, size, list, 2,
		    pick(seed, dice(seed, 2) ? size : BINARY_BYTES));
		break;
	case 4:
		put(data, size, 4, 2, dice(seed, 4));
		put(data, size, 12, 2, pick(seed, 8));
		break;
	case 2 ... 3:
		change_table(data, size, table, seed);
		break;
	default:
		change_die(data, size, table, seed);
	}
}

/*
 * Corrects the binary's size, signature and checksum; if @deep, the table's, too. A table that
 * begins inside the binary's header, but after the fields set here, stays there, and a table
 * shorter than its header stays so: only the parser's check for that fault can reject it.
 */
static void seal(u8 *data, size_t size, bool deep)
{
	struct view view = { .data = data, .end = size };
	size_t list = get(&view, 4, 2) == 2 ? 16 : 12;
	size_t binary = get(&view, 10, 2), table = get(&view, list, 2);
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
		put(data, size, list, 2, table);
		put(data, size, table, 4, 0x53445049);
		put(data, size, table + 6, 2, table_bytes);
		put(data, size, list + 2, 2, sum(&view, table, table + table_bytes));
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

	/* An input without room for a table, or too long for the size field, stays as it is. */
	if (dice(&seed, 2) && size >= BINARY_BYTES + TABLE_BYTES &&
	    size <= 0xffff)
		seal(data, size, dice(&seed, 4));
	return size;
}
