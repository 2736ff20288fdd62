/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Running checks on a host or in a guest, and their results. */
#ifndef DOCTOR_H
#define DOCTOR_H

#include "checks.h"

/**
 * struct doctor_row - a scheduled check
 * @check: check
 * @result: result of the check
 */
struct doctor_row {
	const struct check *check;
	struct result result;
};

/**
 * struct doctor - scheduled checks and their results
 * @facts: facts that the checks judge
 * @row: scheduled checks
 * @rows: number of scheduled checks
 * @count: number of results with each verdict
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
