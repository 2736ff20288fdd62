// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "guest_flavor.h"

/* Each refuses a file with another one (src/graph/xml.cc, NCCL_TOPO_XML_VERSION). */
#define VERSION_RCCL	2
#define VERSION_NCCL	1

const char *const guest_flavor_names[GUEST_FLAVORS] = {
	[GUEST_FLAVOR_RCCL] = "rccl",
	[GUEST_FLAVOR_NCCL] = "nccl",
};

/**
 * guest_flavor_version() - the version that a library wants a file to have
 * @flavor: the library
 *
 * Return: the version.
 */
unsigned int guest_flavor_version(enum guest_flavor flavor)
{
	return flavor == GUEST_FLAVOR_RCCL ? VERSION_RCCL : VERSION_NCCL;
}

/**
 * guest_flavor_of_version() - the library that a file is for
 * @version: the file's
 *
 * Return: it, or GUEST_FLAVOR_UNKNOWN.
 */
enum guest_flavor guest_flavor_of_version(unsigned int version)
{
	if (version == VERSION_RCCL)
		return GUEST_FLAVOR_RCCL;
	return version == VERSION_NCCL ? GUEST_FLAVOR_NCCL : GUEST_FLAVOR_UNKNOWN;
}

/**
 * guest_flavor_parse() - a library by its name
 * @text: "rccl" or "nccl"
 * @flavor: set
 *
 * Return: false if it is none.
 */
bool guest_flavor_parse(const char *text, enum guest_flavor *flavor)
{
	unsigned int i;

	for (i = 0; i < GUEST_FLAVORS; i++)
		if (!strcmp(text, guest_flavor_names[i])) {
			*flavor = i;
			return true;
		}
	return false;
}
