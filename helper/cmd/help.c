// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "help.h"
#include "out_keys.h"
#include "wrap.h"

#define MARGIN		17	/* column of explanations */

/* Print a word and its explanation, on two lines if the word is long. */
static void print_item(FILE *out, const char *item, const char *help)
{
	size_t at = fprintf(out, "  %s", item);

	if (at + 2 > MARGIN) {
		fputc('\n', out);
		at = 0;
	}
	fprintf(out, "%*s", (int)(MARGIN - at), "");
	wrap_print(out, MARGIN, MARGIN, help);
}

static void option_name(const struct command_option *option, char *text, size_t size)
{
	int n = option->val & OPTION_SHORT ?
		snprintf(text, size, "-%c, ", option->val & ~OPTION_SHORT) : 0;

	snprintf(text + n, size - n, "--%s%s%s", option->name, option->takes ? " " : "",
		 option->takes ? option->value : "");
}

static void print_options(FILE *out, const struct command_option *option)
{
	char name[64];

	for (; option && option->name; option++) {
		option_name(option, name, sizeof(name));
		print_item(out, name, option->help);
	}
}

/* Print the lines of a text, each with a prefix. */
static void print_lines(FILE *out, const char *before, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "\n");

		fprintf(out, "%s%.*s\n", before, (int)n, text);
		text += n + (text[n] == '\n');
	}
}

/* List the commands that take --sysroot; a group appears once. */
static void print_offline(FILE *out)
{
	char text[512] = "--sysroot is for";
	size_t at = strlen(text), i, n, last = 0;
	const char *before = "";

	for (i = 0; i < commands_count && at < sizeof(text); i++) {
		n = strcspn(commands[i].name, " ");
		if (!commands[i].offline ||
		    (n == last && !strncmp(before, commands[i].name, n)))
			continue;
		before = commands[i].name;
		last = n;
		at += snprintf(text + at, sizeof(text) - at, " %.*s", (int)n, before);
	}
	strncat(text, ".", sizeof(text) - strlen(text) - 1);
	wrap_print(out, 0, 0, text);
}

/**
 * help_all() - print all commands
 * @out: stream to print to
 */
void help_all(FILE *out)
{
	size_t i;

	fputs("usage: instinctctl [OPTION...] COMMAND [ARG...]\n\n", out);
	for (i = 0; i < commands_count; i++)
		print_item(out, commands[i].name, commands[i].help);
	fputs("\nOptions, before or after the command:\n", out);
	print_options(out, global_options);
	fputc('\n', out);
	print_offline(out);
	fputs("\nExit status: 0 ok, 1 error, 2 usage, 3 a difference was found, 4 unsupported,\n"
	      "5 permission. See instinctctl(8), instinct-vfio-policy.conf(5),\n"
	      "instinct-vfio-events(7).\n", out);
}

/**
 * help_group() - print the commands of a group
 * @out: stream to print to
 * @name: first word of the commands
 */
void help_group(FILE *out, const char *name)
{
	size_t n = strlen(name), i;

	fprintf(out, "usage: instinctctl %s COMMAND [ARG...]\n\n", name);
	for (i = 0; i < commands_count; i++)
		if (!strncmp(commands[i].name, name, n) && commands[i].name[n] == ' ')
			print_item(out, commands[i].name + n + 1, commands[i].help);
	fprintf(out, "\nMore on each: instinctctl help %s COMMAND\n", name);
}

/**
 * help_command() - print the help of one command
 * @out: stream to print to
 * @command: the command
 */
void help_command(FILE *out, const struct command *command)
{
	const struct command_operand *operand;
	const char *way = command->synopsis;
	const char *before = "usage:";

	do {
		size_t n = strcspn(way, "\n");

		fprintf(out, "%s instinctctl %s%s%.*s\n", before, command->name,
			n ? " " : "", (int)n, way);
		way += n + (way[n] == '\n');
		before = "      ";
	} while (*way);
	fputc('\n', out);
	wrap_print(out, 0, 0, command->help);
	if (command->options || (command->operands && command->operands->help))
		fputc('\n', out);
	print_options(out, command->options);
	for (operand = command->operands; operand && operand->name; operand++)
		if (operand->help)
			print_item(out, operand->name, operand->help);
	if (command->notes) {
		fputc('\n', out);
		wrap_print(out, 0, 0, command->notes);
	}
	if (command->exits) {
		fputs("\nExit status:\n", out);
		print_lines(out, "  ", command->exits);
	}
	if (command->examples) {
		fputs("\nExample:\n", out);
		print_lines(out, "  ", command->examples);
	}
	fprintf(out, "\nOptions of every command%s: instinctctl help\n",
		command->offline ? ", such as --sysroot" : "");
}

