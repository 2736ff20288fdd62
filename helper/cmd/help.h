/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Help texts from the table of commands, for the terminal and the man page. */
#ifndef HELP_H
#define HELP_H

#include <stdbool.h>
#include <stdio.h>

#include "commands.h"

void help_all(FILE *out);
void help_group(FILE *out, const char *name);
void help_command(FILE *out, const struct command *command);
void help_usage(const struct command *command, char *text, size_t size);
bool help_scdoc(const char *part, const char *name);

#endif /* HELP_H */
