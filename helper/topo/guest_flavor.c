// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest_flavor.h"

/* Each library refuses a file of another version (src/graph/xml.cc, NCCL_TOPO_XML_VERSION). */
#define VERSION_RCCL	2
#define VERSION_NCCL	1

static const char *const flavors[GUEST_FLAVORS] = {
	[GUEST_FLAVOR_RCCL] = "rccl",
	[GUEST_FLAVOR_NCCL] = "nccl",
};

const struct names guest_flavor_names = { flavors, GUEST_FLAVORS };

/**
 * guest_flavor_version() - get the file version that a library requires
 * @flavor: the library
 *
 * Return: the version.
 */
unsigned int guest_flavor_version(enum guest_flavor flavor)
{
	return flavor == GUEST_FLAVOR_RCCL ? VERSION_RCCL : VERSION_NCCL;
}

/**
 * guest_flavor_of_version() - get the library that a file is for
 * @version: the file's version
 *
 * Return: the library, or GUEST_FLAVOR_UNKNOWN.
 */
enum guest_flavor guest_flavor_of_version(unsigned int version)
{
	if (version == VERSION_RCCL)
		return GUEST_FLAVOR_RCCL;
	return version == VERSION_NCCL ? GUEST_FLAVOR_NCCL : GUEST_FLAVOR_UNKNOWN;
}

/**
 * guest_flavor_parse() - get a library by its name
 * @text: "rccl" or "nccl"
 * @flavor: set; GUEST_FLAVOR_UNKNOWN if @text names no library
 *
 * Return: false if @text names no library.
 */
bool guest_flavor_parse(const char *text, enum guest_flavor *flavor)
{
	int found = name_find(&guest_flavor_names, text);

	*flavor = found < 0 ? GUEST_FLAVOR_UNKNOWN : (enum guest_flavor)found;
	return found >= 0;
}
