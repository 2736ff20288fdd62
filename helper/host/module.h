/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel module: loading it, connecting to it, and checking its version. */
#ifndef MODULE_H
#define MODULE_H

#include "nl.h"

/*
 * Commands that replace the loaded module with the installed one. A drop-in that is loaded holds the
 * module. "modprobe -r vfio-pci" goes by the file that is installed: it would unload the module with the
 * kernel's vfio-pci, and does nothing where the file is gone or the name is built in.
 */
#define MODULE_TAKES_OVER(dropin, again)					\
	"instinctctl unbind --all && rmmod " dropin DRIVER_NAME again		\
	" && systemctl reload-or-restart instinct-vfio-apply && instinctctl bind --all"

/* The same for the kernel's vfio-pci in the place of an installed drop-in. */
#define MODULE_DROPIN_TAKES_OVER	"rmmod vfio_pci && modprobe vfio-pci"

enum module_when {
	MODULE_IF_LOADED,	/* a module that is not loaded is no error */
	MODULE_LOAD,		/* load a module that is not loaded */
};

/**
 * struct module_version - version of an installed module
 * @text: version
 */
struct module_version {
	char text[32];
};

bool module_is_told_of(void);
int module_load(const char *name);
int module_installed(const char *name, struct module_version *version);
struct nl *module_open(enum module_when when, int *exit_code);

#endif /* MODULE_H */
