// SPDX-License-Identifier: GPL-2.0-only
/*
 * A small VFIO user that does to GPUs what a VMM does, step by step, and says
 * what the kernel answered:
 *
 *	client BDF[,BDF…] STEP…
 *
 * Steps work on all devices, one after the other as VMMs do:
 *	open	group, container, device
 *	reset	VFIO_DEVICE_RESET
 *	flr	a guest's FLR, through the virtual config space
 *	master	set bus mastering, as a guest's driver does
 *	touch	map the VRAM BAR, write a mark, read it back
 *	close	device, group, container
 *	sleep=MS, wait=FILE (until FILE exists), hold (until SIGTERM)
 *
 * Prints "STEP BDF ok|ERRNO NAME MS" each. Exit status 0 if all steps were ok,
 * 1 if one was not, 2 for a wrong call. Steps go on after a failure, so that a
 * test sees what comes after it.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
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
#include <time.h>
#include <unistd.h>

#define DEVICES_MAX	64
#define VRAM_REGION	VFIO_PCI_BAR0_REGION_INDEX
#define MARK		0x1badb002u

struct device {
	const char *bdf;
	int container;
	int group;
	int fd;
};

static struct device devices[DEVICES_MAX];
static unsigned int device_count;

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static int group_path(const char *bdf, char *path, size_t len)
{
	char link[PATH_MAX], target[PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof(link), "/sys/bus/pci/devices/%s/iommu_group", bdf);
	n = readlink(link, target, sizeof(target) - 1);
	if (n < 0)
		return -errno;
	target[n] = '\0';
	snprintf(path, len, "/dev/vfio/%.200s", basename(target));
	return 0;
}

static int step_close(struct device *dev)
{
	if (dev->fd >= 0)
		close(dev->fd);
	if (dev->group >= 0)
		close(dev->group);
	if (dev->container >= 0)
		close(dev->container);
	dev->fd = -1;
	dev->group = -1;
	dev->container = -1;
	return 0;
}

static int open_device(struct device *dev)
{
	char path[PATH_MAX];
	int ret = group_path(dev->bdf, path, sizeof(path));

	if (ret)
		return ret;
	dev->container = open("/dev/vfio/vfio", O_RDWR | O_CLOEXEC);
	if (dev->container < 0)
		return -errno;
	dev->group = open(path, O_RDWR | O_CLOEXEC);
	if (dev->group < 0)
		return -errno;
	if (ioctl(dev->group, VFIO_GROUP_SET_CONTAINER, &dev->container))
		return -errno;
	if (ioctl(dev->container, VFIO_SET_IOMMU, VFIO_TYPE1v2_IOMMU))
		return -errno;
	dev->fd = ioctl(dev->group, VFIO_GROUP_GET_DEVICE_FD, dev->bdf);
	return dev->fd < 0 ? -errno : 0;
}

static int step_open(struct device *dev)
{
	int ret = open_device(dev);

	if (ret)
		step_close(dev);
	return ret;
}

static int step_reset(struct device *dev)
{
	return ioctl(dev->fd, VFIO_DEVICE_RESET) ? -errno : 0;
}

static int region(struct device *dev, unsigned int index,
		  struct vfio_region_info *info)
{
	*info = (struct vfio_region_info) {
		.argsz = sizeof(*info),
		.index = index,
	};
	return ioctl(dev->fd, VFIO_DEVICE_GET_REGION_INFO, info) ? -errno : 0;
}

static int config_rw(struct device *dev, unsigned int at, void *val,
		     size_t size, bool write)
{
	struct vfio_region_info info;
	int ret = region(dev, VFIO_PCI_CONFIG_REGION_INDEX, &info);
	ssize_t n;

	if (ret)
		return ret;
	if (write)
		n = pwrite(dev->fd, val, size, info.offset + at);
	else
		n = pread(dev->fd, val, size, info.offset + at);
	return n == (ssize_t)size ? 0 : n < 0 ? -errno : -EIO;
}

static int step_flr(struct device *dev)
{
	uint8_t at = 0, id = 0;
	uint16_t control;
	int i, ret;

	ret = config_rw(dev, PCI_CAPABILITY_LIST, &at, 1, false);
	for (i = 0; !ret && at && i < 48; i++) {
		ret = config_rw(dev, at, &id, 1, false);
		if (ret || id == PCI_CAP_ID_EXP)
			break;
		ret = config_rw(dev, at + 1, &at, 1, false);
	}
	if (ret)
		return ret;
	if (id != PCI_CAP_ID_EXP)
		return -ENODEV;
	ret = config_rw(dev, at + PCI_EXP_DEVCTL, &control, 2, false);
	if (ret)
		return ret;
	control |= PCI_EXP_DEVCTL_BCR_FLR;
	return config_rw(dev, at + PCI_EXP_DEVCTL, &control, 2, true);
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
		ret = region(dev, VRAM_REGION, &info);
	if (ret)
		return ret;
	map = mmap(NULL, info.size, PROT_READ | PROT_WRITE, MAP_SHARED, dev->fd,
		   info.offset);
	if (map == MAP_FAILED)
		return -errno;
	*map = MARK;
	ret = *map == MARK ? 0 : -EIO;
	munmap((void *)map, info.size);
	return ret;
}

static const struct step {
	const char *name;
	int (*run)(struct device *dev);
	bool opened;
} steps[] = {
	{ "open", step_open, false },
	{ "reset", step_reset, true },
	{ "flr", step_flr, true },
	{ "master", step_master, true },
	{ "touch", step_touch, true },
	{ "close", step_close, false },
};

static int run_step(const struct step *step)
{
	int failed = 0;
	unsigned int i;

	for (i = 0; i < device_count; i++) {
		struct device *dev = &devices[i];
		double began = now_ms();
		int ret = step->opened && dev->fd < 0 ? -EBADF : step->run(dev);

		printf("%s %s %s %.1f\n", step->name, dev->bdf,
		       ret ? strerrorname_np(-ret) : "ok", now_ms() - began);
		failed |= !!ret;
	}
	return failed;
}

static int run_word(const char *word)
{
	unsigned int i;

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
	for (i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (!strcmp(word, steps[i].name))
			return run_step(&steps[i]);
	fprintf(stderr, "client: no step \"%s\"\n", word);
	exit(2);
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
	for (bdf = strtok(argv[1], ","); bdf && device_count < DEVICES_MAX;
	     bdf = strtok(NULL, ","))
		devices[device_count++] = (struct device) {
			.bdf = bdf, .container = -1, .group = -1, .fd = -1,
		};
	for (i = 2; i < argc; i++)
		failed |= run_word(argv[i]);
	return failed;
}
