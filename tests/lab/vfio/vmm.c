// SPDX-License-Identifier: GPL-2.0-only
/* Steps of a VMM that has all devices in one container, and maps their BARs for DMA. */
#include <errno.h>
#include <fcntl.h>
#include <linux/pci_regs.h>
#include <linux/vfio.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "client.h"

#define RAM_BYTES	(2ul << 20)
/* DMA addresses of BARs: each has a gigabyte, behind the guest's RAM at 0. */
#define BAR_IOVA	(64ull << 30)
#define BAR_ROOM	(1024ull << 20)
#define VECTORS_MAX	512

static int container = -1;
static unsigned int members;
static void *ram;
static uint64_t next_iova = BAR_IOVA;

static int open_container(void)
{
	container = open("/dev/vfio/vfio", O_RDWR | O_CLOEXEC);
	if (container < 0)
		return -errno;
	if (ioctl(container, VFIO_GET_API_VERSION) != VFIO_API_VERSION ||
	    ioctl(container, VFIO_CHECK_EXTENSION, VFIO_TYPE1v2_IOMMU) != 1)
		return -EINVAL;
	return 0;
}

static void close_container(void)
{
	close(container);
	container = -1;
	if (ram)
		munmap(ram, RAM_BYTES);
	ram = NULL;
}

static int add_group(int group)
{
	struct vfio_group_status status = { .argsz = sizeof(status) };

	if (ioctl(group, VFIO_GROUP_GET_STATUS, &status))
		return -errno;
	if (status.flags != VFIO_GROUP_FLAGS_VIABLE)
		return -EPERM;
	if (ioctl(group, VFIO_GROUP_SET_CONTAINER, &container) ||
	    (!members && ioctl(container, VFIO_SET_IOMMU, VFIO_TYPE1v2_IOMMU)))
		return -errno;
	members++;
	return 0;
}

/* Open the group, and put it into the container of all devices. "open" then opens the device. */
int vmm_join(struct device *dev)
{
	int ret = container < 0 ? open_container() : 0;

	dev->fds.group = ret ? -1 : vfio_open_group(dev->bdf);
	if (!ret)
		ret = dev->fds.group < 0 ? -errno : add_group(dev->fds.group);
	if (ret) {
		vfio_close(&dev->fds);
		if (!members && container >= 0)
			close_container();
	}
	return ret;
}

/* Without VFIO_DEVICE_FLAGS_RESET, Cloud Hypervisor leaves each of its resets out. */
int vmm_info(struct device *dev)
{
	struct vfio_device_info info = { .argsz = sizeof(info) };
	struct vfio_region_info unused;
	unsigned int i;
	int ret;

	if (ioctl(dev->fds.fd, VFIO_DEVICE_GET_INFO, &info))
		return -errno;
	if (!(info.flags & VFIO_DEVICE_FLAGS_RESET))
		return -EOPNOTSUPP;
	for (i = 0; i < info.num_regions; i++) {
		ret = vfio_region(&dev->fds, i, &unused);
		if (ret && i != VFIO_PCI_VGA_REGION_INDEX)
			return ret;
	}
	for (i = 0; i < info.num_irqs; i++) {
		struct vfio_irq_info irq = { .argsz = sizeof(irq), .index = i };

		/* Only a device with error reporting has an error interrupt. */
		if (ioctl(dev->fds.fd, VFIO_DEVICE_GET_IRQ_INFO, &irq) &&
		    i <= VFIO_PCI_MSIX_IRQ_INDEX)
			return -errno;
	}
	return 0;
}

#define FEATURES	32

/*
 * Print all that the device says of itself: its regions with the bytes of their capabilities, its
 * interrupts, and each feature that can be read or set.
 */
