/* SPDX-License-Identifier: GPL-2.0-only */
/* Kernels without runtime PM (CONFIG_PM) count no users of a device. */
#ifndef _INSTINCT_COMPAT_RUNTIME_PM_H
#define _INSTINCT_COMPAT_RUNTIME_PM_H

#include <linux/device.h>

static inline int instinct_compat_pm_usage(const struct device *dev)
{
#ifdef CONFIG_PM
	return atomic_read(&dev->power.usage_count);
#else
	return 0;
#endif
}

#endif /* _INSTINCT_COMPAT_RUNTIME_PM_H */
