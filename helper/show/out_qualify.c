// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "digest.h"
#include "model.h"
#include "out_qualify.h"
#include "say.h"
#include "sysfs.h"
#include "wrap.h"

#define INDENT		2
#define LINE_BYTES	1024

/* An untrusted report may lack a member or give it another type; both read as "" or 0. */
static const char *string(const json_t *json, const char *key)
{
	const char *text = json_string_value(json_object_get(json, key));

	return text ? text : "";
}

static const json_t *member(const json_t *json, const char *key)
{
	return json_object_get(json, key);
}

static double seconds(const json_t *json, const char *key)
{
	return json_integer_value(json_object_get(json, key)) / 1e9;
}

/* Prints a line, wrapped and without control characters. */
static void line(FILE *out, size_t indent, const char *format, ...)
{
	char text[LINE_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	sysfs_make_plain(text);
	fprintf(out, "%*s", (int)indent, "");
	wrap_print(out, indent, indent + INDENT, text);
}

/* Strips "0x", so that an ID reads as lspci prints it. */
static const char *bare(const char *id)
{
	return strncmp(id, "0x", 2) ? id : id + 2;
}

static void print_gpu(FILE *out, const json_t *report)
{
	const json_t *gpu = member(report, "gpu"), *host = member(report, "host"), *port;
	size_t i;

	line(out, 0, "Resets of %s %s:%s rev %s at %s%s", string(gpu, "model"), bare(string(gpu, "vendor")),
	     bare(string(gpu, "device")), bare(string(gpu, "revision")), string(gpu, "bdf"),
	     json_is_object(member(report, "under_load")) ? ", under load" : "");
	json_array_foreach((json_t *)member(report, "path"), i, port)
		line(out, INDENT, "below %s %s:%s %s", string(port, "bdf"),
		     bare(string(port, "vendor")), bare(string(port, "device")),
		     string(port, "role"));
	line(out, 0, "host: %s, %s; BIOS %s", string(host, "vendor"), string(host, "product"),
	     string(host, "bios"));
	line(out, 0, "kernel %s, module %s, instinctctl %s", string(host, "kernel"),
	     string(host, "module"), string(host, "instinctctl"));
}

static void print_signed(FILE *out, const json_t *report)
{
	const json_t *by = member(report, "signed_off"), *asked = member(report, "asked");
	const char *note = string(by, "note");

	line(out, 0, "by %s, %s to %s", string(by, "operator"), string(by, "began"),
	     string(by, "finished"));
	if (*note)
		line(out, 0, "note: %s", note);
	if (json_is_object(member(report, "under_load")))
		line(out, 0, "asked: --under-load, %lld rounds, up to %.0f s until each reset",
		     json_integer_value(member(asked, "rounds")),
		     json_integer_value(member(asked, "wait_ms")) / 1e3);
	else
		line(out, 0, "asked: --max-risk %s, %lld rounds, up to %.0f s for each reset",
		     string(asked, "max_risk"), json_integer_value(member(asked, "rounds")),
		     json_integer_value(member(asked, "wait_ms")) / 1e3);
}

static void print_row(FILE *out, const json_t *trial)
{
	const json_t *total = member(member(trial, "times"), "total");
	const char *outcome = string(trial, "outcome");
	char row[LINE_BYTES];
	int at;

	at = snprintf(row, sizeof(row), "%-11.20s %-7.10s %-12.20s %6zu", string(trial, "name"),
		      string(trial, "risk"), strcmp(outcome, "none") ? outcome : "not tried",
		      json_array_size(member(trial, "rounds")));
	if (total)
		snprintf(row + at, sizeof(row) - at, " %9.3f %9.3f %9.3f",
			 seconds(total, "min_ns"), seconds(total, "median_ns"),
			 seconds(total, "max_ns"));
	sysfs_make_plain(row);
	fprintf(out, "%s\n", row);
}

static void print_reason(FILE *out, const json_t *trial)
{
	const json_t *log = member(trial, "kernel_log"), *said;
	const char *why = string(trial, "why");
	size_t i;

	if (*why)
		line(out, 0, "%s: %s", string(trial, "name"), why);
	if (strcmp(string(trial, "outcome"), "failed") && strcmp(string(trial, "outcome"), "lost"))
		return;
	json_array_foreach((json_t *)member(log, "lines"), i, said)
		line(out, INDENT, "kernel: %s", json_string_value(said) ?: "");
}

static void print_phases(FILE *out, const json_t *trial)
{
	const json_t *phases = member(member(trial, "times"), "phases");
	char text[LINE_BYTES] = "";
	unsigned int i;
	size_t at = 0;

	for (i = 0; i < phase_names.count; i++) {
		const char *name = name_of(&phase_names, i);
		const json_t *one = member(phases, name);

		if (seconds(one, "max_ns") >= 0.001)
			at += snprintf(text + at, sizeof(text) - at, "%s%s %.3f",
				       at ? ", " : "", name, seconds(one, "median_ns"));
	}
	if (at)
		line(out, 0, "%s, median of each phase in s: %s", string(trial, "name"), text);
}

static void print_opened(FILE *out, const json_t *trials)
{
	const json_t *trial, *opened;
	size_t i, yes = 0, tried = 0;

	json_array_foreach((json_t *)trials, i, trial) {
		opened = member(trial, "opened");
		yes += json_is_true(opened);
		tried += json_is_boolean(opened);
		if (json_is_null(opened) && *string(trial, "opened_why"))
			line(out, 0, "%s: opening it through VFIO was not tried: %s",
			     string(trial, "name"), string(trial, "opened_why"));
	}
	if (tried)
		line(out, 0, "VFIO could open it after %zu of %zu methods", yes, tried);
}

/* Only a mode-1 finds a secure OS in one round and none in the next. */
static void print_secure_os(FILE *out, const json_t *trial)
{
	const json_t *none = member(trial, "no_secure_os");
	long long rounds = json_integer_value(member(none, "rounds"));
	long long survived = json_integer_value(member(none, "survived"));

	if (!json_is_object(none) || strcmp(string(trial, "name"), "mode1") ||
	    !json_is_true(member(trial, "tried")))
		return;
	if (!rounds)
		line(out, 0, "mode1 with no secure OS: not tried, since none of its rounds began without one");
	else if (survived == rounds)
		line(out, 0, "mode1 with no secure OS: survived %lld time%s", survived,
		     plural(survived));
	else
		line(out, 0, "mode1 with no secure OS: survived %lld of %lld times", survived, rounds);
}

static void print_memory(FILE *out, const json_t *trial)
{
	const json_t *memory = member(trial, "memory");
	const char *name = string(trial, "name"), *verdict = string(memory, "verdict");
	const char *firmware = string(memory, "firmware");
	long long lines = json_integer_value(member(memory, "lines"));
	long long kept = json_integer_value(member(memory, "kept"));
	double mib = json_integer_value(member(memory, "bytes")) / 1048576.0;
	double whole = json_integer_value(member(memory, "memory_bytes")) / 1048576.0;

	if (!json_is_object(memory) || !json_is_true(member(trial, "tried")))
		return;
	if (!strcmp(verdict, "gone"))
		line(out, 0, "%s cleared the memory: none of %lld lines is left in %.0f MiB of %.0f (firmware with IP discovery table %s)",
		     name, lines, mib, whole, *firmware ? firmware : "unknown");
	else if (!strcmp(verdict, "kept"))
		line(out, 0, "%s DID NOT CLEAR THE MEMORY: %lld of %lld lines are left in %.0f MiB of %.0f (firmware with IP discovery table %s)",
		     name, kept, lines, mib, whole, *firmware ? firmware : "unknown");
	else if (*string(memory, "why") && strcmp(name, "quiesce"))
		line(out, 0, "%s: whether it clears the memory %s: %s", name,
		     strcmp(verdict, "unknown") ? "was not tried" : "cannot be told",
		     string(memory, "why"));
}

static void print_trials(FILE *out, const json_t *report)
{
	const json_t *trials = member(report, "trials"), *trial;
	size_t i;

	fprintf(out, "\n%-11s %-7s %-12s %6s %9s %9s %9s\n", "METHOD", "RISK", "OUTCOME",
		"ROUNDS", "MIN s", "MEDIAN s", "MAX s");
	json_array_foreach((json_t *)trials, i, trial)
		print_row(out, trial);
	fputc('\n', out);
	json_array_foreach((json_t *)trials, i, trial)
		print_phases(out, trial);
	json_array_foreach((json_t *)trials, i, trial)
		print_reason(out, trial);
	json_array_foreach((json_t *)trials, i, trial)
		print_secure_os(out, trial);
	print_opened(out, trials);
	json_array_foreach((json_t *)trials, i, trial)
		print_memory(out, trial);
}

static void print_under_load(FILE *out, const json_t *load)
{
	const json_t *rounds = member(load, "rounds"), *round, *said;
	const char *stated = string(load, "load");
	size_t i;

	fputc('\n', out);
	line(out, 0, "the load, which qualify cannot see: %s", *stated ? stated :
	     "not stated (--note)");
	json_array_foreach((json_t *)rounds, i, round) {
		const char *why = string(round, "why");

		line(out, 0, "reset %zu: %s, by %s for %s, %.3f s%s%s", i + 1,
		     string(round, "outcome"), string(round, "method"), string(round, "cause"),
		     seconds(round, "duration_ns"), *why ? ": " : "", why);
	}
	line(out, 0, "the GPU survived %lld of %zu resets under load",
	     json_integer_value(member(load, "survived")), json_array_size(rounds));
	if ((size_t)json_integer_value(member(load, "survived")) == json_array_size(rounds))
		return;
	json_array_foreach((json_t *)member(member(load, "kernel_log"), "lines"), i, said)
		line(out, INDENT, "kernel: %s", json_string_value(said) ?: "");
}

static void print_recoveries(FILE *out, const json_t *report)
{
	const json_t *recovery, *step;
	size_t i, j;

	json_array_foreach((json_t *)member(report, "recoveries"), i, recovery) {
		const char *by = string(recovery, "by");

		line(out, 0, "%s after %s: %s%s", string(recovery, "bdf"),
		     string(recovery, "after"), *by ? "brought back by " : "NOT brought back", by);
		json_array_foreach((json_t *)member(recovery, "steps"), j, step)
			line(out, INDENT, "%s: %s%s%s", string(step, "step"),
			     json_is_true(member(step, "ready")) ? "ready" : "not ready",
			     *string(step, "why") ? ": " : "", string(step, "why"));
	}
}

static void print_config(FILE *out, const json_t *config)
{
	const json_t *one;
	size_t i;

	if (!json_is_object(config)) {
		line(out, 0, "its config space was not compared");
		return;
	}
	line(out, 0, "its config space: %lld bits compared, %lld registers not as before",
	     json_integer_value(member(config, "bits")),
	     json_integer_value(member(config, "differing")));
	json_array_foreach((json_t *)member(config, "differences"), i, one)
		line(out, INDENT, "%s: %s, before %s", string(one, "register"),
		     string(one, "after"), string(one, "before"));
}

static void print_final(FILE *out, const json_t *report)
{
	const json_t *final = member(report, "final"), *method;
	const char *reason = string(final, "reason");
	size_t i;

	line(out, 0, "ended: %s%s%s", string(report, "ended"), *string(report, "why") ? ": " : "",
	     string(report, "why"));
	line(out, 0, "the GPU is %s now%s%s", string(final, "state"), *reason ? ": " : "", reason);
	print_config(out, member(final, "config"));
	json_array_foreach((json_t *)member(final, "lost_by"), i, method)
		line(out, 0, "the module does not try %s on it again until it is forgiven (instinctctl forgive)",
		     json_string_value(method) ?: "");
	line(out, 0, json_is_true(member(final, "policy_as_before")) ?
	     "its policy is the same as before" :
	     "its policy is not the same as before: another program has changed it, or the GPU is gone; this run has not changed it");
}

static void print_advice(FILE *out, const json_t *report)
{
	const json_t *advice = member(report, "recommended");
	char *text = text_copy(string(advice, "policy")), *at, *rest = text;

	fputc('\n', out);
	line(out, 0, "# %s", string(advice, "why"));
	while ((at = strsep(&rest, "\n"))) {
		sysfs_make_plain(at);
		if (*at)
			fprintf(out, "%s\n", at);
	}
	free(text);
}

/**
 * out_qualify_text() - print a report as text
 * @out: stream to write to
 * @report: report from an untrusted source
 */
void out_qualify_text(FILE *out, const json_t *report)
{
	print_gpu(out, report);
	print_signed(out, report);
	if (json_is_object(member(report, "under_load")))
		print_under_load(out, member(report, "under_load"));
	else
		print_trials(out, report);
	print_recoveries(out, report);
	print_final(out, report);
	if (!json_is_object(member(report, "under_load")))
		print_advice(out, report);
	fputc('\n', out);
	line(out, 0, "%s %s", string(member(report, DIGEST_MEMBER), "algorithm"),
	     string(member(report, DIGEST_MEMBER), "value"));
	line(out, 0, "%s", digest_holds(report) ?
	     "the report is as it was sealed; that does not prove its author" :
	     "THE REPORT WAS CHANGED since it was sealed");
}

/**
 * out_qualify_plan() - print the methods that a run would try
 * @out: stream to write to
 * @plan: from report_plan()
 */
void out_qualify_plan(FILE *out, const json_t *plan)
{
	const json_t *one;
	size_t i;

	fprintf(out, "%s:\n", string(plan, "bdf"));
	json_array_foreach((json_t *)member(plan, "plan"), i, one) {
		const char *refusal = string(one, "refusal");

		line(out, INDENT, "%zu. %s (risk %s) %s: %s", i + 1, string(one, "name"),
		     string(one, "risk"), string(one, "what"),
		     *refusal ? refusal : "would be tried");
	}
}
