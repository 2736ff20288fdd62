/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading files in a child process, which is abandoned if a read hangs. */
#ifndef READER_H
#define READER_H

#include "tree.h"

void reader_run(struct tree *tree);

#endif /* READER_H */
