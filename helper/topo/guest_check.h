/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compares a guest's topology file with the hardware, and reports the cost of differences. */
#ifndef GUEST_CHECK_H
#define GUEST_CHECK_H

#include "guest_file.h"
#include "guest_flavor.h"
#include "guest_tree.h"

/**
 * struct guest_finding - a fault of the file
 * @fails: the fault costs bandwidth or breaks the libraries; else it is only a peculiarity
 * @text: the fault and its remedy
 * @kind: identity of the fault, the same for all findings that are alike
 * @more: number of further findings of the same kind, which are not listed
 */
struct guest_finding {
	bool fails;
	char text[512];
	const char *kind;
	size_t more;
};

/**
 * struct guest_choice - the NICs that a GPU would use
 * @gpu: the GPU's index in the map
 * @wanted: for each device of the map, whether the GPU should use it by the hardware
 * @found: for each device of the map, whether the GPU uses it by the file
 * @unknown: the file leaves the GPU to the library's own detection, so @found means nothing
 * @right: each NIC in @found is as near and as fast by the hardware as one in @wanted
 */
struct guest_choice {
	size_t gpu;
	bool *wanted;
	bool *found;
	bool unknown;
	bool right;
};

/**
 * struct guest_check - the result of a check
 * @map: devices of the guest
 * @is_guest: the host is the guest itself, so what the libraries find in sysfs is known
 * @finding: faults of the file
 * @findings: number of entries in @finding
 * @choice: the NICs of each GPU
 * @choices: number of entries in @choice
 * @fails: at least one finding fails
 */
struct guest_check {
	const struct guest_map *map;
	bool is_guest;
	struct guest_finding *finding;
	size_t findings;
	struct guest_choice *choice;
	size_t choices;
	bool fails;
};

void guest_check(struct guest_check *check, const struct topo *topo, const struct guest_map *map,
		 const struct guest_tree *tree, struct guest_file *file, enum guest_flavor flavor);
void guest_check_free(struct guest_check *check);

#endif /* GUEST_CHECK_H */
