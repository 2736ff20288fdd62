/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All checks of a host or of a guest, and what they have found. */
#ifndef DOCTOR_H
#define DOCTOR_H

#include "checks.h"

/**
 * struct doctor_row - a check and what it has found
 * @check: it
 * @result: see there
 */
struct doctor_row {
	const struct check *check;
	struct result result;
};

/**
 * struct doctor - what all have found
 * @facts: that they judged by
 * @row: each check that was made
 * @rows: how many
 * @count: of each verdict
 */
struct doctor {
	struct facts facts;
	struct doctor_row *row;
	size_t rows;
	size_t count[VERDICTS];
};

void doctor_add(struct doctor *doctor, const struct check *check);
int doctor_run(struct doctor *doctor, bool guest, uint64_t guest_memory);
void doctor_free(struct doctor *doctor);

#endif /* DOCTOR_H */
