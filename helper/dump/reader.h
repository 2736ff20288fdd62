/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of the host, read by a process that may be left behind. */
#ifndef READER_H
#define READER_H

#include "tree.h"

void reader_run(struct tree *tree);

#endif /* READER_H */
