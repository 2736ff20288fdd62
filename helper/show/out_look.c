// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "digest.h"
#include "out_look.h"
#include "sysfs.h"
#include "wrap.h"

#define INDENT		2
#define VALUE_AT	32
#define LINE_BYTES	2048

/* A member that is missing or of another type reads as "". */
static const char *string(const json_t *json, const char *key)
{
	return json_string_value(json_object_get(json, key)) ?: "";
}

/* Prints a text from column @at on, without control characters; the line so far ends there. */
static void text_print(FILE *out, size_t at, size_t margin, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

static void text_print(FILE *out, size_t at, size_t margin, const char *format, ...)
{
	char text[LINE_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	sysfs_make_plain(text);
	wrap_print(out, at, margin, text);
}

static void print_row(FILE *out, const json_t *row)
{
	bool otherwise = !strcmp(string(row, "verdict"), "otherwise");
	char head[VALUE_AT + 1];

	snprintf(head, sizeof(head), "  %-18.18s %-10s ", string(row, "name"),
		 otherwise ? "OTHERWISE" : "as assumed");
	sysfs_make_plain(head);
	fputs(head, out);
	text_print(out, VALUE_AT, VALUE_AT, "%s", string(row, "value"));
	if (!otherwise)
		return;
	fprintf(out, "%*s", VALUE_AT, "");
	text_print(out, VALUE_AT, VALUE_AT, "assumed: %s; otherwise %s", string(row, "assumed"),
		   string(row, "if_otherwise"));
}

/* One line for all assumptions that cannot be seen for the same reason. */
static void print_unseen(FILE *out, const json_t *rows, size_t first)
{
	const char *why = string(json_array_get(rows, first), "why_unseen");
	char names[LINE_BYTES] = "";
	size_t i, at = 0;
	const json_t *row;

	json_array_foreach((json_t *)rows, i, row) {
		if (strcmp(string(row, "verdict"), "unseen") || strcmp(string(row, "why_unseen"), why))
			continue;
		if (i < first)
			return;
		if (at < sizeof(names))
			at += snprintf(names + at, sizeof(names) - at, "%s%s", at ? ", " : "",
				       string(row, "name"));
	}
	fprintf(out, "%*s", INDENT, "");
	text_print(out, INDENT, 2 * INDENT, "cannot be seen here: %s: %s", names, why);
}

static void print_rows(FILE *out, const json_t *rows)
{
	const json_t *row;
	size_t i;

	json_array_foreach((json_t *)rows, i, row)
		if (strcmp(string(row, "verdict"), "unseen"))
			print_row(out, row);
	json_array_foreach((json_t *)rows, i, row)
		if (!strcmp(string(row, "verdict"), "unseen"))
			print_unseen(out, rows, i);
}

static void print_host(FILE *out, const json_t *host)
{
	static const char *const names[] = { "vendor", "product", "board" };
	char text[LINE_BYTES] = "host:";
	size_t i, at = strlen(text);

	for (i = 0; i < sizeof(names) / sizeof(names[0]) && at < sizeof(text); i++)
		if (*string(host, names[i]))
			at += snprintf(text + at, sizeof(text) - at, " %s,", string(host, names[i]));
	if (*string(host, "bios") && at < sizeof(text))
		at += snprintf(text + at, sizeof(text) - at, " BIOS %s,", string(host, "bios"));
	if (at < sizeof(text))
		snprintf(text + at, sizeof(text) - at, " kernel %s, module %s, instinctctl %s",
			 *string(host, "kernel") ? string(host, "kernel") : "unknown",
			 *string(host, "module") ? string(host, "module") : "not loaded",
			 string(host, "instinctctl"));
	text_print(out, 0, INDENT, "%s", text);
}

/**
 * out_look_text() - print the report of a census as text
 * @out: stream to write to
 * @report: report from an untrusted source
 */
void out_look_text(FILE *out, const json_t *report)
{
	const json_t *gpu, *counts = json_object_get(report, "counts");
	const json_t *digest = json_object_get(report, DIGEST_MEMBER);
	size_t i;

	print_host(out, json_object_get(report, "host"));
	print_rows(out, json_object_get(report, "assumptions"));
	json_array_foreach(json_object_get(report, "gpus"), i, gpu) {
		fputc('\n', out);
		text_print(out, 0, INDENT, "%s %s, driver %s%s%s", string(gpu, "bdf"),
			   *string(gpu, "model") ? string(gpu, "model") : "unknown device",
			   *string(gpu, "driver") ? string(gpu, "driver") : "none",
			   *string(gpu, "power") ? ", " : "", string(gpu, "power"));
		print_rows(out, json_object_get(gpu, "assumptions"));
	}
	fprintf(out, "\n%lld as assumed, %lld otherwise, %lld cannot be seen here; nothing was written\n",
		json_integer_value(json_object_get(counts, "as_assumed")),
		json_integer_value(json_object_get(counts, "otherwise")),
		json_integer_value(json_object_get(counts, "unseen")));
	text_print(out, 0, INDENT, "%s %s", string(digest, "algorithm"), string(digest, "value"));
	if (!digest_holds(report))
		fputs("THE REPORT WAS CHANGED since it was sealed\n", out);
}
