// SPDX-License-Identifier: GPL-2.0-only
/*
 * An unfriendly VMM: whatever can be done with the fds that VFIO gives, at random and
 * with a purpose, by several threads of several processes that share them:
 *
 *	vfio SEED SECONDS BDF
 *
 * A life: the device is opened by its group, or by its character device and iommufd;
 * processes are forked that have the fds, or get them by a socket; their threads do
 * what the dice say: ioctls with sizes and pointers that make no sense, config and BAR
 * accesses anywhere, FLRs and resets beside page faults of mappings, interrupts and
 * DMA mappings. Some are killed half way, the rest end, and the next life begins.
 *
 * Goes on for up to six times SECONDS if something has not gone well yet. Prints how
 * often what was done, and how often it went well. Exit status 0, or 1 if
 * a life did not end in time or something was never granted, which stderr tells.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <linux/pci_regs.h>
#include <linux/vfio.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "dice.h"

#define PROCESSES	3
#define THREADS		3
#define LIFE_MS		400
#define PATIENCE	5
#define LATE_SECONDS	110	/* for all of a life's processes to end */
#define OFFSET(index)	((uint64_t)(index) << 40)
#define MAPS		2
#define SCRATCH		(256 * 1024)
#define EVENTS		8
#define VFIO_DEVICES_MAX	4096

/* Newer than Debian 12's linux/vfio.h and linux/iommufd.h. */
#define BIND_IOMMUFD		_IO(VFIO_TYPE, VFIO_BASE + 18)
#define ATTACH_IOMMUFD_PT	_IO(VFIO_TYPE, VFIO_BASE + 19)
#define IOAS_ALLOC		_IO(VFIO_TYPE, 0x81)

/**
 * struct device - the fds of a life
 * @fd: the device's
 * @group: its group's, -1 if it was opened by its character device
 * @container: the container's or iommufd's
 */
struct device {
	int fd;
	int group;
	int container;
};

/**
 * struct worker - a thread
 * @device: the fds, which another thread may close
 * @state: of its dice
 * @map: what it has mapped
 * @bytes: of that
 * @scratch: memory for arguments; the page behind it cannot be reached
 */
struct worker {
	struct device *device;
	uint64_t state;
	void *map[MAPS];
	size_t bytes[MAPS];
	uint8_t *scratch;
};

static const char *bdf;
static uint64_t until;
static __thread sigjmp_buf fault;
static __thread volatile bool may_fault;

static uint64_t now_ns(void)
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

/* Where @bytes can be written, or a pointer that makes no sense. */
static void *argument(struct worker *w, size_t bytes)
{
	switch (dice(&w->state, 24)) {
	case 0:
		return NULL;
	case 1:
		return (void *)(uintptr_t)dice_number(&w->state);
	case 2:	/* its end cannot be reached */
		return w->scratch + SCRATCH - dice(&w->state, bytes + 1);
	}
	return w->scratch + (dice(&w->state, 64) & ~7u);
}

/* Is it an argument() that can be filled in? */
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

/* An argument of an ioctl: @bytes of @from, at an address that need not be one. */
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

/* As a VMM asks for MSI-X, or anything. */
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

/* Registers that matter: header, PM, PCI Express, MSI-X, wherever they are, and all else. */
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

/* A guest's FLR, as its driver would ask for it. */
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
	if (w->map[slot])
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

/* The signal's handler comes back here. */
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

/* Page faults of a mapping, while others reset the device or close it. */
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
	switch (dice(&w->state, 3)) {
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

	/* A mapping of the BAR itself: the other device's way to it. */
	if (once_in(&w->state, 4) && w->map[0])
		map.vaddr = (uintptr_t)w->map[0];
	if (once_in(&w->state, 3))
		return call(w->device->container, VFIO_IOMMU_UNMAP_DMA, &unmap);
	return call(w->device->container, VFIO_IOMMU_MAP_DMA, &map);
}

/* Somebody else of the same process may be in the middle of something with it. */
static int do_close(struct worker *w)
{
	int copy;

	if (once_in(&w->state, 24))
		return close(once_in(&w->state, 2) ? w->device->fd : w->device->group) ? -errno : 0;
	copy = dup(w->device->fd);
	return copy < 0 ? -errno : close(copy) ? -errno : 0;
}

/* A child that has the fds and the mappings, and goes away at once. */
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
#define WEIGHTS	103	/* their sum */

/* How often what was done and went well, in memory that all processes share. */
static struct count {
	uint64_t done;
	uint64_t well;
} *counts;

