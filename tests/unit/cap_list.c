// SPDX-License-Identifier: GPL-2.0-only
/* Capability lists in whatever state: what is shown can be believed. */
#include <linux/pci_regs.h>

#include "cap_list.h"
#include "unit.h"

#define BYTES	4096

static u32 space[BYTES / 4];

static u32 read_space(void *data, int where)
{
	(void)data;
	return space[where / 4];
}

static u32 random_state;

static u32 dice(void)
{
	random_state = random_state * 1664525 + 1013904223;
	return random_state >> 8 ^ random_state << 20;
}

/* A function that says another thing each time. */
static u32 read_noise(void *data, int where)
{
	(void)data;
	return dice() % 4 ? space[where / 4] : dice();
}

static void put_standard(int at, unsigned int id, int next)
{
	space[at / 4] = id | next << 8;
}

static void put_extended(int at, unsigned int id, int next)
{
	space[at / 4] = id | 1 << 16 | (u32)next << 20;
}

/* As on the GPUs in question. */
static void put_good(void)
{
	memset(space, 0, sizeof(space));
	space[PCI_CAPABILITY_LIST / 4] = 0x48;
	put_standard(0x48, PCI_CAP_ID_VNDR, 0x50);
	space[0x48 / 4] |= 8 << 16;
	put_standard(0x50, PCI_CAP_ID_PM, 0x64);
	put_standard(0x64, PCI_CAP_ID_EXP, 0xa0);
	put_standard(0xa0, PCI_CAP_ID_MSI, 0xc0);
	put_standard(0xc0, PCI_CAP_ID_MSIX, 0);
	put_extended(0x100, PCI_EXT_CAP_ID_VNDR, 0x150);
	space[0x104 / 4] = 0x00c10001;
	put_extended(0x150, PCI_EXT_CAP_ID_ERR, 0x2b0);
	put_extended(0x2b0, PCI_EXT_CAP_ID_ATS, 0x2c0);
	put_extended(0x2c0, PCI_EXT_CAP_ID_PRI, 0x450);
	put_extended(0x450, PCI_EXT_CAP_ID_DVSEC, 0);
	space[0x454 / 4] = 0x01010002;
}

static u32 shown(const struct instinct_cap_list *list, int where, int size)
{
	u32 val;

	if (instinct_cap_list_answer(list, where, size, &val))
		return val;
	return space[where / 4] >> (8 * (where & 3)) & ~0u >> (8 * (4 - size));
}

/*
 * Who believes the lists, as vfio-pci-core does while it opens a device: it marks the bytes
 * of each capability with its ID, in a table as long as the config space. An access is by
 * the rules of that ID, from where its bytes begin on; there are as many rules as the
 * capability is long.
 */
static u8 marks[BYTES];
static int rules[2][256];

/* Of those that have rules, or whose length is not told. 0: it is not shown to users. */
static int standard_taken(const struct instinct_cap_list *list, int at, unsigned int id)
{
	unsigned int flags = shown(list, at + 2, 2);

	switch (id) {
	case PCI_CAP_ID_PM:
	case PCI_CAP_ID_VPD:
		return 8;
	case PCI_CAP_ID_AF:
		return 6;
	case PCI_CAP_ID_AGP:
	case PCI_CAP_ID_MSIX:
		return 12;
	case PCI_CAP_ID_MSI:
		return 10 + (flags & 0x80 ? 4 : 0) + (flags & 0x100 ? 10 : 0);
	case PCI_CAP_ID_HT:
		return 28;
	case PCI_CAP_ID_VNDR:
		return flags & 0xff;
	case PCI_CAP_ID_EXP:
		return 0x3c;
	}
	return 0;
}

static int extended_taken(const struct instinct_cap_list *list, int at, unsigned int id)
{
	switch (id) {
	case PCI_EXT_CAP_ID_ERR:
		return 0x2c;
	case PCI_EXT_CAP_ID_DSN:
		return 12;
	case PCI_EXT_CAP_ID_PWR:
	case PCI_EXT_CAP_ID_PRI:
		return 16;
	case PCI_EXT_CAP_ID_SRIOV:
		return 0x40;
	case PCI_EXT_CAP_ID_ATS:
	case PCI_EXT_CAP_ID_LTR:
		return 8;
	case PCI_EXT_CAP_ID_VC:
	case PCI_EXT_CAP_ID_VC9:
	case PCI_EXT_CAP_ID_MFVC:
		/* Of what is not held anything may be answered. */
		return 176;
	case PCI_EXT_CAP_ID_ACS:
		return 40;
	case PCI_EXT_CAP_ID_REBAR:
		return 60;
	case PCI_EXT_CAP_ID_VNDR:
	case PCI_EXT_CAP_ID_DVSEC:
		return shown(list, at + 4, 4) >> 20;
	case PCI_EXT_CAP_ID_TPH:
		if ((shown(list, at + 4, 4) & 0x600) == 0x200)
			return 14 + 2 * (shown(list, at + 4, 4) >> 16 & 0x7ff);
		return 12;
	}
	return 0;
}

