/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The GPUs of a host, with those that are away for a moment. Decides only. */
#ifndef ROSTER_H
#define ROSTER_H

#include "model.h"

#define ROSTER_AWAY_MS	300000	/* who is away for longer does not come back */

/**
 * struct roster - GPUs
 * @gpus: all, in order of address
 * @gone: of each since when it is away, in ms; -1 if it is there
 */
struct roster {
	struct devices gpus;
	int64_t *gone;
};

bool roster_update(struct roster *roster, const struct devices *present, int64_t now);
bool roster_is_away(const struct roster *roster, const char *bdf);
void roster_free(struct roster *roster);

#endif /* ROSTER_H */
