/* SPDX-License-Identifier: GPL-2.0-only */
/* pm_runtime_get_if_active() asked whether usage counts matter, before 6.9. */
#ifndef _INSTINCT_COMPAT_PM_RUNTIME_H
#define _INSTINCT_COMPAT_PM_RUNTIME_H

#include <linux/pm_runtime.h>

static inline int instinct_compat_get_if_active(struct device *dev)
{
#ifdef INSTINCT_HAVE_GET_IF_ACTIVE
	return pm_runtime_get_if_active(dev);
#else
	return pm_runtime_get_if_active(dev, true);
#endif
}

#endif /* _INSTINCT_COMPAT_PM_RUNTIME_H */
