/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs instinctctl's commands in this process, confined to the host that they inspect. */
#ifndef COMMAND_H
#define COMMAND_H

#include <stdbool.h>

#include "tree.h"

/**
 * struct printed - output of a command
 * @code: exit code
 * @out: text on standard output
 * @err: text on standard error
 */
struct printed {
	int code;
	char *out;
	char *err;
};

void command_begin(const char *given);
void command_run(struct printed *said, const struct tree *tree, const char *root, bool json,
		 const char *const words[]);
void said_require(const struct printed *said, bool json);
void said_show(const struct printed *said);
void said_free(struct printed *said);

/* main() of the helper, and the linker's replacement of its capture_open(). */
int instinctctl_main(int argc, char *argv[]);
int __wrap_capture_open(void);

#endif /* COMMAND_H */
