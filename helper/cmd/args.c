// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "cmd.h"
#include "commands.h"
#include "say.h"
#include "sysfs.h"

#define OPTIONS_MAX	16

/* The options of a command in the form of getopt_long(). */
static const struct option *options_of(const struct command *command)
{
	static struct option options[OPTIONS_MAX + 1];
	const struct command_option *from = command ? command->options : NULL;
	size_t count = 0;

	for (; from && from->name && count < OPTIONS_MAX; from++)
		options[count++] = (struct option) {
			.name = from->name,
			.has_arg = from->takes ? required_argument : no_argument,
			.val = from->val & ~OPTION_SHORT,
		};
	options[count] = (struct option) { 0 };
	return options;
}

/* The options of a letter, in the form of getopt_long(). */
static const char *letters_of(const struct command *command)
{
	static char letters[2 + 2 * OPTIONS_MAX];
	const struct command_option *from = command ? command->options : NULL;
	size_t n = 0;

	letters[n++] = ':';
	for (; from && from->name && n + 2 < sizeof(letters); from++)
		if (from->val & OPTION_SHORT) {
			letters[n++] = from->val & ~OPTION_SHORT;
			if (from->takes)
				letters[n++] = ':';
		}
	letters[n] = '\0';
	return letters;
}

/* Report an option that getopt_long() has refused. */
static void option_complain(char *argv[], const struct command *command)
{
	const struct command_option *known = command ? command->options : NULL;
	const char *word = argv[optind - 1], *nearest;

	while (optopt && known && known->name && (known->val & ~OPTION_SHORT) != optopt)
		known++;
	if (optopt && known && known->name) {
		cmd_usage("--%s takes no value", known->name);
		return;
	}
	if (optopt) {
		cmd_usage("unknown option -%c", optopt);
		return;
	}
	nearest = option_nearest(command, word + strspn(word, "-"));
	if (nearest)
		cmd_usage("unknown option %s; did you mean --%s?", word, nearest);
	else
		cmd_usage("unknown option %s", word);
}

/**
 * args_option() - take the next option of a command
 * @argc: number of words, with the name of the command
 * @argv: the words; sorted so that the operands come last, from optind on
 *
 * Return: the option's val in the table of commands, ARGS_END after the last one, or ARGS_WRONG
 * after it has reported an option that the command does not have.
 */
int args_option(int argc, char *argv[])
{
	const struct command *command = command_find(argv[0]);
	int option;

	opterr = 0;
	option = getopt_long(argc, argv, letters_of(command), options_of(command), NULL);
	if (option == ':') {
		cmd_usage("%s needs a value", argv[optind - 1]);
		return ARGS_WRONG;
	}
	if (option == '?') {
		option_complain(argv, command);
		return ARGS_WRONG;
	}
	return option;
}

static int take_all(int argc, char *argv[], bool *all, bool *persist, const char **driver)
{
	int option;

	*all = false;
	while ((option = args_option(argc, argv)) != ARGS_END) {
		if (option == ARGS_WRONG)
			return EXIT_USAGE;
		if (option == 'd')
			*driver = optarg;
		else if (option == 'p')
			*persist = true;
		else
			*all = true;
	}
	return EXIT_OK;
}

/**
 * args_all() - take the options of a command that has only --all
 * @argc: number of words, with the name of the command
 * @argv: the words
 * @all: set to whether it was given
 *
 * Return: 0 or EXIT_USAGE.
 */
int args_all(int argc, char *argv[], bool *all)
{
	const char *driver;
	bool none;

	return take_all(argc, argv, all, &none, &driver);
}

/**
 * args_number() - parse a decimal number
 * @text: the whole text
 * @value: set to the number
 *
 * Return: false if @text is no number.
 */
bool args_number(const char *text, uint64_t *value)
{
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*value = strtoull(text, &end, 10);
	return !*end && !errno;
}

/**
 * args_split() - split the operands of a list, which blanks or commas separate
 * @words: words so far; the caller frees the array, whose words are parts of @argv
 * @argc: number of operands
 * @argv: operands; changed
 */
