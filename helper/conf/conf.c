// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf_parse.h"
#include "say.h"
#include "sysroot.h"

static void error_add(struct conf *conf, enum error_code code, const char *file, int line,
		      const char *text)
{
	size_t count = conf->errors;
	struct conf_error *error = list_add((void **)&conf->error, &count, sizeof(*error));

	conf->errors = count;
	error->code = code;
	error->file = text_copy(file);
	error->line = line;
	error->text = text_copy(text);
}

/**
 * conf_complain() - record an error in a policy and print it
 * @conf: policy
 * @file: file with the error
 * @line: line of the error, 0 for the whole file
 * @format: message in the form "error, found X, allowed: Y", as for printf(), without a newline
 */
void conf_complain(struct conf *conf, const char *file, int line, const char *format, ...)
{
	char text[16 * TEXT_BYTES] = "too many errors: instinctctl does not print the rest";
	va_list args;

	if (conf->errors > CONF_ERRORS_MAX)
		return;
	if (conf->errors < CONF_ERRORS_MAX) {
		va_start(args, format);
		vsnprintf(text, sizeof(text), format, args);
		va_end(args);
	}
	error_add(conf, ERROR_INPUT, file, line, text);
	if (say_is_hushed())
		return;
	fflush(stdout);
	if (line)
		fprintf(stderr, "%s:%d: %s\n", file, line, text);
	else
		fprintf(stderr, "%s: %s\n", file, text);
}

static int unreadable(struct conf *conf, const char *file, int error, const char *more)
{
	enum error_code code = error_code_of(-error, ERROR_IO);
	char why[TEXT_BYTES];

	snprintf(why, sizeof(why), "%s%s", ini_file_strerror(-error), more);
	say_error(code, "cannot read the policy %s: %s", file, why);
	error_add(conf, code, file, 0, why);
	return exit_code_of(-error);
}

/* Sections point to the copied name, which must not move. */
static void begin(struct conf *conf, const char *file)
{
	char **name = list_add((void **)&conf->files, &conf->files_count, sizeof(*name));

	*name = text_copy(file);
	conf->file = *name;
}

static int open_one(struct conf *conf, const char *file)
{
	int ret;

	conf->name = text_copy(strcmp(file, "-") ? file : "<stdin>");
	begin(conf, conf->name);
	ret = ini_file_read(file, &conf_parse_calls, conf);
	return ret ? unreadable(conf, conf->file, ret, "") : EXIT_OK;
}

static int open_found(struct conf *conf, const struct conf_file *file)
{
	int fd, ret = file->error;

	/* An empty drop-in only masks others of its name. */
	if (file->by || (file->dropin && file->empty))
		return EXIT_OK;
	if (!ret) {
		begin(conf, file->path);
		conf->dropins += file->dropin;
		if (file->empty)
			return EXIT_OK;
		fd = sysroot_open_file(file->path);
		ret = fd < 0 ? fd : ini_file_read_fd(fd, &conf_parse_calls, conf);
	}
	return ret ? unreadable(conf, file->path, ret, ret == -ENOENT ?
				"; it is a dangling link" : "") : EXIT_OK;
}

/* The name is that of the main file, or without one the folder of the first drop-in. */
static char *name_of_found(const struct conf_files *found)
{
	char *name = text_copy(found->list[0].path), *end = strrchr(name, '/');

	if (found->list[0].dropin && end)
		*end = '\0';
	return name;
}

static int open_installed(struct conf *conf)
{
	int code = EXIT_OK;
	char none[PATH_MAX];
	size_t i;

	conf_files_find(&conf->found);
	snprintf(none, sizeof(none), "%s" CONF_INSTALLED, opt_sysroot);
	conf->name = conf->found.count ? name_of_found(&conf->found) : text_copy(none);
	for (i = 0; i < conf->found.count; i++) {
		int ret = open_found(conf, &conf->found.list[i]);

		code = code ?: ret;
	}
	if (!code && !conf->files_count)
		return unreadable(conf, none, -ENOENT,
				  "; no policy is installed, an empty file means all defaults");
	return code;
}

/**
 * conf_open() - read a policy
 * @conf: receives the policy; conf_complain() has printed and recorded its errors
 * @file: name of the file, "-" for standard input; NULL for the installed policy with its
 *	drop-ins
 *
 * Return: 0, or an exit code if a file cannot be read, after printing the error.
 */
int conf_open(struct conf *conf, const char *file)
{
	*conf = (struct conf) { 0 };
	return file ? open_one(conf, file) : open_installed(conf);
}

/* Counts the errors of one file, and those of the policy as a whole without a file. */
static int errors_of(const struct conf *conf, const char *file)
{
	int count = 0, i;

	for (i = 0; i < conf->errors; i++)
		count += !strcmp(conf->error[i].file ?: conf->name, file);
	return count;
}

/**
 * conf_total() - count the errors of each file, as in "policy.conf: 1 error, 10-a.conf: 2 errors"
 * @conf: policy with errors
 * @text: set
 * @size: of @text in bytes
 */
void conf_total(const struct conf *conf, char *text, size_t size)
{
	size_t at = 0;
	int i, k;

	for (i = 0; i < conf->errors && at < size; i++) {
		const char *file = conf->error[i].file ?: conf->name;
		int count = errors_of(conf, file);

		for (k = 0; k < i; k++)
			if (!strcmp(conf->error[k].file ?: conf->name, file))
				break;
		if (k == i)
			at += snprintf(text + at, size - at, "%s%s: %d error%s", at ? ", " : "", file, count,
				       plural(count));
	}
}

/**
 * conf_forgive() - discard the recorded errors of a policy
 * @conf: policy
 */
void conf_forgive(struct conf *conf)
{
	while (conf->errors) {
		struct conf_error *error = &conf->error[--conf->errors];

		free(error->file);
		free(error->text);
	}
}

/**
 * conf_free() - free a policy and leave it empty
 * @conf: policy
 */
void conf_free(struct conf *conf)
{
	size_t i;

	for (i = 0; i < conf->files_count; i++)
		free(conf->files[i]);
	conf_forgive(conf);
	conf_files_free(&conf->found);
	free(conf->files);
	free(conf->error);
	free(conf->section);
	free(conf->name);
	*conf = (struct conf) { 0 };
}
