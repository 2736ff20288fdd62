// SPDX-License-Identifier: GPL-2.0-only
/* The decisions of a qualification, and whole runs against a fake module. */
#include <errno.h>
#include <linux/pci_regs.h>
#include <stdlib.h>

#include "conf.h"
#include "digest.h"
#include "helper_util.h"
#include "out_qualify.h"
#include "report.h"
#include "say.h"
#include "under_load.h"

#define BDF	"0000:26:00.0"
#define MATE	"0000:2c:00.0"
#define NS_PER_MS	1000000ull

static struct device make_gpu(const char *bdf)
{
	struct device dev = {
		.state = INSTINCT_VFIO_STATE_READY, .vendor = 0x1002, .device = 0x74a1,
		.port = {
			{ .bdf = "0000:22:01.0", .role = PORT_SWITCH_DOWNSTREAM },
			{ .bdf = "0000:24:00.0", .role = PORT_SWUS },
			{ .bdf = "0000:25:00.0", .role = PORT_SWDS },
		},
		.ports = 3,
		.policy = { .hive = INSTINCT_VFIO_HIVE_AUTO, .ready_timeout = 60000 },
	};

	snprintf(dev.bdf, sizeof(dev.bdf), "%s", bdf);
	snprintf(dev.model, sizeof(dev.model), "MI300X");
	snprintf(dev.family, sizeof(dev.family), "mi300x");
	return dev;
}

