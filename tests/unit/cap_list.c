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

static int longest(const struct instinct_cap_list *list, int at, unsigned int id)
{
	switch (id) {
	case PCI_EXT_CAP_ID_VNDR:
		return shown(list, at + PCI_VSEC_HDR, 4) >> 20;
	case PCI_EXT_CAP_ID_DVSEC:
		return shown(list, at + PCI_DVSEC_HEADER1, 4) >> 20;
	case PCI_EXT_CAP_ID_TPH:
		return 12 + 2 * ((shown(list, at + PCI_TPH_CAP, 4) >> 16 & 0x7ff) + 1);
	case PCI_EXT_CAP_ID_VC:
	case PCI_EXT_CAP_ID_VC9:
	case PCI_EXT_CAP_ID_MFVC:
		return 0xb0;
	default:
		return 0x48;
	}
}

/* Who believes a list: what he marks as of a capability lies within the space. */
static unsigned int believe_extended(const struct instinct_cap_list *list)
{
	unsigned int id, count = 0, loops = 0;
	bool seen[64] = { false };
	u32 dword;
	int at;

	for (at = 0x100; at; at = dword >> 20) {
		CHECK(at >= 0x100 && !(at & 3));
		CHECK(loops++ < BYTES);
		if (at < 0x100 || loops > BYTES)
			return count;
		dword = shown(list, at, 4);
		id = dword & 0xffff;
		CHECK(!id || at + longest(list, at, id) <= BYTES);
		if (id && id < 64 && id != PCI_EXT_CAP_ID_VNDR && id != PCI_EXT_CAP_ID_DVSEC) {
			CHECK(!seen[id]);
			seen[id] = true;
		}
		count += !!id;
	}
	return count;
}

static unsigned int believe_standard(const struct instinct_cap_list *list)
{
	bool seen[256] = { false };
	unsigned int id, count = 0;
	int at;

	for (at = shown(list, PCI_CAPABILITY_LIST, 1); at; at = shown(list, at + 1, 1)) {
		CHECK(at >= 0x40 && !(at & 3));
		CHECK(count++ < 256);
		if (at < 0x40 || count > 256)
			break;
		id = shown(list, at, 1);
		if (id == PCI_CAP_ID_VNDR)
			CHECK(at + shown(list, at + 2, 1) <= 0x100);
		else if (id == PCI_CAP_ID_EXP)
			CHECK(at + 0x3c <= 0x100);
		CHECK(id == PCI_CAP_ID_VNDR || id >= 64 || !seen[id]);
		seen[id] = true;
	}
	return count;
}

static struct instinct_cap_list build(void)
{
	struct instinct_cap_list list;

	instinct_cap_list_build(&list, read_space, NULL);
	return list;
}

/* What is in order is shown as it is. */
static void test_good(void)
{
	struct instinct_cap_list list;
	int at;

	put_good();
	list = build();
	CHECK_INT(list.hidden, 0);
	CHECK_INT(believe_standard(&list), 5);
	CHECK_INT(believe_extended(&list), 5);
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
	CHECK_INT(believe_extended(&list), 5);
	CHECK_INT(believe_standard(&list), 5);
}

/* The space ends before the capability does. */
static void test_behind_the_end(void)
{
	struct instinct_cap_list list;

	put_good();
	space[0x104 / 4] = 0xfff10001;
	list = build();
	CHECK_INT(list.hidden, 1);
	/* The list begins there all the same. */
	CHECK_INT(shown(&list, 0x100, 4), 0x15000000);
	CHECK_INT(believe_extended(&list), 4);

	put_good();
	put_extended(0x450, PCI_EXT_CAP_ID_SRIOV, 0xffc);
	put_extended(0xffc, PCI_EXT_CAP_ID_DVSEC, 0);
	list = build();
	CHECK_INT(list.hidden, 1);
	CHECK_INT(believe_extended(&list), 5);

	put_good();
	put_extended(0x450, PCI_EXT_CAP_ID_TPH, 0xf60);
	space[0x454 / 4] = 0x07ff0000;
	put_extended(0xf60, PCI_EXT_CAP_ID_VC, 0);
	list = build();
	CHECK_INT(list.hidden, 2);
	CHECK_INT(shown(&list, 0x2c0, 4) >> 20, 0);

	put_good();
	put_standard(0xc0, PCI_CAP_ID_MSIX, 0xfc);
	put_standard(0xfc, PCI_CAP_ID_EXP, 0);
	list = build();
	CHECK_INT(list.hidden, 1);
	CHECK_INT(believe_standard(&list), 5);

	put_good();
	space[0x48 / 4] |= 0xff << 16;
	list = build();
	CHECK_INT(list.hidden, 1);
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
	CHECK_INT(list.hidden, 2);
	CHECK_INT(believe_extended(&list), 4);
	CHECK_INT(believe_standard(&list), 4);
}

static void test_circles(void)
{
	struct instinct_cap_list list;

	put_good();
	put_extended(0x450, PCI_EXT_CAP_ID_DVSEC, 0x100);
	put_standard(0xc0, PCI_CAP_ID_MSIX, 0x48);
	list = build();
	CHECK_INT(believe_extended(&list), 5);
	CHECK_INT(believe_standard(&list), 5);
	/* The length of one is the header of another, which is shown otherwise. */
	put_extended(0x450, PCI_EXT_CAP_ID_LTR, 0x44c);
	put_extended(0x44c, PCI_EXT_CAP_ID_DVSEC, 0xffc);
	list = build();
	CHECK_INT(list.hidden, 2);
	believe_extended(&list);
	put_extended(0x44c, PCI_EXT_CAP_ID_PTM, 0x44c);
	list = build();
	believe_extended(&list);
}

/* None at all, all ones, and more than there is room for. */
static void test_extremes(void)
{
	struct instinct_cap_list list;
	int at;

	memset(space, 0, sizeof(space));
	list = build();
	CHECK_INT(shown(&list, 0x100, 4), 0);
	CHECK_INT(believe_standard(&list), 0);
	memset(space, 0xff, sizeof(space));
	list = build();
	believe_extended(&list);
	believe_standard(&list);
	memset(space, 0, sizeof(space));
	for (at = 0x100; at < 0xf00; at += 8) {
		put_extended(at, PCI_EXT_CAP_ID_VNDR, at + 8);
		space[at / 4 + 1] = 8 << 20;
	}
	list = build();
	CHECK(believe_extended(&list) > 80);
	CHECK(list.count <= ARRAY_SIZE(list.dword));
}

/* Links and lengths at random, read once and for all, or otherwise each time. */
static void test_random(void)
{
	static const u8 ids[] = { 1, 2, 3, 5, 9, 0xb, 0xd, 0x10, 0x11, 0x17, 0x23, 0x3f, 0xff };
	struct instinct_cap_list list;
	unsigned int round, i;

	for (round = 0; round < 20000 && !unit_test_failed; round++) {
		random_state = round;
		for (i = 0; i < BYTES / 4; i++)
			space[i] = ids[dice() % ARRAY_SIZE(ids)] |
				   (i < 64 ? dice() & 0xffff00 : dice() & 0xffff0000);
		instinct_cap_list_build(&list, round % 2 ? read_noise : read_space, NULL);
		if (round % 4 == 1)
			memset(space, dice() & 0xff, sizeof(space));
		believe_extended(&list);
		believe_standard(&list);
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
