// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>

#include "args.h"
#include "cmd.h"
#include "memory_size.h"
#include "out.h"
#include "out_doctor.h"
#include "say.h"

/**
 * struct wishes - the options of doctor
 * @guest: doctor runs inside a guest
 * @only: the command line names checks
 * @list: print the list of checks
 * @quiet: print only failures and warnings
 * @guest_memory: memory of the largest guest, bytes; 0 if not given
 */
struct wishes {
	bool guest;
	bool only;
	bool list;
	bool quiet;
	uint64_t guest_memory;
};

static int parse(int argc, char *argv[], struct wishes *wishes)
{
	bool named;
	int option;

	while ((option = args_option(argc, argv)) != ARGS_END) {
		if (option == ARGS_WRONG)
			return EXIT_USAGE;
		wishes->guest |= option == 'g';
		wishes->only |= option == 'o';
		wishes->list |= option == 'l';
		wishes->quiet |= option == 'q';
		if (option == 'm' && !memory_size_parse(optarg, &wishes->guest_memory))
			return cmd_usage("--guest-memory takes a size such as 512G or 2T, found \"%s\"",
					 optarg);
	}
	if (wishes->only && wishes->list)
		return cmd_usage("--only and --list do not go together");
	if (wishes->quiet && wishes->list)
		return cmd_usage("--quiet and --list do not go together");
	if (wishes->guest && wishes->guest_memory)
		return cmd_usage("--guest-memory is for a host, --guest for the inside of a guest");
	named = optind < argc;
	if (wishes->only != named)
		return wishes->only ? cmd_usage("--only takes the names of checks, see --list") :
		       cmd_usage("takes names of checks after --only, found \"%s\"",
				 argv[optind]);
	return EXIT_OK;
}

static int add_named(struct doctor *doctor, const char *name, bool guest)
{
	const struct check *check = checks_find(name);

	if (!check)
		return cmd_usage("there is no check \"%s\", see --list", name);
	if (check->guest != guest)
		return cmd_usage("check \"%s\" is for %s", name, check->guest ?
				 "the inside of a guest: give --guest" :
				 "a host, not for the inside of a guest");
	doctor_add(doctor, check);
	return EXIT_OK;
}

static int choose(struct doctor *doctor, int argc, char *argv[], bool guest)
{
	struct words words = { 0 };
	int code = EXIT_OK;
	size_t c;

	args_split(&words, argc, argv);
	if (argc && !words.count)
		code = cmd_usage("no check is named");
	for (c = 0; c < words.count && !code; c++)
		code = add_named(doctor, words.word[c], guest);
	free(words.word);
	for (c = 0; c < checks_count && !argc; c++)
		if (checks[c].guest == guest)
			doctor_add(doctor, &checks[c]);
	return code;
}

static void list(const struct doctor *doctor)
{
	if (opt_json)
		out_json(out_doctor_list_json(doctor), JSON_INDENT(2));
	else
		out_doctor_list_text(doctor);
}

static int run(struct doctor *doctor, const struct wishes *wishes)
{
	int code = doctor_run(doctor, wishes->guest, wishes->guest_memory);

	if (opt_json)
		out_json(out_doctor_json(doctor, code, wishes->quiet), JSON_INDENT(2));
	else if (!code || code == EXIT_DRIFT)
		out_doctor_text(doctor, wishes->quiet);
	return code;
}

/**
 * cmd_doctor() - run instinctctl doctor
 * @argc: number of words, with the name of the command
 * @argv: the words
 *
 * Return: exit code.
 */
int cmd_doctor(int argc, char *argv[])
{
	struct wishes wishes = { 0 };
	struct doctor doctor = { 0 };
	int code = parse(argc, argv, &wishes);

	if (!code)
		code = choose(&doctor, argc - optind, argv + optind, wishes.guest);
	if (!code && wishes.list)
		list(&doctor);
	else if (!code)
		code = run(&doctor, &wishes);
	doctor_free(&doctor);
	return code;
}
