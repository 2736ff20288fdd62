/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a check has found. */
#ifndef RESULT_H
#define RESULT_H

#include "model.h"

#define RESULT_NO_FUNCTION	(-1)

/* The worse the later. */
enum verdict {
	VERDICT_OK,
	VERDICT_SKIPPED,	/* not looked at */
	VERDICT_WARN,
	VERDICT_FAIL,
	VERDICTS,
};

/**
 * struct finding - something that is not as it should be
 * @verdict: VERDICT_WARN or VERDICT_FAIL
 * @text: what was found
 * @remedy: what to do
 * @function: those of which it is true, as indices of the host's functions
 * @functions: how many; none where it is about the host
 */
struct finding {
	enum verdict verdict;
	char text[2 * TEXT_BYTES];
	char remedy[2 * TEXT_BYTES];
	int *function;
	size_t functions;
};

/**
 * struct result - of a check
 * @verdict: the worst of the findings; without any VERDICT_OK or VERDICT_SKIPPED
 * @text: what is so, or why it was not looked at
 * @finding: what is not as it should be
 * @findings: how many
 */
struct result {
	enum verdict verdict;
	char text[2 * TEXT_BYTES];
	struct finding *finding;
	size_t findings;
};

void result_ok(struct result *result, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void result_skip(struct result *result, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void result_warn(struct result *result, int function, const char *remedy,
		 const char *format, ...) __attribute__((format(printf, 4, 5)));
void result_fail(struct result *result, int function, const char *remedy,
		 const char *format, ...) __attribute__((format(printf, 4, 5)));
void result_free(struct result *result);

#endif /* RESULT_H */
