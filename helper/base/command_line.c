// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "command_line.h"

/* Quotation marks may surround a word or its value. */
static void unquote(char *text)
{
	char *to = text;

	for (; *text; text++)
		if (*text != '"')
			*to++ = *text;
	*to = '\0';
}

static size_t word_length(const char *text)
{
	bool quoted = false;
	size_t n;

	for (n = 0; text[n] && (quoted || text[n] != ' '); n++)
		quoted ^= text[n] == '"';
	return n;
}

/**
 * command_line_next() - take the next word from a command line
 * @command: rest of the command line; moved behind the word
 * @word: receives the word without quotation marks
 * @size: bytes of @word
 *
 * Return: false at the end, and at "--": the init process' words follow.
 */
bool command_line_next(const char **command, char *word, size_t size)
{
	size_t n;

	*command += strspn(*command, " ");
	n = word_length(*command);
	snprintf(word, size, "%.*s", (int)n, *command);
	unquote(word);
	*command += n;
	return n && strcmp(word, "--");
}

/**
 * command_line_value() - look up the value of a parameter
 * @command: command line
 * @name: name of the parameter
 * @value: receives the value of its last occurrence, "" without a value
 * @size: bytes of @value
 *
 * Return: false if the command line lacks the parameter.
 */
bool command_line_value(const char *command, const char *name, char *value, size_t size)
{
	size_t n = strlen(name);
	bool found = false;
	char word[4096];

	*value = '\0';
	while (command_line_next(&command, word, sizeof(word))) {
		if (strncmp(word, name, n) || (word[n] && word[n] != '='))
			continue;
		found = true;
		snprintf(value, size, "%s", word[n] ? word + n + 1 : "");
	}
	return found;
}

static bool find_part(const char *list, const char *part, char *value, size_t size)
{
	size_t n = strlen(part), length;

	for (; *list; list += length + (list[length] == ',')) {
		length = strcspn(list, ",");
		if (strncmp(list, part, n) || (n < length && list[n] != '='))
			continue;
		snprintf(value, size, "%.*s", n < length ? (int)(length - n - 1) : 0,
			 list + n + 1);
		return true;
	}
	return false;
}

/**
 * command_line_part() - search the comma-separated values of a parameter
 * @command: command line
 * @name: name of the parameter, which may occur more than once
 * @part: value to search for, "PART" or "PART=VALUE"
 * @value: receives VALUE, "" without one
 * @size: bytes of @value
 *
 * Return: false if no occurrence has @part.
 */
bool command_line_part(const char *command, const char *name, const char *part, char *value,
		       size_t size)
{
	size_t n = strlen(name);
	bool found = false;
	char word[4096];

	*value = '\0';
	while (command_line_next(&command, word, sizeof(word))) {
		if (!strncmp(word, name, n) && word[n] == '=')
			found |= find_part(word + n + 1, part, value, size);
	}
	return found;
}

/**
 * command_line_says() - check whether a parameter has a value in its list
 * @command: command line
 * @name: name of the parameter
 * @part: value to search for
 *
 * Return: true if some occurrence has @part.
 */
bool command_line_says(const char *command, const char *name, const char *part)
{
	char value[64];

	return command_line_part(command, name, part, value, sizeof(value));
}
