// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result.h"

/**
 * result_ok() - set the text of a check that found no fault
 * @result: result of the check; unchanged if it has findings or was skipped
 * @format: statement, as for printf(), without a newline
 */
void result_ok(struct result *result, const char *format, ...)
{
	va_list args;

	if (result->verdict != VERDICT_OK)
		return;
	va_start(args, format);
	vsnprintf(result->text, sizeof(result->text), format, args);
	va_end(args);
}

/**
 * result_skip() - note that a check lacks facts
 * @result: result of the check; unchanged if it has findings
 * @format: reason, as for printf(), without a newline
 */
void result_skip(struct result *result, const char *format, ...)
{
	va_list args;

	if (result->findings)
		return;
	result->verdict = VERDICT_SKIPPED;
	va_start(args, format);
	vsnprintf(result->text, sizeof(result->text), format, args);
	va_end(args);
}

/* Functions with the same fault share one finding. */
static struct finding *find_like(struct result *result, const struct finding *like)
{
	size_t i;

	for (i = 0; i < result->findings; i++)
		if (result->finding[i].verdict == like->verdict &&
		    !strcmp(result->finding[i].text, like->text) &&
		    !strcmp(result->finding[i].remedy, like->remedy))
			return &result->finding[i];
	return NULL;
}

static void add_function(struct finding *finding, int function)
{
	size_t i;

	for (i = 0; i < finding->functions; i++)
		if (finding->function[i] == function)
			return;
	*(int *)list_add((void **)&finding->function, &finding->functions,
			 sizeof(*finding->function)) = function;
}

static void tell(struct result *result, int function, const struct finding *like)
{
	struct finding *finding = find_like(result, like);

	if (!finding) {
		finding = list_add((void **)&result->finding, &result->findings,
				   sizeof(*finding));
		*finding = *like;
	}
	if (function != RESULT_NO_FUNCTION)
		add_function(finding, function);
	if (like->verdict > result->verdict)
		result->verdict = like->verdict;
}

static void find(struct result *result, enum verdict verdict, int function, const char *remedy,
		 const char *format, va_list args)
{
	struct finding finding = { .verdict = verdict };

	vsnprintf(finding.text, sizeof(finding.text), format, args);
	snprintf(finding.remedy, sizeof(finding.remedy), "%s", remedy);
	tell(result, function, &finding);
}

/**
 * result_warn() - add a finding that costs speed, or may cause a failure later
 * @result: result of the check; extended
 * @function: index of the affected function in the host, or RESULT_NO_FUNCTION
 * @remedy: remedy for the operator
 * @format: fault, as for printf(), without a newline
 */
void result_warn(struct result *result, int function, const char *remedy,
		 const char *format, ...)
{
	va_list args;

	va_start(args, format);
	find(result, VERDICT_WARN, function, remedy, format, args);
	va_end(args);
}

/**
 * result_fail() - add a finding that makes the check fail
 * @result: result of the check; extended
 * @function: index of the affected function in the host, or RESULT_NO_FUNCTION
 * @remedy: remedy for the operator
 * @format: fault, as for printf(), without a newline
 */
void result_fail(struct result *result, int function, const char *remedy,
		 const char *format, ...)
{
	va_list args;

	va_start(args, format);
	find(result, VERDICT_FAIL, function, remedy, format, args);
	va_end(args);
}

static void drop_functions(struct finding *finding, bool (*drops)(const void *data, int function),
			   const void *data)
{
	size_t kept = 0, i;

	for (i = 0; i < finding->functions; i++)
		if (!drops(data, finding->function[i]))
			finding->function[kept++] = finding->function[i];
	finding->functions = kept;
}

/**
 * result_drop() - leave functions out of the findings, and findings without any other function
 * @result: result of the check
 * @drops: tells whether to leave a function out
 * @data: passed to @drops
 * @why: the reason why the check is skipped if no finding is left
 */
void result_drop(struct result *result, bool (*drops)(const void *data, int function),
		 const void *data, const char *why)
{
	size_t kept = 0, before = result->findings, i;

	if (!before)
		return;
	result->verdict = VERDICT_OK;
	for (i = 0; i < before; i++) {
		struct finding finding = result->finding[i];
		bool whole = !finding.functions;

		drop_functions(&finding, drops, data);
		if (!whole && !finding.functions) {
			free(finding.function);
			continue;
		}
		result->finding[kept++] = finding;
		if (finding.verdict > result->verdict)
			result->verdict = finding.verdict;
	}
	result->findings = kept;
	if (!kept)
		result_skip(result, "%s", why);
}

/**
 * result_free() - free the findings and leave the result empty
 * @result: result, set or zeroed
 */
void result_free(struct result *result)
{
	size_t i;

	for (i = 0; i < result->findings; i++)
		free(result->finding[i].function);
	free(result->finding);
	*result = (struct result) { 0 };
}
