// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "wrap.h"

#define WIDTH_MIN	40	/* the first columns of a table need as much */

/**
 * wrap_width() - get the length of a line
 *
 * Return: COLUMNS of the environment, else the width of the terminal that is standard output; from
 * 40 to WRAP_WIDTH, which is also the width without both.
 */
size_t wrap_width(void)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size = { 0 };
	size_t width = columns ? strtoul(columns, NULL, 10) : 0;

	if (!width && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		width = size.ws_col;
	if (!width || width > WRAP_WIDTH)
		return WRAP_WIDTH;
	return width < WIDTH_MIN ? WIDTH_MIN : width;
}

/**
 * wrap_print() - print words in lines of at most wrap_width() columns
 * @out: output
 * @at: column that the output has reached
 * @margin: column at which the lines after the first begin
 * @text: words, with single blanks between them
 */
void wrap_print(FILE *out, size_t at, size_t margin, const char *text)
{
	size_t width = wrap_width();

	while (*text) {
		size_t room = at < width ? width - at : 0, n = strlen(text);

		if (n > room) {
			n = room + 1;
			while (n && text[n - 1] != ' ')
				n--;
			n = n ? n - 1 : strcspn(text, " ");
		}
		fprintf(out, "%.*s\n", (int)n, text);
		text += n;
		text += strspn(text, " ");
		if (*text)
			fprintf(out, "%*s", (int)margin, "");
		at = margin;
	}
}
