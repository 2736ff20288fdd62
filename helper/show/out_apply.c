// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "out_apply.h"
#include "out_change.h"
#include "out_conf.h"
#include "say.h"

static const char *noun(const struct devices *devices)
{
	size_t i;

	for (i = 0; i < devices->count; i++)
		if (devices->list[i].unmanaged)
			return "device";
	return "GPU";
}

static void print_pending(const struct devices *devices)
{
	size_t count = 0, i;

	for (i = 0; i < devices->count; i++)
		count += devices->list[i].pending;
	if (count)
		printf("%zu GPU%s not bound yet: %s policy waits for %s (instinctctl bind)\n",
		       count, count == 1 ? " is" : "s are", count == 1 ? "its" : "their",
		       count == 1 ? "it" : "them");
}

static const char *verified(const struct apply *apply)
{
	return apply->verified ? "read back and compared" : "NOT all of it is in force";
}

/* Lists GPUs only; the same device may also be in the list as an unmanaged endpoint. */
static json_t *left_json(const struct devices *left)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < left->count; i++)
		if (!left->list[i].unmanaged)
			json_array_append_new(list, json_string(left->list[i].bdf));
	return list;
}

static json_t *absent_json(const struct conf *conf)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < conf->count; i++)
		if (conf->section[i].absent)
			json_array_append_new(list, json_string(conf->section[i].name));
	return list;
}

/**
 * out_apply_text() - print the result of a successful or drifting run as text
 * @apply: the run
 * @ms: duration of the run, in ms
 */
void out_apply_text(const struct apply *apply, unsigned long ms)
{
	size_t all = apply->devices.count, some = apply->changes.count;
	const char *what = noun(&apply->devices);

	if (apply->dry_run && some)
		printf("to change on %zu of %zu %s%s\n", some, all, what, plural(all));
	else if (apply->dry_run)
		printf("nothing to change on %zu %s%s\n", all, what, plural(all));
	else if (!apply->written)
		printf("nothing to change on %zu %s%s: %s, no policy sent\n",
		       all, what, plural(all), verified(apply));
	else
		printf("changed on %zu of %zu %s%s in %lu ms: %s\n",
		       apply->written, all, what, plural(all), ms, verified(apply));
	if (!apply->dry_run)
		print_pending(&apply->devices);
}

/**
 * out_apply_json() - convert a run to JSON, version 1 of the schema
 * @apply: the run; members that it did not get to stay empty
 *
 * Return: an object.
 */
json_t *out_apply_json(const struct apply *apply)
{
	json_t *changes = json_array();
	size_t i;

	for (i = 0; i < apply->changes.count; i++)
		json_array_append_new(changes, out_change_json(&apply->changes.list[i]));
	return json_pack("{s:i, s:b, s:b, s:b, s:o, s:I, s:o, s:o, s:o, s:I, s:I, s:o}",
			 "version", 1, "applied", apply->applied,
			 "dry_run", apply->dry_run, "verified", apply->verified,
			 "files", out_files_json(apply->conf),
			 "devices", (json_int_t)apply->devices.count,
			 "changes", changes, "unreachable", left_json(&apply->left),
			 "absent", absent_json(apply->conf),
			 "written", (json_int_t)apply->written,
			 "requests", (json_int_t)(apply->nl ? nl_requests(apply->nl) : 0),
			 "errors", out_errors_json(apply->conf));
}