static bool mark(int at, unsigned int id, int bytes, int end)
{
	CHECK(at + bytes <= end);
	if (at + bytes > end)
		return false;
	memset(marks + at, id, bytes);
	if (bytes)
		rules[at >= 0x100][id & 0xff] = bytes;
	return true;
}

static unsigned int believe_standard(const struct instinct_cap_list *list)
{
	unsigned int id, count = 0, loops = 0;
	int at, bytes;

	for (at = shown(list, PCI_CAPABILITY_LIST, 1); at; at = shown(list, at + 1, 1)) {
		CHECK(at >= 0x40 && !(at & 3));
		CHECK(loops++ < 64);
		if (at < 0x40 || loops > 64)
			return count;
		id = shown(list, at, 1);
		bytes = standard_taken(list, at, id);
		if (!mark(at, id, bytes, 0x100))
			return count;
		count++;
	}
	return count;
}

static unsigned int believe_extended(const struct instinct_cap_list *list)
{
	unsigned int id, count = 0, loops = 0;
	int at, bytes;
	u32 dword;

	for (at = 0x100; at; at = dword >> 20) {
		CHECK(at >= 0x100 && !(at & 3));
		CHECK(loops++ < BYTES / 4);
		if (at < 0x100 || loops > BYTES / 4)
			return count;
		dword = shown(list, at, 4);
		id = dword & 0xffff;
		bytes = extended_taken(list, at, id);
		/* The first one is marked in any case, with its ID's lower byte. */
		CHECK(at != 0x100 || id <= PCI_EXT_CAP_ID_MAX);
		if (!mark(at, id, !bytes && at == 0x100 ? 4 : bytes, BYTES))
			return count;
		count += !!id;
	}
	return count;
}

/* An access to each byte: is there a rule for it? */
static void access_all(void)
{
	unsigned int id;
	int at, begin;

	for (at = 0x40; at < BYTES && !unit_test_failed; at++) {
		id = marks[at];
		if (!id || (at < 0x100 ? id == PCI_CAP_ID_VNDR :
			    id == PCI_EXT_CAP_ID_VNDR || id == PCI_EXT_CAP_ID_DVSEC))
			continue;
		begin = at;
		while (begin > (at < 0x100 ? 0x40 : 0x100) && marks[begin - 1] == id)
			begin--;
		CHECK(at - begin < rules[at >= 0x100][id]);
	}
}

struct believed {
	unsigned int standard;
	unsigned int extended;
};

static struct believed believe(const struct instinct_cap_list *list)
{
	struct believed believed;

	memset(marks, 0, sizeof(marks));
	memset(rules, 0, sizeof(rules));
	believed.standard = believe_standard(list);
	believed.extended = believe_extended(list);
	access_all();
	return believed;
}

static struct instinct_cap_list build(void)
{
	struct instinct_cap_list list;

	instinct_cap_list_build(&list, read_space, NULL);
	return list;
}

static void check_believed(const struct instinct_cap_list *list, unsigned int standard,
			   unsigned int extended)
{
	struct believed believed = believe(list);

	CHECK_INT(believed.standard, standard);
	CHECK_INT(believed.extended, extended);
}

/* What is in order is shown as it is. */
static void test_good(void)
{
	struct instinct_cap_list list;
	int at;

	put_good();
	list = build();
	CHECK_INT(list.flaws, 0);
	check_believed(&list, 5, 5);
	for (at = 0; at < BYTES; at += 4)
		CHECK(shown(&list, at, 4) == space[at / 4]);
}

/* What is in the list is not asked of the function again, byte by byte. */
static void test_answer(void)
{
	struct instinct_cap_list list;
	u32 val;

	put_good();
	list = build();
	memset(space, 0xff, sizeof(space));
	CHECK(instinct_cap_list_answer(&list, 0x104, 4, &val) && val == 0x00c10001);
	CHECK(instinct_cap_list_answer(&list, 0x106, 2, &val) && val == 0x00c1);
	CHECK(instinct_cap_list_answer(&list, 0x49, 1, &val) && val == 0x50);
	CHECK(!instinct_cap_list_answer(&list, 0x108, 4, &val));
	CHECK(!instinct_cap_list_answer(&list, 0x2b4, 2, &val));
	check_believed(&list, 5, 5);
}

