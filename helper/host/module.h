/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel module: there, loaded when needed, of the right version. */
#ifndef MODULE_H
#define MODULE_H

#include "nl.h"

enum module_when {
	MODULE_IF_LOADED,	/* a missing module is no error */
	MODULE_LOAD,		/* load it if it is missing */
};

bool module_is_told_of(void);
int module_load(const char *name);
struct nl *module_open(enum module_when when, int *exit_code);

#endif /* MODULE_H */