/**
 * help_usage() - write the synopsis of a command in one line
 * @command: the command
 * @text: set to the synopsis
 * @size: bytes of @text
 */
void help_usage(const struct command *command, char *text, size_t size)
{
	const char *way = command->synopsis;
	size_t at = snprintf(text, size, "instinctctl %s%s", command->name, *way ? " " : "");

	for (; *way && at < size; way++)
		at += snprintf(text + at, size - at, *way == '\n' ? " | " : "%c", *way);
}

/* Escape the characters that scdoc interprets. */
static void print_escaped(const char *text, size_t length)
{
	for (; length; length--, text++) {
		if (strchr("*_\\#`[|]<>", *text))
			putchar('\\');
		putchar(*text);
	}
}

/* Print options bold, and words in capitals, which the user replaces, underlined. */
static void print_synopsis(const char *text, size_t length)
{
	while (length) {
		size_t n = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ=");
		const char *mark = "_";

		if (*text == '-') {
			n = strspn(text, "-abcdefghijklmnopqrstuvwxyz");
			mark = "*";
		}
		if (n > length)
			n = length;
		if (n) {
			fputs(mark, stdout);
			print_escaped(text, n);
			fputs(mark, stdout);
		} else {
			n = 1;
			print_escaped(text, n);
		}
		text += n;
		length -= n;
	}
}

static void scdoc_item(const char *item, const char *help)
{
	print_synopsis(item, strlen(item));
	printf("\n\t");
	print_escaped(help, strlen(help));
	printf("\n\n");
}

static void scdoc_options(const struct command_option *option)
{
	char name[64];

	for (; option && option->name; option++) {
		option_name(option, name, sizeof(name));
		scdoc_item(name, option->help);
	}
}

static void scdoc_synopsis(const struct command *command)
{
	const char *way = command->synopsis;

	do {
		size_t n = strcspn(way, "\n");

		printf("*instinctctl %s*%s", command->name, n ? " " : "");
		print_synopsis(way, n);
		way += n + (way[n] == '\n');
		puts(*way ? "++" : "");
	} while (*way);
}

/* Print lines that have a status, two blanks and its meaning. */
static void scdoc_exits(const char *line)
{
	const char *what = "Exit status ";
	int words;

	for (; *line; line += words + (line[words] == '\n')) {
		words = strcspn(line, "\n");
		printf("%s*%.1s*: %.*s.\n", what, line, words - 3, line + 3);
		what = "";
	}
}

static void scdoc_words(const struct command *command)
{
	const struct command_operand *operand;

	scdoc_options(command->options);
	for (operand = command->operands; operand && operand->name; operand++)
		if (operand->help)
			scdoc_item(operand->name, operand->help);
	if (command->exits)
		scdoc_exits(command->exits);
}

static void scdoc_examples(void)
{
	size_t i;

	puts("```");
	for (i = 0; i < commands_count; i++)
		print_lines(stdout, "", commands[i].examples);
	puts("```");
}

/**
 * help_scdoc() - print a part of the man page for scdoc
 * @part: "synopsis" or "words" of a command, "options" of all, "examples" of all,
 *	"keys" of a policy
 * @name: name of the command, or NULL
 *
 * Return: false if @part is unknown.
 */
bool help_scdoc(const char *part, const char *name)
{
	const struct command *command = name ? command_find(name) : NULL;

	if (!strcmp(part, "options"))
		scdoc_options(global_options);
	else if (!strcmp(part, "keys"))
		out_keys_scdoc();
	else if (!strcmp(part, "examples"))
		scdoc_examples();
	else if (command && !strcmp(part, "synopsis"))
		scdoc_synopsis(command);
	else if (command && !strcmp(part, "words"))
		scdoc_words(command);
	else
		return false;
	return true;
}
