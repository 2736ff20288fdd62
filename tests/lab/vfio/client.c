// SPDX-License-Identifier: GPL-2.0-only
/*
 * A small VFIO user that treats GPUs as a VMM does, step by step, and prints the kernel's
 * answers:
 *
 *	client BDF[,BDF…] STEP…
 *
 * Each step handles all devices, one after the other, as VMMs do:
 *	open	group, container, device
 *	reset	VFIO_DEVICE_RESET
 *	flr	a guest's FLR, through the virtual config space
 *	no-flr	a write of the same register without the FLR bit
 *	master	set Bus Master, as a guest's driver does
 *	memory, memory-off, master-only	write Command: Memory Space alone, nothing, Bus Master
 *		alone
 *	hot-reset	VFIO_DEVICE_PCI_HOT_RESET with the device's group
 *	hot-reset-unowned	the same without a group
 *	hot-reset-stranger	the same with the group of the next device
 *	touch	map the VRAM BAR, write a mark, read it back
 *	mmap	map the VRAM BAR, no access
 *	mmap-read, mmap-write	map the VRAM BAR, one access
 *	bar-read, bar-write	one access to the VRAM BAR by pread or pwrite
 *	cfg-write	a config write that reaches the device, of the present value
 *	cfg-write-virt	a config write that VFIO virtualizes
 *	aer-masks	write all bits of the AER masks, then the old values
 *	msix	enable one MSI-X vector
 *	d3	D3hot and back
 *	d3hot, d0	D3hot, D0
 *	enable-vf	write one VF and VF Enable to the SR-IOV capability; EEXIST if it holds them
 *	resize-bar	write each supported size to Resizable BAR Control; EEXIST if it changes
 *	ioeventfd	VFIO_DEVICE_IOEVENTFD of the VRAM BAR
 *	1000-cfg-reads, 1000-cfg-writes	of registers that VFIO passes to the device
 *	1000-cfg-writes-virt	of a register that VFIO virtualizes
 *	write-from-bar	a config write whose bytes lie in a mapping of the VRAM BAR
 *	replay	the config accesses of a guest's boot, from the trace of trace=FILE
 *	million-bar-loads	from a mapping of the VRAM BAR
 *	unmarked	fails with EBADMSG if VRAM has the mark of "touch" or of a guest
 *	canary	before "open": opens group and container, and maps a page of one
 *		pattern for DMA at IOVA; "open" then opens the device of that group
 *	fresh-canary	writes the pattern again
 *	engine	makes the GPU's DMA engine write to IOVA every few milliseconds, while
 *		Bus Master is on and until a reset empties the engine's queue
 *	stray-engine	the same to the next page, which is not mapped
 *	intact	fails with EBADMSG if the canary has been overwritten
 *	overwritten	waits up to ten seconds until it has; else fails with ETIME
 *	peer-marked	fails with ENODATA unless VRAM begins with the mark of "dma"
 *	close	device, group, container
 *	join	before "open": opens the group, in one container for all devices
 *	info, migration	what the device says of itself, its regions and interrupts; EOPNOTSUPP
 *		without VFIO_DEVICE_FLAGS_RESET, EEXIST if it claims to migrate
 *	describe	print flags, regions, interrupts and features of the device, a line each
 *	read-config	all of the config space
 *	ram	after the first "open" in a container: maps memory for DMA at 0
 *	intx, intx-off, all-msix, msix-off	the interrupts that the device has, all vectors
 *	size-bars	write all ones to the BARs and the ROM's, and read them
 *	map-bars, unmap-bars	all BARs, for as long as the steps in between, and for DMA
 *	orphan-fd, orphan-map	fork a child "orphan" that keeps only the descriptor of the
 *		device, or only a mapping of the VRAM BAR, until SIGTERM
 *	leave	closes the device, takes the group out of the container and closes it; the
 *		last one closes the container
 *	A+B	step A, then B, before the next device's turn
 *	export=FILE	export the first 2 MiB of the last device's VRAM BAR as a dma-buf,
 *		and write the fd's number to FILE; the fd stays open
 *	only=N	the next steps are for device N alone, counted from 1; 0: for all again
 *	-	the steps that standard input has, until its end
 *	hand-over	a child process, which gets all fds, does the steps that follow
 *	sleep=MS, wait=FILE (until FILE exists), hold (until SIGTERM)
 *	mark=NAME	print "mark NAME" with the boot-time clock in ms, the number of
 *		resets that reached the modelled devices, and the time at which the
 *		first device became ready last, in ms of that clock
 *
 * The client prints "STEP BDF ok|ERRNO MS" for each step and device, with EFAULT if a
 * mapping raised SIGBUS. Exit status: 0 if all steps were ok, 1 if one was not, 2 for a
 * wrong call. The client continues after a failed step, so that a test sees the next ones.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/pci_regs.h>
#include <linux/vfio.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "client.h"
#include "replay.h"

#ifndef VFIO_DEVICE_FEATURE_DMA_BUF		/* Linux 6.19 */
#define VFIO_DEVICE_FEATURE_DMA_BUF	11

