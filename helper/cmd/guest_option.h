/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of the commands that take a description of a guest. */
#ifndef GUEST_OPTION_H
#define GUEST_OPTION_H

#include "guest_flavor.h"
#include "guest_map.h"

/**
 * struct guest_wish - the values of these options
 * @flavor: the library, GUEST_FLAVOR_UNKNOWN without --flavor
 * @files: files that describe the guest's devices
 */
struct guest_wish {
	enum guest_flavor flavor;
	struct guest_map_files files;
};

bool guest_cloud_version(char *version, size_t size);
int guest_option(struct guest_wish *wish, int option, const char *value);
int guest_option_rest(struct guest_map_files *files, int argc, char *argv[], int kept,
		      bool (*stop)(const char *word));
int guest_option_end(const struct guest_wish *wish, const char *last);

#endif /* GUEST_OPTION_H */
