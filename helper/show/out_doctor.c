// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "out_conf.h"
#include "out_doctor.h"
#include "say.h"
#include "wrap.h"

#define NAME_WIDTH	23
#define NAME_AT		8
#define TEXT_AT		(NAME_AT + NAME_WIDTH)
#define DEVICES_MAX	10	/* listed per finding, in text */
#define REMEDY_DEVICES	64	/* at most, in one remedy */
#define REMEDY_BYTES	(2 * TEXT_BYTES + 2 * REMEDY_DEVICES * BDF_BYTES)
#define BOLD		"\033[1m"
#define PLAIN		"\033[0m"

/**
 * struct word - representations of a verdict
 * @text: word in text output
 * @color: escape sequence for its color
 * @json: word in JSON
 */
struct word {
	const char *text;
	const char *color;
	const char *json;
};

static const struct word words[VERDICTS] = {
	[VERDICT_OK] = { "OK", "\033[32m", "ok" },
	[VERDICT_SKIPPED] = { "-", "", "skipped" },
	[VERDICT_WARN] = { "WARN", "\033[33m", "warn" },
	[VERDICT_FAIL] = { "FAIL", "\033[31m", "fail" },
};

static void print_head(const struct doctor_row *row)
{
	const struct word *word = &words[row->result.verdict];

	if (opt_color)
		printf("  %s%-4s" PLAIN "  ", word->color, word->text);
	else
		printf("  %-4s  ", word->text);
	printf("%-*s", row->result.findings ? 0 : NAME_WIDTH, row->check->name);
}

static const char *bdf_of(const struct doctor *doctor, int function)
{
	return facts_function(&doctor->facts, function)->bdf;
}

static void print_devices(const struct doctor *doctor, const struct finding *finding)
{
	char text[DEVICES_MAX * BDF_BYTES + 64] = "";
	size_t at = 0, i;

	for (i = 0; i < finding->functions && i < DEVICES_MAX; i++)
		at += snprintf(text + at, sizeof(text) - at, "%s%s", i ? " " : "",
			       bdf_of(doctor, finding->function[i]));
	if (finding->functions > DEVICES_MAX)
		snprintf(text + at, sizeof(text) - at, " and %zu more",
			 finding->functions - DEVICES_MAX);
	printf("%*s", NAME_AT + 2, "");
	wrap_print(stdout, NAME_AT + 2, NAME_AT + 2, text);
}

/* Commands of instinctctl take several addresses, paths and other commands only one. */
static void fill_remedy(const struct doctor *doctor, const struct finding *finding, char *text,
			size_t size)
{
	char bdfs[REMEDY_DEVICES * BDF_BYTES] = "BDF";
	size_t at = 0, i;

	if (finding->functions == 1 || (finding->functions <= REMEDY_DEVICES &&
					strstr(finding->remedy, "instinctctl")))
		for (i = 0; i < finding->functions; i++)
			at += snprintf(bdfs + at, sizeof(bdfs) - at, "%s%s", at ? " " : "",
				       bdf_of(doctor, finding->function[i]));
	remedy_fill(finding->remedy, bdfs, text, size);
}

static void print_finding(const struct doctor *doctor, const struct finding *finding)
{
	char remedy[REMEDY_BYTES];

	printf("%*s", NAME_AT, "");
	wrap_print(stdout, NAME_AT, NAME_AT, finding->text);
	if (finding->functions)
		print_devices(doctor, finding);
	printf("%*s", NAME_AT, "");
	fputs("-> ", stdout);
	fill_remedy(doctor, finding, remedy, sizeof(remedy));
	wrap_print(stdout, NAME_AT + 3, NAME_AT + 3, remedy);
}

/* Consecutive checks are often skipped for the same reason. */
static bool is_as_above(const struct doctor *doctor, size_t i)
{
	return i && !strcmp(doctor->row[i].result.text, doctor->row[i - 1].result.text) &&
	       !strcmp(doctor->row[i].check->group, doctor->row[i - 1].check->group);
}

static void print_row(const struct doctor *doctor, size_t at)
{
	const struct doctor_row *row = &doctor->row[at];
	const struct result *result = &row->result;
	char text[sizeof(result->text) + 32];
	size_t i;

	print_head(row);
	if (!result->findings) {
		if (result->verdict == VERDICT_SKIPPED)
			snprintf(text, sizeof(text), "not looked at%s%s",
				 is_as_above(doctor, at) ? ", as above" : ": ",
				 is_as_above(doctor, at) ? "" : result->text);
		else
			snprintf(text, sizeof(text), "%s", result->text);
		wrap_print(stdout, TEXT_AT, TEXT_AT, text);
		return;
	}
	putchar('\n');
	for (i = 0; i < result->findings; i++)
		print_finding(doctor, &result->finding[i]);
}

