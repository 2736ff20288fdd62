// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aside.h"
#include "pci_config.h"
#include "profile.h"
#include "say.h"
#include "sysfs.h"
#include "sysroot.h"

/**
 * sysfs_device_path() - path of a device's file
 * @bdf: device
 * @file: in its folder, or "" for the folder
 * @path: set
 * @size: of @path in bytes
 */
void sysfs_device_path(const char *bdf, const char *file, char *path, size_t size)
{
	snprintf(path, size, "%s/sys/bus/pci/devices/%s%s%s", opt_sysroot, bdf,
		 *file ? "/" : "", file);
}

/**
 * sysfs_exists() - is there such a device, or such a file of it?
 * @bdf: device
 * @file: in its folder, or ""
 *
 * Return: true if there is.
 */
bool sysfs_exists(const char *bdf, const char *file)
{
	char path[PATH_MAX];
	struct stat st;

	sysfs_device_path(bdf, file, path, sizeof(path));
	return !sysroot_stat(path, true, &st);
}

/**
 * sysfs_read() - the beginning of a file
 * @path: of the file
 * @data: set, without a NUL at its end
 * @size: of @data in bytes
 *
 * Return: bytes read or a negative errno.
 */
ssize_t sysfs_read(const char *path, void *data, size_t size)
{
	return sysroot_read(path, data, size);
}

/**
 * sysfs_parse_number() - a number that is all of a text's first line
 * @text: it, with room for a NUL after it; changed
 * @bytes: of it, or negative: there is none
 * @base: as for strtoll()
 * @val: set
 *
 * Return: false if there is none.
 */
bool sysfs_parse_number(char *text, ssize_t bytes, int base, long long *val)
{
	char *end;

	if (bytes <= 0)
		return false;
	text[bytes] = '\0';
	text[strcspn(text, "\n")] = '\0';
	*val = strtoll(text, &end, base);
	return end != text && !*end;
}

/**
 * sysfs_number() - a number that is all of a file's first line
 * @path: of the file
 * @base: as for strtoll()
 * @val: set
 *
 * Return: false if there is none.
 */
bool sysfs_number(const char *path, int base, long long *val)
{
	char text[SYSFS_NUMBER_BYTES];

	return sysfs_parse_number(text, sysfs_read(path, text, sizeof(text) - 1), base, val);
}

/**
 * sysfs_read_number() - a number from a device's file
 * @bdf: device
 * @file: in its folder
 * @val: set
 *
 * Return: false if there is none.
 */
bool sysfs_read_number(const char *bdf, const char *file, long long *val)
{
	char path[PATH_MAX];

	sysfs_device_path(bdf, file, path, sizeof(path));
	return sysfs_number(path, 0, val);
}

/**
 * sysfs_make_plain() - a name that may be shown on a terminal
 * @text: what is none in a captured host, say, is put right
 */
void sysfs_make_plain(char *text)
{
	for (; *text; text++)
		if (*text < ' ' || *text > '~')
			*text = '?';
}

/**
 * sysfs_last_part() - the name that a link leads to
 * @target: of the link
 * @name: set to what comes after its last slash
 * @size: of @name in bytes
 */
void sysfs_last_part(const char *target, char *name, size_t size)
{
	const char *base = strrchr(target, '/');

	snprintf(name, size, "%.*s", (int)size - 1, base ? base + 1 : target);
	sysfs_make_plain(name);
}

/**
 * sysfs_read_link() - what a device's link points to
 * @bdf: device
 * @link: in its folder
 * @name: set to the last part of the target, "" if there is no such link
 * @size: of @name in bytes
 *
 * Return: false if there is none.
 */
bool sysfs_read_link(const char *bdf, const char *link, char *name, size_t size)
{
	char path[PATH_MAX], target[PATH_MAX];
	bool found;

	sysfs_device_path(bdf, link, path, sizeof(path));
	found = sysroot_readlink(path, target);
	sysfs_last_part(target, name, size);
	return found;
}

/**
 * sysfs_write() - write to a file
 * @path: of the file
 * @text: what
 *
 * Return: 0 or a negative errno.
 */
int sysfs_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), ret = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

