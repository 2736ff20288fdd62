/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A request for each device of the command line. */
#ifndef EACH_H
#define EACH_H

#include "args.h"
#include "module.h"

int each_target(const struct targets *targets, int (*one)(const char *bdf, void *data),
		void *data);
int each_managed(int argc, char *argv[], bool all, enum module_when when, int method,
		 int (*one)(struct nl *nl, const char *bdf, int method));

#endif /* EACH_H */
