// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <ini.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ini_file.h"

#define BOM	"\xef\xbb\xbf"

/* State of the current line; libinih splits key from value. */
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

/* Strip the comment, and blanks at either end. */
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

/* Error messages quote the line, and control characters would act on the terminal. */
static bool has_control(const char *text)
{
	for (; *text; text++)
		if ((iscntrl((unsigned char)*text) && *text != '\t') ||
		    ((unsigned char)text[0] == 0xc2 && (unsigned char)text[1] < 0xa0))
			return true;
	return false;
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
 * libinih calls back for keys only and without a line number, so this function parses section
 * headers and hands other lines to libinih one by one.
 */
static void line_read(struct line *line, char *text)
{
	char *part, *end;

	if (line->number == 1 && !strncmp(text, BOM, strlen(BOM)))
		text += strlen(BOM);
	part = trim(text);
	if (has_control(part)) {
		wrong(line, "found a control character, allowed: text");
	} else if (*part == '[') {
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

static bool is_utf8(const char *text)
{
	json_t *json = json_string(text);

	json_decref(json);
	return json;
}

/**
 * ini_is_text() - tell whether a text is safe to print
 * @text: text
 *
 * Return: true if @text is UTF-8 without control characters.
 */
bool ini_is_text(const char *text)
{
	return is_utf8(text) && !has_control(text) && !strchr(text, '\t');
}

static void line_take(struct line *line, char *text, size_t size)
{
	line->number++;
	if (memchr(text, '\0', size))
		wrong(line, "found a NUL byte, allowed: text");
	else if (!is_utf8(text))
		wrong(line, "found bytes that are no UTF-8, allowed: text in UTF-8");
	else
		line_read(line, text);
}

/**
 * ini_text_read() - parse all lines of a text
 * @text: text, which is changed; its buffer has a byte more than @size for the end
 * @size: length of @text in bytes
 * @calls: callbacks for the lines
 * @data: passed to @calls
 */
void ini_text_read(char *text, size_t size, const struct ini_calls *calls, void *data)
{
	struct line line = { .calls = calls, .data = data };
	char *end = text + size, *newline;

	for (; text < end; text = newline + 1) {
		newline = memchr(text, '\n', end - text);
		if (!newline)
			newline = end;
		*newline = '\0';
		line_take(&line, text, newline - text);
	}
}

static ssize_t read_all(int fd, char *text, size_t size)
{
	size_t at = 0;
	ssize_t n;

	do {
		n = read(fd, text + at, size - at);
		if (n < 0 && errno != EINTR)
			return -errno;
		at += n > 0 ? n : 0;
	} while (n && at < size);
	return at;
}

/* Reading anything but a regular file may never end, or never begin. */
static ssize_t text_of_fd(int fd, bool any, char *text)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!S_ISREG(st.st_mode) && !any)
		return -EINVAL;
	return read_all(fd, text, INI_FILE_MAX + 1);
}

static int take_fd(int fd, bool any, const struct ini_calls *calls, void *data)
{
	char *text = malloc(INI_FILE_MAX + 1);
	ssize_t n = text ? text_of_fd(fd, any, text) : -ENOMEM;

	close(fd);
	if (n > INI_FILE_MAX)
		n = -EFBIG;
	if (n > 0)
		ini_text_read(text, n, calls, data);
	free(text);
	return n < 0 ? n : 0;
}

/**
 * ini_file_read_fd() - parse all lines of an open file
 * @fd: file, opened with O_NONBLOCK; closed by this function
 * @calls: callbacks for the lines
 * @data: passed to @calls
 *
 * Return: 0, or a negative errno if the file cannot be read, see ini_file_strerror().
 */
int ini_file_read_fd(int fd, const struct ini_calls *calls, void *data)
{
	return take_fd(fd, false, calls, data);
}

/* The name says that the user wants a stream: /dev/stdin, or a shell's <(…). */
static bool is_stream(const char *file)
{
	return !strncmp(file, "/dev/", 5) || !strncmp(file, "/proc/", 6);
}

/**
 * ini_file_read() - parse all lines of a file
 * @file: name of the file, "-" for standard input
 * @calls: callbacks for the lines
 * @data: passed to @calls
 *
 * Return: 0, or a negative errno if the file cannot be read, see ini_file_strerror().
 */
int ini_file_read(const char *file, const struct ini_calls *calls, void *data)
{
	bool in_is_stdin = !strcmp(file, "-"), any = in_is_stdin || is_stream(file);
	int fd = in_is_stdin ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) :
			       open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY | (any ? 0 : O_NONBLOCK));

	return fd < 0 ? -errno : take_fd(fd, any, calls, data);
}

/**
 * ini_file_strerror() - describe an error of ini_file_read()
 * @error: positive errno
 *
 * Return: the description.
 */
const char *ini_file_strerror(int error)
{
	switch (error) {
	case EINVAL:
		return "Not a regular file";
	case EILSEQ:
		return "Its name is no plain text";
	case EFBIG:
		return "Larger than 256 KiB";
	default:
		return strerror(error);
	}
}

/**
 * ini_maybe() - make the end of an error that suggests a correction
 * @nearest: suggestion, or NULL
 * @text: receives the suggestion, "" without one
 * @size: size of @text in bytes
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
