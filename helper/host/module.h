/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel module: loading it, connecting to it, and checking its version. */
#ifndef MODULE_H
#define MODULE_H

#include "nl.h"

/* Commands that replace the loaded module with the installed one. */
#define MODULE_TAKES_OVER							\
	"instinctctl unbind --all && modprobe -r " DRIVER_NAME			\
	" && systemctl reload-or-restart instinct-vfio-apply && instinctctl bind --all"

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
