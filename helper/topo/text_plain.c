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
#define TAG_MAX		256	/* bytes of a tag of HTML */
#define WARNINGS_MAX	3	/* lines of other programs before JSON */

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

/* Takes "> ", "> > " and "| " off, in which people quote a text; false if the line has none. */
static bool unquote(char *line, size_t length)
{
	size_t at = 0;

	for (;;) {
		size_t mark = at;

		while (mark < length && strchr(BLANKS, line[mark]))
			mark++;
		if (mark == length || (line[mark] != '>' &&
				       !(line[mark] == '|' && mark + 1 < length && line[mark + 1] == ' ')))
			return at;
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

/* Takes the name of a file and a colon off, if grep or the like has put one before all lines. */
static void drop_file(char *text, size_t size)
{
	char *end = text + size, *line = text, *stop;
	size_t length = strcspn(text, ": \t\n") + 1, lines = 0;

	if (length >= size || text[length - 1] != ':' || strspn(text, "0123456789abcdefABCDEF") + 1 >= length)
		return;
	for (; line < end; line = stop + 1, lines++) {
		stop = memchr(line, '\n', end - line);
		stop = stop ? stop : end;
		if (stop > line && ((size_t)(stop - line) < length || memcmp(line, text, length)))
			return;
	}
	if (lines < NUMBERED_MIN)
		return;
	for (line = text; line < end; line = stop + 1) {
		stop = memchr(line, '\n', end - line);
		stop = stop ? stop : end;
		if (stop > line)
			blank(line, length);
	}
}

/* Takes the numbers off a run of lines; a colon may also follow a bus, unless the run begins at 1. */
static void drop_run(char *run, char *end, unsigned long first)
{
	unsigned long number;

	while (run < end) {
		char *stop = memchr(run, '\n', end - run);
		size_t mark = number_of(run, (stop ? stop : end) - run, &number);

		if (mark && (run[mark - 1] != ':' || first == 1))
			blank(run, mark);
		run = (stop ? stop : end) + 1;
	}
}

/* Takes numbers off that count on by one from line to line. */
static void drop_numbers(char *text, size_t size)
{
	char *line = text, *end = text + size, *run = text, *stop;
	unsigned long first = 0, last = 0, number;
	size_t count = 0;

	for (; line < end; line = stop + 1) {
		bool is_on;

		stop = memchr(line, '\n', end - line);
		stop = stop ? stop : end;
		is_on = number_of(line, stop - line, &number);
		if (is_on && count && number == last + 1) {
			last = number;
			count++;
			continue;
		}
		if (count >= NUMBERED_MIN)
			drop_run(run, line, first);
		run = line;
		first = number;
		last = number;
		count = is_on;
	}
	if (count >= NUMBERED_MIN)
		drop_run(run, end, first);
}

static bool has_document(const char *text, size_t size, const char *mark)
{
	static const char *const names[] = { "domain", "domstatus", "topology", "system" };
	char tag[32];
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(tag, sizeof(tag), "%s%s", mark, names[i]);
		if (memmem(text, size, tag, strlen(tag)))
			return true;
	}
	return false;
}

/* Decodes a document that was copied out of the source of a web page; returns the new size. */
static size_t drop_entities(char *text, size_t size)
{
	static const struct {
		const char *name;
		char character;
	} entities[] = {
		{ "&lt;", '<' }, { "&gt;", '>' }, { "&amp;", '&' }, { "&quot;", '"' }, { "&#34;", '"' },
		{ "&#39;", '\'' }, { "&apos;", '\'' },
	};
	const char *at = text, *end = text + size, *close;
	char *to = text;
	size_t i;

	if (!has_document(text, size, "&lt;") || has_document(text, size, "<"))
		return size;
	while (at < end) {
		/* Tags that are not encoded are the page's own. */
		close = *at == '<' ? memchr(at, '>', end - at < TAG_MAX ? end - at : TAG_MAX) : NULL;
		if (close && !memchr(at, '\n', close - at)) {
			for (; at <= close; at++)
				*to++ = ' ';
			continue;
		}
		for (i = 0; i < sizeof(entities) / sizeof(entities[0]); i++)
			if (begins(at, end - at, entities[i].name))
				break;
		if (i < sizeof(entities) / sizeof(entities[0])) {
			*to++ = entities[i].character;
			at += strlen(entities[i].name);
		} else {
			*to++ = *at++;
		}
	}
	*to = '\0';
	return to - text;
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

/* Blanks the comments before a text, which the templates of issues have. */
static void drop_comments(char *text, size_t size)
{
	char *at = text, *end = text + size, *close;

	for (;;) {
		at += strspn(at, " \t\n");
		if (!begins(at, end - at, "<!--"))
			return;
		close = memmem(at, end - at, "-->", 3);
		if (!close)
			return;
		blank_lines(at, close + 3);
		at = close + 3;
	}
}

/* Checks for the first line of JSON, which nothing but the text's last character closes. */
static bool opens_json(const char *line, const char *end)
{
	const char *next;

	if (*line != '{' && *line != '[')
		return false;
	next = line + 1 + strspn(line + 1, " \t\n");
	while (end > line && strchr(" \t\n", end[-1]))
		end--;
	return (*line == '{' && *next == '"' && end[-1] == '}') ||
	       (*line == '[' && *next == '{' && end[-1] == ']');
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
	int warnings = 0;

	for (; line < end && !start; line = stop + 1) {
		size_t blanks = strspn(line, BLANKS);

		stop = memchr(line, '\n', end - line);
		stop = stop ? stop : end;
		if (is_opening(line + blanks, stop - line - blanks)) {
			start = line;
		} else if (warnings <= WARNINGS_MAX && opens_json(line + blanks, end)) {
			start = line;
		} else if (is_empty(line, stop - line)) {
			head = false;
		} else if (prompts && !head && !is_prompt(line, stop - line)) {
			if (strchr("<{[", line[blanks]))
				start = line;
			prompts = false;
		}
		warnings += !is_empty(line, stop - line);
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
	bool document, quoted = true;
	int pass;

	if (size >= 2 && !memcmp(text, WIDE_MARK, 2))
		size = drop_halves(text, size);
	if (memchr(text, '\0', size))
		return size;
	size = drop_controls(text, size);
	size = drop_entities(text, size);
	end = text + size;
	/* Numbers may stand before quotation marks, and behind them. */
	for (pass = 0; pass < 3 && quoted; pass++) {
		drop_comments(text, size);
		/* A document's lines may begin with a number or ">" of their own. */
		document = !pass || (size && strchr("<{", text[strspn(text, " \t\n")]));
		if (!document) {
			drop_file(text, size);
			drop_numbers(text, size);
		}
		quoted = !pass;
		for (line = text; line < end; line = stop + 1) {
			stop = memchr(line, '\n', end - line);
			stop = stop ? stop : end;
			if (!document) {
				drop_sudo(line, stop - line);
				quoted |= unquote(line, stop - line);
			}
			drop_fences(line, stop - line);
		}
	}
	drop_comments(text, size);
	drop_around(text, size);
	return size;
}
