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
#include "core/profile.h"
#include "say.h"
#include "sysfs.h"
#include "sysroot.h"

/**
 * sysfs_device_path() - make the path of a device's file
 * @bdf: address of the device
 * @file: name of the file, or "" for the device's folder
 * @path: receives the path
 * @size: size of @path in bytes
 */
void sysfs_device_path(const char *bdf, const char *file, char *path, size_t size)
{
	snprintf(path, size, "%s/sys/bus/pci/devices/%s%s%s", opt_sysroot, bdf,
		 *file ? "/" : "", file);
}

/**
 * sysfs_exists() - tell whether a device, or a file of it, exists
 * @bdf: address of the device
 * @file: name of the file, or "" for the device
 *
 * Return: true if it exists.
 */
bool sysfs_exists(const char *bdf, const char *file)
{
	char path[PATH_MAX];
	struct stat st;

	sysfs_device_path(bdf, file, path, sizeof(path));
	return !sysroot_stat(path, true, &st);
}

/**
 * sysfs_read() - read the beginning of a file
 * @path: path of the file
 * @data: receives the bytes, without a terminating NUL
 * @size: size of @data in bytes
 *
 * Return: bytes read or a negative errno.
 */
ssize_t sysfs_read(const char *path, void *data, size_t size)
{
	return sysroot_read(path, data, size);
}

/**
 * sysfs_line() - read the first line of a file, without control characters
 * @path: path of the file
 * @text: receives the line, "" if the file cannot be read
 * @size: size of @text in bytes
 *
 * Return: false if the line is empty.
 */
bool sysfs_line(const char *path, char *text, size_t size)
{
	ssize_t n = sysfs_read(path, text, size - 1);

	text[n < 0 ? 0 : n] = '\0';
	text[strcspn(text, "\n")] = '\0';
	sysfs_make_plain(text);
	return *text;
}

/**
 * sysfs_parse_number() - parse the number that is the whole first line of a text
 * @text: text, with room for a NUL at its end; changed
 * @bytes: length of @text, or negative if it could not be read
 * @base: as for strtoll()
 * @val: receives the number
 *
 * Return: false if the first line is not a number.
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
 * sysfs_number() - read the number that is the whole first line of a file
 * @path: path of the file
 * @base: as for strtoll()
 * @val: receives the number
 *
 * Return: false if the file cannot be read or holds no number.
 */
bool sysfs_number(const char *path, int base, long long *val)
{
	char text[SYSFS_NUMBER_BYTES];

	return sysfs_parse_number(text, sysfs_read(path, text, sizeof(text) - 1), base, val);
}

/**
 * sysfs_read_number() - read a number from a device's file
 * @bdf: address of the device
 * @file: name of the file
 * @val: receives the number
 *
 * Return: false if the file cannot be read or holds no number.
 */
bool sysfs_read_number(const char *bdf, const char *file, long long *val)
{
	char path[PATH_MAX];

	sysfs_device_path(bdf, file, path, sizeof(path));
	return sysfs_number(path, 0, val);
}

/**
 * sysfs_make_plain() - make a name safe to print on a terminal
 * @text: name, perhaps from a captured host; '?' replaces all but printable ASCII characters
 */
void sysfs_make_plain(char *text)
{
	for (; *text; text++)
		if (*text < ' ' || *text > '~')
			*text = '?';
}

/**
 * sysfs_last_part() - get the last component of a link's target
 * @target: target of the link
 * @name: receives the part after the last slash, made safe to print
 * @size: size of @name in bytes
 */
void sysfs_last_part(const char *target, char *name, size_t size)
{
	const char *base = strrchr(target, '/');

	snprintf(name, size, "%.*s", (int)size - 1, base ? base + 1 : target);
	sysfs_make_plain(name);
}

