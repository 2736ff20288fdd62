/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The GPUs of a host, with those that are away. Decides only. */
#ifndef ROSTER_H
#define ROSTER_H

#include "model.h"

/**
 * struct roster - GPUs
 * @gpus: all, in order of address
 * @away: of each whether it is
 */
struct roster {
	struct devices gpus;
	bool *away;
};

bool roster_update(struct roster *roster, const struct devices *present);
bool roster_is_away(const struct roster *roster, const char *bdf);
void roster_free(struct roster *roster);

#endif /* ROSTER_H */
