/* SPDX-License-Identifier: GPL-2.0-only */
/* Commands of instinctctl, run in this process, and kept inside the host that they look at. */
#ifndef COMMAND_H
#define COMMAND_H

#include <stdbool.h>

#include "tree.h"

/**
 * struct said - what a command has said
 * @code: its exit code
 * @out: on standard output
 * @err: on standard error
 */
struct said {
	int code;
	char *out;
	char *err;
};

void command_begin(const char *given);
void command_run(struct said *said, const struct tree *tree, const char *root, bool json,
		 const char *const words[]);
void said_require(const struct said *said, bool json);
void said_show(const struct said *said);
void said_free(struct said *said);

/* Of main.c, and by the linker in place of that of the helper. */
int instinctctl_main(int argc, char *argv[]);
int __wrap_capture_open(void);

#endif /* COMMAND_H */
