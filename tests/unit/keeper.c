// SPDX-License-Identifier: GPL-2.0-only
/*
 * Config writes that do not land, against a function behind a switch that drops,
 * delays and comes to its senses as it likes.
 */
#include <linux/pci_regs.h>
#include <stdlib.h>

#include "keeper.h"
#include "unit.h"

#define STEPS		1000000
#define DEADLINE	1000
#define LATE_MAX	256
#define LOG_MAX		512

/* A few registers that hold, one that does not, one half hardwired. */
static const struct {
	u16 where;
	u8 size;
	u32 mask;
	bool firm;
} registers[] = {
	{ PCI_COMMAND, 2, 0x0006, true },
	{ PCI_BASE_ADDRESS_0, 4, 0xfc000000, true },
	{ PCI_BASE_ADDRESS_1, 4, 0xffffffff, true },
	{ 0xc2, 2, 0xc000, true },
	{ 0x2b6, 2, 0x8000, true },
	{ PCI_CACHE_LINE_SIZE, 1, 0xff, false },
	{ 0x72, 2, 0x0000, false },
};

#define REGISTERS	ARRAY_SIZE(registers)

static const struct instinct_config_facts facts = {
	.bar = { 0xfc000000, ~0u }, .msix = 0xc0, .exp = 0x68, .ats = 0x2b0, .pm = 0x50,
};

/* The function, and the switch above it. */
static struct {
	u8 cfg[INSTINCT_CONFIG_BYTES];
	u8 writable[INSTINCT_CONFIG_BYTES];
	bool open;
	unsigned int one_in;
	unsigned int delay;
	u64 now;
	struct { struct instinct_write write; u64 at; } late[LATE_MAX];
	unsigned int late_count;
	/* What each register held, one after the other; 0 first. */
	u32 log[REGISTERS][LOG_MAX];
	unsigned int logged[REGISTERS];
	u64 landed;
	unsigned int accesses;
	/* Initiate FLR was written. */
	bool flr;
} hw;

static u32 hw_get(int where, int size)
{
	u32 val = 0;

	for (int i = 0; i < size; i++)
		val |= (u32)hw.cfg[where + i] << (8 * i);
	return val;
}

static void land(const struct instinct_write *w)
{
	hw.landed++;
	for (int i = 0; i < w->size; i++) {
		u8 mask = hw.writable[w->where + i];

		hw.cfg[w->where + i] = (hw.cfg[w->where + i] & ~mask) |
				       ((w->val >> (8 * i)) & mask);
	}
	for (unsigned int r = 0; r < REGISTERS; r++) {
		u32 val = hw_get(registers[r].where, registers[r].size);
		unsigned int *n = &hw.logged[r];

		if (*n < LOG_MAX && hw.log[r][*n - 1] != val)
			hw.log[r][(*n)++] = val;
	}
}

static void land_late(void)
{
	unsigned int kept = 0;

	for (unsigned int i = 0; i < hw.late_count; i++) {
		if (hw.late[i].at <= hw.now)
			land(&hw.late[i].write);
		else
			hw.late[kept++] = hw.late[i];
	}
	hw.late_count = kept;
}

static u32 io_read(void *data, int where, int size)
{
	(void)data;
	hw.accesses++;
	land_late();
	return hw_get(where, size);
}

static void io_write(void *data, int where, int size, u32 val)
{
	struct instinct_write w = { where, size, val };

	(void)data;
	hw.accesses++;
	hw.flr |= where <= 0x71 && where + size > 0x71 && val >> (8 * (0x71 - where)) & 0x80;
	land_late();
	if (!hw.open || (hw.one_in && !(random() % hw.one_in)))
		return;
	if (hw.delay && hw.late_count < LATE_MAX) {
		hw.late[hw.late_count].write = w;
		hw.late[hw.late_count++].at = hw.now + hw.delay;
		return;
	}
	land(&w);
}

static u64 io_now(void *data)
{
	(void)data;
	return hw.now;
}

static const struct instinct_config_io io = { io_read, io_write, io_now, NULL };
static struct instinct_keeper keeper;
static struct instinct_notes notes;

