/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Output of instinctctl's own commands in a capture, readable without instinctctl. */
#ifndef SHOW_H
#define SHOW_H

#include "tree.h"

#define SHOW_WORDS	4

/**
 * struct show - a command whose output a capture contains
 * @file: path of the output in the capture
 * @argv: words of the command
 * @json: run the command with --json
 * @module: run the command only if the module was loaded
 * @policy: run the command only if there is a policy to compare with
 */
struct show {
	const char *file;
	char *argv[SHOW_WORDS];
	bool json;
	bool module;
	bool policy;
};

typedef int (*show_run_t)(int argc, char *argv[]);

void show_all(struct tree *tree, const char *top, show_run_t run);

#endif /* SHOW_H */
