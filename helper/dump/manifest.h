/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The manifest: contents of a capture, and the files that it lacks with reasons. */
#ifndef MANIFEST_H
#define MANIFEST_H

#include <jansson.h>

#include "dump.h"

bool manifest_says_masked(void);
json_t *manifest_missing(const struct tree *tree);
void manifest_add(struct dump *dump);

#endif /* MANIFEST_H */
