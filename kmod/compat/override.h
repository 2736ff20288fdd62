/* SPDX-License-Identifier: GPL-2.0-only */
/* The driver override of a PCI function, which has moved from struct pci_dev to struct device. */
#ifndef _INSTINCT_COMPAT_OVERRIDE_H
#define _INSTINCT_COMPAT_OVERRIDE_H

#include <linux/pci.h>

static inline int instinct_compat_set_override(struct pci_dev *pdev,
					       const char *driver)
{
#ifdef INSTINCT_HAVE_DEVICE_OVERRIDE
	return device_set_driver_override(&pdev->dev, driver);
#else
	return driver_set_override(&pdev->dev, &pdev->driver_override, driver,
				   strlen(driver));
#endif
}

#endif /* _INSTINCT_COMPAT_OVERRIDE_H */
