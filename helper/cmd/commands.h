/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The commands: one table from which they are parsed, explained and completed. */
#ifndef COMMANDS_H
#define COMMANDS_H

#include <stdbool.h>
#include <stddef.h>

/* What a word may be: how it is completed. */
enum word {
	WORD_NONE,		/* an option takes no value */
	WORD_FILE,
	WORD_CAPTURE,		/* a folder, or an archive */
	WORD_NUMBER,
	WORD_TIME,
	WORD_SIZE,
	WORD_ADDRESS,		/* to listen at */
	WORD_METHOD,		/* of a reset */
	WORD_RISK,		/* of qualify */
	WORD_TEXT,		/* anything */
	WORD_UNBOUND,		/* a known GPU that the driver does not have */
	WORD_MANAGED,		/* one that it has */
	WORD_GPU,		/* of any vendor */
	WORD_FUNCTION,		/* any PCI function but a bridge */
	WORD_VMM,
	WORD_FLAVOR,		/* a library that reads a topology */
	WORD_KEY,		/* of a policy */
	WORD_CHECK,		/* of doctor, for a host or, with --guest, for a guest */
	WORD_SAMPLE,		/* SENSOR=DEGREES */
	WORD_COMMAND,
};

/**
 * struct command_option - an option, always a long one
 * @name: without dashes
 * @val: what args_option() returns for it
 * @takes: its value, or WORD_NONE
 * @value: what help calls the value
 * @help: what it does, in a sentence or two without a full stop
 */
struct command_option {
	const char *name;
	int val;
	enum word takes;
	const char *value;
	const char *help;
};

/**
 * struct command_operand - a word that is no option
 * @name: what help calls it
 * @word: what it may be
 * @repeats: there may be several
 * @with: the option that it belongs to; NULL: it is there without such options
 * @help: what it is, or NULL if that is plain
 */
struct command_operand {
	const char *name;
	enum word word;
	bool repeats;
	const char *with;
	const char *help;
};

/**
 * struct command - a command
 * @name: of the command; of two words, if it is one of a group such as topo
 * @run: it
 * @synopsis: the words after the name, a line for each way to call it
 * @help: what it does, in one line
 * @options: of it alone, up to one without a name; or NULL
 * @operands: the same
 * @notes: what else is to be known of it, or NULL
 * @exits: exit statuses that mean something of its own, or NULL
 * @examples: a line each
 * @doing: what one sees it do when that takes long, or NULL
 * @offline: it can read a captured host (--sysroot)
 * @hostless: the option with which it looks at no host, so that --sysroot means nothing to
 *	it; "": it never looks at one; NULL: always
 */
struct command {
	const char *name;
	int (*run)(int argc, char *argv[]);
	const char *synopsis;
	const char *help;
	const struct command_option *options;
	const struct command_operand *operands;
	const char *notes;
	const char *exits;
	const char *examples;
	const char *doing;
	bool offline;
	const char *hostless;
};

extern const struct command commands[];
extern const size_t commands_count;
extern const struct command_option global_options[];

const struct command *command_find(const char *name);
bool command_is_group(const char *name);
void command_list_group(const char *name, char *text, size_t size);
const char *command_nearest(const char *name);
const struct command_option *option_find(const struct command_option *options,
					 const char *name, size_t length);
const char *option_nearest(const struct command *command, const char *name);

#endif /* COMMANDS_H */