static void hw_begin(void)
{
	memset(&hw, 0, sizeof(hw));
	hw.open = true;
	hw.cfg[0] = 0x02;
	hw.cfg[1] = 0x10;
	for (unsigned int r = 0; r < REGISTERS; r++) {
		hw.logged[r] = 1;
		for (int i = 0; i < registers[r].size; i++)
			hw.writable[registers[r].where + i] = registers[r].mask >> (8 * i);
	}
	/* Write-once scratch that the map knows nothing of. */
	hw.writable[0x72] = 0xff;
	hw.writable[0x73] = 0xff;
	memset(&keeper, 0, sizeof(keeper));
	instinct_config_map_build(&keeper.map, &facts);
	keeper.verify = true;
	keeper.keep = true;
	memset(&notes, 0, sizeof(notes));
	instinct_keeper_survey(&keeper, &io);
	CHECK(keeper.probe.held[INSTINCT_CONFIG_HEADER]);
	CHECK(!keeper.probe.held[INSTINCT_CONFIG_EXTENDED]);
	for (unsigned int r = 0; r < REGISTERS; r++)
		hw.logged[r] = 1;
	hw.landed = 0;
}

/* In quiet times, as the guard does it. */
static void put_quietly(int where, int size, u32 val)
{
	instinct_notes_take(&notes, where, size, val);
	notes.blocks |= BIT(instinct_notes_block(where));
	io_write(NULL, where, size, val);
}

static u32 get(int where, int size)
{
	u32 val = instinct_keeper_read(&keeper, &io, where, size);
	u32 expected = instinct_notes_expect(&notes, &keeper.map, where, size, val);

	/* By which the guard spares itself the closer look. */
	if (instinct_notes_agree(&notes, where, size, val))
		CHECK_INT(expected, val);
	return expected;
}

static void look(void)
{
	struct instinct_write w;

	while (instinct_notes_next(&notes, &w))
		instinct_keeper_recheck(&keeper, &io, &w);
}

static enum instinct_keeper_result put(int where, int size, u32 val)
{
	struct instinct_write w = { where, size, val };

	return instinct_keeper_write(&keeper, &io, &w);
}

/* Steps until one does not help. */
static enum instinct_keeper_result step(u64 now, u64 deadline)
{
	enum instinct_keeper_result result;

	hw.now = now;
	do
		result = instinct_keeper_step(&keeper, &io, deadline, false);
	while (result == INSTINCT_KEEPER_MORE);
	return result;
}

static void test_lands_at_once(void)
{
	hw_begin();
	CHECK_INT(put(PCI_COMMAND, 2, 6), INSTINCT_KEEPER_DONE);
	CHECK_INT(hw_get(PCI_COMMAND, 2), 6);
	CHECK_INT(hw.landed, 1);
	CHECK_INT(keeper.counts.blocked, 0);
}

static void test_one_swallowed(void)
{
	hw_begin();
	hw.one_in = 2;
	for (int i = 0; i < 1000; i++) {
		u32 val = (i & 1) ? 6 : 2;

		put(PCI_COMMAND, 2, val);
		while (keeper.count)
			step(hw.now, DEADLINE);
		CHECK_INT(hw_get(PCI_COMMAND, 2), val);
	}
	CHECK(keeper.counts.retried > 100);
	CHECK_INT(keeper.counts.failed, 0);
}

static void test_kept_in_order(void)
{
	hw_begin();
	hw.open = false;
	CHECK_INT(put(PCI_BASE_ADDRESS_0, 4, 0xf0000000), INSTINCT_KEEPER_KEPT);
	CHECK_INT(put(PCI_COMMAND, 2, 2), INSTINCT_KEEPER_KEPT);
	CHECK_INT(put(PCI_COMMAND, 2, 6), INSTINCT_KEEPER_KEPT);
	CHECK_INT(put(0x72, 2, 0x1234), INSTINCT_KEEPER_KEPT);
	/* Read back as written; what nobody can vouch for, as it is. */
	CHECK_INT(instinct_keeper_read(&keeper, &io, PCI_COMMAND, 2), 6);
	CHECK_INT(instinct_keeper_read(&keeper, &io, PCI_COMMAND, 1), 6);
	CHECK_INT(instinct_keeper_read(&keeper, &io, PCI_BASE_ADDRESS_0 + 2, 2), 0xf000);
	CHECK_INT(instinct_keeper_read(&keeper, &io, 0x72, 2), 0);
	CHECK_INT(hw.landed, 0);
	CHECK_INT(step(10, DEADLINE), INSTINCT_KEEPER_KEPT);
	hw.open = true;
	CHECK_INT(step(20, DEADLINE), INSTINCT_KEEPER_DONE);
	CHECK_INT(hw_get(PCI_BASE_ADDRESS_0, 4), 0xf0000000);
	CHECK_INT(hw.logged[0], 3);
	CHECK_INT(hw.log[0][1], 2);
	CHECK_INT(hw.log[0][2], 6);
	CHECK_INT(hw_get(0x72, 2), 0x1234);
	CHECK_INT(keeper.counts.replayed, 4);
	CHECK_INT(keeper.counts.longest, 20);
}

