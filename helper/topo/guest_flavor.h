/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The libraries that read a topology file, and the versions of their files. */
#ifndef GUEST_FLAVOR_H
#define GUEST_FLAVOR_H

#include <stdbool.h>

#include "model.h"

enum guest_flavor {
	GUEST_FLAVOR_RCCL,
	GUEST_FLAVOR_NCCL,
	GUEST_FLAVORS,
};

#define GUEST_FLAVOR_UNKNOWN	GUEST_FLAVORS

extern const struct names guest_flavor_names;

unsigned int guest_flavor_version(enum guest_flavor flavor);
enum guest_flavor guest_flavor_of_version(unsigned int version);
bool guest_flavor_parse(const char *text, enum guest_flavor *flavor);

#endif /* GUEST_FLAVOR_H */
