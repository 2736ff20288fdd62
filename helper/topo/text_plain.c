// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text_plain.h"

#define BLANKS		" \t"
#define ESCAPE		'\033'
#define BELL		'\a'
#define BYTE_ORDER_MARK	"\xef\xbb\xbf"
#define HARD_BLANK	"\xc2\xa0"
#define DRAWN_BAR	"\xe2\x94\x82"	/* between the numbers and the lines of a pager */
#define WIDE_MARK	"\xff\xfe"		/* UTF-16, as PowerShell writes files */
#define NUMBERED_MIN	3	/* lines that count on by one are no chance */

/* Returns the end of a terminal's escape sequence (ECMA-48): CSI, OSC, or ESC and a byte. */
static const char *skip_escape(const char *at, const char *end)
{
	if (++at == end)
		return at;
	if (*at == '[') {
		for (at++; at < end && (*at < '@' || *at > '~') && *at != '\n';)
			at++;
		return at < end && *at != '\n' ? at + 1 : at;
	}
	if (*at == ']') {
		while (at < end && *at != BELL && *at != ESCAPE && *at != '\n')
			at++;
		return at < end && *at == BELL ? at + 1 : at;
	}
	if (*at == '(' || *at == ')')
		at++;
	return at < end && *at != '\n' ? at + 1 : at;
}

/* Removes colours, carriage returns at the ends of lines, and marks and blanks of web pages. */
static size_t drop_controls(char *text, size_t size)
{
	const char *at = text, *end = text + size;
	char *to = text;

	if (size >= 3 && !memcmp(text, BYTE_ORDER_MARK, 3))
		at += 3;
	while (at < end) {
		if (*at == ESCAPE) {
			at = skip_escape(at, end);
		} else if (*at == '\r' && (at + 1 == end || at[1] == '\n' || at[1] == '\r')) {
			at++;
		} else if (end - at >= 2 && !memcmp(at, HARD_BLANK, 2)) {
			*to++ = ' ';
			at += 2;
		} else if (end - at >= 3 && !memcmp(at, DRAWN_BAR, 3)) {
			*to++ = '|';
			at += 3;
		} else {
			*to++ = *at++;
		}
	}
	*to = '\0';
	return to - text;
}

/* Reduces UTF-16 to ASCII, which all formats are written in but for names. */
static size_t drop_halves(char *text, size_t size)
{
	size_t i, to = 0;

	for (i = 2; i + 1 < size; i += 2)
		text[to++] = text[i + 1] || !text[i] ? '?' : text[i];
	text[to] = '\0';
	return to;
}

static void blank(char *line, size_t length)
{
	memset(line, ' ', length);
}

static bool begins(const char *line, size_t length, const char *with)
{
	return length >= strlen(with) && !strncasecmp(line, with, strlen(with));
}

/* Takes off what marks the beginning and the end of a text: Markdown, BBCode, Jira, HTML. */
static void drop_fences(char *line, size_t length)
{
	static const char *const fences[] = {
		"```", "~~~", "[code", "[/code", "[quote", "[/quote", "[spoiler", "[/spoiler",
		"{code", "{noformat", "<details", "</details", "<summary", "</summary", "<pre>",
		"<pre ", "</pre>", "<code>", "<code ", "</code>", "<p>", "</p>", "<br>", "<br/>",
	};
	size_t at = 0, end, i;

	for (i = 0; i < sizeof(fences) / sizeof(fences[0]); i++) {
		while (at < length && strchr(BLANKS, line[at]))
			at++;
		if (!begins(line + at, length - at, fences[i]))
			continue;
		end = length;
		if (strchr("[{<", line[at]))
			for (end = at; end < length && !strchr("]}>", line[end]);)
				end++;
		end += end < length;
		blank(line + at, end - at);
		i = -1;
	}
}

