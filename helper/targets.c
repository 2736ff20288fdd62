// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "say.h"
#include "sysfs.h"

static void add(struct targets *targets, const char *bdf)
{
	targets->bdf = realloc(targets->bdf, (targets->count + 1) * BDF_BYTES);
	if (!targets->bdf) {
		perror("instinctctl");
		exit(EXIT_ERROR);
	}
	snprintf(targets->bdf[targets->count++], BDF_BYTES, "%s", bdf);
}

/**
 * targets_parse() - the devices that a command was given
 * @targets: set
 * @argc: how many words
 * @argv: PCI addresses
 * @all: --all was given
 * @every: what --all means
 *
 * Return: 0, or an exit code, and then it has said why.
 */
int targets_parse(struct targets *targets, int argc, char *argv[], bool all,
		  const struct devices *every)
{
	char bdf[BDF_BYTES];
	size_t i;
	int arg;

	*targets = (struct targets) { 0 };
	if (all && argc)
		return cmd_usage("--all and \"%s\" do not go together", argv[0]);
	if (!all && !argc)
		return cmd_usage("no device: give BDFs, such as 0000:c1:00.0, or --all");
	for (arg = 0; arg < argc; arg++) {
		if (!bdf_parse(argv[arg], bdf, sizeof(bdf)))
			return cmd_usage("\"%s\" is not a PCI address, such as 0000:c1:00.0",
					 argv[arg]);
		for (i = 0; i < targets->count; i++)
			if (!strcmp(targets->bdf[i], bdf))
				break;
		if (i == targets->count)
			add(targets, bdf);
	}
	for (i = 0; all && i < every->count; i++)
		add(targets, every->list[i].bdf);
	return 0;
}

/**
 * targets_free() - let go of them
 * @targets: set or zeroed
 */
void targets_free(struct targets *targets)
{
	free(targets->bdf);
	*targets = (struct targets) { 0 };
}
