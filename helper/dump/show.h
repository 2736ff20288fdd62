/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What our own commands say of a capture, for who has only eyes. */
#ifndef SHOW_H
#define SHOW_H

#include "tree.h"

#define SHOW_WORDS	4

/**
 * struct show - a command, and where its output goes
 * @file: path in the capture
 * @argv: its words
 * @json: with --json
 * @module: only where the module was loaded
 * @policy: only where there is a policy to compare with
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