/* Checks for a shell's prompt: "$ ls", "# ls", "root@host:~# ls", "[root@host ~]$ ls", "sh-5.1# ls". */
static bool is_prompt(const char *line, size_t length)
{
	size_t at = 0, name;

	while (at < length && strchr(BLANKS, line[at]))
		at++;
	if (begins(line + at, length - at, "[sudo]") || begins(line + at, length - at, "sudo "))
		return true;
	for (name = at; at < length && !strchr("$#%<>{", line[at]);)
		at++;
	if (at >= length || !strchr("$#%", line[at]) || (at + 1 < length && line[at + 1] != ' '))
		return false;
	return at == name || memchr(line + name, '@', at - name) ||
	       begins(line + name, at - name, "sh-") || begins(line + name, at - name, "bash-");
}

/* Takes "> ", "> > " and "| " off, in which people quote a text. */
static void unquote(char *line, size_t length)
{
	size_t at = 0;

	for (;;) {
		size_t mark = at;

		while (mark < length && strchr(BLANKS, line[mark]))
			mark++;
		if (mark == length || (line[mark] != '>' &&
				       !(line[mark] == '|' && mark + 1 < length && line[mark + 1] == ' ')))
			return;
		blank(line + at, mark + 1 - at);
		at = mark + 1;
	}
}

/* sudo's prompt has no line end if the password came from a pipe. */
static void drop_sudo(char *line, size_t length)
{
	static const char before[] = "[sudo] password for ";
	char *end;

	if (!begins(line, length, before))
		return;
	end = memmem(line + strlen(before), length - strlen(before), ": ", 2);
	if (end && end + 2 < line + length)
		blank(line, end + 2 - line);
}

/*
 * Parses the number of a line at its beginning, as cat -n, grep -n and editors write it. Returns the
 * bytes up to the line itself, 0 without a number.
 */
static size_t number_of(const char *line, size_t length, unsigned long *number)
{
	size_t at = 0, first;

	while (at < length && strchr(BLANKS, line[at]))
		at++;
	first = at;
	*number = 0;
	for (; at < length && isdigit((unsigned char)line[at]) && at - first < 7; at++)
		*number = *number * 10 + (line[at] - '0');
	if (at == first || line[first] == '0')
		return 0;
	/* An empty line may end there. */
	if (at == length)
		return at;
	if (line[at] == ' ' && at + 1 < length && line[at + 1] == '|')
		at++;
	/* A bus may have one digit, as in "1:00.0". */
	if (line[at] == ':' && at + 3 < length && line[at + 3] == '.')
		return 0;
	return strchr(" \t:|", line[at]) ? at + 1 : 0;
}

/*
 * Takes numbers off that count on by one from line to line. A colon may also follow the bus of an
 * address, so with it the numbers have to begin at 1.
 */
static void drop_numbers(char *text, size_t size)
{
	char *line = text, *end = text + size, *next;
	unsigned long first = 0, last = 0, number;
	char *run = NULL;
	size_t count = 0;

	for (; line <= end; line = next) {
		char *stop = line < end ? memchr(line, '\n', end - line) : NULL;
		size_t length = (stop ? stop : end) - line;
		bool is_on = line < end && number_of(line, length, &number);

		next = (stop ? stop : end) + 1;
		if (is_on && run && number == last + 1) {
			last = number;
			count++;
			continue;
		}
		while (count >= NUMBERED_MIN && run < line) {
			char *of = memchr(run, '\n', line - run);
			size_t mark = number_of(run, (of ? of : line) - run, &last);

			if (mark && (run[mark - 1] != ':' || first == 1))
				blank(run, mark);
			if (!of)
				break;
			run = of + 1;
		}
		run = is_on ? line : NULL;
		first = is_on ? number : 0;
		last = first;
		count = is_on;
	}
}

static bool is_empty(const char *line, size_t length)
{
	while (length && strchr(BLANKS, line[length - 1]))
		length--;
	return !length;
}

static void blank_lines(char *from, const char *to)
{
	for (; from < to; from++)
		if (*from != '\n')
			*from = ' ';
}

