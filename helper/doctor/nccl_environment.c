// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "facts.h"
#include "nccl_environment.h"
#include "sysfs.h"

#define ENVIRONMENT_LIMIT	(1024 * 1024)
#define FILE_LIMIT		(64 << 10)
#define SYSTEM_FILE		"/etc/nccl.conf"
#define USER_FILE		".nccl.conf"

static void add(struct nccl_environment *environment, const char *line, const char *origin)
{
	const char *equal = strchr(line, '=');
	struct nccl_setting *setting;

	if (!equal || equal == line || (size_t)(equal - line) >= sizeof(setting->name))
		return;
	setting = list_add((void **)&environment->list, &environment->count, sizeof(*setting));
	snprintf(setting->name, sizeof(setting->name), "%.*s", (int)(equal - line), line);
	snprintf(setting->value, sizeof(setting->value), "%s", equal + 1);
	snprintf(setting->origin, sizeof(setting->origin), "%s", origin);
	sysfs_make_plain(setting->name);
	sysfs_make_plain(setting->value);
	sysfs_make_plain(setting->origin);
}

/* Read the variables of NCCL and RCCL, and HOME, below which the user's file is. */
static void read_variables(struct nccl_environment *environment)
{
	size_t bytes, at;
	char *text;
	int error;

	text = facts_read_file("/proc/self/environ", ENVIRONMENT_LIMIT, &bytes, &error);
	for (at = 0; at < bytes; at += strlen(text + at) + 1)
		if (!strncmp(text + at, "NCCL_", 5) || !strncmp(text + at, "RCCL_", 5) ||
		    !strncmp(text + at, "HOME=", 5))
			add(environment, text + at, "the environment");
	free(text);
}

static void read_file(struct nccl_environment *environment, const char *path)
{
	char *text, *line, *rest;
	int error;

	text = facts_read_file(path, FILE_LIMIT, NULL, &error);
	for (line = strtok_r(text, "\r\n", &rest); line; line = strtok_r(NULL, "\r\n", &rest))
		if (*line != '#')
			add(environment, line, path);
	free(text);
}

/**
 * nccl_environment_read() - read settings in the order of NCCL (its param.cc)
 * @environment: receives the settings; the caller must call nccl_environment_free()
 */
void nccl_environment_read(struct nccl_environment *environment)
{
	const char *home, *file;
	char path[NCCL_VALUE_BYTES + sizeof(USER_FILE) + 1];

	*environment = (struct nccl_environment) { 0 };
	read_variables(environment);
	file = nccl_environment_value(environment, "NCCL_CONF_FILE");
	home = nccl_environment_value(environment, "HOME");
	if (file)
		snprintf(path, sizeof(path), "%s", file);
	else if (home)
		snprintf(path, sizeof(path), "%s/" USER_FILE, home);
	if (file || home)
		read_file(environment, path);
	read_file(environment, SYSTEM_FILE);
}

/**
 * nccl_environment_find() - look up a setting by its name
 * @environment: all settings
 * @name: name of the variable
 *
 * Return: the setting that applies, or NULL if it is not set.
 */
const struct nccl_setting *nccl_environment_find(const struct nccl_environment *environment,
						 const char *name)
{
	size_t i;

	for (i = 0; i < environment->count; i++)
		if (!strcmp(environment->list[i].name, name))
			return &environment->list[i];
	return NULL;
}

/**
 * nccl_environment_value() - look up the value of a setting by its name
 * @environment: all settings
 * @name: name of the variable
 *
 * Return: the value that applies, or NULL if it is not set.
 */
const char *nccl_environment_value(const struct nccl_environment *environment,
				   const char *name)
{
	const struct nccl_setting *setting = nccl_environment_find(environment, name);

	return setting ? setting->value : NULL;
}

/**
 * nccl_environment_free() - free all settings and leave the list empty
 * @environment: settings, read or zeroed
 */
void nccl_environment_free(struct nccl_environment *environment)
{
	free(environment->list);
	*environment = (struct nccl_environment) { 0 };
}
