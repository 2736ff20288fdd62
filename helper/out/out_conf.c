// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "out.h"
#include "out_conf.h"
#include "say.h"

#define WIDTH		80
#define ORIGIN_AT	32	/* column after most values */

/**
 * out_files_json() - list the files that a policy was read from
 * @conf: policy
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
 * out_masked_json() - list the masked files of the installed policy
 * @conf: policy
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
 * out_found_text() - print the files of the installed policy as comments; later ones win
 * @conf: policy; one that was read from a single file has none
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
 * out_origin_text() - print the policy of a device with the origin of each value
 * @conf: policy files
 * @dev: device with its policy
 * @all: print keys that no file sets, too
 */
void out_origin_text(const struct conf *conf, const struct device *dev, bool all)
{
	char value[TEXT_BYTES], line[2 * TEXT_BYTES], origin[2 * TEXT_BYTES];
	bool set = false;
	size_t i;

	printf("[device %s]\n", dev->bdf);
	for (i = 0; i < CONF_KEYS; i++) {
		const struct conf_section *section = conf_ruling(conf, dev, i);

		if (conf_keys[i].kind == INSTINCT_KIND_COUNT || (!section && !all))
			continue;
		set |= !!section;
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
	if (!set && !all)
		puts("# every key has its default");
}

/**
 * out_origin_json() - convert the origin of each value of a policy to JSON
 * @conf: policy files
 * @dev: device
 *
 * Return: an object with file and line for each key, null for a default.
 */
json_t *out_origin_json(const struct conf *conf, const struct device *dev)
{
	json_t *json = json_object();
	size_t i;

	for (i = 0; i < CONF_KEYS; i++) {
		const struct conf_section *section = conf_ruling(conf, dev, i);

		if (conf_keys[i].kind == INSTINCT_KIND_COUNT)
			continue;
		json_object_set_new(json, conf_keys[i].name, !section ? json_null() :
				    json_pack("{s:s, s:i}", "file", section->file,
					      "line", section->at[i]));
	}
	return json;
}

/**
 * out_errors_json() - convert the errors that kept a policy from being applied to JSON
 * @conf: policy with the errors in its files
 *
 * Return: an array, empty without errors.
 */
json_t *out_errors_json(const struct conf *conf)
{
	json_t *list = json_array(), *line;
	int i;

	for (i = 0; i < conf->errors; i++) {
		const struct conf_error *error = &conf->error[i];

		line = error->line ? json_integer(error->line) : json_null();
		json_array_append_new(list, json_pack("{s:s, s:s, s:o, s:s}",
						      "code", error_code_name(error->code),
						      "file", error->file, "line", line,
						      "text", error->text));
	}
	if (conf->errors)
		return list;
	/* An error of the module or the system belongs to no file. */
	json_decref(list);
	return out_said_json();
}