struct vfio_region_dma_range {
	__u64 offset;
	__u64 length;
};

struct vfio_device_feature_dma_buf {
	__u32 region_index;
	__u32 open_flags;
	__u32 flags;
	__u32 nr_ranges;
	struct vfio_region_dma_range dma_ranges[];
};
#endif

#define DEVICES_MAX	64
#define VRAM_REGION	VFIO_PCI_BAR0_REGION_INDEX
#define MARK		0x1badb002u
#define EXPORTED	(2ul << 20)
/* Marks of guests in VRAM, and their place (guest/check.c, guest/firmware.c). */
#define GUEST_MARK_AT	(128 * 1024)
#define GUEST_MARK	0x72657461u
#define FIRMWARE_MARK	0x6b72616du
/* The host has no memory there, so stray DMA in an identity domain does no harm. */
#define IOVA		(256ull << 30)
#define PAGE		4096
#define CANARY		0xca
/* The model's DMA engine (model/dma.c), in BAR 5. */
#define ENGINE_REGION	VFIO_PCI_BAR5_REGION_INDEX
#define ENGINE_ADDRESS	0x5a000
#define ENGINE_PERIOD	0x5a008
#define ENGINE_MS	5

static struct device devices[DEVICES_MAX];
static unsigned int device_count;
/* Number of the device that the steps are for; 0: all. */
static unsigned int only;

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static int step_close(struct device *dev)
{
	vfio_close(&dev->fds);
	return 0;
}

static int step_open(struct device *dev)
{
	if (dev->fds.group >= 0)
		return vfio_open_device(&dev->fds, dev->bdf);
	return vfio_open(&dev->fds, dev->bdf);
}

static int step_reset(struct device *dev)
{
	return ioctl(dev->fds.fd, VFIO_DEVICE_RESET) ? -errno : 0;
}

static int config_rw(struct device *dev, unsigned int at, void *val,
		     size_t size, bool write)
{
	struct vfio_region_info info;
	int ret = vfio_region(&dev->fds, VFIO_PCI_CONFIG_REGION_INDEX, &info);
	ssize_t n;

	if (ret)
		return ret;
	if (write)
		n = pwrite(dev->fds.fd, val, size, info.offset + at);
	else
		n = pread(dev->fds.fd, val, size, info.offset + at);
	return n == (ssize_t)size ? 0 : n < 0 ? -errno : -EIO;
}

static int find_capability(struct device *dev, uint8_t wanted, uint8_t *at)
{
	uint8_t id = 0;
	int i, ret;

	ret = config_rw(dev, PCI_CAPABILITY_LIST, at, 1, false);
	for (i = 0; !ret && *at && i < 48; i++) {
		ret = config_rw(dev, *at, &id, 1, false);
		if (ret || id == wanted)
			return ret;
		ret = config_rw(dev, *at + 1, at, 1, false);
	}
	return ret ?: -ENODEV;
}

static int device_control(struct device *dev, uint16_t bits)
{
	uint16_t control;
	uint8_t at;
	int ret = find_capability(dev, PCI_CAP_ID_EXP, &at);

	if (ret)
		return ret;
	ret = config_rw(dev, at + PCI_EXP_DEVCTL, &control, 2, false);
	if (ret)
		return ret;
	control |= bits;
	return config_rw(dev, at + PCI_EXP_DEVCTL, &control, 2, true);
}

static int step_flr(struct device *dev)
{
	return device_control(dev, PCI_EXP_DEVCTL_BCR_FLR);
}

static int step_no_flr(struct device *dev)
{
	return device_control(dev, 0);
}

static int set_command(struct device *dev, uint16_t bits)
{
	uint16_t command;
	int ret = config_rw(dev, PCI_COMMAND, &command, 2, false);

	if (ret)
		return ret;
	command |= bits;
	return config_rw(dev, PCI_COMMAND, &command, 2, true);
}

