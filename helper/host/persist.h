/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Binds that outlast a reboot: in driverctl's store where it is installed, else by a udev rule. */
#ifndef PERSIST_H
#define PERSIST_H

#include "model.h"

#define PERSIST_RULES	"/etc/udev/rules.d/61-instinct-vfio-bind.rules"
#define PERSIST_STORE	"/etc/driverctl.d"

enum persist persist_of(const char *bdf);
int persist_begin(const char *bdf, const char *driver, enum persist *persist);
int persist_end(const char *bdf, enum persist *persist);
char *persist_rules_without(const char *rules, const char *bdf);
void persist_rule(const char *bdf, long long vendor, long long device, const char *driver, char *rule,
		  size_t size);

#endif /* PERSIST_H */
