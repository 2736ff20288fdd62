// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "command_line.h"

/* Quotation marks may be around a word or around its value. */
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

/*
 * The next word, and the rest behind it; false at the end, or at what is the init process's.
 */
static bool next_word(const char **command, char *word, size_t size)
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
 * command_line_value() - the value of a parameter
 * @command: the command line
 * @name: of the parameter
 * @value: set to that of the last one, "" where it has none
 * @size: of @value in bytes
 *
 * Return: false if there is no such parameter.
 */
bool command_line_value(const char *command, const char *name, char *value, size_t size)
{
	size_t n = strlen(name);
	bool found = false;
	char word[4096];

	*value = '\0';
	while (next_word(&command, word, sizeof(word))) {
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
 * command_line_part() - one of the values that a parameter has, separated by commas
 * @command: the command line
 * @name: of the parameter, which may be there more than once
 * @part: what to look for, itself with a value or without
 * @value: set to that, "" where it has none
 * @size: of @value in bytes
 *
 * Return: false if it is not there.
 */
bool command_line_part(const char *command, const char *name, const char *part, char *value,
		       size_t size)
{
	size_t n = strlen(name);
	bool found = false;
	char word[4096];

	*value = '\0';
	while (next_word(&command, word, sizeof(word))) {
		if (!strncmp(word, name, n) && word[n] == '=')
			found |= find_part(word + n + 1, part, value, size);
	}
	return found;
}

/**
 * command_line_says() - is that one of a parameter's values?
 * @command: the command line
 * @name: of the parameter
 * @part: one of its values
 *
 * Return: true if so.
 */
bool command_line_says(const char *command, const char *name, const char *part)
{
	char value[64];

	return command_line_part(command, name, part, value, sizeof(value));
}
