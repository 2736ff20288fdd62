// SPDX-License-Identifier: GPL-2.0-only
/*
 * DMA like that of a tenant's device, by QEMU's "edu".
 *
 *	dma BDF ADDRESS…	with VFIO, in a domain with one page: send a mark to
 *				that page, then to each ADDRESS outside it
 *	dma --host BDF ADDRESS…	without VFIO, in the device's present domain
 *	dma --victim		print the physical address of a page, wait for the end
 *				of standard input, then print "intact" or "overwritten"
 *
 * With VFIO the program prints "mapped ok" or "mapped lost"; it prints "sent ADDRESS" for
 * each.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/pci_regs.h>
#include <linux/vfio.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fds.h"

#define PAGE		4096
#define IOVA		0x10000000ull
#define BAR_BYTES	0x100000

/* QEMU docs/specs/edu.txt */
#define EDU_ID		0x00
#define EDU_ID_VALUE	0x010000edu
#define EDU_SOURCE	0x80
#define EDU_DEST	0x88
#define EDU_COUNT	0x90
#define EDU_COMMAND	0x98
#define EDU_START	0x1
#define EDU_TO_MEMORY	0x2
#define EDU_BUFFER	0x40000

struct edu {
	volatile uint8_t *bar;
};

static void put64(struct edu *edu, int at, uint64_t value)
{
	*(volatile uint64_t *)(edu->bar + at) = value;
}

static uint64_t get64(struct edu *edu, int at)
{
	return *(volatile uint64_t *)(edu->bar + at);
}

static void run(struct edu *edu, uint64_t from, uint64_t to, uint64_t command)
{
	put64(edu, EDU_SOURCE, from);
	put64(edu, EDU_DEST, to);
	put64(edu, EDU_COUNT, sizeof(DMA_MARK));
	put64(edu, EDU_COMMAND, command | EDU_START);
	for (int i = 0; i < 1000 && get64(edu, EDU_COMMAND) & EDU_START; i++)
		usleep(10000);
	if (get64(edu, EDU_COMMAND) & EDU_START)
		errx(2, "edu does not end its DMA");
}

static void send_mark(struct edu *edu, uint64_t to)
{
	run(edu, EDU_BUFFER, to, EDU_TO_MEMORY);
}

static void check_edu(struct edu *edu)
{
	if (*(volatile uint32_t *)(edu->bar + EDU_ID) != EDU_ID_VALUE)
		errx(2, "this is no edu");
}

static void enable_master(const struct vfio_fds *fds)
{
	uint16_t command = PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER;
	struct vfio_region_info info;

	if (vfio_region(fds, VFIO_PCI_CONFIG_REGION_INDEX, &info) ||
	    pwrite(fds->fd, &command, sizeof(command), info.offset + PCI_COMMAND) != sizeof(command))
		err(2, "config space");
}

/* Open the device in a domain with one page. Return: the page. */
static void *open_vfio(struct edu *edu, const char *bdf)
{
	struct vfio_iommu_type1_dma_map map = {
		.argsz = sizeof(map), .flags = VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE,
		.iova = IOVA, .size = PAGE,
	};
	struct vfio_fds fds;
	void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	map.vaddr = (uintptr_t)page;
	if (vfio_open(&fds, bdf) || page == MAP_FAILED ||
	    ioctl(fds.container, VFIO_IOMMU_MAP_DMA, &map))
		err(2, "%s: vfio", bdf);
	enable_master(&fds);
	edu->bar = mmap(NULL, BAR_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fds.fd, 0);
	if (edu->bar == MAP_FAILED)
		err(2, "%s: BAR", bdf);
	return page;
}

static uint64_t *new_page(void)
{
	uint64_t *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE | MAP_LOCKED, -1, 0);

	if (page == MAP_FAILED)
		err(2, "a page");
	page[0] = 0;
	return page;
}

static void open_host(struct edu *edu, const char *bdf)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/resource0", bdf);
	fd = open(path, O_RDWR | O_CLOEXEC);
	edu->bar = fd < 0 ? MAP_FAILED :
		   mmap(NULL, BAR_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (edu->bar == MAP_FAILED)
		err(2, "%s", path);
}

static uint64_t physical(void *page)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	uint64_t entry;

	if (fd < 0 || pread(fd, &entry, sizeof(entry), (uintptr_t)page / PAGE * 8) != sizeof(entry) ||
	    !(entry >> 63))
		err(2, "pagemap");
	close(fd);
	return (entry & ((1ull << 55) - 1)) * PAGE;
}

static int victim(void)
{
	uint64_t *page = new_page();

	printf("%#llx\n", (unsigned long long)physical(page));
	fflush(stdout);
	while (getchar() != EOF)
		;
	puts(*(volatile uint64_t *)page == DMA_MARK ? "overwritten" : "intact");
	return 0;
}

int main(int argc, char *argv[])
{
	bool host = argc > 2 && !strcmp(argv[1], "--host");
	uint64_t *page = NULL;
	struct edu edu;

	if (argc == 2 && !strcmp(argv[1], "--victim"))
		return victim();
	if (argc < 2)
		errx(2, "usage: dma [--host] BDF ADDRESS... | --victim");
	if (host)
		open_host(&edu, argv[2]);
	else
		page = open_vfio(&edu, argv[1]);
	check_edu(&edu);
	if (host) {
		page = new_page();
		page[1] = DMA_MARK;
		run(&edu, physical(page) + 8, EDU_BUFFER, 0);
	} else {
		page[1] = DMA_MARK;
		run(&edu, IOVA + 8, EDU_BUFFER, 0);
		send_mark(&edu, IOVA);
		printf("mapped %s\n", *(volatile uint64_t *)page == DMA_MARK ? "ok" : "lost");
	}
	for (int i = host ? 3 : 2; i < argc; i++) {
		send_mark(&edu, strtoull(argv[i], NULL, 0));
		printf("sent %s\n", argv[i]);
	}
	return 0;
}
