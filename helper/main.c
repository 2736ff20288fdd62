// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdbool.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "model.h"
#include "nl.h"
#include "say.h"

/**
 * struct command - a row of the table
 * @name: of the command
 * @run: it
 * @args: after the name
 * @help: in one line
 * @more: its options
 * @offline: it can read a captured host (--sysroot)
 */
struct command {
	const char *name;
	int (*run)(int argc, char *argv[]);
	const char *args;
	const char *help;
	const char *more;
	bool offline;
};

static const struct command commands[] = {
	{ "status", cmd_status, "",
	  "GPUs, their state, driver and resets", "", true },
	{ "bind", cmd_bind, "BDF... | --all",
	  "give GPUs to instinct_vfio_pci",
	  "  --all          all GPUs that this product knows\n", false },
	{ "unbind", cmd_unbind, "BDF... | --all",
	  "take GPUs from instinct_vfio_pci",
	  "  --all          all GPUs bound to it\n", false },
	{ "apply", cmd_apply, "[--dry-run] [FILE]",
	  "put a policy in force, whole or not at all",
	  "  --dry-run      show what would change; exit status 3 if anything would\n"
	  "  FILE           /etc/instinct-vfio/policy.conf, or - for standard input\n",
	  false },
	{ "check", cmd_check, "[--guest-memory SIZE] [FILE]",
	  "is the host as policy says? port by port",
	  "  FILE           policy to check against; without: the installed one, else that\n"
	  "                 in force\n"
	  "  --guest-memory SIZE\n"
	  "                 of the largest guest, such as 512G; without: this host's\n"
	  "Exit status 3 if anything is not as policy says.\n", true },
	{ "diff", cmd_diff, "[FILE]",
	  "only what is not as policy says",
	  "  FILE           as for check\nExit status 3 if there is anything.\n", true },
	{ "isolation", cmd_isolation, "--why BDF BDF | --config-acs [FILE]",
	  "who can reach whom",
	  "  --why          by which path the first reaches the second, and which bit lets it\n"
	  "  --config-acs   the kernel's parameter that sets the same ACS at boot (6.11 and\n"
	  "                 later; several devices need 6.15)\n", true },
	{ "show-policy", cmd_show_policy, "[FILE]",
	  "the policy in force, or as FILE says",
	  "  FILE           the policy that it makes for each GPU, - for standard input\n",
	  true },
	{ "reset", cmd_reset, "[--method M] [--dry-run] BDF... | --all",
	  "reset GPUs that nobody has open",
	  "  --method M     auto, mode1, quiesce, bus or flr; without: as policy says,\n"
	  "                 and not at all if the GPU is clean since its last reset\n"
	  "  --dry-run      only say which methods would be tried\n"
	  "  --all          all managed GPUs\n", false },
	{ "release", cmd_release, "BDF... | --all",
	  "let quarantined GPUs be opened again",
	  "  --all          all managed GPUs\n", false },
	{ "sensors", cmd_sensors, "[--all] [FILE]",
	  "where temperatures of GPUs come from",
	  "  --all          also sensors that feed nothing\n"
	  "  FILE           policy that says so; without: the installed one\n", true },
	{ "monitor", cmd_monitor, "[--since N] | --daemon",
	  "events as they come",
	  "  --since N      first the kept events from number N on (1: all)\n"
	  "  --count N      stop after N events\n"
	  "  --timeout S    stop after S seconds\n"
	  "  --daemon       to the journal, a file, hooks and metrics, as monitor.conf says\n"
	  "  --config FILE  monitor.conf, without: /etc/instinct-vfio/monitor.conf\n", false },
	{ "push", cmd_push, "BDF SENSOR=DEGREES... | -",
	  "tell of temperatures read elsewhere",
	  "  SENSOR=DEGREES hotspot=, memory= or board=, in degrees Celsius\n"
	  "  -              read \"BDF SENSOR=DEGREES...\" from standard input, line by line\n",
	  false },
	{ "export", cmd_export, "[--textfile FILE | --listen WHERE]",
	  "metrics for Prometheus",
	  "  --textfile FILE  write FILE, whole or not at all, for node_exporter\n"
	  "  --listen WHERE   serve them until a signal: 127.0.0.1:PORT, [::1]:PORT or\n"
	  "                   unix:PATH, at /metrics\n"
	  "  --state FILE     of the monitor; without: /var/lib/instinct-vfio/monitor.json\n",
	  false },
	{ "version", cmd_version, "", "of this helper", "", false },
};

