// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result.h"

/**
 * result_ok() - all is well
 * @result: set, unless something has been found, or could not be looked at
 * @format: what is so, as for printf(), without a newline
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
 * result_skip() - it could not be looked at
 * @result: set, unless something has been found
 * @format: why not, as for printf(), without a newline
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

/* The same of several functions is one finding. */
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
 * result_warn() - something may cost, or go wrong one day
 * @result: added to
 * @function: index of the host's function that it is about, or RESULT_NO_FUNCTION
 * @remedy: what to do
 * @format: what was found, as for printf(), without a newline
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
 * result_fail() - something is wrong
 * @result: added to
 * @function: index of the host's function that it is about, or RESULT_NO_FUNCTION
 * @remedy: what to do
 * @format: what was found, as for printf(), without a newline
 */
void result_fail(struct result *result, int function, const char *remedy,
		 const char *format, ...)
{
	va_list args;

	va_start(args, format);
	find(result, VERDICT_FAIL, function, remedy, format, args);
	va_end(args);
}

/**
 * result_free() - let go of it
 * @result: set or zeroed
 */
void result_free(struct result *result)
{
	size_t i;

	for (i = 0; i < result->findings; i++)
		free(result->finding[i].function);
	free(result->finding);
	*result = (struct result) { 0 };
}
