// SPDX-License-Identifier: GPL-2.0-only
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/pci_regs.h>
#include <linux/vfio.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "dice.h"
#include "vfio_deeds.h"

#define OFFSET(index)	((uint64_t)(index) << 40)
#define EVENTS		8

static __thread sigjmp_buf fault;
static __thread volatile bool may_fault;

uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static void on_fault(int signal)
{
	if (may_fault)
		siglongjmp(fault, 1);
	_exit(128 + signal);
}

/* Returns a pointer to @bytes of scratch memory, or a senseless pointer. */
static void *argument(struct worker *w, size_t bytes)
{
	switch (dice(&w->state, 24)) {
	case 0:
		return NULL;
	case 1:
		return (void *)(uintptr_t)dice_number(&w->state);
	case 2:	/* the end is in the inaccessible page */
		return w->scratch + SCRATCH - dice(&w->state, bytes + 1);
	}
	return w->scratch + (dice(&w->state, 64) & ~7u);
}

/* Are the @bytes at @at, an argument(), scratch memory? */
static bool is_writable(const struct worker *w, const void *at, size_t bytes)
{
	const uint8_t *begin = at;

	return begin >= w->scratch && begin + bytes <= w->scratch + SCRATCH;
}

static void fill(struct worker *w, void *at, size_t bytes)
{
	size_t i;

	for (i = 0; i + 4 <= bytes; i += 4)
		*(uint32_t *)((char *)at + i) = dice_number(&w->state);
}

static uint32_t size_of(struct worker *w, uint32_t right)
{
	return once_in(&w->state, 4) ? dice_number(&w->state) : right;
}

static int call(int fd, unsigned long request, void *arg)
{
	return ioctl(fd, request, arg) < 0 ? -errno : 0;
}

/* Calls an ioctl with a copy of @bytes from @from, or with a senseless pointer. */
static int call_with(struct worker *w, int fd, unsigned long request, const void *from, size_t bytes)
{
	void *at = argument(w, bytes);

	if (is_writable(w, at, bytes))
		memcpy(at, from, bytes);
	return call(fd, request, at);
}

static int do_anything(struct worker *w)
{
	unsigned long nr = VFIO_BASE + dice(&w->state, 32);
	uint32_t *at = argument(w, 256);

	if (is_writable(w, at, 256)) {
		fill(w, at, 256);
		if (!once_in(&w->state, 4))
			at[0] = dice(&w->state, 256);
	}
	return call(w->device->fd, _IO(VFIO_TYPE, nr), at);
}

static int do_info(struct worker *w)
{
	struct vfio_region_info region = {
		.argsz = size_of(w, sizeof(region)),
		.index = once_in(&w->state, 4) ? dice_number(&w->state) : dice(&w->state, 10),
	};
	struct vfio_irq_info irq = {
		.argsz = size_of(w, sizeof(irq)),
		.index = once_in(&w->state, 4) ? dice_number(&w->state) : dice(&w->state, 6),
	};
	struct vfio_device_info info = { .argsz = size_of(w, sizeof(info)) };

	switch (dice(&w->state, 3)) {
	case 0:
		return call_with(w, w->device->fd, VFIO_DEVICE_GET_REGION_INFO, &region,
				 sizeof(region));
	case 1:
		return call_with(w, w->device->fd, VFIO_DEVICE_GET_IRQ_INFO, &irq, sizeof(irq));
	}
	return call_with(w, w->device->fd, VFIO_DEVICE_GET_INFO, &info, sizeof(info));
}

/* Chooses MSI-X vectors as a VMM does, or arbitrary values. */
static void choose_irqs(struct worker *w, struct vfio_irq_set *set)
{
	set->flags = VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER;
	set->index = VFIO_PCI_MSIX_IRQ_INDEX;
	set->count = dice(&w->state, 4);
	if (once_in(&w->state, 2))
		return;
	set->flags = once_in(&w->state, 4) ? dice_number(&w->state) :
		     1u << dice(&w->state, 3) | 1u << (3 + dice(&w->state, 3));
	set->index = dice(&w->state, 6);
	set->start = once_in(&w->state, 4) ? dice_number(&w->state) : 0;
	set->count = once_in(&w->state, 4) ? dice_number(&w->state) : dice(&w->state, EVENTS);
}

static int do_irqs(struct worker *w)
{
	struct {
		struct vfio_irq_set set;
		int32_t fds[EVENTS];
	} request = { .set = { .argsz = size_of(w, sizeof(request)) } };
	int events[EVENTS], i, ret;

	choose_irqs(w, &request.set);
	for (i = 0; i < EVENTS; i++) {
		events[i] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		request.fds[i] = once_in(&w->state, 16) ? (int)dice_number(&w->state) : events[i];
	}
	ret = call_with(w, w->device->fd, VFIO_DEVICE_SET_IRQS, &request, sizeof(request));
	for (i = 0; i < EVENTS; i++)
		close(events[i]);
	return ret;
}

