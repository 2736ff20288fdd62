// SPDX-License-Identifier: GPL-2.0-only
/* Temperatures of a GPU; with hwmon=1 it has a hwmon device like amdgpu's. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/hwmon.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/timekeeping.h>

#include "model.h"

/* amdgpu hides temp1, the edge of the die, on parts of this family
 * (hwmon_attributes_visible() in amdgpu_pm.c, GC 9.4.3 and 9.5.0).
 */
enum { TEMP_EDGE, TEMP_JUNCTION, TEMP_MEM };

static bool hwmon;
module_param(hwmon, bool, 0444);
MODULE_PARM_DESC(hwmon, "1: each GPU has a hwmon device like amdgpu's");

/**
 * im_heat_ramp() - begin the ramp that the setting hotspot_ramp requests
 * @g: the GPU
 * @old: its settings before
 *
 * The function moves the ramp's target to the hotspot setting at once and sets
 * hotspot_ramp to 0. A shell that prints several lines writes ramp_ms separately, so
 * ramp_ms also applies to a ramp under way.
 *
 * Context: any, with the tree's lock held once the GPU is visible.
 */
void im_heat_ramp(struct im_gpu *g, const u32 *old)
{
	u64 now = ktime_get_boottime_ns();
	struct im_heat *heat = &g->heat;

	if (g->set[IM_HOTSPOT] != old[IM_HOTSPOT])
		heat->ramp_end = now;
	else if (g->set[IM_RAMP_MS] != old[IM_RAMP_MS] && now < heat->ramp_end)
		heat->ramp_end = heat->ramp_begin + g->set[IM_RAMP_MS] * NSEC_PER_MSEC;
	if (!g->set[IM_HOTSPOT_RAMP])
		return;
	heat->ramp_from = im_heat_hotspot(g, now);
	heat->ramp_begin = now;
	heat->ramp_end = now + g->set[IM_RAMP_MS] * NSEC_PER_MSEC;
	g->set[IM_HOTSPOT] = g->set[IM_HOTSPOT_RAMP];
	g->set[IM_HOTSPOT_RAMP] = 0;
}

/**
 * im_heat_hotspot() - temperature of the hottest spot, without jitter
 * @g: the GPU
 * @now: boot time, ns
 *
 * Context: any, with the tree's lock held.
 * Return: millidegrees Celsius.
 */
s32 im_heat_hotspot(const struct im_gpu *g, u64 now)
{
	const struct im_heat *heat = &g->heat;
	s64 rise = (s64)g->set[IM_HOTSPOT] - heat->ramp_from;

	if (now >= heat->ramp_end)
		return g->set[IM_HOTSPOT];
	return heat->ramp_from + div64_s64(rise * (s64)(now - heat->ramp_begin),
					   heat->ramp_end - heat->ramp_begin);
}

/* A linear congruential generator is random enough, and takes no lock. */
static s32 jitter(struct im_gpu *g)
{
	u32 most = g->set[IM_HOTSPOT_JITTER];

	g->heat.noise = g->heat.noise * 1664525 + 1013904223;
	return (s32)((g->heat.noise >> 12) % (2 * most + 1)) - (s32)most;
}

static umode_t temp_visible(const void *data, enum hwmon_sensor_types type, u32 attr,
			    int channel)
{
	return channel == TEMP_EDGE ? 0 : 0444;
}

/* A GPU in reset has no temperature. */
static int temp_read(struct device *dev, enum hwmon_sensor_types type, u32 attr, int channel,
		     long *value)
{
	struct im_gpu *g = dev_get_drvdata(dev);
	struct im_tree *tree = g->func->tree;
	unsigned long flags;
	int err = 0;

	raw_spin_lock_irqsave(&tree->lock, flags);
	if (g->blocked)
		err = -ENODATA;
	else if (channel == TEMP_JUNCTION)
		*value = im_heat_hotspot(g, ktime_get_boottime_ns()) + jitter(g);
	else
		*value = g->set[IM_MEMORY];
	raw_spin_unlock_irqrestore(&tree->lock, flags);
	return err;
}

static int temp_name(struct device *dev, enum hwmon_sensor_types type, u32 attr, int channel,
		     const char **name)
{
	*name = channel == TEMP_JUNCTION ? "junction" : "mem";
	return 0;
}

static const struct hwmon_ops ops = {
	.is_visible = temp_visible,
	.read = temp_read,
	.read_string = temp_name,
};

static const struct hwmon_channel_info *channels[] = {
	HWMON_CHANNEL_INFO(temp, HWMON_T_INPUT | HWMON_T_LABEL, HWMON_T_INPUT | HWMON_T_LABEL,
			   HWMON_T_INPUT | HWMON_T_LABEL),
	NULL
};

static const struct hwmon_chip_info chip = {
	.ops = &ops,
	.info = channels,
};

/* Enumeration may have renumbered the GPU; its root port identifies it, one GPU to each. */
static struct im_gpu *gpu_of(struct pci_dev *pdev)
{
	struct pci_dev *root = pcie_find_root_port(pdev);
	struct im_gpu *g;

	if (pdev->class != IM_GPU_CLASS || pdev->is_virtfn || !root)
		return NULL;
	list_for_each_entry(g, &im_gpus, node)
		if (g->func->tree->root_bus == root->bus &&
		    g->func->tree->root->devfn == root->devfn)
			return g;
	return NULL;
}

static int device_changed(struct notifier_block *block, unsigned long action, void *data)
{
	struct im_gpu *g = gpu_of(to_pci_dev(data));
	struct device *dev;

	if (!g)
		return NOTIFY_DONE;
	if (action == BUS_NOTIFY_ADD_DEVICE) {
		dev = hwmon_device_register_with_info(data, "amdgpu", g, &chip, NULL);
		if (IS_ERR(dev))
			pr_warn("%s: no hwmon device: %pe\n", dev_name(data), dev);
		else
			g->heat.hwmon = dev;
	} else if (action == BUS_NOTIFY_DEL_DEVICE && g->heat.hwmon) {
		hwmon_device_unregister(g->heat.hwmon);
		g->heat.hwmon = NULL;
	}
	return NOTIFY_OK;
}

static struct notifier_block watcher = { .notifier_call = device_changed };

/**
 * im_heat_start() - register and unregister a hwmon device with each GPU
 *
 * Context: process, before the GPUs exist.
 * Return: 0 or a negative error number.
 */
int im_heat_start(void)
{
	return hwmon ? bus_register_notifier(&pci_bus_type, &watcher) : 0;
}

/**
 * im_heat_stop() - stop registering hwmon devices
 *
 * Context: process, when the GPUs are gone.
 */
void im_heat_stop(void)
{
	if (hwmon)
		bus_unregister_notifier(&pci_bus_type, &watcher);
}
