// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "out.h"
#include "out_guest.h"
#include "say.h"

static json_t *nics_json(const struct guest_map *map, const bool *used)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < map->count; i++)
		if (used[i])
			json_array_append_new(list, json_string(map->list[i].guest));
	return list;
}

static json_t *check_json(const struct guest_check *check)
{
	json_t *findings = json_array(), *choices = json_array();
	size_t i;

	for (i = 0; i < check->findings; i++)
		json_array_append_new(findings, json_pack("{s:s, s:s, s:I}",
			"verdict", check->finding[i].fails ? "fail" : "warn",
			"text", check->finding[i].text,
			"more", (json_int_t)check->finding[i].more));
	for (i = 0; i < check->choices; i++) {
		const struct guest_choice *choice = &check->choice[i];
		const struct guest_device *gpu = &check->map->list[choice->gpu];

		json_array_append_new(choices, json_pack("{s:s, s:s, s:o, s:o, s:o}",
			"gpu", gpu->guest, "host", gpu->host, "right", choice->unknown ?
			json_null() : json_boolean(choice->right),
			"nics_by_hardware", nics_json(check->map, choice->wanted),
			"nics_by_file", nics_json(check->map, choice->found)));
	}
	return json_pack("{s:i, s:b, s:o, s:o}", "version", 1, "right", !check->fails,
			 "gpus", choices, "findings", findings);
}

static void print_finding(const struct guest_finding *finding)
{
	const char *color = finding->fails ? "\033[31m" : "\033[33m";

	printf("%s%s%s %s", opt_color ? color : "", finding->fails ? "FAIL" : "WARN",
	       opt_color ? "\033[0m" : "", finding->text);
	if (finding->more)
		printf(" (and %zu more)", finding->more);
	putchar('\n');
}

/**
 * out_guest_check() - print the faults of a topology file
 * @check: result of the check
 * @name: name of the file
 */
void out_guest_check(const struct guest_check *check, const char *name)
{
	size_t right = 0, unknown = 0, i;

	if (opt_json) {
		out_json(check_json(check), JSON_INDENT(2));
		return;
	}
	for (i = 0; i < check->findings; i++)
		print_finding(&check->finding[i]);
	for (i = 0; i < check->choices; i++) {
		right += check->choice[i].right && !check->choice[i].unknown;
		unknown += check->choice[i].unknown;
	}
	if (check->fails)
		printf("%s does not match the hardware: %zu of %zu GPU%s would use the right NIC\n",
		       name, right, check->choices, plural(check->choices));
	else if (unknown)
		printf("%s has no fault, and the library itself finds the NIC of %zu GPU%s\n", name,
		       unknown, plural(unknown));
	else
		printf("%s matches the hardware: each of %zu GPU%s would use the NIC nearest to it\n",
		       name, check->choices, plural(check->choices));
}