/* The space ends before the capability does. */
static void test_behind_the_end(void)
{
	struct instinct_cap_list list;

	put_good();
	space[0x104 / 4] = 0xfff10001;
	list = build();
	CHECK_INT(list.flaws, 1);
	/* The list begins there all the same. */
	CHECK_INT(shown(&list, 0x100, 4), 0x15000000);
	CHECK_INT(believe(&list).extended, 4);

	put_good();
	put_extended(0x450, PCI_EXT_CAP_ID_SRIOV, 0xffc);
	put_extended(0xffc, PCI_EXT_CAP_ID_DVSEC, 0);
	list = build();
	CHECK_INT(list.flaws, 1);
	CHECK_INT(believe(&list).extended, 5);

	put_good();
	put_extended(0x450, PCI_EXT_CAP_ID_TPH, 0xf60);
	space[0x454 / 4] = 0x07ff0200;
	put_extended(0xf60, PCI_EXT_CAP_ID_VC, 0);
	list = build();
	CHECK_INT(list.flaws, 2);
	CHECK_INT(shown(&list, 0x2c0, 4) >> 20, 0);

	put_good();
	put_standard(0xc0, PCI_CAP_ID_MSIX, 0xfc);
	put_standard(0xfc, PCI_CAP_ID_EXP, 0);
	list = build();
	CHECK_INT(list.flaws, 1);
	CHECK_INT(believe(&list).standard, 5);

	put_good();
	space[0x48 / 4] |= 0xff << 16;
	list = build();
	CHECK_INT(list.flaws, 1);
	CHECK_INT(shown(&list, PCI_CAPABILITY_LIST, 1), 0x50);
}

/* Twice the same side by side would be taken for one. */
static void test_repeated(void)
{
	struct instinct_cap_list list;

	put_good();
	put_extended(0x450, PCI_EXT_CAP_ID_ERR, 0);
	put_standard(0xc0, PCI_CAP_ID_PM, 0);
	list = build();
	CHECK_INT(list.flaws, 2);
	check_believed(&list, 4, 4);
}

static void test_circles(void)
{
	struct instinct_cap_list list;

	put_good();
	put_extended(0x450, PCI_EXT_CAP_ID_DVSEC, 0x100);
	put_standard(0xc0, PCI_CAP_ID_MSIX, 0x48);
	list = build();
	check_believed(&list, 5, 5);
	/* The length of one is the header of another, which is shown otherwise. */
	put_extended(0x450, PCI_EXT_CAP_ID_LTR, 0x44c);
	put_extended(0x44c, PCI_EXT_CAP_ID_DVSEC, 0xffc);
	list = build();
	CHECK_INT(list.flaws, 3);
	believe(&list);
	put_extended(0x44c, PCI_EXT_CAP_ID_PTM, 0x44c);
	list = build();
	believe(&list);
}

/* None at all, all ones, and more than there is room for. */
static void test_extremes(void)
{
	struct instinct_cap_list list;
	int at;

	memset(space, 0, sizeof(space));
	list = build();
	CHECK_INT(shown(&list, 0x100, 4), 0);
	CHECK_INT(believe(&list).standard, 0);
	memset(space, 0xff, sizeof(space));
	list = build();
	believe(&list);
	memset(space, 0, sizeof(space));
	for (at = 0x100; at < 0xf00; at += 8) {
		put_extended(at, PCI_EXT_CAP_ID_VNDR, at + 8);
		space[at / 4 + 1] = 8 << 20;
	}
	list = build();
	CHECK(believe(&list).extended > 80);
	CHECK(list.count <= ARRAY_SIZE(list.dword));
}

/* Links and lengths at random, read once and for all, or otherwise each time. */
static void test_random(void)
{
	static const u8 ids[] = { 1, 2, 3, 4, 5, 8, 9, 0xb, 0xd, 0x10, 0x11, 0x13, 0x15, 0x17,
				  0x23, 0x2e, 0x3f, 0x50, 0xff };
	struct instinct_cap_list list;
	unsigned int round, i;

	for (round = 0; round < 5000 && !unit_test_failed; round++) {
		random_state = round;
		for (i = 0; i < BYTES / 4; i++)
			space[i] = ids[dice() % ARRAY_SIZE(ids)] |
				   (i < 64 ? dice() & 0xffff00 : dice() & 0xffff0000);
		instinct_cap_list_build(&list, round % 2 ? read_noise : read_space, NULL);
		if (round % 4 == 1)
			memset(space, dice() & 0xff, sizeof(space));
		believe(&list);
		if (unit_test_failed)
			printf("# round %u\n", round);
	}
}

int main(void)
{
	RUN(test_good);
	RUN(test_answer);
	RUN(test_behind_the_end);
	RUN(test_repeated);
	RUN(test_circles);
	RUN(test_extremes);
	RUN(test_random);
	return unit_end();
}
