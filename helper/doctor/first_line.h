/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Asking a program of this host for its version. */
#ifndef FIRST_LINE_H
#define FIRST_LINE_H

#include <stdbool.h>
#include <stddef.h>

bool first_line_of(const char *path, const char *option, char *line, size_t size);

#endif /* FIRST_LINE_H */