/* Prints a heading if the row begins a group; *last is the heading before. */
static void print_group(const struct doctor *doctor, size_t i, const char **last)
{
	const char *group = doctor->row[i].check->group;

	if (*last && !strcmp(group, *last))
		return;
	printf("%s%s%s%s\n", *last ? "\n" : "", opt_color ? BOLD : "", group,
	       opt_color ? PLAIN : "");
	*last = group;
}

static bool is_shown(const struct doctor_row *row, bool quiet)
{
	return !quiet || row->result.findings;
}

/**
 * out_doctor_text() - print the results as text
 * @doctor: results
 * @quiet: print only failures, warnings and the summary
 */
void out_doctor_text(const struct doctor *doctor, bool quiet)
{
	const size_t *count = doctor->count;
	const char *group = NULL;
	size_t i;

	for (i = 0; i < doctor->rows; i++) {
		if (!is_shown(&doctor->row[i], quiet))
			continue;
		print_group(doctor, i, &group);
		print_row(doctor, i);
	}
	printf("%s%zu check%s: %zu ok, %zu warning%s, %zu failed", group ? "\n" : "", doctor->rows,
	       plural(doctor->rows), count[VERDICT_OK], count[VERDICT_WARN],
	       plural(count[VERDICT_WARN]), count[VERDICT_FAIL]);
	if (count[VERDICT_SKIPPED])
		printf(", %zu not looked at", count[VERDICT_SKIPPED]);
	putchar('\n');
}

static json_t *finding_json(const struct doctor *doctor, const struct finding *finding)
{
	json_t *devices = json_array();
	char remedy[REMEDY_BYTES];
	size_t i;

	fill_remedy(doctor, finding, remedy, sizeof(remedy));
	for (i = 0; i < finding->functions; i++)
		json_array_append_new(devices,
				      json_string(bdf_of(doctor, finding->function[i])));
	return json_pack("{s:s, s:s, s:s, s:o}", "verdict", words[finding->verdict].json,
			 "text", finding->text, "remedy", remedy, "devices",
			 devices);
}

static json_t *row_json(const struct doctor *doctor, const struct doctor_row *row)
{
	const struct result *result = &row->result;
	json_t *findings = json_array();
	size_t i;

	for (i = 0; i < result->findings; i++)
		json_array_append_new(findings, finding_json(doctor, &result->finding[i]));
	return json_pack("{s:s, s:s, s:s, s:o, s:o}", "name", row->check->name, "group",
			 row->check->group, "verdict", words[result->verdict].json, "text",
			 result->findings ? json_null() : json_string(result->text),
			 "findings", findings);
}

/**
 * out_doctor_json() - convert the results to JSON, version 1 of the schema
 * @doctor: results
 * @code: exit code
 * @quiet: leave out checks without failures and warnings
 *
 * Return: an object.
 */
json_t *out_doctor_json(const struct doctor *doctor, int code, bool quiet)
{
	const struct conf none = { 0 };
	json_t *rows = json_array();
	size_t i;

	for (i = 0; i < doctor->rows && (!code || code == EXIT_DRIFT); i++)
		if (is_shown(&doctor->row[i], quiet))
			json_array_append_new(rows, row_json(doctor, &doctor->row[i]));
	return json_pack("{s:i, s:b, s:{s:i, s:i, s:i, s:i}, s:o, s:o}", "version", 1,
			 "ok", !code, "counts",
			 "ok", (int)doctor->count[VERDICT_OK],
			 "warn", (int)doctor->count[VERDICT_WARN],
			 "fail", (int)doctor->count[VERDICT_FAIL],
			 "skipped", (int)doctor->count[VERDICT_SKIPPED],
			 "checks", rows, "errors", out_errors_json(&none));
}

/**
 * out_doctor_list_text() - print the list of checks as text
 * @doctor: doctor with its checks
 */
void out_doctor_list_text(const struct doctor *doctor)
{
	const char *group = NULL;
	size_t i;

	for (i = 0; i < doctor->rows; i++) {
		print_group(doctor, i, &group);
		printf("  %-*s", NAME_WIDTH, doctor->row[i].check->name);
		wrap_print(stdout, NAME_WIDTH + 2, NAME_WIDTH + 2, doctor->row[i].check->what);
	}
}

/**
 * out_doctor_list_json() - convert the list of checks to JSON
 * @doctor: doctor with its checks
 *
 * Return: an object.
 */
json_t *out_doctor_list_json(const struct doctor *doctor)
{
	json_t *rows = json_array();
	size_t i;

	for (i = 0; i < doctor->rows; i++)
		json_array_append_new(rows, json_pack("{s:s, s:s, s:s}", "name",
						      doctor->row[i].check->name, "group",
						      doctor->row[i].check->group, "what",
						      doctor->row[i].check->what));
	return json_pack("{s:i, s:o}", "version", 1, "checks", rows);
}