/* Sizing a BAR: what comes back tells its size, though nothing has landed. */
static void test_bar_sizing(void)
{
	hw_begin();
	hw.open = false;
	put(PCI_BASE_ADDRESS_0, 4, ~0u);
	CHECK_INT(instinct_keeper_read(&keeper, &io, PCI_BASE_ADDRESS_0, 4), 0xfc000000);
}

static void test_never_opens(void)
{
	u64 landed;

	hw_begin();
	hw.open = false;
	put(0xc2, 2, 0x8000);
	put(PCI_COMMAND, 2, 6);
	CHECK_INT(step(DEADLINE, DEADLINE), INSTINCT_KEEPER_KEPT);
	CHECK_INT(step(DEADLINE + 1, DEADLINE), INSTINCT_KEEPER_FAILED);
	CHECK_INT(keeper.last.where, 0xc2);
	CHECK_INT(keeper.counts.failed, 2);
	hw.open = true;
	landed = hw.landed;
	CHECK_INT(put(PCI_COMMAND, 2, 6), INSTINCT_KEEPER_FAILED);
	CHECK_INT(step(DEADLINE + 2, DEADLINE), INSTINCT_KEEPER_FAILED);
	CHECK_INT(instinct_keeper_recheck(&keeper, &io, &keeper.last), INSTINCT_KEEPER_FAILED);
	CHECK_INT(hw.landed, landed);
	instinct_keeper_forget(&keeper);
	CHECK_INT(put(PCI_COMMAND, 2, 6), INSTINCT_KEEPER_DONE);
}

static void test_too_many(void)
{
	hw_begin();
	hw.open = false;
	for (int i = 0; i < INSTINCT_KEPT_MAX; i++)
		CHECK_INT(put(PCI_COMMAND, 2, i & 1 ? 6 : 2), INSTINCT_KEEPER_KEPT);
	CHECK_INT(put(PCI_COMMAND, 2, 6), INSTINCT_KEEPER_FAILED);
	CHECK_INT(keeper.counts.failed, INSTINCT_KEPT_MAX + 1);
	CHECK(keeper.crowded);
	instinct_keeper_forget(&keeper);
	CHECK(!keeper.crowded);
}

/* SERR is hardwired here: found out once, and no reason to give the device up. */
static void test_hardwired(void)
{
	int steps = 0;

	hw_begin();
	CHECK_INT(put(PCI_COMMAND, 2, 0x106), INSTINCT_KEEPER_DONE);
	CHECK_INT(hw_get(PCI_COMMAND, 2), 6);
	CHECK_INT(hw_get(PCI_CACHE_LINE_SIZE, 1), 0);
	CHECK_INT(keeper.counts.blocked, 0);

	/* The same behind a switch that is late. */
	hw_begin();
	hw.delay = 3;
	CHECK_INT(put(PCI_COMMAND, 2, 0x106), INSTINCT_KEEPER_KEPT);
	hw.now += 3;
	land_late();
	CHECK_INT(hw_get(PCI_COMMAND, 2), 6);
	while (step(hw.now + 1, DEADLINE) != INSTINCT_KEEPER_DONE)
		CHECK(++steps < 100);
	CHECK_INT(hw_get(PCI_CACHE_LINE_SIZE, 1), 0);
	hw.delay = 0;
	CHECK_INT(put(PCI_COMMAND, 2, 0x102), INSTINCT_KEEPER_DONE);
	CHECK_INT(hw_get(PCI_COMMAND, 2), 2);
}

/* Nothing beside it can be toggled to find out whether writes land there at all. */
static void test_nobody_can_tell(void)
{
	int steps = 0;

	hw_begin();
	CHECK_INT(put(0x70, 2, PCI_EXP_DEVCTL_PAYLOAD_256B), INSTINCT_KEEPER_KEPT);
	while (step(hw.now + 1, DEADLINE) != INSTINCT_KEEPER_DONE)
		CHECK(++steps < 100);
	CHECK_INT(keeper.counts.failed, 0);
	CHECK_INT(put(0x70, 2, PCI_EXP_DEVCTL_PAYLOAD_256B), INSTINCT_KEEPER_DONE);
}

