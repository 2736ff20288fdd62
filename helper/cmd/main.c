// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "capture.h"
#include "cmd.h"
#include "commands.h"
#include "complete.h"
#include "help.h"
#include "nl.h"
#include "out.h"
#include "progress.h"
#include "say.h"
#include "sysfs.h"

static const struct command *current;
static bool wants_help, wants_version;

/**
 * cmd_usage() - report a usage error
 * @format: the error, as for printf(), without a newline
 *
 * Return: EXIT_USAGE.
 */
int cmd_usage(const char *format, ...)
{
	char text[768], usage[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (!current) {
		say_error(ERROR_USAGE, "%s", text);
		return EXIT_USAGE;
	}
	help_usage(current, usage, sizeof(usage));
	say_error(ERROR_USAGE, "%s: %s (usage: %s)", current->name, text, usage);
	return EXIT_USAGE;
}

/**
 * cmd_run() - run a command, and make it the one that cmd_usage() names
 * @argc: number of words, with the name of the command
 * @argv: the words
 *
 * Return: exit code.
 */
int cmd_run(int argc, char *argv[])
{
	current = command_find(argv[0]);
	return current->run(argc, argv);
}

static const struct command *find(const char *name)
{
	const struct command *command = command_find(name);
	const char *nearest = command ? NULL : command_nearest(name);

	if (nearest)
		say_error(ERROR_USAGE, "no command \"%s\"; did you mean \"%s\"?", name, nearest);
	else if (!command)
		say_error(ERROR_USAGE, "no command \"%s\"; see instinctctl --help", name);
	return command;
}

/*
 * Set the current command from the first words; join a group's name and the next word.
 * Returns the number of words of the name, or 0 after it has reported the reason.
 */
static int take_command(int argc, char *argv[])
{
	static char name[64];
	char list[128];

	if (argc && command_is_group(argv[0])) {
		command_list_group(argv[0], list, sizeof(list));
		if (argc < 2 || *argv[1] == '-') {
			say_error(ERROR_USAGE, "%s needs one more word: %s; see instinctctl help %s", argv[0],
				  list, argv[0]);
			return 0;
		}
		snprintf(name, sizeof(name), "%s %s", argv[0], argv[1]);
		current = command_find(name);
		if (!current)
			say_error(ERROR_USAGE, "no command \"%s\": %s %s", name, argv[0], list);
		argv[1] = name;
		return current ? 2 : 0;
	}
	current = find(argv[0]);
	return current ? 1 : 0;
}

/**
 * cmd_version() - run instinctctl version
 * @argc: number of words, with the name of the command
 * @argv: the words
 *
 * Return: exit code.
 */
int cmd_version(int argc, char *argv[])
{
	char path[PATH_MAX], module[TEXT_BYTES];

	if (args_option(argc, argv) != ARGS_END)
		return EXIT_USAGE;
	if (optind < argc)
		return cmd_usage("takes nothing, found \"%s\"", argv[optind]);
	snprintf(path, sizeof(path), "%s/sys/module/" DRIVER_NAME "/version", opt_sysroot);
	sysfs_line(path, module, sizeof(module));
	if (opt_json)
		out_json(json_pack("{s:i, s:s, s:o}", "version", 1, "instinctctl", INSTINCT_VERSION,
				   "module", *module ? json_string(module) : json_null()), 0);
	else
		puts("instinctctl " INSTINCT_VERSION);
	/* Scripts compare the whole output of --version. */
	if (!opt_json && !wants_version)
		printf("module %s\n", *module ? module : "not loaded");
	return EXIT_OK;
}

/**
 * cmd_help() - run instinctctl help
 * @argc: number of words, with the name of the command
 * @argv: the words
 *
 * Return: exit code.
 */
int cmd_help(int argc, char *argv[])
{
	bool group;

	/* The build of the man page uses this form. */
	if (argc > 2 && !strcmp(argv[1], "--scdoc"))
		return help_scdoc(argv[2], argv[3]) ? EXIT_OK : EXIT_USAGE;
	if (args_option(argc, argv) != ARGS_END)
		return EXIT_USAGE;
	if (opt_json)
		return cmd_usage("there is no --json: it prints text");
	if (optind == argc) {
		help_all(stdout);
		return EXIT_OK;
	}
	group = command_is_group(argv[optind]);
	if (argc - optind > 1 + group)
		return cmd_usage("takes one command, found \"%s\" too",
				 argv[optind + 1 + group]);
	if (group && argc - optind == 1) {
		help_group(stdout, argv[optind]);
		return EXIT_OK;
	}
	if (!take_command(argc - optind, argv + optind))
		return EXIT_USAGE;
	help_command(stdout, current);
	return EXIT_OK;
}

/* Set a global option; --version runs as the command `version`, whatever command it follows. */
static void set_global(int val, const char *value)
{
	switch (val) {
	case 'j':
		opt_json = true;
		break;
	case 'r':
		opt_sysroot = value;
		break;
	case 'c':
		opt_color = false;
		break;
	case 'd':
		opt_debug = true;
		break;
	case 'h':
		wants_help = true;
		break;
	case 'v':
		wants_version = true;
		break;
	}
}

/* An empty name would mean this host, and an option is no name. */
static bool is_capture(const char *value)
{
	return value && *value && strncmp(value, "--", 2);
}

/* Take a global option; returns its number of words, 0 for another word, -1 for an error. */
static int take_global(const char *word, const char *next)
{
	const struct command_option *option;
	size_t length;

	if (!strcmp(word, "-h"))
		word = "--help";
	if (strncmp(word, "--", 2))
		return 0;
	word += 2;
	length = strcspn(word, "=");
	option = option_find(global_options, word, length);
	if (!option || (!option->takes && word[length]))
		return 0;
	if (word[length])
		next = word + length + 1;
	if (option->takes && !is_capture(next)) {
		cmd_usage("--%s needs a folder, or an archive of instinctctl dump", option->name);
		return -1;
	}
	set_global(option->val, next);
	return option->takes && !word[length] ? 2 : 1;
}

/*
 * Take the global options out of argv, anywhere before "--".
 * Returns the number of words left, or -1 after an error.
 */
static int take_globals(int argc, char *argv[])
{
	int kept = 1, taken, i;
	bool ended = false;

	for (i = 1; i < argc; i += taken) {
		ended |= !strcmp(argv[i], "--");
		taken = ended ? 0 : take_global(argv[i], argv[i + 1]);
		if (taken < 0)
			return taken;
		if (!taken) {
			argv[kept++] = argv[i];
			taken = 1;
		}
	}
	argv[kept] = NULL;
	return kept;
}

static int unknown_option(const char *word)
{
	const char *nearest = option_nearest(NULL, word + strspn(word, "-"));

	if (nearest)
		return cmd_usage("unknown option %s; did you mean --%s?", word, nearest);
	return cmd_usage("unknown option %s; see instinctctl --help", word);
}

/* A command such as qualify --verify reads no host, so --sysroot does not matter to it. */
static bool looks_at_host(int argc, char *argv[])
{
	size_t length = current->hostless ? strlen(current->hostless) : 0;
	int i;

	if (!length)
		return !current->hostless;
	for (i = 1; i < argc && strcmp(argv[i], "--"); i++)
		if (!strncmp(argv[i], "--", 2) && !strncmp(argv[i] + 2, current->hostless, length) &&
		    strchr("=", argv[i][2 + length]))
			return false;
	return true;
}

static int open_host(int argc, char *argv[])
{
	if (!*opt_sysroot || !looks_at_host(argc, argv))
		return EXIT_OK;
	if (!current->offline)
		return cmd_usage("--sysroot is a captured host, which cannot be asked or changed");
	return capture_open();
}

static int run(int argc, char *argv[])
{
	int code, words;

	if (*argv[0] == '-')
		return unknown_option(argv[0]);
	if (wants_help && argc == 1 && command_is_group(argv[0])) {
		opt_json = false;
		help_group(stdout, argv[0]);
		return EXIT_OK;
	}
	words = take_command(argc, argv);
	if (!words)
		return EXIT_USAGE;
	argc -= words - 1;
	argv += words - 1;
	if (wants_help) {
		opt_json = false;
		help_command(stdout, current);
		return EXIT_OK;
	}
	code = open_host(argc, argv);
	if (code)
		return code;
	progress_begin(current->doing);
	code = current->run(argc, argv);
	progress_end();
	return code;
}

/* no-color.org: NO_COLOR counts if it is set and not empty. */
static bool wants_color(void)
{
	const char *no_color = getenv("NO_COLOR");

	return is_terminal(STDOUT_FILENO) && !(no_color && *no_color);
}

/* A later open() must not get the number of a closed standard file; writing to it still fails. */
static void hold_standard_files(void)
{
	int fd;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

static bool reader_has_gone(void)
{
	struct pollfd output = { .fd = STDOUT_FILENO };

	return poll(&output, 1, 0) > 0 && output.revents & POLLERR;
}

/* A reader must learn of incomplete output; a reader that has left does not matter. */
static int end_output(int code)
{
	out_end(!code && current && current->stream);
	errno = 0;
	if ((!fflush(stdout) && !ferror(stdout)) || reader_has_gone())
		return code;
	/* If an earlier write has failed, its errno is lost. */
	say_error(ERROR_IO, "cannot write standard output%s%s", errno ? ": " : "",
		  errno ? strerror(errno) : "");
	return code ? code : EXIT_ERROR;
}

/* Errors of the command line are JSON, too, even one before --json. */
static bool wants_json(char *argv[])
{
	while (*argv && strcmp(*argv, "--") && strcmp(*argv, "--json"))
		argv++;
	return *argv && !strcmp(*argv, "--json");
}

/* Help is text for people, with --json too. */
static int without_command(void)
{
	opt_json &= !wants_help;
	if (opt_json)
		say_error(ERROR_USAGE, "no command; see instinctctl --help");
	else
		help_all(wants_help ? stdout : stderr);
	return wants_help ? EXIT_OK : EXIT_USAGE;
}

int main(int argc, char *argv[])
{
	hold_standard_files();
	if (argc > 1 && !strcmp(argv[1], "complete"))
		return complete(argc - 2, argv + 2);
	opt_color = wants_color();
	opt_json = wants_json(argv);
	argc = take_globals(argc, argv);
	if (argc < 0)
		return end_output(EXIT_USAGE);
	if (wants_version && !wants_help)
		return end_output(run(1, (char *[]) { "version", NULL }));
	return end_output(argc < 2 ? without_command() : run(argc - 1, argv + 1));
}
