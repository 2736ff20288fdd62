// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "say.h"
#include "source_hwmon.h"
#include "sysfs.h"
#include "sysroot.h"

#define CLASS		"/sys/class/hwmon"
#define WORD_BYTES	128

static void path_of(const char *place, const char *file, char *path, size_t size)
{
	snprintf(path, size, "%s" CLASS "/%s%s", opt_sysroot, place, file);
}

/* Reads a file's first line; returns false if it is empty or cannot be read. */
static bool read_line(const char *place, const char *file, char *text, size_t size)
{
	char path[PATH_MAX];

	path_of(place, file, path, sizeof(path));
	return sysfs_line(path, text, size);
}

static bool read_number(const char *place, const char *file, long long *value)
{
	char path[PATH_MAX];

	path_of(place, file, path, sizeof(path));
	return sysfs_number(path, 10, value);
}

/* Finds the nearest PCI function above a hwmon device, which may be several devices up. */
static void owner_of(const char *device, char *bdf)
{
	char path[PATH_MAX], real[PATH_MAX], full[BDF_BYTES], *part, *rest;

	*bdf = '\0';
	path_of(device, "/device", path, sizeof(path));
	if (!sysroot_realpath(path, real))
		return;
	for (part = strtok_r(real, "/", &rest); part; part = strtok_r(NULL, "/", &rest))
		if (bdf_parse(part, full))
			snprintf(bdf, BDF_BYTES, "%s", full);
}

/* Accepts names such as "temp12_input", and no others. */
static bool is_input(const char *file, unsigned int *number)
{
	int end = 0;

	return !strncmp(file, "temp", 4) && isdigit((unsigned char)file[4]) &&
	       sscanf(file, "temp%4u_input%n", number, &end) == 1 && end && !file[end];
}

static int is_shown(const struct dirent *entry)
{
	unsigned int number;

	return is_input(entry->d_name, &number);
}

static void add(struct found *found, const char *device, const char *chip,
		const char *bdf, unsigned int number)
{
	char file[32], label[WORD_BYTES], name[2 * WORD_BYTES];
	struct found_sensor *sensor;

	snprintf(file, sizeof(file), "/temp%u_label", number);
	if (!read_line(device, file, label, sizeof(label)))
		snprintf(label, sizeof(label), "temp%u", number);
	snprintf(name, sizeof(name), "%s/%s", chip, label);
	sensor = found_add(found, INSTINCT_VFIO_SOURCE_HWMON, name);
	if (!sensor)
		return;
	snprintf(sensor->bdf, sizeof(sensor->bdf), "%s", bdf);
	snprintf(sensor->place, sizeof(sensor->place), "%.*s/temp%u", FOUND_PLACE_BYTES / 2,
		 device, number);
}

static void scan_device(struct found *found, const char *device)
{
	char path[PATH_MAX], chip[WORD_BYTES], bdf[BDF_BYTES];
	struct dirent **files;
	unsigned int number;
	int count, i;

	if (strlen(device) > FOUND_PLACE_BYTES / 2 ||
	    !read_line(device, "/name", chip, sizeof(chip)))
		return;
	owner_of(device, bdf);
	path_of(device, "", path, sizeof(path));
	count = sysroot_scandir(path, &files, is_shown, versionsort);
	for (i = 0; i < count; i++) {
		if (is_input(files[i]->d_name, &number))
			add(found, device, chip, bdf, number);
		free(files[i]);
	}
	if (count >= 0)
		free(files);
}

static int is_device(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/**
 * hwmon_scan() - list the temperature sensors of all hwmon devices
 * @found: the sensors are added. Their temperatures stay unknown, since a read can wake up a
 *	sleeping disk.
 */
void hwmon_scan(struct found *found)
{
	struct dirent **devices;
	char path[PATH_MAX];
	int count, i;

	path_of("", "", path, sizeof(path));
	count = sysroot_scandir(path, &devices, is_device, versionsort);
	for (i = 0; i < count; i++) {
		scan_device(found, devices[i]->d_name);
		free(devices[i]);
	}
	if (count >= 0)
		free(devices);
}

/* Is it still the same chip? The kernel reuses the numbers of devices that have gone. */
static bool is_same(const struct found_sensor *sensor, const char *device)
{
	char chip[WORD_BYTES], clean[FOUND_NAME_BYTES], bdf[BDF_BYTES];
	size_t length;

	if (!read_line(device, "/name", chip, sizeof(chip)))
		return false;
	found_clean(chip, clean, sizeof(clean));
	length = strlen(clean);
	owner_of(device, bdf);
	return !strncmp(sensor->name, clean, length) &&
	       (!sensor->name[length] || sensor->name[length] == '/') &&
	       !strcmp(sensor->bdf, bdf);
}

/**
 * hwmon_read() - read a sensor's temperature
 * @sensor: its temperature is set, or marked unknown if the sensor cannot be read
 */
void hwmon_read(struct found_sensor *sensor)
{
	char device[FOUND_PLACE_BYTES];
	long long value;

	sensor->known = false;
	snprintf(device, sizeof(device), "%.*s", (int)strcspn(sensor->place, "/"),
		 sensor->place);
	if (!is_same(sensor, device) ||
	    (read_number(sensor->place, "_fault", &value) && value) ||
	    !read_number(sensor->place, "_input", &value) || !found_is_sane(value))
		return;
	sensor->known = true;
	sensor->temperature = value;
}
