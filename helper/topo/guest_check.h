/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether a guest's topology file is as the hardware is, and what it costs if not. */
#ifndef GUEST_CHECK_H
#define GUEST_CHECK_H

#include "guest_file.h"
#include "guest_flavor.h"
#include "guest_tree.h"

/**
 * struct guest_finding - something that is wrong with the file
 * @fails: it costs something; else it is only odd
 * @text: what, and what to do
 * @kind: the same of all that are alike
 * @more: how many there are that are alike and not named
 */
struct guest_finding {
	bool fails;
	char text[512];
	const char *kind;
	size_t more;
};

/**
 * struct guest_choice - the NICs that a GPU would use
 * @gpu: index in the map
 * @wanted: by the hardware: for each device of the map
 * @found: by the file: likewise
 * @same: they are the same
 */
struct guest_choice {
	size_t gpu;
	bool *wanted;
	bool *found;
	bool same;
};

/**
 * struct guest_check - all of it
 * @map: devices of the guest
 * @finding: what is wrong
 * @findings: how many
 * @choice: of each GPU
 * @choices: how many
 * @fails: one of the findings does
 */
struct guest_check {
	const struct guest_map *map;
	struct guest_finding *finding;
	size_t findings;
	struct guest_choice *choice;
	size_t choices;
	bool fails;
};

void guest_check(struct guest_check *check, const struct topo *topo, const struct guest_map *map,
		 const struct guest_tree *tree, const struct guest_file *file,
		 enum guest_flavor flavor);
void guest_check_free(struct guest_check *check);

#endif /* GUEST_CHECK_H */