static void deed(struct worker *w)
{
	unsigned int i, at = dice(&w->state, WEIGHTS);

	for (i = 0; at >= deeds[i].weight; i++)
		at -= deeds[i].weight;
	__atomic_add_fetch(&counts[i].done, 1, __ATOMIC_RELAXED);
	if (!deeds[i].run(w))
		__atomic_add_fetch(&counts[i].well, 1, __ATOMIC_RELAXED);
}

static void *work(void *data)
{
	struct worker *w = data;

	w->scratch = mmap(NULL, SCRATCH + 4096, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (w->scratch == MAP_FAILED || mprotect(w->scratch + SCRATCH, 4096, PROT_NONE))
		err(1, "scratch");
	while (now_ns() < until)
		deed(w);
	return NULL;
}

/* A process that has got the fds. Each thread has its own copy of nothing. */
static void misbehave(struct device *device, uint64_t seed)
{
	struct worker workers[THREADS] = { 0 };
	pthread_t threads[THREADS];
	unsigned int i;

	for (i = 0; i < THREADS; i++) {
		workers[i].device = device;
		workers[i].state = dice_next(&seed);
		if (pthread_create(&threads[i], NULL, work, &workers[i]))
			err(1, "thread");
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	_exit(0);
}

static int send_fd(int socket, int fd)
{
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	struct iovec nothing = { .iov_base = "", .iov_len = 1 };
	struct msghdr message = {
		.msg_iov = &nothing, .msg_iovlen = 1,
		.msg_control = control.room, .msg_controllen = sizeof(control.room),
	};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&message);

	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(cmsg), &fd, sizeof(fd));
	return sendmsg(socket, &message, 0) < 0 ? -errno : 0;
}

static int receive_fd(int socket)
{
	char room[CMSG_SPACE(sizeof(int))], byte;
	struct iovec nothing = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr message = {
		.msg_iov = &nothing, .msg_iovlen = 1,
		.msg_control = room, .msg_controllen = sizeof(room),
	};
	struct cmsghdr *cmsg;
	int fd = -1;

	if (recvmsg(socket, &message, 0) < 0)
		return -1;
	cmsg = CMSG_FIRSTHDR(&message);
	if (cmsg && cmsg->cmsg_type == SCM_RIGHTS)
		memcpy(&fd, CMSG_DATA(cmsg), sizeof(fd));
	return fd;
}

static int group_number(void)
{
	char link[PATH_MAX], target[PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof(link), "/sys/bus/pci/devices/%s/iommu_group", bdf);
	n = readlink(link, target, sizeof(target) - 1);
	if (n < 0)
		return -1;
	target[n] = '\0';
	return atoi(basename(target));
}

static bool open_by_group(struct device *device)
{
	char path[64];

	snprintf(path, sizeof(path), "/dev/vfio/%d", group_number());
	device->container = open("/dev/vfio/vfio", O_RDWR | O_CLOEXEC);
	device->group = open(path, O_RDWR | O_CLOEXEC);
	if (device->group < 0 || ioctl(device->group, VFIO_GROUP_SET_CONTAINER, &device->container) ||
	    ioctl(device->container, VFIO_SET_IOMMU, VFIO_TYPE1v2_IOMMU))
		return false;
	device->fd = ioctl(device->group, VFIO_GROUP_GET_DEVICE_FD, bdf);
	return device->fd >= 0;
}

static int open_cdev(void)
{
	char path[PATH_MAX];
	int i;

	for (i = 0; i < VFIO_DEVICES_MAX; i++) {
		snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/vfio-dev/vfio%d", bdf, i);
		if (access(path, F_OK))
			continue;
		snprintf(path, sizeof(path), "/dev/vfio/devices/vfio%d", i);
		return open(path, O_RDWR | O_CLOEXEC);
	}
	return -1;
}

static bool open_by_cdev(struct device *device)
{
	struct {
		uint32_t argsz, flags;
		int32_t iommufd;
		uint32_t devid;
	} bind = { .argsz = sizeof(bind) };
	struct {
		uint32_t argsz, flags, pt_id;
	} attach = { .argsz = sizeof(attach) };
	struct {
		uint32_t size, flags, id;
	} ioas = { .size = sizeof(ioas) };

	device->container = open("/dev/iommu", O_RDWR | O_CLOEXEC);
	device->fd = open_cdev();
	bind.iommufd = device->container;
	if (device->fd < 0 || ioctl(device->fd, BIND_IOMMUFD, &bind) ||
	    ioctl(device->container, IOAS_ALLOC, &ioas))
		return false;
	attach.pt_id = ioas.id;
	return !ioctl(device->fd, ATTACH_IOMMUFD_PT, &attach);
}

