// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ini_file.h"

#define BOM	"\xef\xbb\xbf"

/* One line; libinih splits key from value. */
struct line {
	const struct ini_calls *calls;
	void *data;
	int number;
};

static void __attribute__((format(printf, 2, 3)))
wrong(const struct line *line, const char *format, ...)
{
	char *text;
	va_list args;
	int ret;

	va_start(args, format);
	ret = vasprintf(&text, format, args);
	va_end(args);
	line->calls->wrong(line->number, ret < 0 ? "not understood" : text, line->data);
	if (ret >= 0)
		free(text);
}

/* Without blanks at either end, and without a comment. */
static char *trim(char *text)
{
	char *end, *at;

	text += strspn(text, INI_FILE_BLANK);
	for (at = text; *at; at++)
		if (strchr("#;", *at) && (at == text || strchr(INI_FILE_BLANK, at[-1])))
			break;
	*at = '\0';
	end = text + strlen(text);
	while (end > text && isspace((unsigned char)end[-1]))
		*--end = '\0';
	return text;
}

static int take(void *data, const char *section, const char *name,
		const char *value)
{
	struct line *line = data;

	(void)section;
	line->calls->setting(line->number, name, value ? value : "", line->data);
	return 1;
}

/*
 * libinih calls back for keys only and without a line number, so it gets the
 * lines one by one: a section's line is ours.
 */
static void line_read(struct line *line, char *text)
{
	char *part, *end;

	if (line->number == 1 && !strncmp(text, BOM, strlen(BOM)))
		text += strlen(BOM);
	part = trim(text);
	if (*part == '[') {
		end = strchr(part, ']');
		if (end && !end[1]) {
			*end = '\0';
			line->calls->section(line->number, trim(part + 1), line->data);
			return;
		}
		wrong(line, "section without its end, found \"%s\", allowed: [NAME]", part);
		line->calls->section(line->number, NULL, line->data);
	} else if (strlen(part) >= INI_MAX_LINE) {
		wrong(line, "line too long, found %zu bytes, allowed: %d",
		      strlen(part), INI_MAX_LINE - 1);
	} else if (ini_parse_string(part, take, line)) {
		wrong(line, "not a setting, found \"%s\", allowed: KEY = VALUE", part);
	}
}

static int lines_read(struct line *line, FILE *in)
{
	char *text = NULL;
	size_t size = 0;
	ssize_t n;
	int error;

	errno = 0;
	while ((n = getline(&text, &size, in)) >= 0) {
		line->number++;
		if (strlen(text) != (size_t)n)
			wrong(line, "found a NUL byte, allowed: text");
		else
			line_read(line, text);
		errno = 0;
	}
	error = errno;
	free(text);
	return feof(in) ? 0 : -error;
}

/**
 * ini_file_read() - read all lines of a file
 * @file: its name, "-" for standard input
 * @calls: what becomes of them
 * @data: for @calls
 *
 * Return: 0, or a negative errno if it cannot be read.
 */
int ini_file_read(const char *file, const struct ini_calls *calls, void *data)
{
	struct line line = { .calls = calls, .data = data };
	bool in_is_stdin = !strcmp(file, "-");
	FILE *in = in_is_stdin ? stdin : fopen(file, "re");
	int ret = in ? lines_read(&line, in) : -errno;

	if (in && !in_is_stdin)
		fclose(in);
	return ret;
}

/**
 * ini_maybe() - the end of an error: what may have been meant
 * @nearest: it, or NULL
 * @text: set, to "" without
 * @size: of @text in bytes
 *
 * Return: @text.
 */
const char *ini_maybe(const char *nearest, char *text, size_t size)
{
	*text = '\0';
	if (nearest)
		snprintf(text, size, "; did you mean \"%s\"?", nearest);
	return text;
}