static int step_master(struct device *dev)
{
	return set_command(dev, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER);
}

static int step_touch(struct device *dev)
{
	struct vfio_region_info info;
	volatile uint32_t *map;
	int ret;

	ret = set_command(dev, PCI_COMMAND_MEMORY);
	if (!ret)
		ret = vfio_region(&dev->fds, VRAM_REGION, &info);
	if (ret)
		return ret;
	map = vfio_map(&dev->fds, info.offset, info.size);
	if (map == MAP_FAILED)
		return -errno;
	*map = MARK;
	ret = *map == MARK ? 0 : -EIO;
	munmap((void *)map, info.size);
	return ret;
}

/* The group's fd proves that the caller owns all devices that the reset affects. */
static int hot_reset(struct device *dev, int group, unsigned int groups)
{
	union {
		struct vfio_pci_hot_reset reset;
		char room[sizeof(struct vfio_pci_hot_reset) + sizeof(int32_t)];
	} request = { .reset = { .argsz = sizeof(request), .count = groups } };

	request.reset.group_fds[0] = group;
	return ioctl(dev->fds.fd, VFIO_DEVICE_PCI_HOT_RESET, &request) ? -errno : 0;
}

static int step_hot_reset(struct device *dev)
{
	union {
		struct vfio_pci_hot_reset_info info;
		char room[sizeof(struct vfio_pci_hot_reset_info) +
			  sizeof(struct vfio_pci_dependent_device)];
	} answer = { .info = { .argsz = sizeof(answer) } };
	const struct vfio_pci_dependent_device *it = answer.info.devices;
	char name[32];

	if (ioctl(dev->fds.fd, VFIO_DEVICE_GET_PCI_HOT_RESET_INFO, &answer))
		return -errno;
	snprintf(name, sizeof(name), "%04x:%02x:%02x.%x", it->segment, it->bus,
		 it->devfn >> 3, it->devfn & 7);
	if (answer.info.count != 1 || strcmp(name, dev->bdf))
		return -EBADMSG;
	return hot_reset(dev, dev->fds.group, 1);
}

static int step_hot_reset_unowned(struct device *dev)
{
	return hot_reset(dev, -1, 0);
}

static int step_hot_reset_stranger(struct device *dev)
{
	return hot_reset(dev, devices[(dev - devices + 1) % device_count].fds.group, 1);
}

static int map_once(struct device *dev, off_t at, bool write, uint32_t *value)
{
	struct vfio_region_info info;
	volatile uint32_t *map;
	int ret = vfio_region(&dev->fds, VRAM_REGION, &info);

	if (ret)
		return ret;
	map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, dev->fds.fd,
		   info.offset + at);
	if (map == MAP_FAILED)
		return -errno;
	if (write)
		*map = *value;
	else if (value)
		*value = *map;
	munmap((void *)map, 4096);
	return 0;
}

static int step_mmap(struct device *dev)
{
	return map_once(dev, 0, false, NULL);
}

static int step_mmap_read(struct device *dev)
{
	uint32_t value;

	return map_once(dev, 0, false, &value);
}

static int step_mmap_write(struct device *dev)
{
	uint32_t value = MARK;

	return map_once(dev, 0, true, &value);
}

static int step_unmarked(struct device *dev)
{
	uint32_t value = MARK;
	int ret = set_command(dev, PCI_COMMAND_MEMORY);

	if (!ret)
		ret = map_once(dev, 0, false, &value);
	if (!ret && value == MARK)
		ret = -EBADMSG;
	if (!ret)
		ret = map_once(dev, GUEST_MARK_AT, false, &value);
	if (!ret && (value == GUEST_MARK || value == FIRMWARE_MARK))
		ret = -EBADMSG;
	return ret;
}

static int bar_once(struct device *dev, bool write)
{
	struct vfio_region_info info;
	uint32_t value = MARK;
	ssize_t n;
	int ret = vfio_region(&dev->fds, VRAM_REGION, &info);

	if (ret)
		return ret;
	if (write)
		n = pwrite(dev->fds.fd, &value, sizeof(value), info.offset);
	else
		n = pread(dev->fds.fd, &value, sizeof(value), info.offset);
	return n == sizeof(value) ? 0 : n < 0 ? -errno : -EIO;
}

static int step_bar_read(struct device *dev)
{
	return bar_once(dev, false);
}

