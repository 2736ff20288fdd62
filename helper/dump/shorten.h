/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Long files of a capture, without what nobody needs. */
#ifndef SHORTEN_H
#define SHORTEN_H

#include "tree.h"

void shorten(struct tree *tree);

#endif /* SHORTEN_H */