int vmm_describe(struct device *dev)
{
	union {
		struct vfio_region_info info;
		unsigned char bytes[4096];
	} region;
	struct vfio_device_info info = { .argsz = sizeof(info) };
	unsigned int i, at, end;

	if (ioctl(dev->fds.fd, VFIO_DEVICE_GET_INFO, &info))
		return -errno;
	printf("device %s flags %#x regions %u irqs %u\n", dev->bdf, info.flags, info.num_regions,
	       info.num_irqs);
	for (i = 0; i < info.num_regions; i++) {
		memset(&region, 0, sizeof(region));
		region.info.argsz = sizeof(region);
		region.info.index = i;
		if (ioctl(dev->fds.fd, VFIO_DEVICE_GET_REGION_INFO, &region)) {
			printf("region %s %u %s\n", dev->bdf, i, strerrorname_np(errno));
			continue;
		}
		printf("region %s %u flags %#x size %#llx offset %#llx caps ", dev->bdf, i,
		       region.info.flags, region.info.size, region.info.offset);
		for (end = sizeof(region); end > sizeof(region.info) && !region.bytes[end - 1]; end--)
			;
		for (at = sizeof(region.info); at < end; at++)
			printf("%02x", region.bytes[at]);
		printf("\n");
	}
	for (i = 0; i < info.num_irqs; i++) {
		struct vfio_irq_info irq = { .argsz = sizeof(irq), .index = i };
		bool failed = ioctl(dev->fds.fd, VFIO_DEVICE_GET_IRQ_INFO, &irq);

		printf("irq %s %u %s flags %#x count %u\n", dev->bdf, i,
		       failed ? strerrorname_np(errno) : "ok", irq.flags, irq.count);
	}
	for (i = 0; i < 2 * FEATURES; i++) {
		struct vfio_device_feature feature = { .argsz = sizeof(feature), .flags = i % FEATURES |
			VFIO_DEVICE_FEATURE_PROBE |
			(i < FEATURES ? VFIO_DEVICE_FEATURE_GET : VFIO_DEVICE_FEATURE_SET) };

		if (!ioctl(dev->fds.fd, VFIO_DEVICE_FEATURE, &feature))
			printf("feature %s %u %s\n", dev->bdf, i % FEATURES, i < FEATURES ? "get" : "set");
	}
	return 0;
}

