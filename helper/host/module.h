/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel module: there, loaded when needed, of the right version. */
#ifndef MODULE_H
#define MODULE_H

#include "nl.h"

/* How the module that is installed takes the place of the one that is loaded. */
#define MODULE_TAKES_OVER							\
	"instinctctl unbind --all && modprobe -r " DRIVER_NAME			\
	" && systemctl reload-or-restart instinct-vfio-apply && instinctctl bind --all"

enum module_when {
	MODULE_IF_LOADED,	/* a missing module is no error */
	MODULE_LOAD,		/* load it if it is missing */
};

/**
 * struct module_version - of a module that is installed
 * @text: it
 */
struct module_version {
	char text[32];
};

bool module_is_told_of(void);
int module_load(const char *name);
int module_installed(const char *name, struct module_version *version);
struct nl *module_open(enum module_when when, int *exit_code);

#endif /* MODULE_H */
