/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel parameter pci=config_acs= in the configuration of this host's boot loader. */
#ifndef BOOT_PARAMETER_H
#define BOOT_PARAMETER_H

#include <limits.h>

#define BOOT_ACS	"pci=config_acs="

/**
 * struct boot_change - the change of a boot loader's configuration
 * @path: file that has changed
 * @run: command that puts it in force, or ""
 */
struct boot_change {
	char path[PATH_MAX];
	char run[512];
};

int boot_parameter_write(const char *parameter, struct boot_change *change);

#endif /* BOOT_PARAMETER_H */