/* Checks for the first line of a document of libvirt, hwloc, NCCL or RCCL. */
static bool is_opening(const char *line, size_t length)
{
	static const char *const openings[] = {
		"<?xml", "<domain", "<domstatus", "<!DOCTYPE topology", "<topology", "<system",
	};
	size_t i;

	for (i = 0; i < sizeof(openings) / sizeof(openings[0]); i++)
		if (begins(line, length, openings[i]))
			return true;
	return false;
}

/* Returns the end of the element that is closed last, or NULL. */
static char *closing_of(char *text, const char *end)
{
	static const char *const closings[] = { "</domain>", "</domstatus>", "</topology>", "</system>" };
	char *at, *last = NULL;
	size_t i;

	for (i = 0; i < sizeof(closings) / sizeof(closings[0]); i++)
		for (at = text; (at = memmem(at, end - at, closings[i], strlen(closings[i])));) {
			at += strlen(closings[i]);
			last = at > last ? at : last;
		}
	return last;
}

/*
 * Blanks prompts, warnings and headers before and after a document: XML and JSON hold nothing else.
 * Other formats have comments that look like prompts, and readers that pass over them.
 */
static void drop_around(char *text, size_t size)
{
	char *line = text, *end = text + size, *stop, *start = NULL, *close;
	bool head = begins(text, size, "HTTP/"), prompts = true;

	for (; line < end && !start; line = stop + 1) {
		size_t blanks = strspn(line, BLANKS);

		stop = memchr(line, '\n', end - line);
		stop = stop ? stop : end;
		if (is_opening(line + blanks, stop - line - blanks)) {
			start = line;
		} else if (is_empty(line, stop - line)) {
			head = false;
		} else if (prompts && !head && !is_prompt(line, stop - line)) {
			if (strchr("<{[", line[blanks]))
				start = line;
			prompts = false;
		}
	}
	if (!start)
		return;
	blank_lines(text, start);
	start += strspn(start, BLANKS);
	close = *start == '<' ? closing_of(start, end) : NULL;
	/* XML allows its declaration at the first byte only; the default encoding is UTF-8 as well. */
	stop = memmem(start, end - start, "?>", 2);
	if (start > text && begins(start, end - start, "<?xml") && stop)
		blank_lines(start, stop + 2);
	if (close)
		blank_lines(close, end);
	while (end > start) {
		stop = memrchr(start, '\n', end - start - 1);
		stop = stop ? stop + 1 : start;
		if (!is_empty(stop, end - stop - (end[-1] == '\n')) &&
		    !is_prompt(stop, end - stop - (end[-1] == '\n')))
			return;
		blank(stop, end - stop - (end[-1] == '\n'));
		end = stop;
	}
}

/**
 * text_plain() - take off what a person's copy has around the lines of a text
 * @text: text, followed by a NUL; modified
 * @size: of @text in bytes
 *
 * Colours, quotation marks, numbers, fences and the prompts around a document become blanks. Lines
 * keep their numbers, which messages name. A command line from /proc, whose words end with NULs, is
 * left as it is.
 *
 * Return: the new size.
 */
size_t text_plain(char *text, size_t size)
{
	char *line, *end, *stop;
	bool document;
	int pass;

	if (size >= 2 && !memcmp(text, WIDE_MARK, 2))
		size = drop_halves(text, size);
	if (memchr(text, '\0', size))
		return size;
	size = drop_controls(text, size);
	end = text + size;
	for (pass = 0; pass < 2; pass++) {
		/* A document's lines may begin with a number or ">" of their own. */
		document = !pass || (size && strchr("<{", text[strspn(text, " \t\n")]));
		if (!document)
			drop_numbers(text, size);
		for (line = text; line < end; line = stop + 1) {
			stop = memchr(line, '\n', end - line);
			stop = stop ? stop : end;
			if (!document) {
				drop_sudo(line, stop - line);
				unquote(line, stop - line);
			}
			drop_fences(line, stop - line);
		}
	}
	drop_around(text, size);
	return size;
}
