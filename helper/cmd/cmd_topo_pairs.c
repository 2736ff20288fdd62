// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>

#include "args.h"
#include "cmd.h"
#include "out.h"
#include "out_pairs.h"
#include "say.h"

static int check_is_gpu(const struct topo *topo, const char *bdf)
{
	int index = host_find(&topo->host, bdf);

	if (index >= 0 && topo->kind[index] == TOPO_GPU)
		return EXIT_OK;
	say_error(ERROR_NO_DEVICE, index < 0 ? "no PCI device %s" : "%s is no GPU", bdf);
	return EXIT_ERROR;
}

static int check_are_gpus(const struct topo *topo, const struct targets *targets)
{
	int code = EXIT_OK;
	size_t i;

	for (i = 0; i < targets->count && !code; i++)
		code = check_is_gpu(topo, targets->bdf[i]);
	return code;
}

/* A GPU's VFs have the same place, so they are printed only if named. */
static bool is_wanted(const struct topo *topo, const struct targets *targets, int index)
{
	size_t i;

	if (topo->kind[index] != TOPO_GPU)
		return false;
	for (i = 0; i < targets->count; i++)
		if (host_find(&topo->host, targets->bdf[i]) == index)
			return true;
	return !targets->count && topo->physfn[index] < 0;
}

static void print_matrix(const struct topo *topo, const struct targets *targets, bool all)
{
	bool *gpu = array_new(topo->host.count, sizeof(*gpu));
	int i;

	for (i = 0; i < topo->host.count; i++)
		gpu[i] = is_wanted(topo, targets, i);
	out_pairs_matrix(topo, gpu, all);
	free(gpu);
}

static void print(const struct topo *topo, const struct targets *targets, bool all)
{
	json_t *list = json_array();
	struct pairs pairs;
	int i, count = 0;

	for (i = 0; i < topo->host.count; i++) {
		if (!is_wanted(topo, targets, i))
			continue;
		pairs_make(&pairs, topo, i, all);
		if (opt_json)
			json_array_append_new(list, out_pairs_json(topo, &pairs));
		else
			out_pairs_text(topo, &pairs);
		pairs_free(&pairs);
		count++;
	}
	if (opt_json)
		out_json(json_pack("{s:i, s:O}", "version", 1, "gpus", list), JSON_INDENT(2));
	else if (!count)
		puts("no GPU on this host");
	json_decref(list);
}

/**
 * cmd_topo_pairs() - run instinctctl topo pairs
 * @argc: number of words, with the name of the command
 * @argv: the words
 *
 * Return: exit code.
 */
int cmd_topo_pairs(int argc, char *argv[])
{
	struct targets targets = { 0 };
	struct topo topo;
	bool all = false, matrix = false;
	int option, code;

	while ((option = args_option(argc, argv)) != ARGS_END) {
		if (option == ARGS_WRONG)
			return EXIT_USAGE;
		all |= option == 'a';
		matrix |= option == 'm';
	}
	if (matrix && opt_json)
		return cmd_usage("takes one of --matrix and --json");
	if (optind < argc && targets_parse(&targets, argc - optind, argv + optind, false))
		return EXIT_USAGE;
	code = topo_read(&topo) ?: check_are_gpus(&topo, &targets);
	if (!code && matrix)
		print_matrix(&topo, &targets, all);
	else if (!code)
		print(&topo, &targets, all);
	topo_free(&topo);
	targets_free(&targets);
	return code;
}
