// SPDX-License-Identifier: GPL-2.0-only
/* Links and AER counters of managed GPUs: which functions are read, and in which states. */
#include <limits.h>

#include "gpu_links.h"
#include "helper_util.h"
#include "say.h"

#define ROOT	"0000:c0:01.0"
#define UPPER	"0000:c0:02.0"
#define LOWER	"0000:c0:03.0"
#define SWUS	"0000:c1:00.0"
#define SWDS	"0000:c2:00.0"
#define GPU	"0000:c3:00.0"

static const char aer[] =
	"RxErr 3\nBadTLP 4294967296\nBadTLP 5\nTOTAL_ERR_COR 4294967299\n";

static void put(const char *bdf, const char *file, const char *text)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "sys/bus/pci/devices/%s", bdf);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "sys/bus/pci/devices/%s/%s", bdf, file);
	util_write(path, text);
}

static void put_link(const char *bdf, const char *speed, const char *width, const char *max_speed,
		     const char *max_width)
{
	put(bdf, "current_link_speed", speed);
	put(bdf, "current_link_width", width);
	put(bdf, "max_link_speed", max_speed);
	put(bdf, "max_link_width", max_width);
}

static void make_host(void)
{
	mkdir("sys", 0700);
	mkdir("sys/bus", 0700);
	mkdir("sys/bus/pci", 0700);
	mkdir("sys/bus/pci/devices", 0700);
	opt_sysroot = ".";
	put_link(ROOT, "16.0 GT/s PCIe\n", "8\n", "16.0 GT/s PCIe\n", "8\n");
	put_link(SWUS, "8.0 GT/s PCIe\n", "4\n", "32.0 GT/s PCIe\n", "16\n");
	put_link(SWDS, "32.0 GT/s PCIe\n", "16\n", "32.0 GT/s PCIe\n", "16\n");
	put_link(GPU, "2.5 GT/s PCIe\n", "16\n", "32.0 GT/s PCIe\n", "16\n");
	put(SWUS, "aer_dev_correctable", aer);
	put(SWUS, "aer_dev_nonfatal", "Undefined 0\nTOTAL_ERR_NONFATAL 2\n");
	put(SWUS, "aer_dev_fatal", "DLP 1\nTOTAL_ERR_FATAL 1\n");
}

static struct device gpu(int state)
{
	struct device dev = { .bdf = GPU, .state = state, .ports = 3, .port = {
		{ .bdf = ROOT, .role = PORT_ROOT_PORT },
		{ .bdf = SWUS, .role = PORT_SWUS },
		{ .bdf = SWDS, .role = PORT_SWDS },
	} };

	return dev;
}

static void check_link(const struct gpu_link *link, const char *port, unsigned int speed,
		       unsigned int width, unsigned int max_speed, unsigned int max_width)
{
	CHECK_STR(link->bdf, GPU);
	CHECK_STR(link->port, port);
	CHECK_INT(link->link.speed, speed);
	CHECK_INT(link->link.width, width);
	CHECK_INT(link->link.max_speed, max_speed);
	CHECK_INT(link->link.max_width, max_width);
}

/* The maximum is what both ends support; ports of one switch have no link between them. */
static void test_ready(void)
{
	struct device dev = gpu(INSTINCT_VFIO_STATE_READY);
	const struct devices devices = { &dev, 1 };
	struct gpu_links links;

	gpu_links_read(&links, &devices);
	CHECK_INT(links.count, 4);
	check_link(&links.list[0], ROOT, 0, 0, 0, 0);
	check_link(&links.list[1], SWUS, 8000, 4, 16000, 8);
	check_link(&links.list[2], SWDS, 0, 0, 0, 0);
	check_link(&links.list[3], GPU, 2500, 16, 32000, 16);
	gpu_links_free(&links);
	CHECK_INT(links.count, 0);
}

