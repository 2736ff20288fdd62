// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/profile.h"
#include "inventory.h"
#include "missing.h"
#include "say.h"
#include "sysfs.h"
#include "sysroot.h"
#include "textfile.h"

#define RECORD_BYTES	65536

static void record_path(char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%s" MISSING_RECORD, opt_sysroot);
}

static struct device *add(struct devices *devices, const char *bdf, uint32_t id, uint64_t serial)
{
	const struct instinct_profile *profile = instinct_profile_find(INSTINCT_VENDOR_AMD_GPU, id);
	struct device *dev = devices_add(devices);

	snprintf(dev->bdf, sizeof(dev->bdf), "%s", bdf);
	dev->vendor = INSTINCT_VENDOR_AMD_GPU;
	dev->device = id;
	dev->serial = serial;
	dev->state = STATE_MISSING;
	if (profile) {
		snprintf(dev->model, sizeof(dev->model), "%s", profile->model);
		snprintf(dev->family, sizeof(dev->family), "%s", profile->family->name);
	}
	return dev;
}

/* The file has a line "BDF ID serial=NUMBER" for each GPU, with the number 0 if it is unknown. */
static void read_record(struct devices *record)
{
	char path[PATH_MAX], word[BDF_BYTES], bdf[BDF_BYTES];
	char *text = malloc(RECORD_BYTES), *rest = text, *line;
	uint64_t serial;
	uint32_t id;
	ssize_t n;

	record_path(path);
	n = text ? sysroot_read(path, text, RECORD_BYTES - 1) : -1;
	if (n > 0) {
		text[n] = '\0';
		while ((line = strsep(&rest, "\n")))
			if (sscanf(line, "%23s %4" SCNx32 " serial=%16" SCNx64, word, &id, &serial) == 3 &&
			    bdf_parse(word, bdf) && instinct_profile_find(INSTINCT_VENDOR_AMD_GPU, id))
				add(record, bdf, id, serial);
	}
	free(text);
}

static int write_record(const struct devices *record)
{
	char path[PATH_MAX], *text = NULL;
	size_t size, i;
	FILE *out = open_memstream(&text, &size);
	int ret = -ENOMEM;

	for (i = 0; out && i < record->count; i++)
		fprintf(out, "%s %04" PRIx32 " serial=%016" PRIx64 "\n", record->list[i].bdf,
			record->list[i].device, record->list[i].serial);
	record_path(path);
	if (out && !fclose(out))
		ret = textfile_store(path, text);
	free(text);
	return ret;
}

static const struct device *find_serial(const struct devices *devices, uint64_t serial)
{
	size_t i;

	for (i = 0; serial && i < devices->count; i++)
		if (!devices->list[i].unmanaged && devices->list[i].serial == serial)
			return &devices->list[i];
	return NULL;
}

/*
 * A GPU may have another address by now, since buses are numbered anew at boot. Another GPU at the
 * address is one that has moved there, or the replacement for the GPU.
 */
static bool is_gone(const struct device *gpu, const struct devices *record, const struct devices *here)
{
	const struct device *now = devices_find_gpu(here, gpu->bdf);

	if (find_serial(here, gpu->serial))
		return false;
	if (!now)
		return true;
	return gpu->serial && now->serial && find_serial(record, now->serial);
}

static bool is_at(const char *bdf)
{
	long long vendor, id;

	return sysfs_read_number(bdf, "vendor", &vendor) && vendor == INSTINCT_VENDOR_AMD_GPU &&
	       sysfs_read_number(bdf, "device", &id) && instinct_profile_find(vendor, id);
}

/* If each GPU of the record seems to be at its address, there is nothing else to read. */
static bool is_complete(const struct devices *record, const struct devices *known)
{
	size_t i;

	for (i = 0; i < record->count; i++) {
		const struct device *gpu = &record->list[i], *now = devices_find_gpu(known, gpu->bdf);

		if (!is_at(gpu->bdf) ||
		    (now && now->serial && gpu->serial && now->serial != gpu->serial))
			return false;
	}
	return true;
}

