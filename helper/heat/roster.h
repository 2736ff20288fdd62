/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The GPUs of a host, including those that are absent for now. Pure decisions without I/O. */
#ifndef ROSTER_H
#define ROSTER_H

#include "model.h"

/**
 * struct roster - all GPUs that have been seen
 * @gpus: the GPUs, sorted by address
 * @away: for each GPU, whether it is absent
 */
struct roster {
	struct devices gpus;
	bool *away;
};

bool roster_update(struct roster *roster, const struct devices *present);
bool roster_is_away(const struct roster *roster, const char *bdf);
void roster_free(struct roster *roster);

#endif /* ROSTER_H */
