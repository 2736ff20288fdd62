// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <unistd.h>

#include "args.h"
#include "bdf.h"
#include "cmd.h"
#include "look.h"
#include "oam.h"
#include "out.h"
#include "out_look.h"
#include "say.h"

static int publish(const struct look *look)
{
	bool otherwise;
	json_t *report = look_report(look, &otherwise);

	if (opt_json) {
		out_json(report, JSON_INDENT(2) | JSON_SORT_KEYS);
	} else {
		out_look_text(stdout, report);
		json_decref(report);
	}
	return otherwise ? EXIT_DRIFT : EXIT_OK;
}

/* The service assigns a BMC's sensors to GPUs by these numbers. It may not have seen amdgpu. */
static void remember_numbers(const struct look *look)
{
	struct oams oams = { 0 };
	size_t i;

	for (i = 0; i < look->count; i++) {
		const struct look_gpu *gpu = &look->gpu[i];

		if (gpu->oam >= 0 && gpu->oam < LOOK_NODES_MAX && !gpu->oam_twice)
			oam_add(&oams, gpu->dev.bdf, gpu->oam, OAM_BY_AMDGPU)->serial = gpu->dev.serial;
	}
	if (!geteuid())
		oam_record(&oams);
	oam_free(&oams);
}

/**
 * cmd_look() - run instinctctl qualify --look
 * @look: options of the census
 * @argc: number of addresses
 * @argv: addresses; none for all GPUs
 *
 * Return: exit code.
 */
int cmd_look(struct look *look, int argc, char *argv[])
{
	struct targets targets = { 0 };
	const char **bdfs;
	size_t i;
	int code = argc ? targets_parse(&targets, argc, argv, false) : EXIT_OK;

	if (code)
		return code;
	bdfs = array_new(targets.count, sizeof(*bdfs));
	for (i = 0; i < targets.count; i++)
		bdfs[i] = targets.bdf[i];
	code = look_run(look, bdfs, targets.count);
	if (!code && !look->count) {
		say_error(ERROR_NO_DEVICE, "this host has no GPU that instinct-vfio knows");
		code = EXIT_ERROR;
	}
	if (!code)
		remember_numbers(look);
	code = code ?: publish(look);
	look_free(look);
	free(bdfs);
	targets_free(&targets);
	return code;
}