/* The first device of a container brings the guest's RAM with it. */
int vmm_ram(struct device *dev)
{
	struct vfio_iommu_type1_dma_map map = {
		.argsz = sizeof(map), .flags = VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE,
		.size = RAM_BYTES,
	};
	(void)dev;

	if (ram)
		return 0;
	ram = mmap(NULL, RAM_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (ram == MAP_FAILED) {
		ram = NULL;
		return -errno;
	}
	map.vaddr = (uintptr_t)ram;
	return ioctl(container, VFIO_IOMMU_MAP_DMA, &map) ? -errno : 0;
}

/* The GPU cannot migrate, and must say so. */
int vmm_migration(struct device *dev)
{
	union {
		struct vfio_device_feature feature;
		char room[sizeof(struct vfio_device_feature) +
			  sizeof(struct vfio_device_feature_migration)];
	} request = { .feature = {
		.argsz = sizeof(request),
		.flags = VFIO_DEVICE_FEATURE_GET | VFIO_DEVICE_FEATURE_MIGRATION,
	} };

	if (!ioctl(dev->fds.fd, VFIO_DEVICE_FEATURE, &request))
		return -EEXIST;
	return errno == ENOTTY ? 0 : -errno;
}

int vmm_read_config(struct device *dev)
{
	struct vfio_region_info config;
	char bytes[PCI_CFG_SPACE_EXP_SIZE];
	int ret = vfio_region(&dev->fds, VFIO_PCI_CONFIG_REGION_INDEX, &config);

	if (!ret && pread(dev->fds.fd, bytes, sizeof(bytes), config.offset) != sizeof(bytes))
		ret = -EIO;
	return ret;
}

static int set_irqs(struct device *dev, unsigned int index, bool on)
{
	struct vfio_irq_info info = { .argsz = sizeof(info), .index = index };
	union {
		struct vfio_irq_set set;
		char room[sizeof(struct vfio_irq_set) + VECTORS_MAX * sizeof(int32_t)];
	} request = { .set = { .index = index } };
	unsigned int i, vectors;
	int32_t fds[VECTORS_MAX];
	int ret;

	if (ioctl(dev->fds.fd, VFIO_DEVICE_GET_IRQ_INFO, &info))
		return -errno;
	if (!info.count)
		return 0;
	if (info.count > VECTORS_MAX)
		return -E2BIG;
	vectors = on ? info.count : 0;
	request.set.count = vectors;
	request.set.argsz = sizeof(request.set) + vectors * sizeof(int32_t);
	request.set.flags = VFIO_IRQ_SET_ACTION_TRIGGER |
		(on ? VFIO_IRQ_SET_DATA_EVENTFD : VFIO_IRQ_SET_DATA_NONE);
	for (i = 0; i < vectors; i++)
		fds[i] = eventfd(0, EFD_CLOEXEC);
	memcpy(request.set.data, fds, vectors * sizeof(int32_t));
	ret = ioctl(dev->fds.fd, VFIO_DEVICE_SET_IRQS, &request) ? -errno : 0;
	for (i = 0; i < vectors; i++)
		close(fds[i]);
	return ret;
}

int vmm_intx(struct device *dev)
{
	return set_irqs(dev, VFIO_PCI_INTX_IRQ_INDEX, true);
}

int vmm_intx_off(struct device *dev)
{
	return set_irqs(dev, VFIO_PCI_INTX_IRQ_INDEX, false);
}

int vmm_all_msix(struct device *dev)
{
	return set_irqs(dev, VFIO_PCI_MSIX_IRQ_INDEX, true);
}

int vmm_msix_off(struct device *dev)
{
	return set_irqs(dev, VFIO_PCI_MSIX_IRQ_INDEX, false);
}

static int size_bar(struct device *dev, uint64_t at)
{
	uint32_t ones = ~0u, value;

	if (pread(dev->fds.fd, &value, 4, at) != 4 || pwrite(dev->fds.fd, &ones, 4, at) != 4 ||
	    pread(dev->fds.fd, &value, 4, at) != 4)
		return -EIO;
	return 0;
}

/* Write all ones to each BAR and to the ROM's, and read the size; no value is written back. */
int vmm_size_bars(struct device *dev)
{
	struct vfio_region_info config;
	int i, ret = vfio_region(&dev->fds, VFIO_PCI_CONFIG_REGION_INDEX, &config);

	for (i = 0; i < BARS && !ret; i++)
		ret = size_bar(dev, config.offset + PCI_BASE_ADDRESS_0 + 4 * i);
	return ret ?: size_bar(dev, config.offset + PCI_ROM_ADDRESS);
}

/* Map a BAR, with the page of the MSI-X table, which Cloud Hypervisor leaves out. */
static int map_bar(struct device *dev, unsigned int i)
{
	struct vfio_iommu_type1_dma_map map = {
		.argsz = sizeof(map), .flags = VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE,
	};
	struct vfio_region_info info;
	int ret = vfio_region(&dev->fds, i, &info);

	if (ret || !info.size || !(info.flags & VFIO_REGION_INFO_FLAG_MMAP))
		return ret;
	if (info.size > BAR_ROOM)
		return -E2BIG;
	dev->bars[i] = vfio_map(&dev->fds, info.offset, info.size);
	if (dev->bars[i] == MAP_FAILED) {
		dev->bars[i] = NULL;
		return -errno;
	}
	if (!dev->bar_iova[i]) {
		dev->bar_iova[i] = next_iova;
		next_iova += BAR_ROOM;
	}
	dev->bar_bytes[i] = info.size;
	map.vaddr = (uintptr_t)dev->bars[i];
	map.iova = dev->bar_iova[i];
	map.size = info.size;
	return ioctl(container, VFIO_IOMMU_MAP_DMA, &map) ? -errno : 0;
}

int vmm_map_bars(struct device *dev)
{
	int i, ret = 0;

	for (i = 0; i < BARS && !ret; i++)
		ret = map_bar(dev, i);
	return ret;
}

int vmm_unmap_bars(struct device *dev)
{
	int i, ret = 0;

	for (i = 0; i < BARS; i++) {
		struct vfio_iommu_type1_dma_unmap unmap = {
			.argsz = sizeof(unmap), .iova = dev->bar_iova[i],
			.size = dev->bar_bytes[i],
		};

		if (!dev->bars[i])
			continue;
		if (ioctl(container, VFIO_IOMMU_UNMAP_DMA, &unmap))
			ret = -errno;
		else if (unmap.size != dev->bar_bytes[i])
			ret = -EBADMSG;
		munmap(dev->bars[i], dev->bar_bytes[i]);
		dev->bars[i] = NULL;
	}
	return ret;
}

/* Close the device, then take its group out of the container; the last one closes that. */
int vmm_leave(struct device *dev)
{
	int ret = 0;

	if (dev->fds.group < 0)
		return -EBADF;
	if (dev->fds.fd >= 0)
		close(dev->fds.fd);
	dev->fds.fd = -1;
	if (ioctl(dev->fds.group, VFIO_GROUP_UNSET_CONTAINER))
		ret = -errno;
	vfio_close(&dev->fds);
	if (!--members)
		close_container();
	return ret;
}
