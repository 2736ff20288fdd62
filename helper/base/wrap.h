/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Line breaking for terminals. */
#ifndef WRAP_H
#define WRAP_H

#include <stdio.h>

#define WRAP_WIDTH	80	/* longest line; a narrower terminal gets shorter ones */

size_t wrap_width(void);
void wrap_print(FILE *out, size_t at, size_t margin, const char *text);

#endif /* WRAP_H */
