/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parsing the kernel's command line. */
#ifndef COMMAND_LINE_H
#define COMMAND_LINE_H

#include <stdbool.h>
#include <stddef.h>

bool command_line_value(const char *command, const char *name, char *value, size_t size);
bool command_line_part(const char *command, const char *name, const char *part, char *value,
		       size_t size);
bool command_line_next(const char **command, char *word, size_t size);
bool command_line_says(const char *command, const char *name, const char *part);

#endif /* COMMAND_LINE_H */