static int do_reset(struct worker *w)
{
	return call(w->device->fd, VFIO_DEVICE_RESET,
		    once_in(&w->state, 8) ? argument(w, 8) : NULL);
}

static int do_hot_reset_info(struct worker *w)
{
	struct vfio_pci_hot_reset_info info = {
		.argsz = once_in(&w->state, 2) ? dice(&w->state, 64) : dice_number(&w->state),
		.flags = once_in(&w->state, 8) ? dice_number(&w->state) : 0,
		.count = dice_number(&w->state),
	};

	return call_with(w, w->device->fd, VFIO_DEVICE_GET_PCI_HOT_RESET_INFO, &info, sizeof(info));
}

static int do_hot_reset(struct worker *w)
{
	struct {
		struct vfio_pci_hot_reset reset;
		int32_t fds[64];
	} request = { .reset = {
		.argsz = size_of(w, sizeof(request)),
		.flags = once_in(&w->state, 8) ? dice_number(&w->state) : 0,
		.count = once_in(&w->state, 4) ? dice_number(&w->state) : dice(&w->state, 3),
	} };
	int i;

	for (i = 0; i < 64; i++)
		request.fds[i] = once_in(&w->state, 3) ? (int)dice(&w->state, 64) - 1 :
				 w->device->group;
	return call_with(w, w->device->fd, VFIO_DEVICE_PCI_HOT_RESET, &request, sizeof(request));
}

static int do_ioeventfd(struct worker *w)
{
	struct vfio_device_ioeventfd request = {
		.argsz = size_of(w, sizeof(request)),
		.flags = once_in(&w->state, 8) ? dice_number(&w->state) : 1u << dice(&w->state, 4),
		.offset = OFFSET(dice(&w->state, 8)) + (dice_number(&w->state) & 0xffff),
		.data = dice_next(&w->state),
		.fd = once_in(&w->state, 4) ? -1 : eventfd(0, EFD_CLOEXEC),
	};
	int ret = call_with(w, w->device->fd, VFIO_DEVICE_IOEVENTFD, &request, sizeof(request));

	if (request.fd >= 0) {
		eventfd_write(request.fd, 1);
		close(request.fd);
	}
	return ret;
}

static int do_feature(struct worker *w)
{
	struct {
		struct vfio_device_feature feature;
		uint8_t data[64];
	} request;

	fill(w, &request, sizeof(request));
	request.feature.argsz = size_of(w, sizeof(request));
	request.feature.flags = once_in(&w->state, 8) ? dice_number(&w->state) :
		dice(&w->state, 12) | 1u << (16 + dice(&w->state, 3));
	return call_with(w, w->device->fd, VFIO_DEVICE_FEATURE, &request, sizeof(request));
}

/*
 * Returns a register of the header, a likely offset of a capability, or any offset in and past the
 * config space.
 */
static uint64_t config_offset(struct worker *w)
{
	static const uint16_t often[] = {
		PCI_COMMAND, PCI_STATUS, PCI_BASE_ADDRESS_0, PCI_BASE_ADDRESS_2,
		PCI_BASE_ADDRESS_5, PCI_ROM_ADDRESS, PCI_CAPABILITY_LIST, PCI_INTERRUPT_LINE,
	};

	switch (dice(&w->state, 4)) {
	case 0:
		return ONE_OF(&w->state, often);
	case 1:
		return dice(&w->state, 0x110);
	case 2:
		return dice(&w->state, 0x1010);
	}
	return 0x40 + dice(&w->state, 0x40) * 4 + dice(&w->state, 2) * 8;
}

static ssize_t access_at(struct worker *w, uint64_t at, size_t bytes, bool write)
{
	void *buffer = argument(w, bytes);
	ssize_t n;

	if (is_writable(w, buffer, bytes))
		fill(w, buffer, bytes);
	n = write ? pwrite(w->device->fd, buffer, bytes, at) :
		    pread(w->device->fd, buffer, bytes, at);
	return n < 0 ? -errno : n != (ssize_t)bytes ? -EIO : 0;
}

static int do_config(struct worker *w)
{
	size_t bytes = once_in(&w->state, 8) ? dice(&w->state, 5000) : 1u << dice(&w->state, 4);

	return access_at(w, OFFSET(VFIO_PCI_CONFIG_REGION_INDEX) + config_offset(w), bytes,
			 once_in(&w->state, 2));
}