#define COMMANDS	(sizeof(commands) / sizeof(commands[0]))

static const struct command *current;

static void help(FILE *out)
{
	size_t i;

	fputs("usage: instinctctl [OPTION...] COMMAND [ARG...]\n\n", out);
	for (i = 0; i < COMMANDS; i++)
		fprintf(out, "  %-11s %-27s%s%s\n", commands[i].name,
			commands[i].args,
			strlen(commands[i].args) > 27 ? "\n                                          " : " ",
			commands[i].help);
	fputs("  help        [COMMAND]                   this, or more on a command\n"
	      "\nOptions, before or after the command:\n"
	      "  --json         for programs\n"
	      "  --sysroot DIR  read DIR/sys: a captured host (status, check, diff,\n"
	      "                 isolation, sensors, show-policy FILE)\n"
	      "  --no-color     as NO_COLOR in the environment\n"
	      "  --help         this, or more on a command\n"
	      "\nExit status: 0 ok, 1 error, 2 usage, 3 changes to make, 4 unsupported,\n"
	      "5 permission. See instinctctl(8), instinct-vfio-policy.conf(5).\n", out);
}

static void help_command(const struct command *command)
{
	printf("usage: instinctctl %s%s%s\n\n%s\n%s%s", command->name,
	       *command->args ? " " : "", command->args, command->help,
	       *command->more ? "\n" : "", command->more);
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
		say_error("%s: %s (usage: instinctctl %s%s%s)", current->name, text,
			  current->name, *current->args ? " " : "",
			  current->args);
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

/**
 * cmd_version() - instinctctl version
 * @argc: words, with the command
 * @argv: they
 *
 * Return: exit code.
 */
int cmd_version(int argc, char *argv[])
{
	if (argc > 1)
		return cmd_usage("takes nothing, found \"%s\"", argv[1]);
	if (opt_json)
		puts("{\"version\": 1, \"instinctctl\": \"" INSTINCT_VERSION "\"}");
	else
		puts("instinctctl " INSTINCT_VERSION);
	return EXIT_OK;
}

static int run(int argc, char *argv[], bool wants_help)
{
	if (!strcmp(argv[0], "--version"))
		return cmd_version(argc, argv);
	if (!strcmp(argv[0], "--sysroot"))
		return cmd_usage("--sysroot needs a folder");
	if (*argv[0] == '-')
		return cmd_usage("unknown option %s; see instinctctl --help", argv[0]);
	current = find(argv[0]);
	if (!current)
		return EXIT_USAGE;
	if (wants_help) {
		help_command(current);
		return EXIT_OK;
	}
	if (*opt_sysroot && !current->offline)
		return cmd_usage("--sysroot is a captured host, which cannot be asked or changed");
	return current->run(argc, argv);
}

/* As no-color.org has it: set, and not empty. */
static bool no_color(void)
{
	const char *value = getenv("NO_COLOR");

	return value && *value;
}

int main(int argc, char *argv[])
{
	bool wants_help = false;

	opt_color = isatty(STDOUT_FILENO) && !no_color();
	argc = take_globals(argc, argv, &wants_help);
	if (argc > 1 && !strcmp(argv[1], "help")) {
		wants_help = true;
		argv++;
		argc--;
	}
	if (argc < 2) {
		help(wants_help ? stdout : stderr);
		return wants_help ? EXIT_OK : EXIT_USAGE;
	}
	return run(argc - 1, argv + 1, wants_help);
}