/* Device Control with a bit for probes that holds; all others are hardwired. */
static void begin_with_probe(void)
{
	hw_begin();
	hw.writable[0x70] = PCI_EXP_DEVCTL_CERE;
	instinct_keeper_survey(&keeper, &io);
	CHECK(keeper.probe.held[INSTINCT_CONFIG_CAPABILITIES]);
}

/* Until nothing is kept, which takes some steps at most. */
static void step_to_the_end(void)
{
	int steps = 0;

	while (step(hw.now + 1, DEADLINE) == INSTINCT_KEEPER_KEPT && steps < 100)
		steps++;
	CHECK_INT(keeper.count, 0);
	CHECK_INT(keeper.counts.failed, 0);
}

/* Of the register that a probe toggles only what it toggles was seen to hold. */
static void test_hardwired_beside_probe(void)
{
	const u32 both = PCI_EXP_DEVCTL_RELAX_EN | PCI_EXP_DEVCTL_CERE;

	begin_with_probe();
	CHECK_INT(put(0x70, 2, both), INSTINCT_KEEPER_DONE);
	CHECK_INT(hw_get(0x70, 2), PCI_EXP_DEVCTL_CERE);
	CHECK_INT(keeper.counts.blocked, 0);

	/* The same of a write that is kept: it is toggled in what is kept, too. */
	begin_with_probe();
	hw.delay = 3;
	CHECK_INT(put(0x70, 2, both), INSTINCT_KEEPER_KEPT);
	step_to_the_end();
	hw.delay = 0;
	CHECK_INT(hw_get(0x70, 2), PCI_EXP_DEVCTL_CERE);
	CHECK_INT(put(0x70, 2, PCI_EXP_DEVCTL_RELAX_EN), INSTINCT_KEEPER_DONE);
	CHECK_INT(hw_get(0x70, 2), 0);

	/* Where it is the switch that swallows them, nothing is hardwired. */
	begin_with_probe();
	hw.writable[0x70] |= PCI_EXP_DEVCTL_RELAX_EN;
	hw.open = false;
	CHECK_INT(put(0x70, 2, both), INSTINCT_KEEPER_KEPT);
	for (int i = 0; i < 50; i++)
		CHECK_INT(step(hw.now + 1, DEADLINE), INSTINCT_KEEPER_KEPT);
	hw.open = true;
	step_to_the_end();
	CHECK_INT(hw_get(0x70, 2), both);
}

/* Of what a function lies into Device Control nothing is written: there is Initiate FLR. */
static void test_lies_stay_out(void)
{
	begin_with_probe();
	hw.writable[0x70] = hw.writable[0x71] = 0xff;
	CHECK_INT(put(0x70, 2, PCI_EXP_DEVCTL_CERE), INSTINCT_KEEPER_DONE);
	/* Behind its back, so that it reads what nobody has written. */
	hw.cfg[0x70] |= PCI_EXP_DEVCTL_PAYLOAD;
	hw.cfg[0x71] |= PCI_EXP_DEVCTL_BCR_FLR >> 8;
	hw.writable[0xc4] = 0;
	keeper.map.soft[0xc4] = 1;
	CHECK_INT(put(0xc4, 1, 1), INSTINCT_KEEPER_DONE);
	CHECK_INT(hw_get(0x70, 2), PCI_EXP_DEVCTL_CERE);
	CHECK(!hw.flr);

	/* Nor if it lies while it is surveyed; who asks for an FLR has it once. */
	hw.cfg[0x71] |= PCI_EXP_DEVCTL_BCR_FLR >> 8;
	instinct_keeper_survey(&keeper, &io);
	CHECK(!hw.flr);
	put(0x70, 2, PCI_EXP_DEVCTL_BCR_FLR);
	CHECK(hw.flr);
	hw.flr = false;
	keeper.map.soft[0xc4] = 1;
	put(0xc4, 1, 1);
	CHECK(!hw.flr);
}

