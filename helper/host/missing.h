/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * GPUs that an earlier apply found and that are gone. apply records each GPU that it finds; a GPU of
 * the record that the host no longer has is missing until it comes back, or until an operator has
 * instinctctl forget it.
 */
#ifndef MISSING_H
#define MISSING_H

#include "model.h"

#define MISSING_RECORD	"/var/lib/instinct-vfio/gpus"

void missing_add(struct devices *devices);
int missing_record(const struct devices *here);
int missing_forget(const char *bdf);

#endif /* MISSING_H */