/* Lists the GPUs of the host. The serial numbers are those that the caller knows. */
static void list_here(const struct devices *known, struct devices *here)
{
	size_t i;

	if (sysfs_gpus(here))
		return;
	for (i = 0; i < here->count; i++) {
		const struct device *gpu = devices_find_gpu(known, here->list[i].bdf);

		here->list[i].serial = gpu ? gpu->serial : 0;
	}
}

static int by_bdf(const void *a, const void *b)
{
	const struct device *one = a, *other = b;

	return strcmp(one->bdf, other->bdf) ?: one->unmanaged - other->unmanaged ?:
	       other->state - one->state;
}

/**
 * missing_add() - add the GPUs that an earlier apply found and that are gone
 * @devices: GPUs of the host, with the serial numbers that are known; receives the missing ones, in
 *	state STATE_MISSING, and is sorted if there are any
 */
void missing_add(struct devices *devices)
{
	struct devices record = { 0 }, here = { 0 };
	size_t before = devices->count, i;

	read_record(&record);
	if (!is_complete(&record, devices)) {
		list_here(devices, &here);
		for (i = 0; i < record.count; i++)
			if (is_gone(&record.list[i], &record, &here))
				*devices_add(devices) = record.list[i];
	}
	for (i = before; i < devices->count; i++) {
		struct device *dev = &devices->list[i];

		if (dev->serial)
			snprintf(dev->reason, sizeof(dev->reason), "an earlier apply found it, with serial number 0x%016" PRIx64,
				 dev->serial);
		else
			snprintf(dev->reason, sizeof(dev->reason), "an earlier apply found it");
	}
	if (devices->count > before)
		qsort(devices->list, devices->count, sizeof(*devices->list), by_bdf);
	devices_free(&here);
	devices_free(&record);
}

/**
 * missing_record() - record the GPUs of the host, beside those that are missing already
 * @here: GPUs of the host with their serial numbers; other devices are left out
 *
 * A GPU that does not tell its serial number keeps the recorded one.
 *
 * Return: 0 or a negative errno.
 */
int missing_record(const struct devices *here)
{
	struct devices record = { 0 }, next = { 0 };
	size_t i;
	int ret = 0;

	read_record(&record);
	for (i = 0; i < here->count; i++) {
		const struct device *gpu = &here->list[i], *known = devices_find(&record, gpu->bdf);

		if (!gpu->unmanaged)
			add(&next, gpu->bdf, gpu->device, gpu->serial ?: known ? known->serial : 0);
	}
	for (i = 0; i < record.count; i++)
		if (is_gone(&record.list[i], &record, here))
			*devices_add(&next) = record.list[i];
	if (next.count)
		qsort(next.list, next.count, sizeof(*next.list), by_bdf);
	/* Most runs of apply change nothing. */
	for (i = 0; i < next.count && next.count == record.count; i++)
		if (strcmp(next.list[i].bdf, record.list[i].bdf) ||
		    next.list[i].device != record.list[i].device ||
		    next.list[i].serial != record.list[i].serial)
			break;
	if (i < next.count || next.count != record.count)
		ret = write_record(&next);
	devices_free(&next);
	devices_free(&record);
	return ret;
}

/**
 * missing_forget() - take a missing GPU out of the record
 * @bdf: the address that it had
 *
 * Return: 0 or a negative errno; -ENODEV if no GPU of that address is missing, -EBUSY if the GPU is
 * there.
 */
int missing_forget(const char *bdf)
{
	struct devices here = { 0 }, record = { 0 };
	size_t kept = 0, i;
	int ret;

	if (sysfs_gpus(&here))
		return -EIO;
	inventory_identify(&here);
	read_record(&record);
	for (i = 0; i < record.count; i++)
		if (strcmp(record.list[i].bdf, bdf) || !is_gone(&record.list[i], &record, &here))
			record.list[kept++] = record.list[i];
	ret = devices_find_gpu(&here, bdf) ? -EBUSY : -ENODEV;
	if (kept < record.count) {
		record.count = kept;
		ret = write_record(&record);
	}
	devices_free(&record);
	devices_free(&here);
	return ret;
}
