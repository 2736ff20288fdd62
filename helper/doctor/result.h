/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The result of a check. */
#ifndef RESULT_H
#define RESULT_H

#include "model.h"

#define RESULT_NO_FUNCTION	(-1)

/* In order of severity: the worst verdict of a check counts. */
enum verdict {
	VERDICT_OK,
	VERDICT_SKIPPED,	/* facts are missing */
	VERDICT_WARN,
	VERDICT_FAIL,
	VERDICTS,
};

/**
 * struct finding - a fault
 * @verdict: VERDICT_WARN or VERDICT_FAIL
 * @text: text of the fault
 * @remedy: remedy for the operator
 * @function: indices of the affected functions in the host
 * @functions: number of affected functions, 0 if the fault is the host's
 */
struct finding {
	enum verdict verdict;
	char text[2 * TEXT_BYTES];
	char remedy[2 * TEXT_BYTES];
	int *function;
	size_t functions;
};

/**
 * struct result - result of a check
 * @verdict: worst verdict of the findings; VERDICT_OK or VERDICT_SKIPPED without findings
 * @text: statement of a check without findings, or the reason why it was skipped
 * @finding: faults
 * @findings: number of faults
 */
struct result {
	enum verdict verdict;
	char text[2 * TEXT_BYTES];
	struct finding *finding;
	size_t findings;
};

void result_ok(struct result *result, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void result_drop(struct result *result, bool (*drops)(const void *data, int function),
		 const void *data, const char *why);
void result_skip(struct result *result, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void result_warn(struct result *result, int function, const char *remedy,
		 const char *format, ...) __attribute__((format(printf, 4, 5)));
void result_fail(struct result *result, int function, const char *remedy,
		 const char *format, ...) __attribute__((format(printf, 4, 5)));
void result_free(struct result *result);

#endif /* RESULT_H */