/**
 * sysfs_read_link() - read the target of a device's link
 * @bdf: address of the device
 * @link: name of the link
 * @name: receives the last component of the target, "" without such a link
 * @size: size of @name in bytes
 *
 * Return: false if the device has no such link.
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
 * sysfs_write() - write a text to a file
 * @path: path of the file
 * @text: text to write
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
 * sysfs_fill() - add the facts that the module does not report
 * @dev: device with its bdf; receives its driver and IOMMU group
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
 * sysfs_identify() - read the serial number of a GPU, and whether the GPU is absent
 * @dev: device with its bdf; receives serial, serial_unknown and silent
 *
 * During a reset the kernel blocks the config space; the serial number is unknown then.
 */
void sysfs_identify(struct device *dev)
{
	if (!aside_call(dev->bdf, identify, dev, sizeof(*dev)))
		dev->serial_unknown = true;
}

static void listen(void *data)
{
	struct device *dev = data;
	struct pci_config config;

	pci_config_open(&config, dev->bdf);
	dev->silent = pci_config_is_silent(&config);
	dev->listened = dev->silent || config.bytes;
	pci_config_close(&config);
}

/**
 * sysfs_listen() - find out whether a GPU answers config reads
 * @dev: device with its bdf; receives silent and, if its config space could be read, listened
 *
 * During a reset the kernel blocks the config space, and the function finds out nothing.
 */
void sysfs_listen(struct device *dev)
{
	aside_call(dev->bdf, listen, dev, sizeof(*dev));
}

static void add_gpu(struct devices *devices, const char *bdf)
{
	const struct instinct_profile *profile;
	long long vendor, device, node;
	struct device *dev;

	/* Most functions of a host are not GPUs, so read as few files of each as possible. */
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
	/* Only the module knows whether a GPU that it has is ready. */
	if (sysfs_is_ours(dev->driver))
		dev->state = STATE_UNKNOWN;
}

/**
 * sysfs_has_dropin() - tell whether the drop-in has the place of the kernel's vfio-pci
 *
 * Return: true if it is loaded; it uses the module, as the kernel's vfio-pci does not.
 */
bool sysfs_has_dropin(void)
{
	char path[PATH_MAX];
	struct stat st;

	snprintf(path, sizeof(path), "%s/sys/module/" DRIVER_NAME "/holders/vfio_pci", opt_sysroot);
	return !sysroot_stat(path, true, &st);
}

/**
 * sysfs_is_ours() - tell whether a driver serves known GPUs by the module
 * @driver: name of the driver, or ""
 *
 * Return: true for the module's own driver, and for the drop-in's.
 */
bool sysfs_is_ours(const char *driver)
{
	return !strcmp(driver, DRIVER_NAME) || (!strcmp(driver, DROPIN_NAME) && sysfs_has_dropin());
}

/* A captured host may hold any name, and names end up on terminals and in shells. */
static int is_address(const struct dirent *entry)
{
	char bdf[BDF_BYTES];

	return bdf_parse(entry->d_name, bdf) && !strcmp(bdf, entry->d_name);
}

static void list_complain(const char *path, int error)
{
	if (!*opt_sysroot || (error != ENOENT && error != ENOTDIR))
		say_error(error_code_of(error, ERROR_IO), "cannot read %s: %s", path, strerror(error));
	else if (access(opt_sysroot, F_OK))
		say_error(error_code_of(errno, ERROR_IO), "cannot read %s: %s", opt_sysroot, strerror(errno));
	else
		say_error(ERROR_INPUT, "%s is no captured host: it has no sys/bus/pci/devices; give the folder that has sys, or dump's archive",
			  opt_sysroot);
}

/**
 * sysfs_list() - list all PCI functions
 * @entries: receives the entries in order of address; the caller frees them and the list
 *
 * Return: number of entries, or a negative errno after printing the error.
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
 * sysfs_gpus() - list the GPUs that instinct-vfio supports, managed or not
 * @devices: empty list, filled in order of address; sysfs_place() and sysfs_identify() add
 *	the rest
 *
 * Return: 0, or an exit code after printing the error.
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