void args_split(struct words *words, int argc, char *argv[])
{
	char *rest, *word;
	int i;

	for (i = 0; i < argc; i++)
		for (rest = argv[i]; (word = strsep(&rest, ",")); )
			if (*word)
				*(char **)list_add((void **)&words->word, &words->count, sizeof(char *)) = word;
}

/**
 * targets_have() - tell whether a device is on the list
 * @targets: the list
 * @bdf: full PCI address
 */
bool targets_have(const struct targets *targets, const char *bdf)
{
	size_t i;

	for (i = 0; i < targets->count; i++)
		if (!strcmp(targets->bdf[i], bdf))
			return true;
	return false;
}

/**
 * targets_add() - add a device, unless the list has it
 * @targets: the list
 * @bdf: full PCI address
 */
void targets_add(struct targets *targets, const char *bdf)
{
	if (!targets_have(targets, bdf))
		snprintf(list_add((void **)&targets->bdf, &targets->count, BDF_BYTES), BDF_BYTES,
			 "%s", bdf);
}

/**
 * targets_add_words() - add the devices that words name, each one or several with commas
 * @targets: the list
 * @argc: number of words
 * @argv: PCI addresses
 *
 * Return: 0, or EXIT_USAGE after it has reported the reason.
 */
int targets_add_words(struct targets *targets, int argc, char *argv[])
{
	struct words words = { 0 };
	char bdf[BDF_BYTES];
	int code = EXIT_OK;
	size_t i;

	args_split(&words, argc, argv);
	for (i = 0; i < words.count && !code; i++) {
		if (bdf_parse(words.word[i], bdf))
			targets_add(targets, bdf);
		else
			code = cmd_usage("\"%s\" is not a PCI address, such as 0000:c1:00.0",
					 words.word[i]);
	}
	free(words.word);
	return code;
}

/**
 * targets_parse() - parse the devices that the command line names
 * @targets: set; empty with @all, which the caller fills
 * @argc: number of addresses
 * @argv: PCI addresses
 * @all: --all was given
 *
 * Return: 0, or EXIT_USAGE after it has reported the reason.
 */
int targets_parse(struct targets *targets, int argc, char *argv[], bool all)
{
	int code;

	*targets = (struct targets) { 0 };
	if (all && argc)
		return cmd_usage("--all and \"%s\" do not go together", argv[0]);
	if (!all && !argc)
		return cmd_usage("no device: give BDFs, such as 0000:c1:00.0, or --all");
	code = targets_add_words(targets, argc, argv);
	if (!code && !all && !targets->count)
		code = cmd_usage("no device: give BDFs, such as 0000:c1:00.0, or --all");
	if (code)
		targets_free(targets);
	return code;
}

/**
 * targets_take() - take the devices of a command, by name or by --all
 * @targets: set; the caller always has to call targets_free()
 * @argc: number of words, with the name of the command, which has no options but --all,
 *	--as and --persist
 * @argv: the words
 * @find_all: adds the devices of --all, or reports the reason and returns an exit code
 * @persist: set to whether --persist was given
 * @driver: set to the driver of --as, or NULL
 *
 * Return: 0, or an exit code after it has reported the reason.
 */
int targets_take(struct targets *targets, int argc, char *argv[],
		 int (*find_all)(struct targets *targets), bool *persist, const char **driver)
{
	bool all;
	int code;

	*targets = (struct targets) { 0 };
	*persist = false;
	*driver = NULL;
	if (take_all(argc, argv, &all, persist, driver))
		return EXIT_USAGE;
	if (*driver && strcmp(*driver, DRIVER_NAME) && strcmp(*driver, DROPIN_NAME))
		return cmd_usage("--as: \"%s\" is no driver of instinct-vfio; allowed: " DROPIN_NAME ", " DRIVER_NAME,
				 *driver);
	code = targets_parse(targets, argc - optind, argv + optind, all);
	return !code && all ? find_all(targets) : code;
}

/**
 * targets_free() - free the list of devices
 * @targets: set or zeroed
 */
void targets_free(struct targets *targets)
{
	free(targets->bdf);
	*targets = (struct targets) { 0 };
}