static void close_all(struct device *device)
{
	if (device->fd >= 0)
		close(device->fd);
	if (device->group >= 0)
		close(device->group);
	if (device->container >= 0)
		close(device->container);
	*device = (struct device) { -1, -1, -1 };
}

static bool open_somehow(struct device *device, uint64_t *state)
{
	bool cdev = once_in(state, 3) && !access("/dev/iommu", F_OK);

	*device = (struct device) { -1, -1, -1 };
	if (cdev ? open_by_cdev(device) : open_by_group(device))
		return true;
	close_all(device);
	return false;
}

/* One that is given the fds it is to use by a socket. */
static pid_t fork_stranger(struct device *device, uint64_t seed)
{
	struct device given;
	int pair[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair))
		err(1, "socketpair");
	pid = fork();
	if (!pid) {
		given = (struct device) { receive_fd(pair[1]), -1, receive_fd(pair[1]) };
		close_all(device);
		misbehave(&given, seed);
	}
	send_fd(pair[0], device->fd);
	send_fd(pair[0], device->container);
	close(pair[0]);
	close(pair[1]);
	return pid;
}

static pid_t fork_relative(struct device *device, uint64_t seed)
{
	pid_t pid = fork();

	if (!pid)
		misbehave(device, seed);
	return pid;
}

/* All of a life's processes end, whatever they wait for. */
static bool all_end(const pid_t *pids)
{
	uint64_t late = now_ns() + LATE_SECONDS * 1000000000ull;
	unsigned int left = PROCESSES, i;

	while (left && now_ns() < late) {
		while (left && waitpid(-1, NULL, WNOHANG) > 0)
			left--;
		if (left && now_ns() > until + 20000000000ull)
			for (i = 0; i < PROCESSES; i++)
				kill(pids[i], SIGKILL);
		usleep(2000);
	}
	return !left;
}

static bool life(uint64_t *state)
{
	struct device device;
	pid_t pids[PROCESSES];
	unsigned int i;

	if (!open_somehow(&device, state)) {
		/* Somebody else resets it, or it is lost: later. */
		usleep(20000);
		return false;
	}
	until = now_ns() + (50 + dice(state, LIFE_MS)) * 1000000ull;
	for (i = 0; i < PROCESSES; i++)
		pids[i] = once_in(state, 3) ? fork_stranger(&device, dice_next(state)) :
					      fork_relative(&device, dice_next(state));
	if (once_in(state, 2))
		close_all(&device);
	usleep(dice(state, LIFE_MS) * 1000);
	if (once_in(state, 2))
		kill(pids[dice(state, PROCESSES)], SIGKILL);
	if (!all_end(pids)) {
		fprintf(stderr, "not so: all processes of a life end within %d s\n", LATE_SECONDS);
		exit(1);
	}
	close_all(&device);
	return true;
}

/* Has each deed gone well at least once, or not if it must not? */
static bool as_wanted(void)
{
	size_t i;

	for (i = 0; i < DEEDS; i++)
		if (!counts[i].well != deeds[i].refused)
			return false;
	return true;
}

static int tell(unsigned int lives)
{
	size_t i;

	printf("lives: %u\n", lives);
	for (i = 0; i < DEEDS; i++)
		printf("%s: done %" PRIu64 ", well %" PRIu64 "\n", deeds[i].name, counts[i].done,
		       counts[i].well);
	if (as_wanted())
		return 0;
	fprintf(stderr, "not so: each went well at least once, or never if it must not\n");
	return 1;
}

int main(int argc, char *argv[])
{
	unsigned int lives = 0;
	uint64_t state, length, end;

	if (argc != 4)
		errx(2, "usage: vfio SEED SECONDS BDF");
	state = strtoull(argv[1], NULL, 0);
	length = strtoull(argv[2], NULL, 0) * 1000000000ull;
	end = now_ns() + length;
	bdf = argv[3];
	signal(SIGBUS, on_fault);
	signal(SIGSEGV, on_fault);
	counts = mmap(NULL, sizeof(*counts) * DEEDS, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (counts == MAP_FAILED)
		err(1, "mmap");
	/* On a machine that is busy there is less that could go well in that time. */
	while (now_ns() < end || (!as_wanted() && now_ns() < end + PATIENCE * length))
		lives += life(&state);
	return tell(lives);
}
