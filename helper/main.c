// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "nl.h"
#include "say.h"

/**
 * struct command - a row of the table
 * @name: of the command
 * @run: it
 * @args: after the name
 * @help: in one line
 * @more: its options
 */
struct command {
	const char *name;
	int (*run)(int argc, char *argv[]);
	const char *args;
	const char *help;
	const char *more;
};

static const struct command commands[] = {
	{ "status", cmd_status, "", "GPUs, their state, driver and resets", "" },
	{ "bind", cmd_bind, "BDF... | --all", "give GPUs to instinct_vfio_pci",
	  "  --all          all GPUs that this product knows\n" },
	{ "unbind", cmd_unbind, "BDF... | --all", "take GPUs from instinct_vfio_pci",
	  "  --all          all GPUs bound to it\n" },
	{ "apply", cmd_apply, "[--dry-run] [FILE]", "put a policy in force, whole or not at all",
	  "  --dry-run      show what would change; exit status 3 if anything would\n"
	  "  FILE           /etc/instinct-vfio/policy.conf, or - for standard input\n" },
	{ "show-policy", cmd_show_policy, "[FILE]", "the policy in force, or what FILE would make it",
	  "" },
	{ "reset", cmd_reset, "[--method M] BDF... | --all", "reset GPUs that nobody has open",
	  "  --method M     auto (as policy says), mode1, quiesce, bus or flr\n"
	  "  --all          all managed GPUs\n" },
	{ "release", cmd_release, "BDF... | --all", "let quarantined GPUs be opened again",
	  "  --all          all managed GPUs\n" },
	{ "monitor", cmd_monitor, "[--since N]", "events as they come",
	  "  --since N      first the kept events from number N on (1: all)\n"
	  "  --count N      stop after N events\n"
	  "  --timeout S    stop after S seconds\n" },
};

#define COMMANDS	(sizeof(commands) / sizeof(commands[0]))

static const struct command *current;

static void help(FILE *out)
{
	size_t i;

	fputs("usage: instinctctl [OPTION...] COMMAND [ARG...]\n\n", out);
	for (i = 0; i < COMMANDS; i++)
		fprintf(out, "  %-12s %-26s %s\n", commands[i].name,
			commands[i].args, commands[i].help);
	fputs("\nOptions, also after the command:\n"
	      "  --json         for programs\n"
	      "  --sysroot DIR  read DIR/sys and DIR/proc: a captured host (status)\n"
	      "  --no-color     as NO_COLOR in the environment\n"
	      "  --help         this, or more on a command\n"
	      "  --version      version of this helper\n"
	      "\nExit status: 0 ok, 1 error, 2 usage, 3 changes to make, 4 unsupported,\n"
	      "5 permission. See instinctctl(8), policy.conf(5).\n", out);
}

static void help_command(const struct command *command)
{
	printf("usage: instinctctl %s %s\n\n%s\n%s%s", command->name,
	       command->args, command->help, *command->more ? "\n" : "",
	       command->more);
}

/**
 * cmd_usage() - a command was called wrongly
 * @format: how, as for printf(), without a newline
 *
 * Return: EXIT_USAGE.
 */
int cmd_usage(const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (current)
		say_error("%s: %s\nusage: instinctctl %s %s", current->name, text,
			  current->name, current->args);
	else
		say_error("%s", text);
	return EXIT_USAGE;
}

/**
 * cmd_failed() - the kernel refused something; say so, in its own words
 * @nl: socket it was asked through
 * @what: was asked
 * @bdf: of which device
 * @error: negative errno
 *
 * Return: the exit code.
 */
int cmd_failed(struct nl *nl, const char *what, const char *bdf, int error)
{
	const char *message = nl_message(nl);

	if (error == -EBADMSG)
		say_error("%s %s: the module's answer is not understood: module and instinctctl do not match",
			  what, bdf);
	else if (exit_code_of(-error) == EXIT_PERMISSION && !*message)
		say_error("%s %s: not permitted: it needs CAP_NET_ADMIN, run this as root",
			  what, bdf);
	else
		say_error("%s %s: %s (%s)", what, bdf,
			  *message ? message : "refused by the module",
			  strerror(-error));
	return exit_code_of(-error);
}

static const struct command *find(const char *name)
{
	const char *names[COMMANDS], *nearest;
	size_t i;

	for (i = 0; i < COMMANDS; i++) {
		names[i] = commands[i].name;
		if (!strcmp(names[i], name))
			return &commands[i];
	}
	nearest = name_nearest(names, COMMANDS, name);
	if (nearest)
		say_error("no command \"%s\"; did you mean \"%s\"?", name, nearest);
	else
		say_error("no command \"%s\"; see instinctctl --help", name);
	return NULL;
}

/* Takes the options that all commands share out of argv, wherever they are. */
static int take_globals(int argc, char *argv[], bool *wants_help)
{
	int kept = 1, i;

	for (i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--json")) {
			opt_json = true;
		} else if (!strcmp(argv[i], "--no-color")) {
			opt_color = false;
		} else if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
			*wants_help = true;
		} else if (!strcmp(argv[i], "--sysroot") && i + 1 < argc) {
			opt_sysroot = argv[++i];
		} else if (!strncmp(argv[i], "--sysroot=", 10)) {
			opt_sysroot = argv[i] + 10;
		} else {
			argv[kept++] = argv[i];
		}
	}
	argv[kept] = NULL;
	return kept;
}

int main(int argc, char *argv[])
{
	bool wants_help = false;

	signal(SIGPIPE, SIG_DFL);
	opt_color = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
	argc = take_globals(argc, argv, &wants_help);
	if (argc > 1 && !strcmp(argv[1], "--version")) {
		puts("instinctctl " INSTINCT_VERSION);
		return EXIT_OK;
	}
	if (argc > 1 && !strcmp(argv[1], "help")) {
		wants_help = true;
		argv++;
		argc--;
	}
	if (argc < 2) {
		help(wants_help ? stdout : stderr);
		return wants_help ? EXIT_OK : EXIT_USAGE;
	}
	if (*argv[1] == '-')
		return cmd_usage("unknown option %s; see instinctctl --help", argv[1]);
	current = find(argv[1]);
	if (!current)
		return EXIT_USAGE;
	if (wants_help) {
		help_command(current);
		return EXIT_OK;
	}
	return current->run(argc - 1, argv + 1);
}
