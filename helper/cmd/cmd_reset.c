// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "cmd.h"
#include "each.h"
#include "nl.h"
#include "out.h"
#include "say.h"

static bool opt_fatal;

static int reset(struct nl *nl, const char *bdf, int method)
{
	struct nl_reset_asked asked = {
		.method = method, .bus_port = NL_BUS_PORT_POLICY, .fatal = opt_fatal,
	};
	struct nl_reset_done done = { 0 };
	int ret;

	ret = nl_reset_asked(nl, bdf, &asked, &done);
	if (ret)
		return nl_refused(nl, "reset", bdf, ret);
	if (opt_json)
		out_done(bdf, json_pack("{s:s, s:I, s:b}",
					"method", name_of(&method_names, done.method),
					"duration_ns", (json_int_t)done.duration,
					"coalesced", done.coalesced));
	else if (done.coalesced && done.method == INSTINCT_VFIO_METHOD_AUTO)
		printf("%s: clean, since nobody has used it since it booted, nothing done (--method resets it anyway)\n",
		       bdf);
	else if (done.coalesced)
		printf("%s: clean since its last reset by %s, nothing done (--method resets it anyway)\n",
		       bdf, name_of(&method_names, done.method));
	else
		printf("%s: reset by %s in %.0f ms\n", bdf,
		       name_of(&method_names, done.method), done.duration / 1e6);
	return EXIT_OK;
}

static json_t *steps_json(const struct nl_reset_done *plan)
{
	json_t *list = json_array();
	unsigned int i;

	for (i = 0; i < plan->steps; i++)
		json_array_append_new(list, json_pack("{s:s, s:s?}",
			"method", name_of(&method_names, plan->step[i].method),
			"refusal", *plan->step[i].refusal ?
				   plan->step[i].refusal : NULL));
	return list;
}

/* Print the methods in order; a reset would try the first one without a refusal. */
static int dry_run(struct nl *nl, const char *bdf, int method)
{
	struct nl_reset_done plan = { 0 };
	unsigned int i;
	int ret;

	ret = nl_reset_plan(nl, bdf, method, &plan);
	if (ret)
		return nl_refused(nl, "reset", bdf, ret);
	if (opt_json) {
		out_done(bdf, json_pack("{s:o}", "plan", steps_json(&plan)));
		return EXIT_OK;
	}
	printf("%s:\n", bdf);
	for (i = 0; i < plan.steps; i++)
		printf("  %u. %-8s %s\n", i + 1,
		       name_of(&method_names, plan.step[i].method),
		       *plan.step[i].refusal ? plan.step[i].refusal :
					       "would be tried");
	return EXIT_OK;
}

/**
 * cmd_reset() - run instinctctl reset
 * @argc: number of words, with the name of the command
 * @argv: the words
 *
 * Return: exit code.
 */
int cmd_reset(int argc, char *argv[])
{
	int method = NL_METHOD_POLICY, option;
	char allowed[TEXT_BYTES];
	bool all = false, dry = false;

	while ((option = args_option(argc, argv)) != ARGS_END) {
		if (option == ARGS_WRONG)
			return EXIT_USAGE;
		if (option == 'a') {
			all = true;
			continue;
		}
		if (option == 'n') {
			dry = true;
			continue;
		}
		if (option == 'f') {
			opt_fatal = true;
			continue;
		}
		method = name_find(&method_names, optarg);
		name_list(&method_names, allowed, sizeof(allowed));
		if (method < 0)
			return cmd_usage("no method \"%s\"; there is %s", optarg,
					 allowed);
	}
	/* A dry run must not load the module. */
	return each_managed(argc - optind, argv + optind, all,
			    dry ? MODULE_IF_LOADED : MODULE_LOAD, method, dry ? dry_run : reset);
}