/* What was written while nobody looked is learnt before anybody looks. */
static void test_learns_what_is_beside(void)
{
	begin_with_probe();
	hw.writable[0x70] = 0xff;
	hw.cfg[0x70] = PCI_EXP_DEVCTL_RELAX_EN;
	instinct_keeper_learn(&keeper, &io);
	keeper.map.soft[0xc4] = 1;
	CHECK_INT(put(0xc4, 1, 1), INSTINCT_KEEPER_DONE);
	CHECK_INT(hw_get(0x70, 2), PCI_EXP_DEVCTL_RELAX_EN);
	/* Of one that is not there nothing can be. */
	memset(hw.cfg, 0xff, sizeof(hw.cfg));
	instinct_keeper_learn(&keeper, &io);
	CHECK(!keeper.probe.held[INSTINCT_CONFIG_HEADER]);
	CHECK(!keeper.probe.held[INSTINCT_CONFIG_CAPABILITIES]);
}

static void test_power(void)
{
	hw_begin();
	hw.writable[0x54] = 3;
	CHECK(instinct_keeper_power(&keeper, 0x54, 2));
	CHECK(instinct_keeper_power(&keeper, 0x50, 8));
	CHECK(!instinct_keeper_power(&keeper, 0x56, 2));
	put_quietly(0x54, 2, 3);
	look();
	CHECK_INT(keeper.count, 0);
	hw.open = false;
	put_quietly(0x54, 2, 0);
	CHECK_INT(get(0x54, 2), 0);
	look();
	CHECK_INT(keeper.count, 1);
	/* D1 is optional: nobody knows. */
	CHECK_INT(instinct_config_map_firm(&keeper.map, 0x54, 2, 1), 0);
}

static void test_gone(void)
{
	hw_begin();
	memset(hw.cfg, 0xff, sizeof(hw.cfg));
	hw.open = false;
	hw.accesses = 0;
	CHECK_INT(put(0xc2, 2, 0xffff), INSTINCT_KEEPER_KEPT);
	/* Each may take until the completion timeout, and all others wait for it. */
	CHECK_INT(hw.accesses, 3);
	CHECK_INT(instinct_keeper_read(&keeper, &io, PCI_COMMAND, 2), 0xffff);
}

/* By offset, and Command last, however they came. */
static void test_quiet(void)
{
	hw_begin();
	hw.open = false;
	put_quietly(PCI_COMMAND, 2, 6);
	put_quietly(0xc2, 2, 0x8000);
	put_quietly(PCI_BASE_ADDRESS_0, 4, 0xf0000000);
	put_quietly(PCI_BASE_ADDRESS_0, 4, 0xe0000000);
	put_quietly(0x72, 2, 0x1234);
	CHECK_INT(get(PCI_COMMAND, 2), 6);
	CHECK_INT(get(PCI_BASE_ADDRESS_0 + 2, 2), 0xe000);
	CHECK_INT(hw.landed, 0);
	look();
	CHECK_INT(keeper.count, 3);
	CHECK_INT(keeper.kept[0].where, PCI_BASE_ADDRESS_0);
	CHECK_INT(keeper.kept[0].val, 0xe0000000);
	CHECK_INT(keeper.kept[1].where, 0xc2);
	CHECK_INT(keeper.kept[2].where, PCI_COMMAND);
	CHECK(!notes.blocks);
	hw.open = true;
	CHECK_INT(step(9, DEADLINE), INSTINCT_KEEPER_DONE);
	CHECK_INT(hw_get(PCI_COMMAND, 2), 6);
	CHECK_INT(hw_get(PCI_BASE_ADDRESS_0, 4), 0xe0000000);
}

static void test_quiet_and_good(void)
{
	hw_begin();
	put_quietly(PCI_COMMAND, 2, 6);
	put_quietly(PCI_BASE_ADDRESS_0, 4, 0xe0000000);
	look();
	CHECK_INT(keeper.count, 0);
	CHECK_INT(keeper.counts.blocked, 0);
	CHECK_INT(hw.landed, 2);
}

/* What software believes that it has written. */
static struct {
	u32 val[REGISTERS];
	u32 log[REGISTERS][LOG_MAX];
	unsigned int logged[REGISTERS];
} reference;

static void reference_write(unsigned int r, u32 val)
{
	unsigned int *n = &reference.logged[r];

	val &= registers[r].mask;
	reference.val[r] = val;
	if (*n < LOG_MAX && reference.log[r][*n - 1] != val)
		reference.log[r][(*n)++] = val;
}

