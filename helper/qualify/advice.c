// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "advice.h"
#include "conf_key.h"
#include "say.h"

#define NS_PER_MS	1000000ull
#define MARGIN		3		/* deadline as a multiple of the slowest reset */
#define TIMEOUT_MIN_MS	10000
#define TIMEOUT_STEP_MS	5000

/**
 * advice_timeout() - compute ready_timeout for a method
 * @longest: time of its slowest reset, ns
 *
 * Return: timeout in ms.
 */
uint32_t advice_timeout(uint64_t longest)
{
	uint64_t ms = longest / NS_PER_MS * MARGIN;

	ms = (ms + TIMEOUT_STEP_MS - 1) / TIMEOUT_STEP_MS * TIMEOUT_STEP_MS;
	if (ms < TIMEOUT_MIN_MS)
		ms = TIMEOUT_MIN_MS;
	return ms < INSTINCT_VFIO_READY_TIMEOUT_MAX ? ms : INSTINCT_VFIO_READY_TIMEOUT_MAX;
}

/* Did the trial show whether the method works? */
static bool is_known(const struct trial *trial)
{
	return trial->outcome != OUTCOME_NONE && trial->outcome != OUTCOME_BUSY;
}

/*
 * Choose the least dangerous method that really resets the hardware, or else quiesce. Without
 * evidence against mode1 there is no reason to choose another method.
 */
static const struct trial *choose(const struct advice_facts *facts)
{
	const struct trial *quiet = NULL, *trial;
	unsigned int i;

	if (!is_known(trial_of(facts->trial, INSTINCT_VFIO_METHOD_MODE1)))
		return NULL;
	for (i = 0; i < KINDS; i++) {
		trial = &facts->trial[i];
		if (trial->outcome != OUTCOME_SURVIVED)
			continue;
		if (trial->kind->method != INSTINCT_VFIO_METHOD_QUIESCE)
			return trial;
		quiet = trial;
	}
	return quiet;
}

static void add(struct advice *advice, const char *format, ...)
{
	size_t at = strlen(advice->text);
	va_list args;

	va_start(args, format);
	vsnprintf(advice->text + at, sizeof(advice->text) - at, format, args);
	va_end(args);
}

static void add_key(struct advice *advice, size_t key, uint32_t value, const char *comment)
{
	char text[TEXT_BYTES], line[2 * TEXT_BYTES];

	conf_key_format(&conf_keys[key], value, text, sizeof(text));
	snprintf(line, sizeof(line), "%s = %s", conf_keys[key].name, text);
	if (*comment)
		add(advice, "%-24s# %s\n", line, comment);
	else
		add(advice, "%s\n", line);
}

/* Recommend a key that the trials depended on if its value differs from the default. */
static void add_unless_default(struct advice *advice, size_t key, const struct policy *policy)
{
	uint32_t value = conf_key_get(&conf_keys[key], policy);

	if (value != conf_keys[key].fallback)
		add_key(advice, key, value, "the trials used this value");
}

static void add_method(const struct advice_facts *facts, struct advice *advice,
		       const struct trial *chosen)
{
	const struct trial *quiet = trial_of(facts->trial, INSTINCT_VFIO_METHOD_QUIESCE);
	uint32_t method = chosen->kind->method;
	char comment[TEXT_BYTES];

	/* auto falls back from mode1 to quiesce, and the GPU survived both. */
	if (method == INSTINCT_VFIO_METHOD_MODE1 && quiet->outcome == OUTCOME_SURVIVED)
		method = INSTINCT_VFIO_METHOD_AUTO;
	snprintf(comment, sizeof(comment), "the GPU survived %s %zu time%s%s", chosen->kind->name,
		 chosen->rounds, plural(chosen->rounds),
		 method == INSTINCT_VFIO_METHOD_AUTO ? ", and quiesce" : "");
	add_key(advice, CONF_METHOD, method, comment);
	if (method == INSTINCT_VFIO_METHOD_BUS)
		add_key(advice, CONF_BUS_PORT, chosen->kind->bus_port, "");
	if (method == INSTINCT_VFIO_METHOD_QUIESCE)
		add_key(advice, CONF_TENANCY, INSTINCT_VFIO_TENANCY_SINGLE,
			"all guests are one tenant: quiesce scrubs nothing");
	if (chosen->memory.verdict != MEMORY_KEPT)
		return;
	snprintf(comment, sizeof(comment), "all guests are one tenant: %s leaves data in the memory",
		 chosen->kind->name);
	add_key(advice, CONF_TENANCY, INSTINCT_VFIO_TENANCY_SINGLE, comment);
}

static void add_deadline(struct advice *advice, const struct trial *chosen)
{
	uint64_t slowest = trial_slowest(chosen);
	char comment[TEXT_BYTES];

	if (chosen->kind->method == INSTINCT_VFIO_METHOD_QUIESCE || !slowest)
		return;
	snprintf(comment, sizeof(comment), "the slowest reset took %.1f s", slowest / 1e9);
	add_key(advice, CONF_READY_TIMEOUT, advice_timeout(slowest), comment);
}

static void explain(const struct advice_facts *facts, struct advice *advice)
{
	const struct trial *mode1 = trial_of(facts->trial, INSTINCT_VFIO_METHOD_MODE1);

	if (!is_known(mode1))
		snprintf(advice->why, sizeof(advice->why),
			 "the trials did not show whether mode1 works, so qualify recommends no other method: %.160s",
			 *mode1->why ? mode1->why : name_of(&outcome_names, mode1->outcome));
	else if (!advice->kind)
		snprintf(advice->why, sizeof(advice->why),
			 "no method worked in the trials, so qualify recommends none");
	else if (advice->kind->method == INSTINCT_VFIO_METHOD_MODE1)
		snprintf(advice->why, sizeof(advice->why),
			 "mode1 is the least dangerous method that really resets the GPU");
	else if (advice->kind->method != INSTINCT_VFIO_METHOD_QUIESCE)
		snprintf(advice->why, sizeof(advice->why),
			 "%s is the least dangerous method that really reset the GPU in the trials",
			 advice->kind->name);
	else
		snprintf(advice->why, sizeof(advice->why),
			 "only quiesce worked in the trials, and it scrubs nothing; mode1: %.160s",
			 *mode1->why ? mode1->why : name_of(&outcome_names, mode1->outcome));
}

/**
 * advice_make() - recommend a policy
 * @facts: outcome of the trials
 * @advice: receives the recommendation
 *
 * The policy contains only methods that worked in the trials.
 */
void advice_make(const struct advice_facts *facts, struct advice *advice)
{
	const struct trial *chosen = choose(facts);

	*advice = (struct advice) { .kind = chosen ? chosen->kind : NULL };
	explain(facts, advice);
	if (!chosen)
		return;
	add(advice, "[family %s]\n", facts->family);
	add_method(facts, advice, chosen);
	add_deadline(advice, chosen);
	if (chosen->kind->method != INSTINCT_VFIO_METHOD_QUIESCE) {
		add_unless_default(advice, CONF_SCOPE, facts->policy);
		add_unless_default(advice, CONF_HIVE, facts->policy);
	}
	if (chosen->kind->method == INSTINCT_VFIO_METHOD_MODE1)
		add_unless_default(advice, CONF_MAILBOX, facts->policy);
}
