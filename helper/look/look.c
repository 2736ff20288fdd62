// SPDX-License-Identifier: GPL-2.0-or-later
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aside.h"
#include "bdf.h"
#include "inventory.h"
#include "look.h"
#include "say.h"
#include "sysfs.h"
#include "sysroot.h"
#include "user.h"

/**
 * struct work - a look at one GPU, by a process that may be left behind
 * @look: census
 * @gpu: the GPU
 */
struct work {
	struct look look;
	struct look_gpu gpu;
};

static void look_at(void *data)
{
	struct work *work = data;

	look_sysfs(&work->gpu);
	look_registers(&work->look, &work->gpu);
}

/* Without the module only the processes of this host tell whether a user has the GPU open. */
static void find_user(struct look_gpu *gpu)
{
	struct users users = { 0 };
	struct user_search search = {
		.bdf = gpu->dev.bdf, .open = gpu->managed ? (int)gpu->dev.open : OPEN_UNKNOWN,
		.users = &users,
	};

	if (*opt_sysroot || !strstr(gpu->dev.driver, "vfio"))
		return;
	user_list(&search, 1);
	gpu->used = search.use != USE_NONE;
	users_free(&users);
}

static void look_at_gpu(struct look *look, struct look_gpu *gpu)
{
	static struct work work;

	find_user(gpu);
	work = (struct work) { .look = *look, .gpu = *gpu };
	if (aside_call(gpu->dev.bdf, look_at, &work, sizeof(work))) {
		*gpu = work.gpu;
		return;
	}
	gpu->late = true;
	gpu->oam = -1;
	gpu->regs.why = "the GPU or its driver did not answer within a second (is it in reset?)";
}

/* A VF has no registers of its own, and is no member of a hive. */
static unsigned int count_family(const struct devices *gpus, const char *family)
{
	unsigned int count = 0;
	size_t i;

	for (i = 0; i < gpus->count; i++)
		count += !strcmp(gpus->list[i].family, family) && !sysfs_exists(gpus->list[i].bdf, "physfn");
	return count;
}

/* Take over what the module knows, but keep the facts of sysfs. */
static void add_gpu(struct look *look, const struct device *dev, const struct devices *gpus,
		    const struct devices *managed)
{
	struct look_gpu *gpu = list_add((void **)&look->gpu, &look->count, sizeof(*gpu));
	const struct device *known = devices_find(managed, dev->bdf);
	const struct instinct_profile *profile = instinct_profile_find(dev->vendor, dev->device);

	*gpu = (struct look_gpu) { .dev = known ? *known : *dev, .managed = known, .oam = -1 };
	gpu->family = profile ? profile->family : NULL;
	gpu->relatives = count_family(gpus, dev->family);
	gpu->dev.users = (struct users) { 0 };
	gpu->dev.vendor = dev->vendor;
	gpu->dev.device = dev->device;
	gpu->dev.numa_node = dev->numa_node;
	gpu->dev.iommu_group = dev->iommu_group;
	memcpy(gpu->dev.model, dev->model, sizeof(gpu->dev.model));
	memcpy(gpu->dev.family, dev->family, sizeof(gpu->dev.family));
	memcpy(gpu->dev.driver, dev->driver, sizeof(gpu->dev.driver));
}

/* An operator may name a device that the module does not know: the census says so. */
static int add_named(struct look *look, const char *bdf, const struct devices *gpus,
		     const struct devices *managed)
{
	const struct device *found = devices_find(gpus, bdf);
	struct device other = { .state = STATE_UNMANAGED, .numa_node = -1, .iommu_group = GROUP_NONE };
	long long vendor, device;

	if (found) {
		add_gpu(look, found, gpus, managed);
		return EXIT_OK;
	}
	if (!sysfs_read_number(bdf, "vendor", &vendor) || !sysfs_read_number(bdf, "device", &device)) {
		say_error(ERROR_NO_DEVICE, "%s: no such PCI function", bdf);
		return EXIT_ERROR;
	}
	snprintf(other.bdf, sizeof(other.bdf), "%s", bdf);
	other.vendor = vendor;
	other.device = device;
	sysfs_fill(&other);
	add_gpu(look, &other, gpus, managed);
	return EXIT_OK;
}

