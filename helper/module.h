/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel module: there, loaded when needed, of the right version. */
#ifndef MODULE_H
#define MODULE_H

#include "nl.h"

struct nl *module_open(bool load, int *exit_code);
int module_load(void);

#endif /* MODULE_H */
