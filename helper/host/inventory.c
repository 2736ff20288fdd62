// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf.h"
#include "host.h"
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

/* Drop pending policies of GPUs that have left this host: their wanted policy is unknown. */
static void drop_strangers(struct devices *devices)
{
	size_t kept = 0, i;

	for (i = 0; i < devices->count; i++)
		if (!devices->list[i].pending || *devices->list[i].family)
			devices->list[kept++] = devices->list[i];
	devices->count = kept;
}

static int by_bdf(const void *a, const void *b)
{
	const struct device *one = a, *other = b;

	return strcmp(one->bdf, other->bdf) ?: one->unmanaged - other->unmanaged;
}

/**
 * inventory_add_gpus() - add the GPUs of this host that the driver does not have as pending
 * @devices: devices from nl_devices_get() and nl_policies_get(); sorted afterwards
 * @gpus: GPUs from sysfs_gpus()
 *
 * Return: 0, or -EAGAIN if a managed device has left this host.
 */
int inventory_add_gpus(struct devices *devices, const struct devices *gpus)
{
	size_t i;

	for (i = 0; i < gpus->count; i++) {
		const struct device *gpu = &gpus->list[i];
		/* The module may keep a policy for a GPU that it does not have. */
		struct device *dev = devices_find_gpu(devices, gpu->bdf);

		if (!dev) {
			dev = devices_add(devices);
			memcpy(dev->bdf, gpu->bdf, sizeof(dev->bdf));
			dev->pending = true;
			conf_defaults(&dev->policy);
		}
		describe(dev, gpu);
		if (dev->pending)
			dev->state = gpu->state;
	}
	drop_strangers(devices);
	if (devices->count)
		qsort(devices->list, devices->count, sizeof(*devices->list), by_bdf);
	for (i = 0; i < devices->count; i++)
		if (!devices->list[i].unmanaged && !*devices->list[i].family)
			return -EAGAIN;
	return 0;
}

/*
 * The module reports the serial numbers of the GPUs that it has. Reading one from the config
 * space would have to wait for the end of a reset.
 */
static void identify(struct device *dev)
{
	if (dev->serial || dev->unmanaged)
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
 * inventory_managed() - list the GPUs that the module manages
 * @managed: empty list, which receives the GPUs; it stays empty if the module, or the record of
 *	its answers, cannot be read
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
 * inventory_identify() - add states and serial numbers of GPUs, from the module where possible
 * @gpus: GPUs from sysfs_gpus()
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
	/* A GPU of a capture without drivers may have had the module's. */
	for (i = 0; i < gpus->count && *opt_sysroot; i++)
		if (gpus->list[i].state == STATE_UNMANAGED && !*gpus->list[i].driver &&
		    !host_tells("driver", "/sys/bus/pci/drivers"))
			gpus->list[i].state = STATE_UNKNOWN;
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
 * inventory_get() - list managed devices, unmanaged endpoints with a policy, and pending GPUs
 * @nl: socket; NULL without the module, which makes all GPUs pending without a policy
 * @devices: empty list, which receives the devices
 *
 * The list may have one GPU twice: as a pending GPU and as an unmanaged endpoint.
 *
 * Return: 0 or a negative errno.
 */
int inventory_get(struct nl *nl, struct devices *devices)
{
	struct devices gpus = { 0 };
	int ret = nl ? nl_devices_get(nl, devices) : 0;

	if (!ret && nl)
		ret = nl_policies_get(nl, devices);
	/* sysfs_gpus() has printed the error. */
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
