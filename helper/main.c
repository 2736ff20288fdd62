// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
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
#include "progress.h"
#include "say.h"

static const struct command *current;
static bool wants_help;

/**
 * cmd_usage() - a command was called wrongly
 * @format: how, as for printf(), without a newline
 *
 * Return: EXIT_USAGE.
 */
int cmd_usage(const char *format, ...)
{
	char text[512], usage[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (!current) {
		say_error("%s", text);
		return EXIT_USAGE;
	}
	help_usage(current, usage, sizeof(usage));
	say_error("%s: %s (usage: %s)", current->name, text, usage);
	return EXIT_USAGE;
}

/**
 * cmd_run() - run a command, of which cmd_usage() speaks from now on
 * @argc: words, with the command
 * @argv: they
 *
 * Return: exit code.
 */
int cmd_run(int argc, char *argv[])
{
	current = command_find(argv[0]);
	return current->run(argc, argv);
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
	char whole[2 * TEXT_BYTES];

	snprintf(whole, sizeof(whole), "%s %s", what, bdf);
	return say_refused(whole, nl_message(nl), error);
}

static const struct command *find(const char *name)
{
	const struct command *command = command_find(name);
	const char *nearest = command ? NULL : command_nearest(name);

	if (nearest)
		say_error("no command \"%s\"; did you mean \"%s\"?", name, nearest);
	else if (!command)
		say_error("no command \"%s\"; see instinctctl --help", name);
	return command;
}

/*
 * The command that the first words are; a group's name and what follows become one word.
 * Returns how many words they are, 0 for none, and then it has said why.
 */
static int take_command(int argc, char *argv[])
{
	static char name[64];
	char list[128];

	if (argc && command_is_group(argv[0])) {
		command_list_group(argv[0], list, sizeof(list));
		if (argc < 2 || *argv[1] == '-') {
			say_error("%s needs one more word: %s; see instinctctl help %s", argv[0],
				  list, argv[0]);
			return 0;
		}
		snprintf(name, sizeof(name), "%s %s", argv[0], argv[1]);
		current = command_find(name);
		if (!current)
			say_error("no command \"%s\": %s %s", name, argv[0], list);
		argv[1] = name;
		return current ? 2 : 0;
	}
	current = find(argv[0]);
	return current ? 1 : 0;
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
	if (args_option(argc, argv) != ARGS_END)
		return EXIT_USAGE;
	if (optind < argc)
		return cmd_usage("takes nothing, found \"%s\"", argv[optind]);
	if (opt_json)
		puts("{\"version\": 1, \"instinctctl\": \"" INSTINCT_VERSION "\"}");
	else
		puts("instinctctl " INSTINCT_VERSION);
	return EXIT_OK;
}

/**
 * cmd_help() - instinctctl help
 * @argc: words, with the command
 * @argv: they
 *
 * Return: exit code.
 */
int cmd_help(int argc, char *argv[])
{
	bool group;

	/* For the man page, when it is built. */
	if (argc > 2 && !strcmp(argv[1], "--scdoc"))
		return help_scdoc(argv[2], argv[3]) ? EXIT_OK : EXIT_USAGE;
	if (args_option(argc, argv) != ARGS_END)
		return EXIT_USAGE;
	if (opt_json)
		return cmd_usage("there is no --json: it prints for people");
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

/* What the options of all commands do; --version is a command by another name. */
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
	}
}

/* An empty name would be this host, a word that is an option is none. */
static bool is_capture(const char *value)
{
	return value && *value && strncmp(value, "--", 2);
}

/* How many words an option of all commands takes up: 0 if it is none, -1 if it is wrong. */
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
	if (!option || option->val == 'v' || (!option->takes && word[length]))
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
 * Takes the options that all commands share out of argv, wherever they are before "--".
 * Returns how many words are left, -1 if one of them is wrong.
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

/* Not so: qualify --verify, say. Then it does not matter which host --sysroot names. */
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

	if (!strcmp(argv[0], "--version"))
		argv[0] = "version";
	if (*argv[0] == '-')
		return unknown_option(argv[0]);
	if (wants_help && argc == 1 && command_is_group(argv[0])) {
		help_group(stdout, argv[0]);
		return EXIT_OK;
	}
	words = take_command(argc, argv);
	if (!words)
		return EXIT_USAGE;
	argc -= words - 1;
	argv += words - 1;
	if (wants_help) {
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

/* As no-color.org has it: set, and not empty. And not where escapes mean nothing. */
static bool wants_color(void)
{
	const char *no_color = getenv("NO_COLOR");

	return is_terminal(STDOUT_FILENO) && !(no_color && *no_color);
}

/* What is opened later would be taken for them: writing to one that was closed fails. */
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

/* Who reads what was printed has to know if that is not all; who has gone reads nothing. */
static int end_output(int code)
{
	errno = 0;
	if ((!fflush(stdout) && !ferror(stdout)) || reader_has_gone())
		return code;
	/* Of what was written before, nobody has kept the reason. */
	say_error("cannot write standard output%s%s", errno ? ": " : "",
		  errno ? strerror(errno) : "");
	return code ? code : EXIT_ERROR;
}

int main(int argc, char *argv[])
{
	hold_standard_files();
	if (argc > 1 && !strcmp(argv[1], "complete"))
		return complete(argc - 2, argv + 2);
	opt_color = wants_color();
	argc = take_globals(argc, argv);
	if (argc < 0)
		return EXIT_USAGE;
	if (argc < 2) {
		help_all(wants_help ? stdout : stderr);
		return end_output(wants_help ? EXIT_OK : EXIT_USAGE);
	}
	return end_output(run(argc - 1, argv + 1));
}