static void compare(bool all)
{
	for (unsigned int r = 0; r < REGISTERS; r++) {
		if (!registers[r].mask)
			continue;
		CHECK_INT(hw_get(registers[r].where, registers[r].size) & registers[r].mask,
			  reference.val[r]);
		if (!all)
			continue;
		CHECK_INT(hw.logged[r], reference.logged[r]);
		CHECK(!memcmp(hw.log[r], reference.log[r], hw.logged[r] * sizeof(u32)));
	}
}

static void settle(void)
{
	hw.open = true;
	hw.one_in = 0;
	for (int i = 0; i < 10000 && (keeper.count || notes.blocks || hw.late_count); i++) {
		hw.now++;
		land_late();
		look();
		step(hw.now, 1 << 30);
	}
	CHECK_INT(keeper.count, 0);
}

static void random_write(bool quietly)
{
	unsigned int r = random() % (REGISTERS - 1);
	u32 val = random() << 16 ^ random();

	/* As long as there is room: the bound has a test of its own. */
	if (keeper.count > INSTINCT_KEPT_MAX - 2)
		return;
	val &= registers[r].mask;
	if (quietly && !keeper.count) {
		put_quietly(registers[r].where, registers[r].size, val);
	} else {
		struct instinct_write w = { registers[r].where, registers[r].size, val };

		instinct_notes_drop(&notes, &w);
		put(w.where, w.size, w.val);
	}
	reference_write(r, val);
	CHECK_INT(get(registers[r].where, registers[r].size) & registers[r].mask, val);
}

/* Quiet now and then, whole episodes long: the end has to be right all the same. */
static void episode(unsigned int steps)
{
	bool quiet = !(random() % 4);

	hw_begin();
	memset(&reference, 0, sizeof(reference));
	for (unsigned int r = 0; r < REGISTERS; r++)
		reference.logged[r] = 1;
	hw.delay = random() % 3 ? 0 : 1 + random() % 5;
	hw.one_in = random() % 3 ? 0 : 2 + random() % 5;
	while (steps--) {
		hw.now++;
		switch (random() % 8) {
		case 0:
			hw.open = random() % 3;
			break;
		case 1:
		case 2:
			if (hw.delay && random() % 2)
				hw.now += random() % 4;
			step(hw.now, 1 << 30);
			break;
		case 3: {
			unsigned int r = random() % (REGISTERS - 1);

			CHECK_INT(get(registers[r].where, registers[r].size) &
				  registers[r].mask, reference.val[r]);
			break;
		}
		case 4:
			look();
			break;
		default:
			random_write(quiet);
		}
		if (unit_test_failed)
			return;
	}
	settle();
	compare(!quiet);
	CHECK_INT(keeper.counts.failed, 0);
}

/* None lost, none out of order in its register, none read back otherwise. */
static void test_any_interleaving(void)
{
	const unsigned int length = 500;

	srandom(20261121);
	for (unsigned int i = 0; i < STEPS / length && !unit_test_failed; i++)
		episode(length);
}

/* None applied after the device was given up. */
static void test_nothing_after_failure(void)
{
	srandom(1);
	for (int i = 0; i < 200; i++) {
		u64 landed;

		hw_begin();
		hw.open = false;
		for (int n = random() % 10; n >= 0; n--)
			put(registers[random() % 5].where, 2, random());
		if (!keeper.count)
			continue;
		step(2 * DEADLINE, DEADLINE);
		CHECK(keeper.failed);
		hw.open = true;
		landed = hw.landed;
		for (int n = 0; n < 20; n++) {
			put(PCI_COMMAND, 2, random());
			step(2 * DEADLINE + n, DEADLINE);
		}
		CHECK_INT(hw.landed, landed);
	}
}

int main(void)
{
	RUN(test_lands_at_once);
	RUN(test_one_swallowed);
	RUN(test_kept_in_order);
	RUN(test_bar_sizing);
	RUN(test_never_opens);
	RUN(test_too_many);
	RUN(test_hardwired);
	RUN(test_nobody_can_tell);
	RUN(test_hardwired_beside_probe);
	RUN(test_lies_stay_out);
	RUN(test_learns_what_is_beside);
	RUN(test_power);
	RUN(test_gone);
	RUN(test_quiet);
	RUN(test_quiet_and_good);
	RUN(test_any_interleaving);
	RUN(test_nothing_after_failure);
	return unit_end();
}