static void test_aer(void)
{
	struct device dev = gpu(INSTINCT_VFIO_STATE_READY);
	const struct devices devices = { &dev, 1 };
	struct gpu_links links;

	gpu_links_read(&links, &devices);
	CHECK(!links.list[0].aer.known);
	CHECK(links.list[1].aer.known);
	CHECK(links.list[1].aer.correctable == 4294967299);
	CHECK_INT(links.list[1].aer.nonfatal, 2);
	CHECK_INT(links.list[1].aer.fatal, 1);
	/* A kind that a capture repeats counts once, so that no series repeats. */
	CHECK_INT(links.list[1].aer.kinds, 2);
	CHECK_STR(links.list[1].aer.kind[1].name, "BadTLP");
	CHECK(links.list[1].aer.kind[1].count == 4294967296);
	gpu_links_free(&links);
}

/* A GPU that is in reset or lost has counters only, and so have the ports of its package. */
static void test_silent(void)
{
	static const int states[] = { INSTINCT_VFIO_STATE_RESETTING, INSTINCT_VFIO_STATE_LOST };
	unsigned int i, k;

	for (i = 0; i < 2; i++) {
		struct device dev = gpu(states[i]);
		const struct devices devices = { &dev, 1 };
		struct gpu_links links;

		gpu_links_read(&links, &devices);
		CHECK_INT(links.count, 4);
		for (k = 0; k < links.count; k++)
			CHECK(!links.list[k].link.speed && !links.list[k].link.max_speed);
		CHECK_INT(links.list[1].aer.nonfatal, 2);
		gpu_links_free(&links);
	}
}

/* The kernel shows a register of all ones as an unknown speed and as 63 lanes. */
static void test_all_ones(void)
{
	struct device dev = gpu(INSTINCT_VFIO_STATE_QUARANTINED);
	const struct devices devices = { &dev, 1 };
	struct gpu_links links;

	put_link(GPU, "Unknown\n", "63\n", "64.0 GT/s PCIe\n", "63\n");
	gpu_links_read(&links, &devices);
	CHECK_INT(links.count, 4);
	check_link(&links.list[1], SWUS, 8000, 4, 16000, 8);
	check_link(&links.list[3], GPU, 0, 0, 0, 0);
	gpu_links_free(&links);
}

/* A GPU in a virtual machine may have no port above it, and a function may be gone. */
static void test_alone(void)
{
	struct device list[] = { gpu(INSTINCT_VFIO_STATE_READY), gpu(INSTINCT_VFIO_STATE_READY) };
	const struct devices devices = { list, 2 };
	struct gpu_links links;

	put_link(GPU, "32.0 GT/s PCIe\n", "16\n", "32.0 GT/s PCIe\n", "16\n");
	list[0].ports = 0;
	list[1].ports = 0;
	strcpy(list[1].bdf, "0000:ff:00.0");
	gpu_links_read(&links, &devices);
	CHECK_INT(links.count, 1);
	check_link(&links.list[0], GPU, 32000, 16, 32000, 16);
	gpu_links_free(&links);
}

/* The links above the board's switch count too; of its downstream port nothing is of interest. */
static void test_switch(void)
{
	struct device dev = { .bdf = GPU, .state = INSTINCT_VFIO_STATE_READY, .ports = 5, .port = {
		{ .bdf = ROOT, .role = PORT_ROOT_PORT },
		{ .bdf = UPPER, .role = PORT_SWITCH_UPSTREAM },
		{ .bdf = LOWER, .role = PORT_SWITCH_DOWNSTREAM },
		{ .bdf = SWUS, .role = PORT_SWUS },
		{ .bdf = SWDS, .role = PORT_SWDS },
	} };
	const struct devices devices = { &dev, 1 };
	struct gpu_links links;

	put_link(UPPER, "8.0 GT/s PCIe\n", "8\n", "32.0 GT/s PCIe\n", "16\n");
	put_link(LOWER, "8.0 GT/s PCIe\n", "4\n", "32.0 GT/s PCIe\n", "4\n");
	gpu_links_read(&links, &devices);
	CHECK_INT(links.count, 5);
	check_link(&links.list[0], UPPER, 8000, 8, 16000, 8);
	check_link(&links.list[1], LOWER, 0, 0, 0, 0);
	check_link(&links.list[2], SWUS, 8000, 4, 32000, 4);
	gpu_links_free(&links);
}

int main(void)
{
	util_begin();
	make_host();
	RUN(test_ready);
	RUN(test_aer);
	RUN(test_silent);
	RUN(test_all_ones);
	RUN(test_alone);
	RUN(test_switch);
	return unit_end();
}