static const struct kind *kind_of(const char *name)
{
	unsigned int i;

	for (i = 0; i < KINDS; i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	return NULL;
}

static void test_order(void)
{
	unsigned int i;

	for (i = 1; i < KINDS; i++)
		CHECK(kinds[i - 1].risk <= kinds[i].risk);
	CHECK_STR(kinds[0].name, "quiesce");
	CHECK_STR(kinds[KINDS - 1].name, "bus-swds");
}

static void test_what_is_passed_over(void)
{
	struct device list[2] = { make_gpu(BDF), make_gpu(MATE) };
	struct devices devices = { list, 2 };
	struct methods_facts facts = { RISK_LOW, &list[0], &devices, "" };
	char why[TEXT_BYTES];

	CHECK_INT(methods_passes_over(&facts, kind_of("quiesce"), why, sizeof(why)), PASSED_NOT);
	CHECK_INT(methods_passes_over(&facts, kind_of("mode1"), why, sizeof(why)), PASSED_NOT);
	CHECK_INT(methods_passes_over(&facts, kind_of("bus-switch"), why, sizeof(why)),
		  PASSED_THIS_TIME);
	CHECK_STR(why, "risk medium is more than --max-risk low");
	facts.max_risk = RISK_HIGH;
	CHECK_INT(methods_passes_over(&facts, kind_of("bus-swds"), why, sizeof(why)), PASSED_NOT);
	facts.refusal = "no mailbox";
	CHECK_INT(methods_passes_over(&facts, kind_of("mode1"), why, sizeof(why)),
		  PASSED_FOR_GOOD);
	CHECK_STR(why, "no mailbox");
	facts.refusal = "";

	list[1].state = INSTINCT_VFIO_STATE_LOST;
	CHECK_INT(methods_passes_over(&facts, kind_of("mode1"), why, sizeof(why)),
		  PASSED_THIS_TIME);
	CHECK_STR(why, "the method resets the whole hive, and 0000:2c:00.0 is lost");
	CHECK_INT(methods_passes_over(&facts, kind_of("bus-switch"), why, sizeof(why)),
		  PASSED_THIS_TIME);
	CHECK_INT(methods_passes_over(&facts, kind_of("quiesce"), why, sizeof(why)), PASSED_NOT);
	list[0].policy.scope = INSTINCT_VFIO_SCOPE_DEVICE;
	CHECK_INT(methods_passes_over(&facts, kind_of("mode1"), why, sizeof(why)), PASSED_NOT);
	CHECK_INT(methods_passes_over(&facts, kind_of("bus-switch"), why, sizeof(why)), PASSED_NOT);

	/* No switch is above the GPU's package. */
	memmove(&list[0].port[0], &list[0].port[1], 2 * sizeof(list[0].port[0]));
	list[0].ports = 2;
	CHECK_INT(methods_passes_over(&facts, kind_of("bus-switch"), why, sizeof(why)),
		  PASSED_FOR_GOOD);
	CHECK_INT(methods_passes_over(&facts, kind_of("bus-swds"), why, sizeof(why)), PASSED_NOT);
}

static void test_what_is_refused(void)
{
	struct device list[2] = { make_gpu(BDF), make_gpu(MATE) };
	struct devices devices = { list, 2 };
	struct methods_facts facts = { RISK_LOW, &list[0], &devices, "" };
	char why[2 * TEXT_BYTES];

	CHECK(!methods_blocked(&facts, why, sizeof(why)));
	list[0].open = 1;
	CHECK(methods_blocked(&facts, why, sizeof(why)));
	list[0].open = 0;
	list[0].state = INSTINCT_VFIO_STATE_QUARANTINED;
	CHECK(methods_blocked(&facts, why, sizeof(why)));
	list[0].state = INSTINCT_VFIO_STATE_READY;

	list[1].open = 1;
	CHECK(methods_blocked(&facts, why, sizeof(why)));
	CHECK(strstr(why, MATE));
	facts.max_risk = RISK_NONE;
	CHECK(!methods_blocked(&facts, why, sizeof(why)));
	facts.max_risk = RISK_HIGH;
	list[0].policy.scope = INSTINCT_VFIO_SCOPE_DEVICE;
	CHECK(!methods_blocked(&facts, why, sizeof(why)));
	list[0].policy.scope = INSTINCT_VFIO_SCOPE_AUTO;
	list[1].policy.hive = 2;
	CHECK(!methods_blocked(&facts, why, sizeof(why)));
	list[0].policy.hive = 2;
	CHECK(methods_blocked(&facts, why, sizeof(why)));
	list[0].policy.hive = INSTINCT_VFIO_HIVE_NONE;
	list[1].policy.hive = INSTINCT_VFIO_HIVE_NONE;
	CHECK(!methods_blocked(&facts, why, sizeof(why)));
	list[0].policy.hive = INSTINCT_VFIO_HIVE_AUTO;
	list[1].policy.hive = INSTINCT_VFIO_HIVE_AUTO;
	snprintf(list[1].family, sizeof(list[1].family), "mi325x");
	CHECK(!methods_blocked(&facts, why, sizeof(why)));
}

static void test_verdicts(void)
{
	const int ready = INSTINCT_VFIO_STATE_READY, lost = INSTINCT_VFIO_STATE_LOST;
	const int shut = INSTINCT_VFIO_STATE_QUARANTINED;
	const struct {
		struct verdict_facts facts;
		enum outcome outcome;
	} rows[] = {
		{ { 0, false, ready, ready, true, false }, OUTCOME_SURVIVED },
		{ { 0, false, ready, ready, true, true }, OUTCOME_FAILED },
		{ { 0, false, shut, ready, true, false }, OUTCOME_FAILED },
		{ { 0, true, ready, ready, true, false }, OUTCOME_LOST },
		{ { -EIO, false, lost, ready, true, false }, OUTCOME_LOST },
		{ { 0, false, ready, lost, true, false }, OUTCOME_LOST },
		{ { 0, false, ready, shut, true, false }, OUTCOME_FAILED },
		{ { -EBUSY, false, ready, ready, false, false }, OUTCOME_BUSY },
		{ { -ENODEV, false, STATE_UNKNOWN, ready, false, false }, OUTCOME_BUSY },
		{ { -EOPNOTSUPP, false, ready, ready, false, false }, OUTCOME_UNAVAILABLE },
		{ { -EIO, false, shut, ready, true, false }, OUTCOME_FAILED },
		{ { -ETIMEDOUT, false, ready, ready, true, false }, OUTCOME_FAILED },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		CHECK_INT(verdict_of(&rows[i].facts), rows[i].outcome);
}

static void test_remedies(void)
{
	struct recovery_facts facts = {
		.state = INSTINCT_VFIO_STATE_LOST, .lost_by = 1 << INSTINCT_VFIO_METHOD_BUS,
		.max_risk = RISK_HIGH,
	};

	CHECK_INT(recovery_next(&facts), REMEDY_MODE1);
	facts.tried = 1 << REMEDY_MODE1;
	CHECK_INT(recovery_next(&facts), REMEDY_QUIESCE);
	facts.tried |= 1 << REMEDY_QUIESCE;
	CHECK_INT(recovery_next(&facts), REMEDY_WAIT);
	facts.late = true;
	CHECK_INT(recovery_next(&facts), REMEDY_NONE);
	facts.late = false;
	facts.tried = 0;

	/* Recovery avoids methods that failed here, and those riskier than the operator allows. */
	facts.mode1_bad = true;
	CHECK_INT(recovery_next(&facts), REMEDY_QUIESCE);
	facts.mode1_bad = false;
	facts.max_risk = RISK_NONE;
	CHECK_INT(recovery_next(&facts), REMEDY_QUIESCE);
	facts.max_risk = RISK_HIGH;
	facts.lost_by = 1 << INSTINCT_VFIO_METHOD_MODE1;
	CHECK_INT(recovery_next(&facts), REMEDY_QUIESCE);

	facts.state = STATE_UNKNOWN;
	CHECK_INT(recovery_next(&facts), REMEDY_WAIT);
	facts.state = INSTINCT_VFIO_STATE_RESETTING;
	CHECK_INT(recovery_next(&facts), REMEDY_WAIT);
	facts.state = INSTINCT_VFIO_STATE_READY;
	CHECK_INT(recovery_next(&facts), REMEDY_NONE);
}

/* After a loss recovery leaves the release to the operator. */
static void test_release(void)
{
	struct recovery_facts facts = {
		.state = INSTINCT_VFIO_STATE_QUARANTINED, .max_risk = RISK_LOW,
		.tried = 1 << REMEDY_MODE1 | 1 << REMEDY_QUIESCE,
	};

	CHECK_INT(recovery_next(&facts), REMEDY_RELEASE);
	facts.lost_by = 1 << INSTINCT_VFIO_METHOD_MODE1;
	CHECK_INT(recovery_next(&facts), REMEDY_NONE);
	facts.lost_by = 0;
	facts.tried |= 1 << REMEDY_RELEASE;
	CHECK_INT(recovery_next(&facts), REMEDY_NONE);
}

/* A GPU's config space: PM at 0x40, PCI Express at 0x50, AER at 0x100, ATS at 0x150. */
static void make_image(struct config_image *image)
{
	*image = (struct config_image) { .bytes = sizeof(image->dword) };
	image->dword[PCI_VENDOR_ID / 4] = 0x74a11002;
	image->dword[PCI_COMMAND / 4] = 0x00100006;
	image->dword[PCI_CLASS_REVISION / 4] = 0x12000000;
	image->dword[PCI_BASE_ADDRESS_0 / 4] = 0xc000000c;
	image->dword[PCI_CAPABILITY_LIST / 4] = 0x40;
	image->dword[0x40 / 4] = PCI_CAP_ID_PM | 0x50 << 8;
	image->dword[0x50 / 4] = PCI_CAP_ID_EXP;
	image->dword[(0x50 + PCI_EXP_DEVCTL) / 4] = 0x0000295f;
	image->dword[0x100 / 4] = PCI_EXT_CAP_ID_ERR | 1 << 16 | 0x150u << 20;
	image->dword[0x150 / 4] = PCI_EXT_CAP_ID_ATS | 1 << 16;
}

static unsigned int differing(unsigned int where, uint32_t bits, struct comparison *found)
{
	struct config_image before, after;

	make_image(&before);
	after = before;
	after.dword[where / 4] ^= bits;
	compare_images(&before, &after, found);
	return found->count;
}

static void test_comparison(void)
{
	struct comparison found;

	CHECK_INT(differing(0, 0, &found), 0);
	CHECK(found.bits > 200 && !found.others);
	CHECK_INT(differing(PCI_BASE_ADDRESS_0, 0x10000000, &found), 1);
	CHECK_STR(found.list[0].name, "BAR 0");
	CHECK_INT(found.list[0].before, 0xc000000c);
	CHECK_INT(found.list[0].after, 0xd000000c);
	CHECK_INT(differing(PCI_COMMAND, PCI_COMMAND_MASTER, &found), 1);
	CHECK_STR(found.list[0].name, "Command");
	CHECK_INT(differing(PCI_COMMAND, 0xf9000000, &found), 0);
	CHECK_INT(found.others, 1);
	CHECK_INT(differing(PCI_VENDOR_ID, 0x00010000, &found), 1);
	CHECK_STR(found.list[0].name, "Vendor and Device ID");
	CHECK_INT(differing(0x40, 0x0100, &found), 1);
	CHECK_INT(differing(0x50 + PCI_EXP_DEVCTL, 0x00050000, &found), 0);
	CHECK_INT(differing(0x50 + PCI_EXP_DEVCTL, 0x00000020, &found), 1);
	CHECK_STR(found.list[0].name, "Device Control");
	CHECK_INT(differing(0x100 + PCI_ERR_COR_STATUS, 0x2000, &found), 0);
	/* ATS is the IOMMU driver's. */
	CHECK_INT(differing(0x150 + PCI_ATS_CTRL - 2, 0x80000000, &found), 0);
}

static void test_comparison_of_the_dead(void)
{
	struct config_image before, after = { .bytes = 0 };
	struct comparison found;

	make_image(&before);
	memset(after.dword, 0xff, sizeof(after.dword));
	after.bytes = sizeof(after.dword);
	compare_images(&before, &after, &found);
	CHECK(found.count > COMPARE_MAX / 2);
	/* The comparison copes with any content. */
	compare_images(&after, &before, &found);
	CHECK(found.count > 0);
	before.bytes = 64;
	compare_images(&before, &after, &found);
	CHECK(found.count > 0);
	make_image(&before);
	before.dword[0x50 / 4] |= 0x40 << 8;
	before.dword[0x150 / 4] = PCI_EXT_CAP_ID_REBAR | 0xffcu << 20;
	before.dword[0xffc / 4] = PCI_EXT_CAP_ID_ERR | 0x100u << 20;
	compare_images(&before, &before, &found);
	CHECK_INT(found.count, 0);
}

static void test_pattern(void)
{
	uint64_t line[PATTERN_WORDS], other[PATTERN_WORDS];
	unsigned int i, j;

	pattern_line(7, PATTERN_STEP, line);
	CHECK(pattern_is_left(7, PATTERN_STEP, line));
	CHECK(!pattern_is_left(7, 2 * PATTERN_STEP, line));
	CHECK(!pattern_is_left(8, PATTERN_STEP, line));
	/* No word equals another one of its line or of the next. */
	pattern_line(7, 2 * PATTERN_STEP, other);
	for (i = 0; i < PATTERN_WORDS; i++)
		for (j = 0; j < PATTERN_WORDS; j++)
			CHECK(line[i] != other[j] && (i == j || line[i] != line[j]));
	/* A single word that is left counts, and what firmware leaves does not. */
	for (i = 1; i < PATTERN_WORDS; i++)
		line[i] = 0;
	CHECK(pattern_is_left(7, PATTERN_STEP, line));
	line[0] ^= 1;
	CHECK(!pattern_is_left(7, PATTERN_STEP, line));
	memset(line, 0xff, sizeof(line));
	CHECK(!pattern_is_left(7, PATTERN_STEP, line));
}

static void test_memory_verdicts(void)
{
	const struct {
		struct memory_facts facts;
		enum memory_verdict verdict;
		const char *why;
	} rows[] = {
		{ { 32, 0, 1, 0, 1 }, MEMORY_GONE, "" },
		{ { 32, 0, 2, 0, 2 }, MEMORY_GONE, "" },
		{ { 32, 1, 1, 0, 1 }, MEMORY_KEPT, "" },
		{ { 32, 32, 1, 0, 1 }, MEMORY_KEPT, "" },
		{ { 0, 0, 1, 0, 1 }, MEMORY_UNKNOWN, "the memory does not hold what is written into it" },
		{ { 32, 0, 0, 0, 0 }, MEMORY_UNKNOWN, "no reset by the method came before the memory was read" },
		{ { 32, 0, 1, 1, 2 }, MEMORY_UNKNOWN, "another reset came before the memory was read" },
		{ { 32, 0, 1, 0, 0 }, MEMORY_UNKNOWN,
		  "the module counts 0 hardware resets, and its events tell of 1" },
	};
	char why[TEXT_BYTES];
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		CHECK_INT(memory_verdict(&rows[i].facts, why, sizeof(why)), rows[i].verdict);
		CHECK_STR(why, rows[i].why);
	}
}

/* The reset that follows a user is policy's, so the memory is tried with that method alone. */
static void test_memory_that_is_not_tried(void)
{
	struct round round = { .slowest = 20 * 1000 * NS_PER_MS };
	struct trial trial = { .kind = kind_of("mode1"), .opened = 1, .round = &round, .rounds = 1 };
	struct device dev = make_gpu(BDF);
	char why[TEXT_BYTES];

	CHECK(!memory_is_refused(&dev, &trial, why, sizeof(why)));
	dev.policy.ready_timeout = 30000;
	CHECK(memory_is_refused(&dev, &trial, why, sizeof(why)));
	CHECK(strstr(why, "ready_timeout of policy is 30000 ms"));
	dev.policy.method = INSTINCT_VFIO_METHOD_QUIESCE;
	CHECK(!memory_is_refused(&dev, &trial, why, sizeof(why)));
	dev.policy.method = INSTINCT_VFIO_METHOD_MODE1;
	dev.policy.ready_timeout = 0;
	CHECK(!memory_is_refused(&dev, &trial, why, sizeof(why)));
	trial.opened = -1;
	snprintf(trial.open_why, sizeof(trial.open_why), "no container");
	CHECK(memory_is_refused(&dev, &trial, why, sizeof(why)));
	CHECK_STR(why, "no container");
	trial.opened = 1;

	trial.kind = kind_of("bus-switch");
	CHECK(memory_is_refused(&dev, &trial, why, sizeof(why)));
	CHECK(strstr(why, "method = bus and bus_port = switch"));
	dev.policy.method = INSTINCT_VFIO_METHOD_BUS;
	dev.policy.bus_port = INSTINCT_VFIO_BUS_PORT_SWDS;
	CHECK(memory_is_refused(&dev, &trial, why, sizeof(why)));
	dev.policy.bus_port = INSTINCT_VFIO_BUS_PORT_SWITCH;
	CHECK(!memory_is_refused(&dev, &trial, why, sizeof(why)));
	trial.kind = kind_of("quiesce");
	CHECK(memory_is_refused(&dev, &trial, why, sizeof(why)));

	/* On an MI350P auto does not try mode1. */
	trial.kind = kind_of("mode1");
	dev.device = 0x75a8;
	dev.policy.method = INSTINCT_VFIO_METHOD_AUTO;
	CHECK(memory_is_refused(&dev, &trial, why, sizeof(why)));
	dev.device = 0x1234;
	CHECK(memory_is_refused(&dev, &trial, why, sizeof(why)));
}

/* The fake module, and its behaviour per method. */
enum does { OK, REFUSES, FAILS, LOSES, LOSES_MATE, BUSY };

static struct device gpus[2];
static size_t gpu_count;
static enum does does[KINDS];
static bool heals;			/* quiesce brings a lost GPU back */
static bool quarantines;		/* quiesce leaves a GPU quarantined */
static struct event events[256];
static size_t event_count;
static int64_t clock_ms;
static unsigned int resets, stop_after;
static int opens;
static size_t lines_held, lines_kept;	/* of a pattern of 32 lines */
static bool closes_lose;		/* the reset after a close loses the GPU */
static bool reads_fail;			/* the second look at the memory fails */
static void (*on_pause)(void);
static uint32_t config_after;		/* bits of a BAR that are inverted after a reset */
static int64_t mate_back;		/* time when MATE's reset ends, ms; 0: it has none */
static bool mate_dies;			/* MATE is lost at that time */
static char message[TEXT_BYTES];
static struct nl_reset_asked asked_last;
static char saved[4 * TEXT_BYTES];	/* state of the run at each save of the report */

static int fake_list(struct nl *nl, struct devices *devices)
{
	size_t i;

	(void)nl;
	for (i = 0; i < gpu_count; i++)
		*devices_add(devices) = gpus[i];
	return 0;
}

static int fake_plan(struct nl *nl, const char *bdf, int method, struct nl_reset_done *done)
{
	(void)nl;
	(void)bdf;
	done->steps = 1;
	done->step[0].method = method;
	return 0;
}

static void emit(const char *bdf, uint32_t kind, uint32_t method, bool triggered)
{
	struct event *event = &events[event_count];

	*event = (struct event) {
		.seq = ++event_count, .kind = kind, .method = method,
		.cause = INSTINCT_VFIO_CAUSE_NETLINK,
		.duration = (100 + event_count) * NS_PER_MS,
		.phase = { { INSTINCT_VFIO_PHASE_TRIGGER, NS_PER_MS } }, .phases = triggered,
	};
	snprintf(event->bdf, sizeof(event->bdf), "%s", bdf);
}

static enum does behaviour(const struct nl_reset_asked *asked)
{
	unsigned int i;

	for (i = 0; i < KINDS; i++)
		if ((int)kinds[i].method == asked->method &&
		    (asked->method != INSTINCT_VFIO_METHOD_BUS ||
		     (int)kinds[i].bus_port == asked->bus_port))
			return does[i];
	return OK;
}

static int lose(struct device *dev, int method)
{
	dev->state = INSTINCT_VFIO_STATE_LOST;
	dev->lost_by |= 1u << method;
	emit(dev->bdf, INSTINCT_VFIO_EVENT_RESET_FAILED, method, true);
	emit(dev->bdf, INSTINCT_VFIO_EVENT_DEVICE_LOST, method, true);
	snprintf(message, sizeof(message), "it did not come back");
	return -ETIMEDOUT;
}

/* Ends MATE's reset, later than that of the GPU under test. */
static void mate_comes_back(void)
{
	struct device *dev = &gpus[1];

	if (dev->state != INSTINCT_VFIO_STATE_RESETTING || clock_ms < mate_back)
		return;
	if (mate_dies) {
		lose(dev, asked_last.method);
		return;
	}
	dev->state = INSTINCT_VFIO_STATE_READY;
	emit(dev->bdf, INSTINCT_VFIO_EVENT_RESET_DONE, asked_last.method, true);
	events[event_count - 1].cause = INSTINCT_VFIO_CAUSE_HIVE;
	events[event_count - 1].duration = mate_back * NS_PER_MS;
}

static int reset_lost(struct device *dev, int method)
{
	snprintf(message, sizeof(message), "it does not answer");
	if (!heals || method != INSTINCT_VFIO_METHOD_QUIESCE)
		return -EIO;
	dev->state = INSTINCT_VFIO_STATE_READY;
	return 0;
}

static int fake_reset(struct nl *nl, const char *bdf, const struct nl_reset_asked *asked,
		      struct nl_reset_done *done)
{
	struct device *dev = strcmp(bdf, BDF) ? &gpus[1] : &gpus[0];

	(void)nl;
	(void)done;
	resets++;
	asked_last = *asked;
	if (dev->state == INSTINCT_VFIO_STATE_LOST)
		return reset_lost(dev, asked->method);
	switch (behaviour(asked)) {
	case REFUSES:
		emit(bdf, INSTINCT_VFIO_EVENT_RESET_FAILED, asked->method, false);
		snprintf(message, sizeof(message), "the SMU refuses");
		return -EIO;
	case FAILS:
		dev->state = INSTINCT_VFIO_STATE_QUARANTINED;
		emit(bdf, INSTINCT_VFIO_EVENT_RESET_FAILED, asked->method, true);
		snprintf(message, sizeof(message), "it was not reset");
		return -ETIMEDOUT;
	case LOSES:
		return lose(dev, asked->method);
	case LOSES_MATE:
		lose(&gpus[1], asked->method);
		break;
	case BUSY:
		snprintf(message, sizeof(message), "it is open");
		return -EBUSY;
	case OK:
		if (mate_back && asked->method == INSTINCT_VFIO_METHOD_MODE1)
			gpus[1].state = INSTINCT_VFIO_STATE_RESETTING;
		break;
	}
	dev->state = quarantines && asked->method == INSTINCT_VFIO_METHOD_QUIESCE ?
		     INSTINCT_VFIO_STATE_QUARANTINED : INSTINCT_VFIO_STATE_READY;
	dev->resets.hardware += asked->method != INSTINCT_VFIO_METHOD_QUIESCE;
	if (asked->method == INSTINCT_VFIO_METHOD_MODE1)
		dev->secure_os = dev->secure_os ? INSTINCT_VFIO_SECURE_OS_ABSENT : 0;
	emit(bdf, INSTINCT_VFIO_EVENT_RESET_DONE, asked->method, true);
	events[event_count - 1].secure_os = dev->secure_os;
	return 0;
}

static int fake_release(struct nl *nl, const char *bdf, uint32_t methods)
{
	(void)nl;
	(void)bdf;
	(void)methods;
	gpus[0].state = INSTINCT_VFIO_STATE_READY;
	return 0;
}

static int fake_newest(struct nl *nl, uint64_t *seq)
{
	(void)nl;
	*seq = event_count;
	return 0;
}

static int fake_replay(struct nl *nl, uint64_t from, nl_event_t call, void *data)
{
	size_t i;

	(void)nl;
	for (i = from - 1; i < event_count; i++)
		call(&events[i], data);
	return 0;
}

static const char *fake_message(const struct nl *nl)
{
	(void)nl;
	return message;
}

static void fake_config(const char *bdf, struct config_image *image)
{
	(void)bdf;
	make_image(image);
	if (resets)
		image->dword[PCI_BASE_ADDRESS_0 / 4] ^= config_after;
}

static int fake_open(const char *bdf, char *why, size_t size)
{
	(void)bdf;
	snprintf(why, size, opens == 1 ? "" : "no such group");
	return opens;
}

/* The module resets the GPU by mode1 after a user, or as policy says. */
static void close_gpu(void)
{
	uint32_t method = gpus[0].policy.method ?: INSTINCT_VFIO_METHOD_MODE1;
	bool quiesced = method == INSTINCT_VFIO_METHOD_QUIESCE;

	if (closes_lose) {
		lose(&gpus[0], method);
	} else {
		gpus[0].resets.hardware += !quiesced;
		emit(BDF, INSTINCT_VFIO_EVENT_RESET_DONE, method, true);
		if (quiesced && gpus[0].policy.tenancy == INSTINCT_VFIO_TENANCY_MULTI)
			gpus[0].state = INSTINCT_VFIO_STATE_QUARANTINED;
	}
	for (size_t i = event_count - 1 - closes_lose; i < event_count; i++)
		events[i].cause = INSTINCT_VFIO_CAUSE_CLOSE;
}

static int fake_write(struct pattern *pattern, char *why, size_t size)
{
	if (opens != 1)
		return fake_open(pattern->bdf, why, size);
	*why = '\0';
	CHECK_INT(pattern->size_at, 0x378c);
	CHECK_INT(gpus[0].state, INSTINCT_VFIO_STATE_READY);
	pattern->memory = 128 << 20;
	pattern->bytes = 64 << 20;
	pattern->lines = 32;
	pattern->holding = lines_held;
	close_gpu();
	return 1;
}

static int fake_read(struct pattern *pattern, char *why, size_t size)
{
	CHECK_INT(gpus[0].state, INSTINCT_VFIO_STATE_READY);
	snprintf(why, size, reads_fail ? "reading the memory: I/O error" : "");
	pattern->kept = lines_kept;
	close_gpu();
	return 1;
}

static int64_t fake_now(void)
{
	return clock_ms;
}

static void fake_pause(unsigned int ms)
{
	clock_ms += ms;
	mate_comes_back();
	if (on_pause)
		on_pause();
}

static const struct qualify_calls fake = {
	.list = fake_list, .plan = fake_plan, .reset = fake_reset, .release = fake_release,
	.newest = fake_newest, .replay = fake_replay, .message = fake_message,
	.config = fake_config, .open = fake_open, .write = fake_write, .read = fake_read, .now = fake_now, .pause = fake_pause,
};

static bool fake_stopped(void)
{
	return stop_after && resets >= stop_after;
}

static struct qualify begin(void)
{
	gpus[0] = make_gpu(BDF);
	gpus[1] = make_gpu(MATE);
	gpu_count = 2;
	memset(does, 0, sizeof(does));
	heals = false;
	quarantines = false;
	event_count = 0;
	clock_ms = 0;
	resets = 0;
	stop_after = 0;
	opens = 1;
	config_after = 0;
	mate_back = 0;
	mate_dies = false;
	lines_held = 32;
	lines_kept = 0;
	closes_lose = false;
	reads_fail = false;
	on_pause = NULL;
	return (struct qualify) {
		.calls = &fake, .bdf = BDF, .max_risk = RISK_HIGH, .rounds = 3, .wait = 5000,
		.operator = "tester", .note = "", .stopped = fake_stopped,
	};
}

static void check_outcomes(const struct qualify *qualify, const char *wanted)
{
	char found[TEXT_BYTES] = "";
	unsigned int i;

	for (i = 0; i < KINDS; i++)
		snprintf(found + strlen(found), sizeof(found) - strlen(found), "%s%s",
			 i ? " " : "", name_of(&outcome_names, qualify->trial[i].outcome));
	CHECK_STR(found, wanted);
}

static void run(struct qualify *qualify)
{
	CHECK_INT(qualify_prepare(qualify), EXIT_OK);
	qualify_run(qualify);
}

static struct advice advice;

static const char *advice_of(struct qualify *qualify)
{
	struct advice_facts facts = {
		.trial = qualify->trial, .family = "mi300x", .policy = &qualify->before.policy,
	};

	advice_make(&facts, &advice);
	return advice.text;
}

static void test_all_survived(void)
{
	struct qualify qualify = begin();
	struct spread spread;

	run(&qualify);
	check_outcomes(&qualify, "survived survived survived survived");
	CHECK_INT(resets, 12);
	CHECK_INT(asked_last.ready_timeout, 5000);
	CHECK_INT(qualify.ended, ENDED_COMPLETE);
	CHECK(qualify_is_clean(&qualify));
	CHECK_INT(qualify.trial[0].opened, -1);
	CHECK_INT(qualify.trial[1].opened, 1);
	CHECK(trial_spread(&qualify.trial[0], -1, &spread));
	CHECK_INT(spread.min, 101 * NS_PER_MS);
	CHECK_INT(spread.median, 102 * NS_PER_MS);
	CHECK_INT(spread.max, 103 * NS_PER_MS);
	CHECK(trial_spread(&qualify.trial[0], INSTINCT_VFIO_PHASE_TRIGGER, &spread));
	CHECK(!trial_spread(&qualify.trial[0], INSTINCT_VFIO_PHASE_READY, &spread));
	qualify_free(&qualify);
}

static void test_a_loss_ends_it(void)
{
	struct qualify qualify = begin();

	does[2] = LOSES;
	heals = true;
	run(&qualify);
	check_outcomes(&qualify, "survived survived lost none");
	CHECK_INT(qualify.ended, ENDED_LOST);
	CHECK(!qualify_is_clean(&qualify));
	CHECK_INT(qualify.recoveries, 1);
	CHECK_INT(qualify.recovery[0].by, REMEDY_QUIESCE);
	CHECK_INT(qualify.after.state, INSTINCT_VFIO_STATE_READY);
	/* The GPU is back, and lost_by still has the method. */
	CHECK_INT(qualify.after.lost_by, 1 << INSTINCT_VFIO_METHOD_BUS);
	CHECK_STR(qualify.trial[3].why, "the run ended before this method: lost");
	qualify_free(&qualify);
}

static void test_a_loss_for_good(void)
{
	struct qualify qualify = begin();

	does[1] = LOSES;
	run(&qualify);
	check_outcomes(&qualify, "survived lost none none");
	CHECK_INT(qualify.recovery[0].by, REMEDY_NONE);
	CHECK_INT(qualify.recovery[0].steps, 1);
	CHECK_INT(qualify.recovery[0].step[0].remedy, REMEDY_QUIESCE);
	CHECK(clock_ms >= 5000 && clock_ms < 60000);
	CHECK_INT(qualify.after.state, INSTINCT_VFIO_STATE_LOST);
	qualify_free(&qualify);
}

/* The loss of another GPU of the hive counts as a loss. */
static void test_a_lost_mate(void)
{
	struct qualify qualify = begin();

	does[1] = LOSES_MATE;
	heals = true;
	run(&qualify);
	check_outcomes(&qualify, "survived lost none none");
	CHECK(!qualify_is_clean(&qualify));
	CHECK_INT(gpus[1].state, INSTINCT_VFIO_STATE_READY);
	CHECK_INT(qualify.recoveries, 1);
	CHECK_STR(qualify.recovery[0].bdf, MATE);
	CHECK_INT(qualify.recovery[0].by, REMEDY_QUIESCE);
	qualify_free(&qualify);
}

/* Another GPU of the hive may take longer than the GPU under test. */
static void test_a_slow_mate(void)
{
	struct qualify qualify = begin();

	mate_back = 4500;
	qualify.rounds = 1;
	run(&qualify);
	check_outcomes(&qualify, "survived survived survived survived");
	CHECK(qualify_is_clean(&qualify));
	CHECK_INT(trial_slowest(&qualify.trial[1]), 4500 * NS_PER_MS);
	CHECK(strstr(advice_of(&qualify), "ready_timeout = 15s     # the slowest reset took 4.5 s\n"));
	qualify_free(&qualify);

	qualify = begin();
	mate_back = 4500;
	mate_dies = true;
	run(&qualify);
	check_outcomes(&qualify, "survived lost none none");
	CHECK(!qualify_is_clean(&qualify));
	qualify_free(&qualify);

	/* The other GPU takes longer than the run waits. */
	qualify = begin();
	mate_back = 20000;
	run(&qualify);
	check_outcomes(&qualify, "survived failed none none");
	CHECK_STR(qualify.trial[1].why,
		  "0000:2c:00.0, reset together with the GPU, is resetting afterwards");
	CHECK_INT(qualify.ended, ENDED_NOT_READY);
	CHECK(!qualify_is_clean(&qualify));
	qualify_free(&qualify);
}

static void test_what_fails_is_not_the_end(void)
{
	struct qualify qualify = begin();

	does[1] = REFUSES;
	does[2] = FAILS;
	run(&qualify);
	check_outcomes(&qualify, "survived unavailable failed survived");
	CHECK_STR(qualify.trial[1].why, "the SMU refuses");
	CHECK_INT(qualify.ended, ENDED_COMPLETE);
	CHECK(qualify_is_clean(&qualify));
	CHECK_INT(qualify.recovery[0].by, REMEDY_QUIESCE);
	qualify_free(&qualify);
}

static void test_what_ends_it(void)
{
	struct qualify qualify = begin();

	does[2] = BUSY;
	run(&qualify);
	CHECK_INT(qualify.ended, ENDED_BUSY);
	check_outcomes(&qualify, "survived survived busy none");
	qualify_free(&qualify);

	qualify = begin();
	stop_after = 4;
	run(&qualify);
	CHECK_INT(qualify.ended, ENDED_INTERRUPTED);
	check_outcomes(&qualify, "survived survived none none");
	CHECK_INT(resets, 4);
	qualify_free(&qualify);

	/* After a signal the run still brings the GPU back. */
	qualify = begin();
	stop_after = 4;
	does[1] = LOSES;
	heals = true;
	run(&qualify);
	CHECK_INT(qualify.after.state, INSTINCT_VFIO_STATE_READY);
	qualify_free(&qualify);
}

static void test_as_before(void)
{
	struct qualify qualify = begin();

	config_after = 0x01000000;
	run(&qualify);
	CHECK_INT(qualify.trial[0].outcome, OUTCOME_FAILED);
	CHECK_STR(qualify.trial[0].why,
		  "1 register of the config space changed, first BAR 0 (0x10)");
	CHECK_INT(qualify.config.count, 1);
	qualify_free(&qualify);

	qualify = begin();
	opens = 0;
	run(&qualify);
	check_outcomes(&qualify, "survived failed failed failed");
	CHECK_STR(qualify.trial[1].why, "VFIO cannot open the GPU: no such group");
	qualify_free(&qualify);
}

static const struct memory *memory_of(const struct qualify *qualify)
{
	return &qualify->trial[1].memory;
}

static void test_memory(void)
{
	struct qualify qualify = begin();

	run(&qualify);
	CHECK_INT(memory_of(&qualify)->verdict, MEMORY_GONE);
	CHECK_INT(memory_of(&qualify)->lines, 32);
	CHECK_INT(memory_of(&qualify)->bytes, 64 << 20);
	CHECK_INT(gpus[0].resets.hardware, 3 * 3 + 2);
	CHECK_INT(qualify.trial[0].memory.verdict, MEMORY_UNTRIED);
	CHECK_INT(qualify.trial[2].memory.verdict, MEMORY_UNTRIED);
	CHECK(qualify_is_clean(&qualify));
	CHECK(!strstr(advice_of(&qualify), "tenancy"));
	qualify_free(&qualify);

	/* A mode-1 that scrubs nothing is no loss, and still no clean run. */
	qualify = begin();
	lines_kept = 1;
	run(&qualify);
	check_outcomes(&qualify, "survived survived survived survived");
	CHECK_INT(memory_of(&qualify)->verdict, MEMORY_KEPT);
	CHECK(!qualify_is_clean(&qualify));
	CHECK(strstr(advice_of(&qualify), "tenancy = single        # all guests are one tenant: mode1 leaves data in the memory\n"));
	qualify_free(&qualify);

	qualify = begin();
	lines_held = 0;
	run(&qualify);
	CHECK_INT(memory_of(&qualify)->verdict, MEMORY_UNKNOWN);
	CHECK_STR(memory_of(&qualify)->why, "the memory does not hold what is written into it");
	CHECK(qualify_is_clean(&qualify));
	qualify_free(&qualify);

	qualify = begin();
	reads_fail = true;
	run(&qualify);
	CHECK_INT(memory_of(&qualify)->verdict, MEMORY_UNKNOWN);
	CHECK_STR(memory_of(&qualify)->why, "reading the memory: I/O error");
	qualify_free(&qualify);

	qualify = begin();
	stop_after = 6;
	run(&qualify);
	CHECK_STR(memory_of(&qualify)->why, "a signal stopped the run");
	qualify_free(&qualify);

	/* The resets of this trial are the method's too. */
	qualify = begin();
	closes_lose = true;
	heals = true;
	run(&qualify);
	check_outcomes(&qualify, "survived lost none none");
	CHECK_INT(qualify.recovery[0].by, REMEDY_QUIESCE);
	qualify_free(&qualify);
}

/* Where policy only quiesces the GPU after a user, qualify asks for the reset itself. */
static void test_memory_after_a_quiesce(void)
{
	struct qualify qualify = begin();

	gpus[0].policy.method = INSTINCT_VFIO_METHOD_QUIESCE;
	gpus[0].policy.tenancy = INSTINCT_VFIO_TENANCY_MULTI;
	run(&qualify);
	CHECK_INT(memory_of(&qualify)->verdict, MEMORY_GONE);
	CHECK_INT(qualify.trial[2].memory.verdict, MEMORY_GONE);
	CHECK_INT(qualify.trial[3].memory.verdict, MEMORY_GONE);
	CHECK_INT(gpus[0].state, INSTINCT_VFIO_STATE_READY);
	CHECK_INT(gpus[0].resets.hardware, 3 * (3 + 2));
	check_outcomes(&qualify, "survived survived survived survived");
	qualify_free(&qualify);
}

static void test_no_secure_os(void)
{
	struct qualify qualify = begin();

	gpus[0].secure_os = INSTINCT_VFIO_SECURE_OS_RUNNING;
	run(&qualify);
	CHECK_INT(qualify.trial[1].rounds, 3);
	CHECK_INT(qualify.trial[1].round[0].secure_os_before, INSTINCT_VFIO_SECURE_OS_RUNNING);
	CHECK_INT(qualify.trial[1].round[1].secure_os_before, INSTINCT_VFIO_SECURE_OS_ABSENT);
	CHECK_INT(trial_bare_rounds(&qualify.trial[1], true), 2);
	qualify_free(&qualify);

	/* A single round would not try the case, so another follows. */
	qualify = begin();
	gpus[0].secure_os = INSTINCT_VFIO_SECURE_OS_RUNNING;
	qualify.rounds = 1;
	run(&qualify);
	CHECK_INT(qualify.trial[0].rounds, 1);
	CHECK_INT(qualify.trial[1].rounds, 2);
	CHECK_INT(trial_bare_rounds(&qualify.trial[1], true), 1);
	qualify_free(&qualify);

	qualify = begin();
	qualify.rounds = 1;
	run(&qualify);
	CHECK_INT(qualify.trial[1].rounds, 1);
	CHECK_INT(trial_bare_rounds(&qualify.trial[1], false), 0);
	qualify_free(&qualify);
}

/* A guest under load: the time at which it resets the GPU next, and what the reset does. */
static int64_t next_reset;
static unsigned int guest_resets, guest_loses;

static void guest_event(uint32_t kind, uint32_t cause)
{
	emit(BDF, kind, INSTINCT_VFIO_METHOD_MODE1, true);
	events[event_count - 1].cause = cause;
}

static void guest_runs(void)
{
	if (!next_reset || clock_ms < next_reset)
		return;
	next_reset = clock_ms + 20000;
	guest_event(INSTINCT_VFIO_EVENT_RESET_BEGUN, INSTINCT_VFIO_CAUSE_VFIO_RESET);
	if (++guest_resets == guest_loses) {
		lose(&gpus[0], INSTINCT_VFIO_METHOD_MODE1);
		events[event_count - 2].cause = INSTINCT_VFIO_CAUSE_VFIO_RESET;
		next_reset = 0;
		return;
	}
	guest_event(INSTINCT_VFIO_EVENT_RESET_DONE, INSTINCT_VFIO_CAUSE_VFIO_RESET);
	/* The guest's firmware resets it once more. */
	guest_event(INSTINCT_VFIO_EVENT_RESET_DONE, INSTINCT_VFIO_CAUSE_GUEST_FLR);
}

static struct qualify begin_load(void)
{
	struct qualify qualify = begin();

	gpus[0].open = 1;
	qualify.under_load = true;
	qualify.wait = 30000;
	next_reset = 15000;
	guest_resets = 0;
	guest_loses = 0;
	on_pause = guest_runs;
	return qualify;
}

static void test_under_load(void)
{
	struct qualify qualify = begin_load();

	run(&qualify);
	CHECK_INT(qualify.ended, ENDED_COMPLETE);
	CHECK_INT(qualify.load.rounds, 3);
	CHECK_INT(guest_resets, 3);
	CHECK_INT(resets, 0);
	CHECK_INT(qualify.load.round[0].outcome, OUTCOME_SURVIVED);
	CHECK_INT(qualify.load.round[0].event.cause, INSTINCT_VFIO_CAUSE_VFIO_RESET);
	CHECK(qualify_is_clean(&qualify));
	check_outcomes(&qualify, "none none none none");
	qualify_free(&qualify);

	qualify = begin_load();
	guest_loses = 2;
	run(&qualify);
	CHECK_INT(qualify.ended, ENDED_LOST);
	CHECK_INT(qualify.load.rounds, 2);
	CHECK_STR(qualify.load.round[1].why, BDF " was lost");
	CHECK(!qualify_is_clean(&qualify));
	qualify_free(&qualify);

	/* Nobody resets the guest. */
	qualify = begin_load();
	next_reset = 0;
	run(&qualify);
	CHECK_INT(qualify.ended, ENDED_NO_RESET);
	CHECK_INT(qualify.load.rounds, 0);
	CHECK(clock_ms >= 30000 && clock_ms < 40000);
	qualify_free(&qualify);

	/* Ctrl-C ends the run with what is there. */
	qualify = begin_load();
	stop_after = 1;
	resets = 1;
	run(&qualify);
	CHECK_INT(qualify.ended, ENDED_INTERRUPTED);
	qualify_free(&qualify);
}

static void test_under_load_is_refused(void)
{
	struct device dev = make_gpu(BDF);
	char why[2 * TEXT_BYTES];

	CHECK(under_load_blocked(&dev, why, sizeof(why)));
	CHECK(strstr(why, "no user has the GPU open: start its guest"));
	dev.open = 1;
	CHECK(!under_load_blocked(&dev, why, sizeof(why)));
	dev.state = INSTINCT_VFIO_STATE_LOST;
	CHECK(under_load_blocked(&dev, why, sizeof(why)));
}

/* Checks that the helper reads @text as a policy. */
static void check_policy(const char *text)
{
	struct conf conf;

	util_write("advice.conf", text);
	CHECK_INT(conf_open(&conf, "advice.conf"), EXIT_OK);
	conf_free(&conf);
}

static void test_advice(void)
{
	struct qualify qualify = begin();

	run(&qualify);
	CHECK_STR(advice_of(&qualify),
		  "[family mi300x]\n"
		  "method = auto           # the GPU survived mode1 3 times, and quiesce\n"
		  "ready_timeout = 10s     # the slowest reset took 0.1 s\n");
	check_policy(advice_of(&qualify));
	qualify.before.policy.scope = INSTINCT_VFIO_SCOPE_DEVICE;
	qualify.before.policy.mailbox = 0x58000;
	CHECK_STR(advice_of(&qualify),
		  "[family mi300x]\n"
		  "method = auto           # the GPU survived mode1 3 times, and quiesce\n"
		  "ready_timeout = 10s     # the slowest reset took 0.1 s\n"
		  "scope = device          # the trials used this value\n"
		  "mailbox = 0x58000       # the trials used this value\n");
	check_policy(advice_of(&qualify));
	qualify_free(&qualify);

	qualify = begin();
	does[1] = REFUSES;
	run(&qualify);
	CHECK_STR(advice_of(&qualify),
		  "[family mi300x]\n"
		  "method = bus            # the GPU survived bus-switch 3 times\n"
		  "bus_port = switch\n"
		  "ready_timeout = 10s     # the slowest reset took 0.1 s\n");
	check_policy(advice_of(&qualify));
	qualify_free(&qualify);

	qualify = begin();
	does[1] = LOSES;
	run(&qualify);
	CHECK_STR(advice_of(&qualify),
		  "[family mi300x]\nmethod = quiesce        # the GPU survived quiesce 3 times\n"
		  "tenancy = single        # all guests are one tenant: quiesce scrubs nothing\n");
	qualify_free(&qualify);

	qualify = begin();
	does[0] = FAILS;
	opens = 0;
	qualify.max_risk = RISK_NONE;
	run(&qualify);
	CHECK_STR(advice_of(&qualify), "");
	qualify_free(&qualify);
}

/* With tenancy = multi the module quarantines a quiesced GPU, which is no failure of quiesce. */
static void test_tenants(void)
{
	struct qualify qualify = begin();

	quarantines = true;
	gpus[0].policy.tenancy = INSTINCT_VFIO_TENANCY_MULTI;
	run(&qualify);
	check_outcomes(&qualify, "survived survived survived survived");
	CHECK(strstr(advice_of(&qualify), "\nmethod = auto "));
	CHECK_INT(qualify.after.state, INSTINCT_VFIO_STATE_READY);
	qualify_free(&qualify);

	qualify = begin();
	quarantines = true;
	opens = 0;
	gpus[0].policy.tenancy = INSTINCT_VFIO_TENANCY_MULTI;
	gpus[0].policy.method = INSTINCT_VFIO_METHOD_QUIESCE;
	qualify.max_risk = RISK_NONE;
	run(&qualify);
	check_outcomes(&qualify, "survived none none none");
	CHECK(strstr(qualify.trial[0].open_why, "the GPU is quarantined"));
	qualify_free(&qualify);

	qualify = begin();
	quarantines = true;
	gpus[0].policy.tenancy = INSTINCT_VFIO_TENANCY_SINGLE;
	run(&qualify);
	check_outcomes(&qualify, "failed survived survived survived");
	qualify_free(&qualify);
}

/* The advice recommends another method only if mode1 has failed. */
static void test_no_advice(void)
{
	struct qualify qualify = begin();

	qualify.max_risk = RISK_NONE;
	run(&qualify);
	check_outcomes(&qualify, "survived none none none");
	CHECK_STR(advice_of(&qualify), "");
	CHECK(strstr(advice.why, "risk low is more than --max-risk none"));
	qualify_free(&qualify);

	qualify = begin();
	gpus[1].state = INSTINCT_VFIO_STATE_QUARANTINED;
	run(&qualify);
	check_outcomes(&qualify, "survived none none none");
	CHECK_STR(advice_of(&qualify), "");
	qualify_free(&qualify);

	/* Resets of a blocked GPU and of its hive work: only a new user could not open it. */
	qualify = begin();
	gpus[0].state = INSTINCT_VFIO_STATE_BLOCKED;
	gpus[1].state = INSTINCT_VFIO_STATE_BLOCKED;
	run(&qualify);
	check_outcomes(&qualify, "survived survived survived survived");
	qualify_free(&qualify);
}

/* The advice includes the scope that the trials used. */
static void test_advice_for_a_hive(void)
{
	struct qualify qualify = begin();

	gpus[0].policy.scope = INSTINCT_VFIO_SCOPE_HIVE;
	does[1] = REFUSES;
	run(&qualify);
	CHECK(qualify.trial[2].wide);
	CHECK(strstr(advice_of(&qualify), "method = bus "));
	CHECK(strstr(advice_of(&qualify), "scope = hive            # the trials used this value\n"));
	qualify_free(&qualify);
}

static void save(const struct qualify *qualify)
{
	CHECK_INT(qualify->ended, ENDED_UNDER_WAY);
	snprintf(saved + strlen(saved), sizeof(saved) - strlen(saved), "%s\n", qualify->why);
}

static void test_saved(void)
{
	struct qualify qualify = begin();

	qualify.max_risk = RISK_LOW;
	qualify.save = save;
	run(&qualify);
	CHECK_STR(saved, "quiesce is being tried\nmode1 is being tried\n");
	CHECK_INT(qualify.ended, ENDED_COMPLETE);
	CHECK_STR(qualify.why, "");
	qualify_free(&qualify);
}

static void test_deadlines(void)
{
	CHECK_INT(advice_timeout(0), 10000);
	CHECK_INT(advice_timeout(3 * 1000 * NS_PER_MS), 10000);
	CHECK_INT(advice_timeout(4 * 1000 * NS_PER_MS), 15000);
	CHECK_INT(advice_timeout(5 * 1000 * NS_PER_MS), 15000);
	CHECK_INT(advice_timeout(300 * 1000 * NS_PER_MS), 600000);
}

static void test_masks(void)
{
	char line[] = "port 0000:22:01.0 serial 00c030b089104000, serial 0x12ABz serial";

	kernel_log_mask(line);
	CHECK_STR(line, "port 0000:22:01.0 serial xxxxxxxxxxxxxxxx, serial 0xxxxxz serial");
}

static void test_report(void)
{
	struct qualify qualify = begin();
	json_t *report, *again;
	char *text;

	gpus[0].serial = 0x1234;
	does[3] = LOSES;
	run(&qualify);
	report = report_make(&qualify);
	CHECK(digest_holds(report));
	CHECK(json_is_null(json_object_get(json_object_get(report, "gpu"), "serial")));
	/* The digest does not depend on the report's layout. */
	text = json_dumps(report, JSON_INDENT(4));
	again = json_loads(text, 0, NULL);
	free(text);
	CHECK(digest_holds(again));
	json_object_set_new(json_object_get(again, "signed_off"), "operator",
			    json_string("somebody else"));
	CHECK(!digest_holds(again));
	json_decref(again);
	json_decref(report);
	qualify.serials = true;
	report = report_make(&qualify);
	CHECK_STR(json_string_value(json_object_get(json_object_get(report, "gpu"), "serial")),
		  "0x0000000000001234");
	json_decref(report);
	qualify_free(&qualify);
}

static void test_report_of_a_load(void)
{
	struct qualify qualify = begin_load();
	json_t *report, *load;

	qualify.note = "a loop of copies";
	run(&qualify);
	report = report_make(&qualify);
	load = json_object_get(report, "under_load");
	CHECK(digest_holds(report));
	CHECK_INT(json_integer_value(json_object_get(load, "survived")), 3);
	CHECK_INT(json_array_size(json_object_get(load, "rounds")), 3);
	util_catch(STDOUT_FILENO);
	out_qualify_text(stdout, report);
	CHECK(strstr(util_caught_text(), "the load, which qualify cannot see: a loop of copies\n"));
	CHECK(strstr(util_caught_text(), "reset 1: survived, by mode1 for vfio-reset, 0.102 s\n"));
	CHECK(strstr(util_caught_text(), "the GPU survived 3 of 3 resets under load\n"));
	CHECK(!strstr(util_caught_text(), "METHOD"));
	json_decref(report);
	qualify_free(&qualify);
}

/* The helper prints malformed reports without control characters. */
static void test_reports_of_others(void)
{
	const char *const others[] = {
		"{}", "[]", "{\"trials\": 7, \"path\": {}, \"gpu\": []}",
		"{\"trials\": [1, {\"name\": \"\\u001b[31m\", \"rounds\": 3, \"times\": []}]}",
		"{\"recommended\": {\"policy\": \"\\u001b]0;x\\u0007\\n\\u009b\"}, \"digest\": 1}",
		"{\"under_load\": {\"rounds\": [0, {\"why\": \"\\u001b\"}], \"load\": 3}}",
		"{\"trials\": [{\"tried\": true, \"memory\": {\"verdict\": 1, \"why\": \"\\u001b\"}}]}",
		"{\"final\": {\"config\": {\"differences\": [[]]}, \"lost_by\": [null]}}",
	};
	json_t *report;
	size_t i;

	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		report = json_loads(others[i], 0, NULL);
		CHECK(report);
		util_catch(STDOUT_FILENO);
		out_qualify_text(stdout, report);
		CHECK(!strpbrk(util_caught_text(), "\033\007\233"));
		CHECK(!digest_holds(report));
		json_decref(report);
	}
}

