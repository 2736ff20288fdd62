// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "wrap.h"

/**
 * wrap_print() - print words in lines of at most WRAP_WIDTH columns
 * @out: output
 * @at: column that the output has reached
 * @margin: column at which the lines after the first begin
 * @text: words, with single blanks between them
 */
void wrap_print(FILE *out, size_t at, size_t margin, const char *text)
{
	while (*text) {
		size_t room = WRAP_WIDTH - at, n = strlen(text);

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