/* Asks for an FLR by the Device Control register, as a guest's driver does. */
static int do_flr(struct worker *w)
{
	uint64_t config = OFFSET(VFIO_PCI_CONFIG_REGION_INDEX);
	uint8_t at = 0, id = 0;
	uint16_t control;
	int i;

	pread(w->device->fd, &at, 1, config + PCI_CAPABILITY_LIST);
	for (i = 0; i < 48 && at && id != PCI_CAP_ID_EXP; i++)
		if (pread(w->device->fd, &id, 1, config + at) == 1 && id != PCI_CAP_ID_EXP)
			pread(w->device->fd, &at, 1, config + at + 1);
	if (id != PCI_CAP_ID_EXP)
		return -ENODEV;
	pread(w->device->fd, &control, 2, config + at + PCI_EXP_DEVCTL);
	control |= PCI_EXP_DEVCTL_BCR_FLR;
	return pwrite(w->device->fd, &control, 2, config + at + PCI_EXP_DEVCTL) == 2 ? 0 : -errno;
}

static int do_memory_on(struct worker *w)
{
	uint16_t command = PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER;

	return pwrite(w->device->fd, &command, 2,
		      OFFSET(VFIO_PCI_CONFIG_REGION_INDEX) + PCI_COMMAND) == 2 ? 0 : -errno;
}

static int do_region(struct worker *w)
{
	uint64_t at = once_in(&w->state, 4) ? dice_number(&w->state) : dice(&w->state, 0x200000);
	size_t bytes = once_in(&w->state, 16) ? dice(&w->state, 20000) : 1u << dice(&w->state, 4);

	return access_at(w, OFFSET(dice(&w->state, 10)) + at, bytes, once_in(&w->state, 3));
}

/*
 * Before Linux 6.10 the fuzzer leaves changes of mappings out, because a known defect of
 * vfio-pci-core makes their outcome undefined (docs/upstream.md).
 */
static bool may_unmap(void)
{
	static int may = -1;
	unsigned int major, minor;
	struct utsname name;

	if (may < 0)
		may = !uname(&name) && sscanf(name.release, "%u.%u", &major, &minor) == 2 &&
		      (major > 6 || (major == 6 && minor >= 10));
	return may;
}

static int do_map(struct worker *w)
{
	static const uint8_t bars[] = { 0, 0, 2, 5, 1, 6, 7, 9 };
	unsigned int slot = dice(&w->state, MAPS);
	size_t bytes = 4096ul << dice(&w->state, 10);
	uint64_t at = OFFSET(ONE_OF(&w->state, bars)) + 4096ull * dice(&w->state, 8);
	void *map;

	if (once_in(&w->state, 16))
		bytes = dice_number(&w->state) & 0xffffffffffff;
	if (once_in(&w->state, 16))
		at = dice_number(&w->state) & ~4095ull;
	if (w->map[slot] && may_unmap())
		munmap(w->map[slot], w->bytes[slot]);
	w->map[slot] = NULL;
	map = mmap(NULL, bytes, PROT_READ | (once_in(&w->state, 4) ? 0 : PROT_WRITE),
		   once_in(&w->state, 8) ? MAP_PRIVATE : MAP_SHARED, w->device->fd, at);
	if (map == MAP_FAILED)
		return -errno;
	w->map[slot] = map;
	w->bytes[slot] = bytes;
	return 0;
}

/* Accesses memory that may fault; the signal handler jumps back here. */
static int touch(volatile uint32_t *at, bool write)
{
	if (sigsetjmp(fault, 1)) {
		may_fault = false;
		return -EFAULT;
	}
	may_fault = true;
	if (write)
		*at = 0x1badb002;
	else
		(void)*at;
	may_fault = false;
	return 0;
}

/* Faults a page of a mapping in, while other threads may reset or close the device. */
static int do_touch(struct worker *w)
{
	unsigned int slot = dice(&w->state, MAPS);
	size_t at = dice(&w->state, 64) * 4096ul;

	if (!w->map[slot] || at >= w->bytes[slot])
		return -ENOENT;
	if (once_in(&w->state, 2))
		do_memory_on(w);
	return touch((uint32_t *)((char *)w->map[slot] + at), once_in(&w->state, 4));
}

static int do_remap(struct worker *w)
{
	unsigned int slot = dice(&w->state, MAPS);
	void *map = w->map[slot], *other;

	if (!map)
		return -ENOENT;
	switch (dice(&w->state, may_unmap() ? 3 : 2)) {
	case 0:
		return madvise(map, w->bytes[slot], MADV_DONTNEED) ? -errno : 0;
	case 1:
		return mprotect(map, w->bytes[slot] / 2 & ~4095ul, PROT_READ) ? -errno : 0;
	}
	other = mremap(map, w->bytes[slot], w->bytes[slot] / 2 & ~4095ul ?: 4096, MREMAP_MAYMOVE);
	if (other == MAP_FAILED)
		return -errno;
	w->map[slot] = other;
	w->bytes[slot] = w->bytes[slot] / 2 & ~4095ul ?: 4096;
	return 0;
}