static int step_bar_write(struct device *dev)
{
	return bar_once(dev, true);
}

static int config_same(struct device *dev, unsigned int at)
{
	uint8_t value;
	int ret = config_rw(dev, at, &value, 1, false);

	return ret ?: config_rw(dev, at, &value, 1, true);
}

static int step_cfg_write(struct device *dev)
{
	return config_same(dev, PCI_CACHE_LINE_SIZE);
}

static int step_cfg_write_virt(struct device *dev)
{
	return config_same(dev, PCI_INTERRUPT_LINE);
}

static int find_ext_capability(struct device *dev, uint16_t wanted, unsigned int *at)
{
	uint32_t header;
	int ret;

	for (*at = PCI_CFG_SPACE_SIZE; *at; *at = PCI_EXT_CAP_NEXT(header)) {
		ret = config_rw(dev, *at, &header, sizeof(header), false);
		if (ret || PCI_EXT_CAP_ID(header) == wanted)
			return ret;
	}
	return -ENOENT;
}

/* Every function hardwires some bits of the AER masks; all ones must not fail. */
static int step_aer_masks(struct device *dev)
{
	uint32_t masks[3], ones[3] = { ~0u, ~0u, ~0u };
	unsigned int at, i;
	int ret = find_ext_capability(dev, PCI_EXT_CAP_ID_ERR, &at);

	if (ret)
		return ret;
	const unsigned int where[] = {
		at + PCI_ERR_UNCOR_MASK, at + PCI_ERR_UNCOR_SEVER, at + PCI_ERR_COR_MASK,
	};
	for (i = 0; i < 3 && !ret; i++)
		ret = config_rw(dev, where[i], &masks[i], 4, false) ?:
		      config_rw(dev, where[i], &ones[i], 4, true) ?:
		      config_rw(dev, where[i], &masks[i], 4, true);
	return ret;
}

static int step_enable_vf(struct device *dev)
{
	uint16_t control = PCI_SRIOV_CTRL_VFE | PCI_SRIOV_CTRL_MSE, vfs = 1, now[2];
	unsigned int at;
	int ret = find_ext_capability(dev, PCI_EXT_CAP_ID_SRIOV, &at);

	ret = ret ?: config_rw(dev, at + PCI_SRIOV_NUM_VF, &vfs, 2, true) ?:
	      config_rw(dev, at + PCI_SRIOV_CTRL, &control, 2, true) ?:
	      config_rw(dev, at + PCI_SRIOV_NUM_VF, &now[0], 2, false) ?:
	      config_rw(dev, at + PCI_SRIOV_CTRL, &now[1], 2, false);
	return ret ?: now[0] || now[1] ? -EEXIST : 0;
}

static int step_resize_bar(struct device *dev)
{
	uint32_t sizes, before, now, val;
	unsigned int at, order;
	int ret = find_ext_capability(dev, PCI_EXT_CAP_ID_REBAR, &at);

	ret = ret ?: config_rw(dev, at + PCI_REBAR_CAP, &sizes, 4, false) ?:
	      config_rw(dev, at + PCI_REBAR_CTRL, &before, 4, false);
	for (order = 0; order < 28 && !ret; order++) {
		if (!(sizes >> (order + 4) & 1))
			continue;
		val = (before & ~PCI_REBAR_CTRL_BAR_SIZE) | order << PCI_REBAR_CTRL_BAR_SHIFT;
		ret = config_rw(dev, at + PCI_REBAR_CTRL, &val, 4, true) ?:
		      config_rw(dev, at + PCI_REBAR_CTRL, &now, 4, false) ?:
		      now != before ? -EEXIST : 0;
	}
	return ret;
}

static int step_msix(struct device *dev)
{
	union {
		struct vfio_irq_set set;
		char room[sizeof(struct vfio_irq_set) + sizeof(int32_t)];
	} request = { .set = {
		.argsz = sizeof(request),
		.flags = VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER,
		.index = VFIO_PCI_MSIX_IRQ_INDEX,
		.count = 1,
	} };
	int32_t fd = eventfd(0, EFD_CLOEXEC);

	memcpy(request.set.data, &fd, sizeof(fd));
	return ioctl(dev->fds.fd, VFIO_DEVICE_SET_IRQS, &request) ? -errno : 0;
}

static int power(struct device *dev, uint16_t state)
{
	uint8_t at;
	int ret = find_capability(dev, PCI_CAP_ID_PM, &at);

	return ret ?: config_rw(dev, at + PCI_PM_CTRL, &state, 2, true);
}