int main(void)
{
	util_begin();
	RUN(test_order);
	RUN(test_what_is_passed_over);
	RUN(test_what_is_refused);
	RUN(test_verdicts);
	RUN(test_remedies);
	RUN(test_release);
	RUN(test_pattern);
	RUN(test_memory_verdicts);
	RUN(test_memory_that_is_not_tried);
	RUN(test_comparison);
	RUN(test_comparison_of_the_dead);
	RUN(test_all_survived);
	RUN(test_a_loss_ends_it);
	RUN(test_a_loss_for_good);
	RUN(test_a_lost_mate);
	RUN(test_a_slow_mate);
	RUN(test_what_fails_is_not_the_end);
	RUN(test_what_ends_it);
	RUN(test_as_before);
	RUN(test_memory);
	RUN(test_memory_after_a_quiesce);
	RUN(test_no_secure_os);
	RUN(test_under_load);
	RUN(test_under_load_is_refused);
	RUN(test_advice);
	RUN(test_tenants);
	RUN(test_no_advice);
	RUN(test_advice_for_a_hive);
	RUN(test_saved);
	RUN(test_deadlines);
	RUN(test_masks);
	RUN(test_report);
	RUN(test_report_of_a_load);
	RUN(test_reports_of_others);
	return unit_end();
}
