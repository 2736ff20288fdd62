/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Dropping irrelevant lines from long files of a capture. */
#ifndef SHORTEN_H
#define SHORTEN_H

#include "tree.h"

void shorten(struct tree *tree);

#endif /* SHORTEN_H */