static int step_d3hot(struct device *dev)
{
	return power(dev, 3);
}

static int step_d0(struct device *dev)
{
	return power(dev, 0);
}

static int step_d3(struct device *dev)
{
	return step_d3hot(dev) ?: step_d0(dev);
}

static int step_ioeventfd(struct device *dev)
{
	struct vfio_device_ioeventfd request = {
		.argsz = sizeof(request),
		.flags = VFIO_DEVICE_IOEVENTFD_32,
		.fd = eventfd(0, EFD_CLOEXEC),
	};

	return ioctl(dev->fds.fd, VFIO_DEVICE_IOEVENTFD, &request) ? -errno : 0;
}

/* For timing, the loop has only the system call. Each write flips a bit; the last restores it. */
static int config_often(struct device *dev, unsigned int at, size_t size, bool write)
{
	struct vfio_region_info info;
	uint32_t value;
	int i, ret = vfio_region(&dev->fds, VFIO_PCI_CONFIG_REGION_INDEX, &info);

	if (!ret && pread(dev->fds.fd, &value, size, info.offset + at) != (ssize_t)size)
		ret = -EIO;
	for (i = 0; i < 1000 && !ret; i++) {
		value ^= write;
		if ((write ? pwrite(dev->fds.fd, &value, size, info.offset + at) :
		     pread(dev->fds.fd, &value, size, info.offset + at)) != (ssize_t)size)
			ret = -EIO;
	}
	return ret;
}

static int step_cfg_reads(struct device *dev)
{
	uint8_t at;
	int ret = find_capability(dev, PCI_CAP_ID_EXP, &at);

	return ret ?: config_often(dev, at + PCI_EXP_LNKSTA, 2, false);
}

static int step_cfg_writes(struct device *dev)
{
	return config_often(dev, PCI_CACHE_LINE_SIZE, 1, true);
}

static int step_cfg_writes_virt(struct device *dev)
{
	return config_often(dev, PCI_INTERRUPT_LINE, 1, true);
}

/* In a child process, dirty the GPU and reset it, again and again; a reset hides its BARs. */
static int reset_often(struct device *dev, volatile uint32_t *map)
{
	int i, ret = 0;

	for (i = 0; i < 30 && !ret; i++) {
		*map = MARK;
		ret = step_reset(dev);
		if (!ret)
			ret = set_command(dev, PCI_COMMAND_MEMORY);
	}
	return ret;
}

/* Write config values from a buffer in a BAR of the same GPU, while resets are under way. */
static int step_write_from_bar(struct device *dev)
{
	struct vfio_region_info info, config;
	int status, ret;
	char *map;
	pid_t pid;

	ret = set_command(dev, PCI_COMMAND_MEMORY);
	if (ret)
		return ret;
	ret = vfio_region(&dev->fds, VRAM_REGION, &info);
	if (ret)
		return ret;
	ret = vfio_region(&dev->fds, VFIO_PCI_CONFIG_REGION_INDEX, &config);
	if (ret)
		return ret;
	map = vfio_map(&dev->fds, info.offset, info.size);
	if (map == MAP_FAILED)
		return -errno;
	pid = fork();
	if (!pid)
		_exit(!!reset_often(dev, (volatile uint32_t *)map));
	/* The kernel may refuse the write, but must not hang. */
	while (!waitpid(pid, &status, WNOHANG))
		(void)!pwrite(dev->fds.fd, map + 4096, 1, config.offset + PCI_CACHE_LINE_SIZE);
	munmap(map, info.size);
	return status ? -EIO : 0;
}

static int step_replay(struct device *dev)
{
	struct vfio_region_info info;
	int ret = vfio_region(&dev->fds, VFIO_PCI_CONFIG_REGION_INDEX, &info);

	return ret ?: replay_run(dev->fds.fd, info.offset);
}

static int step_bar_loads(struct device *dev)
{
	struct vfio_region_info info;
	volatile uint32_t *map;
	int i, ret = vfio_region(&dev->fds, VRAM_REGION, &info);

	if (ret)
		return ret;
	map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, dev->fds.fd,
		   info.offset);
	if (map == MAP_FAILED)
		return -errno;
	for (i = 0; i < 1000000; i++)
		(void)*map;
	munmap((void *)map, 4096);
	return 0;
}