static void read_lockdown(struct look *look)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/sys/kernel/security/lockdown", opt_sysroot);
	sysfs_line(path, look->lockdown, sizeof(look->lockdown));
}

/* A placeholder below a port of a package stands in for the GPU itself. */
static bool is_misplaced(const char *bdf)
{
	char path[PATH_MAX], real[PATH_MAX], port[BDF_BYTES], *part, *rest;
	long long vendor, device;

	sysfs_device_path(bdf, "", path, sizeof(path));
	if (!sysroot_realpath(path, real))
		return false;
	for (part = strtok_r(real, "/", &rest); part; part = strtok_r(NULL, "/", &rest))
		if (bdf_parse(part, port) && strcmp(port, bdf) &&
		    sysfs_read_number(port, "vendor", &vendor) &&
		    sysfs_read_number(port, "device", &device) &&
		    instinct_profile_port(vendor, device, -1))
			return true;
	return false;
}

/* The files of sysfs have the IDs of the last scan, and reading them touches no function. */
static int find_placeholders(struct look *look)
{
	struct dirent **entries;
	int count = sysfs_list(&entries), i;
	long long vendor, device;

	for (i = 0; i < count; i++) {
		const char *bdf = entries[i]->d_name;

		if (sysfs_read_number(bdf, "vendor", &vendor) && vendor == INSTINCT_PLACEHOLDER_VENDOR &&
		    sysfs_read_number(bdf, "device", &device) && device == INSTINCT_PLACEHOLDER_DEVICE) {
			if (look->placeholders < LOOK_NAMED)
				snprintf(look->placeholder[look->placeholders], BDF_BYTES, "%.*s",
					 BDF_BYTES - 1, bdf);
			look->placeholders++;
			look->misplaced |= is_misplaced(bdf);
		}
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	return count < 0 ? exit_code_of(-count) : EXIT_OK;
}

/* Two GPUs with the same number of a socket cannot both be right. */
static void compare_numbers(struct look *look)
{
	size_t i, k;

	for (i = 0; i < look->count; i++)
		for (k = 0; k < look->count; k++)
			look->gpu[i].oam_twice |= i != k && look->gpu[i].oam >= 0 &&
						  look->gpu[i].oam == look->gpu[k].oam;
}

/**
 * look_run() - look at GPUs and at the host, without a write
 * @look: options of the census; receives the facts. The caller must call look_free() in any case
 * @bdfs: addresses of functions
 * @count: number of these; 0 for all GPUs that the module supports
 *
 * Return: 0, or an exit code after printing the error.
 */
int look_run(struct look *look, const char *const *bdfs, size_t count)
{
	struct devices gpus = { 0 }, managed = { 0 };
	int code = sysfs_gpus(&gpus);
	size_t i;

	inventory_managed(&managed);
	for (i = 0; !code && !count && i < gpus.count; i++)
		if (!sysfs_exists(gpus.list[i].bdf, "physfn"))
			add_gpu(look, &gpus.list[i], &gpus, &managed);
	for (i = 0; !code && i < count; i++)
		code = add_named(look, bdfs[i], &gpus, &managed);
	if (!code)
		code = find_placeholders(look);
	for (i = 0; !code && i < look->count; i++)
		look_at_gpu(look, &look->gpu[i]);
	for (i = 0; i < look->count; i++)
		look_number(&look->gpu[i]);
	compare_numbers(look);
	read_lockdown(look);
	devices_free(&managed);
	devices_free(&gpus);
	return code;
}

/**
 * look_free() - free the facts of a census
 * @look: census
 */
void look_free(struct look *look)
{
	free(look->gpu);
	look->gpu = NULL;
	look->count = 0;
}
