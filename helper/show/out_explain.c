// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "out.h"
#include "out_explain.h"
#include "wrap.h"

static const char *const labels[COSTS] = {
	[COST_NONE] = "safe",
	[COST_RISK] = "AT A RISK",
	[COST_ISOLATION] = "COSTS ISOLATION",
	[COST_DATA] = "LEAKS DATA",
};

static const char *const stop_labels[STOPS] = {
	[STOPS_USER] = "stops a user",
	[STOPS_HOST] = "stops the host",
};

static void print_line(const char *label, const char *text, const char *why)
{
	char line[3 * TEXT_BYTES];

	printf("   %s: ", label);
	snprintf(line, sizeof(line), "%s%s%s", text, *why ? ": " : "", why);
	wrap_print(stdout, strlen(label) + 5, 5, line);
}

/**
 * out_explain_text() - print an explanation for people
 * @gpu: the GPU
 * @explanation: from explain()
 */
void out_explain_text(const struct device *gpu, const struct explanation *explanation)
{
	size_t i, k;

	printf("%s %s, %s: %s\n", gpu->bdf, gpu->model, state_word(gpu->state),
	       explanation_is_unknown(explanation) ? "whether a guest can have it now cannot be told" :
	       explanation->count ? "NO guest can have it now" : "a guest can have it now");
	for (i = 0; i < explanation->count; i++) {
		const struct obstacle *obstacle = &explanation->list[i];

		printf("%zu. ", i + 1);
		wrap_print(stdout, 3, 3, obstacle->text);
		if (*obstacle->ends)
			print_line("ends by itself", obstacle->ends, "");
		for (k = 0; k < obstacle->helps; k++)
			print_line(stop_labels[obstacle->help[k].stops] ?: labels[obstacle->help[k].cost],
				   obstacle->help[k].text, obstacle->help[k].why);
	}
}

static json_t *text_json(const char *text)
{
	return text && *text ? json_string(text) : json_null();
}

static json_t *gpu_json(const struct device *gpu)
{
	json_t *users = json_array();
	size_t i;

	for (i = 0; i < gpu->users.count; i++) {
		const struct user *user = &gpu->users.list[i];

		json_array_append_new(users, json_pack("{s:i, s:s, s:b, s:o}", "pid", user->pid,
			"command", user->comm, "certain", !user->maybe, "vm", text_json(user->vm)));
	}
	return json_pack("{s:s, s:s, s:o}", "bdf", gpu->bdf, "state", state_word(gpu->state),
			 "users", users);
}

static json_t *obstacle_json(const struct obstacle *obstacle)
{
	json_t *gpus = json_array(), *help = json_array();
	size_t i;

	for (i = 0; i < obstacle->gpus; i++)
		json_array_append_new(gpus, gpu_json(obstacle->gpu[i]));
	for (i = 0; i < obstacle->helps; i++)
		json_array_append_new(help, json_pack("{s:s, s:s, s:o, s:o}",
			"line", obstacle->help[i].text,
			"cost", name_of(&cost_names, obstacle->help[i].cost),
			"stops", obstacle->help[i].stops == STOPS_NOTHING ? json_null() :
				 json_string(name_of(&stops_names, obstacle->help[i].stops)),
			"why", text_json(obstacle->help[i].why)));
	return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o}",
			 "kind", name_of(&obstacle_names, obstacle->kind), "text", obstacle->text,
			 "gpus", gpus, "file", text_json(obstacle->file),
			 "line", obstacle->file ? json_integer(obstacle->line) : json_null(),
			 "ends", text_json(obstacle->ends), "help", help);
}

/**
 * out_explain_json() - convert an explanation to JSON
 * @gpu: the GPU
 * @explanation: from explain()
 *
 * Return: an object.
 */
json_t *out_explain_json(const struct device *gpu, const struct explanation *explanation)
{
	json_t *obstacles = json_array(), *json = json_pack("{s:i}", "version", 1), *own = gpu_json(gpu);
	size_t i;

	for (i = 0; i < explanation->count; i++)
		json_array_append_new(obstacles, obstacle_json(&explanation->list[i]));
	json_object_update(json, own);
	json_decref(own);
	json_object_set_new(json, "model", json_string(gpu->model));
	json_object_set_new(json, "reason", text_json(gpu->reason));
	json_object_set_new(json, "available", explanation_is_unknown(explanation) ?
			    json_null() : json_boolean(!explanation->count));
	json_object_set_new(json, "obstacles", obstacles);
	return json;
}
