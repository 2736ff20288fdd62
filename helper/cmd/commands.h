/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of commands, from which instinctctl parses, explains and completes them. */
#ifndef COMMANDS_H
#define COMMANDS_H

#include <stdbool.h>
#include <stddef.h>

/* The kind of a word, which decides its completion. */
enum word {
	WORD_NONE,		/* the option takes no value */
	WORD_FILE,
	WORD_CAPTURE,		/* a folder, or an archive */
	WORD_NUMBER,
	WORD_TIME,
	WORD_SIZE,
	WORD_ADDRESS,		/* a socket address to listen at */
	WORD_METHOD,		/* a method of a reset */
	WORD_DRIVER,		/* a driver of this project */
	WORD_STOCK,		/* a driver of the kernel's for GPUs */
	WORD_RISK,		/* a risk level of qualify */
	WORD_TEXT,		/* any text */
	WORD_UNBOUND,		/* a known GPU that the driver does not have */
	WORD_MANAGED,		/* a GPU bound to the driver */
	WORD_MISSING,		/* a GPU that an earlier apply found and that is gone */
	WORD_KNOWN,		/* a known GPU, managed or not */
	WORD_GPU,		/* a GPU of any vendor */
	WORD_FUNCTION,		/* any PCI function except bridges */
	WORD_VMM,
	WORD_FLAVOR,		/* a library that reads a topology */
	WORD_KEY,		/* a key of a policy */
	WORD_KIND,		/* a kind of event */
	WORD_FORM,		/* a form of a table */
	WORD_CHECK,		/* a check of doctor, for a host or, with --guest, for a guest */
	WORD_SAMPLE,		/* SENSOR=DEGREES */
	WORD_COMMAND,
};

#define OPTION_SHORT	0x100	/* the letter of @val is an option too, such as -o */

/**
 * struct command_option - a long option
 * @name: name without dashes
 * @val: the value that args_option() returns for the option, and flags
 * @takes: kind of its value, or WORD_NONE
 * @value: name of the value in help texts
 * @help: its effect, in a sentence or two without a full stop
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
 * @name: name in help texts
 * @word: kind of the word
 * @repeats: the command line may have several
 * @with: the option that the operand belongs to; NULL: the command takes it without such options
 * @help: its meaning, or NULL if the name says enough
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
 * @name: name of the command; two words for a command of a group such as topo
 * @run: function of the command
 * @synopsis: the words after the name, a line for each form of the command
 * @help: its effect, in one line
 * @options: its own options, up to one without a name; or NULL
 * @operands: its operands, up to one without a name; or NULL
 * @notes: further explanation, or NULL
 * @exits: exit statuses with a meaning of their own, or NULL
 * @examples: example command lines, a line each
 * @doing: the text of the progress line, or NULL
 * @offline: the command can read a captured host (--sysroot)
 * @hostless: the option with which the command reads no host, so that --sysroot has no meaning;
 *	"": it never reads a host; NULL: it always does
 * @stream: with --json it prints a line for each event, and none without events
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
	bool stream;
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
