// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf.h"
#include "inventory.h"
#include "nl_policy.h"
#include "say.h"
#include "sysfs.h"

static void describe(struct device *dev, const struct device *gpu)
{
	if (!*dev->family) {
		dev->vendor = gpu->vendor;
		dev->device = gpu->device;
		dev->numa_node = gpu->numa_node;
		memcpy(dev->model, gpu->model, sizeof(dev->model));
		memcpy(dev->family, gpu->family, sizeof(dev->family));
	}
	memcpy(dev->driver, gpu->driver, sizeof(dev->driver));
	dev->iommu_group = gpu->iommu_group;
}

/* It waits for the driver, with a policy that the module keeps or without. */
static void add_waiting(struct devices *devices, const struct device *gpu)
{
	struct device *dev = devices_find_as(devices, gpu->bdf, false, true);

	if (!dev) {
		dev = devices_add(devices);
		memcpy(dev->bdf, gpu->bdf, sizeof(dev->bdf));
		dev->waiting = true;
		conf_defaults(&dev->policy);
	}
	describe(dev, gpu);
	dev->state = gpu->state;
}

/* Kept for a GPU that is not in this host any more: nobody can say what it should be. */
static void drop_strangers(struct devices *devices)
{
	size_t kept = 0, i;

	for (i = 0; i < devices->count; i++)
		if (!devices->list[i].waiting || *devices->list[i].family)
			devices->list[kept++] = devices->list[i];
	devices->count = kept;
}

static int by_bdf(const void *a, const void *b)
{
	const struct device *one = a, *other = b;

	return strcmp(one->bdf, other->bdf) ?: one->plain - other->plain;
}

/**
 * inventory_add_gpus() - GPUs of this host that the driver does not have wait for it
 * @devices: by nl_devices_get() and nl_policies_get(); added to, and sorted
 * @gpus: by sysfs_gpus()
 *
 * Return: 0, or -EAGAIN if a managed device is not in this host any more.
 */
int inventory_add_gpus(struct devices *devices, const struct devices *gpus)
{
	size_t i;

	for (i = 0; i < gpus->count; i++) {
		struct device *dev = devices_find_as(devices, gpus->list[i].bdf, false,
						     false);

		if (dev)
			describe(dev, &gpus->list[i]);
		else
			add_waiting(devices, &gpus->list[i]);
	}
	drop_strangers(devices);
	if (devices->count)
		qsort(devices->list, devices->count, sizeof(*devices->list), by_bdf);
	for (i = 0; i < devices->count; i++)
		if (!devices->list[i].plain && !*devices->list[i].family)
			return -EAGAIN;
	return 0;
}

/*
 * The module tells whom it has: read from its config space, that would take as long as
 * a reset that is under way.
 */
static void identify(struct device *dev)
{
	if (dev->serial || dev->plain)
		return;
	if (dev->state == INSTINCT_VFIO_STATE_RESETTING)
		dev->serial_unknown = true;
	else
		sysfs_identify(dev);
}

static void identify_all(struct devices *devices)
{
	size_t i;

	for (i = 0; i < devices->count; i++)
		identify(&devices->list[i]);
}

/**
 * inventory_managed() - what the module tells of its GPUs
 * @managed: empty, filled; without the module, or a captured host's answers, with none
 */
void inventory_managed(struct devices *managed)
{
	int error;
	struct nl *nl = nl_open(&error);

	if (!nl)
		return;
	if (nl_devices_get(nl, managed))
		devices_free(managed);
	nl_close(nl);
}

/**
 * inventory_identify() - the serial numbers of GPUs
 * @gpus: by sysfs_gpus()
 *
 * The module is asked if it is there.
 */
void inventory_identify(struct devices *gpus)
{
	struct devices managed = { 0 };
	size_t i;

	inventory_managed(&managed);
	for (i = 0; i < managed.count; i++) {
		struct device *gpu = devices_find(gpus, managed.list[i].bdf);

		if (gpu) {
			gpu->serial = managed.list[i].serial;
			gpu->state = managed.list[i].state;
		}
	}
	identify_all(gpus);
	devices_free(&managed);
}

static void drop_functions(struct devices *gpus)
{
	size_t kept = 0, i;

	for (i = 0; i < gpus->count; i++)
		if (!sysfs_exists(gpus->list[i].bdf, "physfn"))
			gpus->list[kept++] = gpus->list[i];
	gpus->count = kept;
}

/**
 * inventory_get() - managed devices, endpoints that policy speaks of and somebody else
 * drives, and GPUs that wait for the driver
 * @nl: socket; NULL without the module, under which all GPUs wait without a policy
 * @devices: empty, filled
 *
 * One GPU may be there twice: waiting, and as an endpoint that policy speaks of.
 *
 * Return: 0 or a negative errno.
 */
int inventory_get(struct nl *nl, struct devices *devices)
{
	struct devices gpus = { 0 };
	int ret = nl ? nl_devices_get(nl, devices) : 0;

	if (!ret && nl)
		ret = nl_policies_get(nl, devices);
	/* That one has said why. */
	if (!ret && sysfs_gpus(&gpus))
		ret = -EIO;
	if (!ret) {
		drop_functions(&gpus);
		ret = inventory_add_gpus(devices, &gpus);
		identify_all(devices);
	}
	devices_free(&gpus);
	return ret;
}
