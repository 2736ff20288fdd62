/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Watching the resets of a GPU whose guest has it do DMA. */
#ifndef UNDER_LOAD_H
#define UNDER_LOAD_H

#include "model.h"

#define UNDER_LOAD_WAIT_MS	600000

struct qualify;

bool under_load_blocked(const struct device *dev, char *why, size_t size);
void under_load_run(struct qualify *qualify);

#endif /* UNDER_LOAD_H */
