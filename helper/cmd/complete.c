// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "candidates.h"
#include "complete.h"
#include "say.h"

/**
 * struct line - the command line before the word under the cursor
 * @command: the command, or NULL if the line does not have it yet
 * @group: the first word of a command of two words, or NULL
 * @waits: the option whose value the last word is, or NULL
 * @wrong: the command does not exist
 * @ended: the line has "--", so no options may follow
 * @operands: number of words that belong neither to the command nor to an option
 * @words: all words, with the last one
 * @count: number of words without the last one
 */
struct line {
	const struct command *command;
	const char *group;
	const struct command_option *waits;
	bool wrong;
	bool ended;
	int operands;
	char *const *words;
	int count;
};

static const struct command_option *find_option(const struct line *line, const char *word)
{
	size_t length = strcspn(word, "=");
	const struct command_option *option;

	option = line->command ? option_find(line->command->options, word, length) : NULL;
	return option ? option : option_find(global_options, word, length);
}

static void take_name(struct line *line, const char *word)
{
	char name[64];

	if (!line->group && command_is_group(word)) {
		line->group = word;
		return;
	}
	snprintf(name, sizeof(name), "%s%s%s", line->group ? line->group : "",
		 line->group ? " " : "", word);
	line->command = command_find(name);
	line->wrong |= !line->command;
}

static void take_word(struct line *line, const char *word)
{
	const struct command_option *option = line->waits;

	line->waits = NULL;
	if (option) {
		if (option->takes == WORD_CAPTURE)
			opt_sysroot = word;
	} else if (!line->ended && !strcmp(word, "--")) {
		line->ended = true;
	} else if (!line->ended && !strncmp(word, "--", 2)) {
		option = find_option(line, word + 2);
		if (option && option->takes && !strchr(word, '='))
			line->waits = option;
		else if (option && option->takes == WORD_CAPTURE)
			opt_sysroot = strchr(word, '=') + 1;
	} else if (!line->command) {
		take_name(line, word);
	} else {
		line->operands++;
	}
}

static bool has_option(const struct line *line, const char *name)
{
	size_t length = strlen(name);
	int i;

	for (i = 0; i < line->count; i++)
		if (!strncmp(line->words[i], "--", 2) &&
		    !strncmp(line->words[i] + 2, name, length) &&
		    (!line->words[i][2 + length] || line->words[i][2 + length] == '='))
			return true;
	return false;
}

/* The synopsis marks an option that may repeat: "--map FILE...". */
static bool repeats(const struct command *command, const struct command_option *option)
{
	char text[64];

	snprintf(text, sizeof(text), "--%s %s...", option->name,
		 option->takes ? option->value : "");
	return command && strstr(command->synopsis, text);
}

/* Offer the options that the command line does not have yet. */
static void offer_options(const struct line *line, const struct candidates *for_whom,
			  const struct command_option *option)
{
	struct candidates again = *for_whom;
	char word[64];

	again.count = 0;
	for (; option && option->name; option++) {
		bool may_repeat = repeats(line->command, option);

		if ((has_option(line, option->name) && !may_repeat) ||
		    (option->takes == WORD_CAPTURE && line->command && !line->command->offline))
			continue;
		snprintf(word, sizeof(word), "--%s", option->name);
		candidate(may_repeat ? &again : for_whom, word, option->help);
	}
}

/* The operand that the last word may be; NULL for none. */
static const struct command_operand *operand_of(const struct line *line)
{
	const struct command_operand *operand = line->command->operands, *last = NULL;
	const char *with = NULL;
	int left = line->operands;

	for (; operand && operand->name; operand++)
		if (operand->with && has_option(line, operand->with))
			with = operand->with;
	for (operand = line->command->operands; operand && operand->name; operand++) {
		if (with ? !operand->with || strcmp(with, operand->with) : !!operand->with)
			continue;
		if (!left--)
			return operand;
		last = operand->repeats ? operand : NULL;
	}
	return last;
}

/* Offer commands, or the second words of a group. */
static void offer_commands(const struct line *line, const struct candidates *for_whom)
{
	const char *before = line->count ? line->words[line->count - 1] : "";

	if (!line->operands)
		candidates_commands(for_whom, NULL);
	else if (line->operands == 1 && command_is_group(before))
		candidates_commands(for_whom, before);
}

static void offer_operands(const struct line *line, const struct candidates *for_whom)
{
	const struct command_operand *operand = operand_of(line);
	bool is_gpu = operand && (operand->word == WORD_MANAGED ||
				  operand->word == WORD_UNBOUND);

	if (operand && operand->word == WORD_COMMAND)
		offer_commands(line, for_whom);
	else if (operand && !(is_gpu && has_option(line, "all")))
		candidates_of(for_whom, operand->word);
	/* The shell completes files here, so offer options after a dash only. */
	if (!line->ended && !*for_whom->word && (!operand || operand->word != WORD_FILE))
		offer_options(line, for_whom, line->command->options);
}

/* Offer values of an option for a word such as "--method=mo". */
static bool offer_value(const struct line *line, const char *word)
{
	const char *equal = strchr(word, '=');
	const struct command_option *option;
	struct candidates for_whom = { .word = equal ? equal + 1 : "" };
	char before[64];

	if (line->ended || strncmp(word, "--", 2) || !equal)
		return false;
	option = find_option(line, word + 2);
	snprintf(before, sizeof(before), "%.*s", (int)(equal + 1 - word), word);
	for_whom.before = before;
	if (option)
		candidates_of(&for_whom, option->takes);
	return true;
}

static void offer(const struct line *line, const char *word)
{
	struct candidates for_whom = {
		.word = word,
		.before = "",
		.given = line->words,
		.count = line->count,
		/* A command already typed may be `help`, which takes every command. */
		.offline = *opt_sysroot && !line->command,
	};

	if (line->wrong)
		return;
	if (line->waits) {
		for_whom.count = 0;
		candidates_of(&for_whom, line->waits->takes);
	} else if (offer_value(line, word)) {
		return;
	} else if (*word == '-' && !line->ended) {
		if (line->command)
			offer_options(line, &for_whom, line->command->options);
		offer_options(line, &for_whom, global_options);
	} else if (!line->command) {
		candidates_commands(&for_whom, line->group);
	} else {
		offer_operands(line, &for_whom);
	}
}

/**
 * complete() - run instinctctl complete -- WORD...
 * @argc: number of words
 * @argv: "--", then the words after "instinctctl"; the last one is under the cursor
 *
 * complete() prints a line for each candidate, with an explanation behind a tab, and the lines
 * ":files" and ":nospace" as instructions for the shell. It drops error messages, which would
 * disturb the user's command line.
 *
 * Return: EXIT_OK.
 */
int complete(int argc, char *argv[])
{
	struct line line = { 0 };
	int i;

	if (!freopen("/dev/null", "w", stderr))
		return EXIT_ERROR;
	if (argc && !strcmp(argv[0], "--")) {
		argc--;
		argv++;
	}
	if (!argc)
		return EXIT_OK;
	line.words = argv;
	line.count = argc - 1;
	for (i = 0; i < line.count; i++)
		take_word(&line, argv[i]);
	offer(&line, argv[argc - 1]);
	return EXIT_OK;
}