/**
 * sysfs_fill() - what sysfs knows of a device and the module does not tell
 * @dev: with its bdf; driver and IOMMU group are set
 */
void sysfs_fill(struct device *dev)
{
	char group[32];

	sysfs_read_link(dev->bdf, "driver", dev->driver, sizeof(dev->driver));
	if (sysfs_read_link(dev->bdf, "iommu_group", group, sizeof(group)))
		dev->iommu_group = atoi(group);
}

static void identify(void *data)
{
	struct device *dev = data;
	struct pci_config config;

	pci_config_open(&config, dev->bdf);
	dev->serial = pci_config_serial(&config);
	dev->serial_unknown = !dev->serial && !pci_config_is_whole(&config);
	dev->silent = pci_config_is_silent(&config);
	pci_config_close(&config);
}

/**
 * sysfs_identify() - the serial number of a GPU, and whether it answers
 * @dev: with its bdf; serial, serial_unknown and silent are set
 *
 * Of one whose config space is held, for somebody resets it, it is unknown.
 */
void sysfs_identify(struct device *dev)
{
	if (!aside_call(identify, dev, sizeof(*dev)))
		dev->serial_unknown = true;
}

static void add_gpu(struct devices *devices, const char *bdf)
{
	const struct instinct_profile *profile;
	long long vendor, device, node;
	struct device *dev;

	/* Most functions of a host are somebody else's, and each file takes its time. */
	if (!sysfs_read_number(bdf, "vendor", &vendor) ||
	    vendor != INSTINCT_VENDOR_AMD_GPU ||
	    !sysfs_read_number(bdf, "device", &device))
		return;
	profile = instinct_profile_find(vendor, device);
	if (!profile)
		return;
	dev = devices_add(devices);
	snprintf(dev->bdf, sizeof(dev->bdf), "%.*s", BDF_BYTES - 1, bdf);
	dev->vendor = vendor;
	dev->device = device;
	snprintf(dev->model, sizeof(dev->model), "%s", profile->model);
	snprintf(dev->family, sizeof(dev->family), "%s", profile->family->name);
	if (sysfs_read_number(bdf, "numa_node", &node))
		dev->numa_node = node;
	sysfs_fill(dev);
	/* Ours, but whether it is ready only the module can tell. */
	if (!strcmp(dev->driver, DRIVER_NAME))
		dev->state = STATE_UNKNOWN;
}

/* Of a captured host it could be anything, and it ends on terminals and in shells. */
static int is_address(const struct dirent *entry)
{
	char bdf[BDF_BYTES];

	return bdf_parse(entry->d_name, bdf) && !strcmp(bdf, entry->d_name);
}

static void list_complain(const char *path, int error)
{
	if (!*opt_sysroot || (error != ENOENT && error != ENOTDIR))
		say_error("cannot read %s: %s", path, strerror(error));
	else if (access(opt_sysroot, F_OK))
		say_error("cannot read %s: %s", opt_sysroot, strerror(errno));
	else
		say_error("%s is no captured host: it has no sys/bus/pci/devices; give the folder that has sys, or dump's archive",
			  opt_sysroot);
}

/**
 * sysfs_list() - all PCI functions
 * @entries: set, in order of address; they and the list are to be freed
 *
 * Return: how many, or a negative errno, and then it has said why.
 */
int sysfs_list(struct dirent ***entries)
{
	char path[PATH_MAX];
	int count, error;

	snprintf(path, sizeof(path), "%s/sys/bus/pci/devices", opt_sysroot);
	count = sysroot_scandir(path, entries, is_address, alphasort);
	if (count >= 0)
		return count;
	error = errno;
	list_complain(path, error);
	return -error;
}

/**
 * sysfs_gpus() - the GPUs that this product knows, managed or not
 * @devices: empty, filled in order of address, but for the ports above and for what
 *	sysfs_identify() reads
 *
 * Return: 0, or an exit code, and then it has said why.
 */
int sysfs_gpus(struct devices *devices)
{
	struct dirent **entries;
	int count = sysfs_list(&entries), i;

	if (count < 0)
		return exit_code_of(-count);
	for (i = 0; i < count; i++) {
		add_gpu(devices, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return EXIT_OK;
}
