// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "out_conf.h"
#include "say.h"

#define WIDTH		80
#define ORIGIN_AT	32	/* column behind most values */

/**
 * out_files_json() - what a policy was read from
 * @conf: it
 *
 * Return: an array, in order: a later file wins over an earlier one.
 */
json_t *out_files_json(const struct conf *conf)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < conf->files_count; i++)
		json_array_append_new(list, json_string(conf->files[i]));
	return list;
}

/**
 * out_masked_json() - files of the installed policy that do not count
 * @conf: it
 *
 * Return: an array.
 */
json_t *out_masked_json(const struct conf *conf)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < conf->found.count; i++) {
		const struct conf_file *file = &conf->found.list[i];

		if (file->by)
			json_array_append_new(list, json_pack("{s:s, s:s}", "file", file->path,
							      "by", file->by));
	}
	return list;
}

/**
 * out_found_text() - files of the installed policy, later ones win, as comments
 * @conf: it; one that was read from a single file has none
 */
void out_found_text(const struct conf *conf)
{
	size_t i;

	for (i = 0; i < conf->found.count; i++) {
		const struct conf_file *file = &conf->found.list[i];

		printf("# %s%s\n", file->path, file->by ? ": masked by" :
					       file->empty ? ": empty" : "");
		if (file->by)
			printf("#   %s\n", file->by);
	}
}

/**
 * out_origin_text() - a policy as it is written, with where each value comes from
 * @conf: the files
 * @dev: device, with its policy
 */
void out_origin_text(const struct conf *conf, const struct device *dev)
{
	char value[TEXT_BYTES], line[2 * TEXT_BYTES], origin[2 * TEXT_BYTES];
	size_t i;

	printf("[device %s]\n", dev->bdf);
	for (i = 0; i < CONF_KEYS; i++) {
		const struct conf_section *section = conf_ruling(conf, dev, i);

		conf_key_format(&conf_keys[i], conf_key_get(&conf_keys[i], &dev->policy),
				value, sizeof(value));
		snprintf(line, sizeof(line), "%s = %s", conf_keys[i].name, value);
		if (section)
			snprintf(origin, sizeof(origin), "%s:%d", section->file,
				 section->at[i]);
		else
			snprintf(origin, sizeof(origin), "default");
		if (ORIGIN_AT + strlen(origin) + 2 > WIDTH || strlen(line) >= ORIGIN_AT)
			printf("# %s\n%s\n", origin, line);
		else
			printf("%-*s# %s\n", ORIGIN_AT, line, origin);
	}
}

/**
 * out_origin_json() - where each value of a policy comes from
 * @conf: the files
 * @dev: device
 *
 * Return: an object of keys: file and line, null for a default.
 */
json_t *out_origin_json(const struct conf *conf, const struct device *dev)
{
	json_t *json = json_object();
	size_t i;

	for (i = 0; i < CONF_KEYS; i++) {
		const struct conf_section *section = conf_ruling(conf, dev, i);

		json_object_set_new(json, conf_keys[i].name, !section ? json_null() :
				    json_pack("{s:s, s:i}", "file", section->file,
					      "line", section->at[i]));
	}
	return json;
}

/**
 * out_errors_json() - why a policy is not applied, or cannot be
 * @conf: it, with what is wrong in its files
 * @code: exit code
 *
 * Return: an array, empty if @code is none of an error.
 */
json_t *out_errors_json(const struct conf *conf, int code)
{
	json_t *list = json_array(), *line;
	int i;

	for (i = 0; i < conf->errors; i++) {
		const struct conf_error *error = &conf->error[i];

		line = error->line ? json_integer(error->line) : json_null();
		json_array_append_new(list, json_pack("{s:s, s:o, s:s}", "file", error->file,
						      "line", line, "text", error->text));
	}
	/* No file is to blame for what the module, or the system, refuses. */
	if (!conf->errors && code && code != EXIT_DRIFT)
		json_array_append_new(list, json_pack("{s:n, s:n, s:s}", "file", "line",
						      "text", say_last_error()));
	return list;
}
