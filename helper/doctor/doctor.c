// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>

#include "doctor.h"
#include "say.h"

/**
 * doctor_add() - one more check that is to be made
 * @doctor: added to, unless it is there
 * @check: it
 */
void doctor_add(struct doctor *doctor, const struct check *check)
{
	struct doctor_row *row;
	size_t i;

	for (i = 0; i < doctor->rows; i++)
		if (doctor->row[i].check == check)
			return;
	row = list_add((void **)&doctor->row, &doctor->rows, sizeof(*row));
	row->check = check;
}

/**
 * doctor_run() - read the facts, and make the checks
 * @doctor: with its checks; set
 * @guest: it is the inside of a guest
 * @guest_memory: of the largest guest, bytes; 0: it was not said
 *
 * Return: 0, EXIT_DRIFT if something is wrong, or an exit code, and then it has said why.
 */
int doctor_run(struct doctor *doctor, bool guest, uint64_t guest_memory)
{
	int code = facts_read(&doctor->facts, guest, guest_memory);
	size_t i;

	if (code)
		return code;
	for (i = 0; i < doctor->rows; i++) {
		struct result *result = &doctor->row[i].result;

		doctor->row[i].check->judge(&doctor->facts, result);
		doctor->count[result->verdict]++;
	}
	return doctor->count[VERDICT_FAIL] ? EXIT_DRIFT : EXIT_OK;
}

/**
 * doctor_free() - let go of it
 * @doctor: it
 */
void doctor_free(struct doctor *doctor)
{
	size_t i;

	for (i = 0; i < doctor->rows; i++)
		result_free(&doctor->row[i].result);
	free(doctor->row);
	facts_free(&doctor->facts);
	*doctor = (struct doctor) { 0 };
}