static int step_fresh_canary(struct device *dev)
{
	if (!dev->canary)
		return -EBADF;
	memset((void *)dev->canary, CANARY, PAGE);
	return 0;
}

static int step_canary(struct device *dev)
{
	struct vfio_iommu_type1_dma_map map = {
		.argsz = sizeof(map), .flags = VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE,
		.iova = IOVA, .size = PAGE,
	};
	void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	int ret;

	if (page == MAP_FAILED)
		return -errno;
	dev->canary = page;
	step_fresh_canary(dev);
	map.vaddr = (uintptr_t)page;
	ret = vfio_attach(&dev->fds, dev->bdf);
	if (!ret && ioctl(dev->fds.container, VFIO_IOMMU_MAP_DMA, &map))
		ret = -errno;
	return ret;
}

static int start_engine(struct device *dev, uint64_t address)
{
	const uint32_t ms = ENGINE_MS;
	struct vfio_region_info info;
	int ret = set_command(dev, PCI_COMMAND_MEMORY);

	if (!ret)
		ret = vfio_region(&dev->fds, ENGINE_REGION, &info);
	if (ret)
		return ret;
	if (pwrite(dev->fds.fd, &address, 8, info.offset + ENGINE_ADDRESS) != 8 ||
	    pwrite(dev->fds.fd, &ms, 4, info.offset + ENGINE_PERIOD) != 4)
		return -EIO;
	return 0;
}

static int step_engine(struct device *dev)
{
	return start_engine(dev, IOVA);
}

static int step_stray_engine(struct device *dev)
{
	return start_engine(dev, IOVA + PAGE);
}

static int step_intact(struct device *dev)
{
	int i;

	if (!dev->canary)
		return -EBADF;
	for (i = 0; i < PAGE; i++)
		if (dev->canary[i] != CANARY)
			return -EBADMSG;
	return 0;
}

static int step_overwritten(struct device *dev)
{
	int i, ret;

	for (i = 0; i < 1000; i++) {
		ret = step_intact(dev);
		if (ret)
			return ret == -EBADMSG ? 0 : ret;
		usleep(10000);
	}
	return -ETIME;
}

static int step_peer_marked(struct device *dev)
{
	struct vfio_region_info info;
	uint64_t value;
	int ret = vfio_region(&dev->fds, VRAM_REGION, &info);

	if (!ret && pread(dev->fds.fd, &value, sizeof(value), info.offset) != sizeof(value))
		ret = -EIO;
	return ret ?: value == DMA_MARK ? 0 : -ENODATA;
}

static int step_command(struct device *dev)
{
	return set_command(dev, PCI_COMMAND_MEMORY);
}

static int step_memory_off(struct device *dev)
{
	uint16_t command = 0;

	return config_rw(dev, PCI_COMMAND, &command, 2, true);
}

static int step_master_only(struct device *dev)
{
	return set_command(dev, PCI_COMMAND_MASTER);
}

static void be_orphan(struct device *dev, bool mapped, int done)
{
	int fd;

	prctl(PR_SET_NAME, "orphan");
	if (mapped)
		close(dev->fds.fd);
	close(dev->fds.group);
	close(dev->fds.container);
	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		close(fd);
	close(done);
	pause();
	_exit(0);
}

static int leave_orphan(struct device *dev, bool mapped)
{
	struct vfio_region_info info;
	void *map = MAP_FAILED;
	int done[2], ret;
	pid_t child;
	char none;

	ret = vfio_region(&dev->fds, VRAM_REGION, &info);
	if (!ret && mapped)
		map = vfio_map(&dev->fds, info.offset, PAGE);
	if (ret || (mapped && map == MAP_FAILED) || pipe(done))
		return ret ?: -errno;
	fflush(stdout);
	child = fork();
	if (!child) {
		close(done[0]);
		be_orphan(dev, mapped, done[1]);
	}
	close(done[1]);
	ret = child < 0 || read(done[0], &none, 1) ? -ECHILD : 0;
	close(done[0]);
	if (mapped)
		munmap(map, PAGE);
	return ret;
}

static int step_orphan_fd(struct device *dev)
{
	return leave_orphan(dev, false);
}

static int step_orphan_map(struct device *dev)
{
	return leave_orphan(dev, true);
}

