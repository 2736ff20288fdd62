/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Choosing the files of a capture. instinctctl reads only files that these lists name. */
#ifndef TAKE_H
#define TAKE_H

#include "host_clock.h"
#include "model.h"
#include "tree.h"

void take_glob(struct tree *tree, const char *pattern);
void take_presence(struct tree *tree, const char *pattern);
void take_path(struct tree *tree, const char *path);
void take_children(struct tree *tree, const char *folder, const char *const names[]);

void take_power(struct tree *tree);
void take_functions(struct tree *tree, const struct devices *managed);
void take_host(struct tree *tree, bool masked);
bool take_concerns(const char *module);
void take_policy(struct tree *tree);
void take_use(struct tree *tree, bool masked);
void take_uppers(struct tree *tree, const char *name);
void take_clock(struct tree *tree, const struct host_clock *now);
void take_module(struct tree *tree, struct devices *managed);
void take_log(struct tree *tree, bool all);
void take_programs(struct tree *tree);
void take_notes(struct tree *tree);

#endif /* TAKE_H */