static int do_dma(struct worker *w)
{
	struct vfio_iommu_type1_dma_map map = {
		.argsz = sizeof(map),
		.flags = VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE,
		.vaddr = (uintptr_t)w->scratch,
		.iova = 4096ull * dice(&w->state, 64),
		.size = 4096ull << dice(&w->state, 4),
	};
	struct vfio_iommu_type1_dma_unmap unmap = {
		.argsz = sizeof(unmap), .iova = map.iova, .size = map.size,
	};

	/* Sometimes map the BAR itself for DMA, as for accesses by another device. */
	if (once_in(&w->state, 4) && w->map[0])
		map.vaddr = (uintptr_t)w->map[0];
	if (once_in(&w->state, 3))
		return call(w->device->container, VFIO_IOMMU_UNMAP_DMA, &unmap);
	return call(w->device->container, VFIO_IOMMU_MAP_DMA, &map);
}

/* Closes an fd or a copy of it, while another thread may be in a system call with it. */
static int do_close(struct worker *w)
{
	int copy;

	if (once_in(&w->state, 24))
		return close(once_in(&w->state, 2) ? w->device->fd : w->device->group) ? -errno : 0;
	copy = dup(w->device->fd);
	return copy < 0 ? -errno : close(copy) ? -errno : 0;
}

/* Forks a child that inherits the fds and the mappings, and ends at once. */
static int do_fork(struct worker *w)
{
	uint64_t end = now_ns() + 5000000000ull;
	pid_t pid = fork();

	if (pid < 0)
		return -errno;
	if (!pid) {
		do_touch(w);
		_exit(0);
	}
	if (once_in(&w->state, 2))
		kill(pid, SIGKILL);
	while (!waitpid(pid, NULL, WNOHANG) && now_ns() < end)
		usleep(1000);
	return 0;
}

static const struct deed {
	const char *name;
	int (*run)(struct worker *w);
	unsigned int weight;
	bool refused;
} deeds[] = {
	{ "any ioctl", do_anything, 8, false },
	{ "info", do_info, 4, false },
	{ "interrupts", do_irqs, 4, false },
	{ "reset", do_reset, 2, false },
	{ "hot reset info", do_hot_reset_info, 3, false },
	{ "hot reset", do_hot_reset, 2, false },
	{ "ioeventfd", do_ioeventfd, 3, true },
	{ "feature", do_feature, 4, false },
	{ "config", do_config, 24, false },
	{ "memory on", do_memory_on, 2, false },
	{ "FLR", do_flr, 2, false },
	{ "region", do_region, 10, false },
	{ "map", do_map, 8, false },
	{ "touch", do_touch, 16, false },
	{ "remap", do_remap, 4, false },
	{ "DMA", do_dma, 4, false },
	{ "close", do_close, 2, false },
	{ "fork", do_fork, 1, false },
};

#define DEEDS	(sizeof(deeds) / sizeof(deeds[0]))
#define WEIGHTS	103	/* sum of their weights */

/* Counts of an action and its successes, in memory that all processes share. */
static struct count {
	uint64_t done;
	uint64_t well;
} *counts;

/* Takes an action, chosen at random by weight. */
void deed(struct worker *w)
{
	unsigned int i, at = dice(&w->state, WEIGHTS);

	for (i = 0; at >= deeds[i].weight; i++)
		at -= deeds[i].weight;
	__atomic_add_fetch(&counts[i].done, 1, __ATOMIC_RELAXED);
	if (!deeds[i].run(w))
		__atomic_add_fetch(&counts[i].well, 1, __ATOMIC_RELAXED);
}

/* Has each action succeeded at least once, and each refused one never? */
bool deeds_as_wanted(void)
{
	size_t i;

	for (i = 0; i < DEEDS; i++)
		if (!counts[i].well != deeds[i].refused)
			return false;
	return true;
}

/* Prints the counts of each action. */
void deeds_tell(void)
{
	size_t i;

	for (i = 0; i < DEEDS; i++)
		printf("%s: done %" PRIu64 ", well %" PRIu64 "\n", deeds[i].name, counts[i].done,
		       counts[i].well);
}

/* Prepares the counts and signal handlers; the caller has forked no process yet. */
void deeds_begin(void)
{
	signal(SIGBUS, on_fault);
	signal(SIGSEGV, on_fault);
	counts = mmap(NULL, sizeof(*counts) * DEEDS, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (counts == MAP_FAILED)
		err(1, "mmap");
}