static const struct step {
	const char *name;
	int (*run)(struct device *dev);
	bool opened;
} steps[] = {
	{ "open", step_open, false },
	{ "reset", step_reset, true },
	{ "flr", step_flr, true },
	{ "no-flr", step_no_flr, true },
	{ "master", step_master, true },
	{ "touch", step_touch, true },
	{ "hot-reset", step_hot_reset, true },
	{ "hot-reset-unowned", step_hot_reset_unowned, true },
	{ "hot-reset-stranger", step_hot_reset_stranger, true },
	{ "memory", step_command, true },
	{ "memory-off", step_memory_off, true },
	{ "master-only", step_master_only, true },
	{ "mmap", step_mmap, true },
	{ "mmap-read", step_mmap_read, true },
	{ "mmap-write", step_mmap_write, true },
	{ "bar-read", step_bar_read, true },
	{ "bar-write", step_bar_write, true },
	{ "cfg-write", step_cfg_write, true },
	{ "cfg-write-virt", step_cfg_write_virt, true },
	{ "aer-masks", step_aer_masks, true },
	{ "msix", step_msix, true },
	{ "d3", step_d3, true },
	{ "d3hot", step_d3hot, true },
	{ "d0", step_d0, true },
	{ "enable-vf", step_enable_vf, true },
	{ "resize-bar", step_resize_bar, true },
	{ "ioeventfd", step_ioeventfd, true },
	{ "1000-cfg-reads", step_cfg_reads, true },
	{ "1000-cfg-writes", step_cfg_writes, true },
	{ "1000-cfg-writes-virt", step_cfg_writes_virt, true },
	{ "write-from-bar", step_write_from_bar, true },
	{ "replay", step_replay, true },
	{ "million-bar-loads", step_bar_loads, true },
	{ "unmarked", step_unmarked, true },
	{ "canary", step_canary, false },
	{ "fresh-canary", step_fresh_canary, false },
	{ "engine", step_engine, true },
	{ "stray-engine", step_stray_engine, true },
	{ "intact", step_intact, false },
	{ "overwritten", step_overwritten, false },
	{ "peer-marked", step_peer_marked, true },
	{ "close", step_close, false },
	{ "join", vmm_join, false },
	{ "info", vmm_info, true },
	{ "describe", vmm_describe, true },
	{ "ram", vmm_ram, true },
	{ "migration", vmm_migration, true },
	{ "read-config", vmm_read_config, true },
	{ "intx", vmm_intx, true },
	{ "intx-off", vmm_intx_off, true },
	{ "all-msix", vmm_all_msix, true },
	{ "msix-off", vmm_msix_off, true },
	{ "size-bars", vmm_size_bars, true },
	{ "map-bars", vmm_map_bars, true },
	{ "unmap-bars", vmm_unmap_bars, true },
	{ "leave", vmm_leave, false },
	{ "orphan-fd", step_orphan_fd, true },
	{ "orphan-map", step_orphan_map, true },
};

static sigjmp_buf faulted;

static void on_fault(int signal)
{
	(void)signal;
	siglongjmp(faulted, 1);
}

/* An access to a mapping of a lost device raises SIGBUS; the step leaves its mapping behind. */
static int try_step(const struct step *step, struct device *dev)
{
	return sigsetjmp(faulted, 1) ? -EFAULT : step->run(dev);
}

static int run_step(const struct step *step, struct device *dev)
{
	double began = now_ms();
	int ret = step->opened && dev->fds.fd < 0 ? -EBADF : try_step(step, dev);

	printf("%s %s %s %.3f\n", step->name, dev->bdf,
	       ret ? strerrorname_np(-ret) : "ok", now_ms() - began);
	return !!ret;
}

static const struct step *find_step(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (strlen(steps[i].name) == len && !strncmp(name, steps[i].name, len))
			return &steps[i];
	fprintf(stderr, "client: no step \"%.*s\"\n", (int)len, name);
	exit(2);
}

/* "open+reset" does both steps for one device before the next device's turn. */
static int run_steps(const char *word)
{
	const char *at;
	unsigned int i;
	int failed = 0;

	for (i = 0; i < device_count; i++) {
		if (only && only != i + 1)
			continue;
		for (at = word; *at; at += strspn(at, "+")) {
			size_t len = strcspn(at, "+");

			failed |= run_step(find_step(at, len), &devices[i]);
			at += len;
		}
	}
	return failed;
}

