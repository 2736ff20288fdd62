// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "doctor.h"
#include "say.h"

/**
 * doctor_add() - schedule a check
 * @doctor: receives the check, unless it has it already
 * @check: check to schedule
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

/* Checks of registers and links, which a GPU that does not answer cannot pass. */
static bool follows(const struct check *check)
{
	static const char *const groups[] = { "BARs", "PCIe", "Power" };
	size_t i;

	for (i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		if (!strcmp(check->group, groups[i]))
			return strcmp(check->name, "aer");
	return !strcmp(check->name, "acs-policy") || !strcmp(check->name, "ats-policy");
}

static bool is_dead(const void *facts, int function)
{
	return facts_is_dead(facts, function);
}

static bool has_check(const struct doctor *doctor, const char *name)
{
	size_t i;

	for (i = 0; i < doctor->rows; i++)
		if (!strcmp(doctor->row[i].check->name, name))
			return true;
	return false;
}

/**
 * doctor_run() - read the facts, and run all scheduled checks
 * @doctor: scheduled checks; receives the facts and results
 * @guest: doctor runs inside a guest
 * @guest_memory: memory of the largest guest in bytes, 0 if unknown
 *
 * Return: 0, EXIT_DRIFT if a check failed, or another exit code after printing the error.
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
		if (has_check(doctor, "gpu-answers") && follows(doctor->row[i].check))
			result_drop(result, is_dead, &doctor->facts,
				    "its faults follow from gpu-answers");
		doctor->count[result->verdict]++;
	}
	return doctor->count[VERDICT_FAIL] ? EXIT_DRIFT : EXIT_OK;
}

/**
 * doctor_free() - free all results and facts, and leave the doctor empty
 * @doctor: doctor, run or zeroed
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
