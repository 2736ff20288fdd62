/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a program of this host says of itself, in its first line. */
#ifndef FIRST_LINE_H
#define FIRST_LINE_H

#include <stdbool.h>
#include <stddef.h>

bool first_line_of(const char *path, const char *option, char *line, size_t size);

#endif /* FIRST_LINE_H */