static uint64_t counter(const char *bdf, const char *wanted)
{
	char path[PATH_MAX], name[64];
	uint64_t value, found = 0;
	FILE *file;

	snprintf(path, sizeof(path),
		 "/sys/kernel/debug/instinct-model/%s/counters", bdf);
	file = fopen(path, "re");
	if (!file)
		return 0;
	while (fscanf(file, "%63s %" SCNu64, name, &value) == 2)
		if (!strcmp(name, wanted))
			found = value;
	fclose(file);
	return found;
}

static void mark(const char *name)
{
	struct timespec t;
	uint64_t resets = 0;
	unsigned int i;

	clock_gettime(CLOCK_BOOTTIME, &t);
	for (i = 0; i < device_count; i++)
		resets += counter(devices[i].bdf, "flr") +
			  counter(devices[i].bdf, "bus_reset") +
			  counter(devices[i].bdf, "mode1");
	printf("mark %s %.1f %" PRIu64 " %.1f\n", name,
	       t.tv_sec * 1e3 + t.tv_nsec / 1e6, resets,
	       counter(devices[0].bdf, "ready_ns") / 1e6);
}

/* The fd stays open until the client ends, also if the importer refuses it. */
static int export_vram(const char *file)
{
	struct device *dev = &devices[device_count - 1];
	union {
		struct vfio_device_feature feature;
		char room[sizeof(struct vfio_device_feature) +
			  sizeof(struct vfio_device_feature_dma_buf) +
			  sizeof(struct vfio_region_dma_range)];
	} request = { .feature = {
		.argsz = sizeof(request),
		.flags = VFIO_DEVICE_FEATURE_GET | VFIO_DEVICE_FEATURE_DMA_BUF,
	} };
	struct vfio_device_feature_dma_buf *buffer = (void *)request.feature.data;
	int fd, out, ret = 0;

	*buffer = (struct vfio_device_feature_dma_buf) {
		.region_index = VRAM_REGION, .open_flags = O_RDWR | O_CLOEXEC, .nr_ranges = 1,
	};
	buffer->dma_ranges[0].length = EXPORTED;
	fd = ioctl(dev->fds.fd, VFIO_DEVICE_FEATURE, &request);
	out = fd < 0 ? -1 : open(file, O_WRONLY | O_CLOEXEC);
	if (out < 0 || dprintf(out, "%d", fd) < 0)
		ret = errno;
	printf("export %s %s\n", dev->bdf, ret ? strerrorname_np(ret) : "ok");
	if (out >= 0)
		close(out);
	return !!ret;
}

static int run_stdin(void);

static int hand_over(void)
{
	pid_t child = fork();
	int status;

	if (child <= 0)
		return child < 0;
	if (waitpid(child, &status, 0) < 0 || !WIFEXITED(status))
		exit(1);
	exit(WEXITSTATUS(status));
}

static int run_word(const char *word)
{
	if (!strncmp(word, "export=", 7))
		return export_vram(word + 7);
	if (!strncmp(word, "mark=", 5)) {
		mark(word + 5);
		return 0;
	}
	if (!strncmp(word, "only=", 5)) {
		only = atoi(word + 5);
		return 0;
	}
	if (!strncmp(word, "trace=", 6)) {
		int ret = replay_load(word + 6);

		if (ret)
			fprintf(stderr, "client: %s: %s\n", word + 6, strerror(-ret));
		return !!ret;
	}
	if (!strncmp(word, "sleep=", 6)) {
		usleep(atoi(word + 6) * 1000);
		return 0;
	}
	if (!strncmp(word, "wait=", 5)) {
		while (access(word + 5, F_OK))
			usleep(10000);
		return 0;
	}
	if (!strcmp(word, "hold")) {
		pause();
		return 0;
	}
	if (!strcmp(word, "hand-over"))
		return hand_over();
	if (!strcmp(word, "-"))
		return run_stdin();
	return run_steps(word);
}

static int run_stdin(void)
{
	char word[256];
	int failed = 0;

	while (scanf("%255s", word) == 1)
		failed |= run_word(word);
	return failed;
}

int main(int argc, char *argv[])
{
	int failed = 0, i;
	char *bdf;

	if (argc < 3) {
		fprintf(stderr, "usage: client BDF[,BDF…] STEP…\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	signal(SIGBUS, on_fault);
	for (bdf = strtok(argv[1], ","); bdf && device_count < DEVICES_MAX;
	     bdf = strtok(NULL, ","))
		devices[device_count++] = (struct device) {
			.bdf = bdf, .fds = VFIO_FDS_NONE,
		};
	for (i = 2; i < argc; i++)
		failed |= run_word(argv[i]);
	return failed;
}
