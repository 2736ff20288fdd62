/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A policy: instinctctl parses it, checks it as a whole and merges it for each device. */
#ifndef CONF_H
#define CONF_H

#include "conf_files.h"
#include "conf_key.h"
#include "say.h"

#define CONF_INSTALLED	"/etc/instinct-vfio/policy.conf"
#define CONF_ERRORS_MAX	1000	/* printed for one policy */

/* In order of precedence: a later kind wins over an earlier one. */
enum conf_kind {
	CONF_DEFAULT,
	CONF_FAMILY,
	CONF_DEVICE,
	CONF_WRONG,	/* invalid: its keys are checked and then ignored */
};

/**
 * struct conf_section - one section of a policy
 * @kind: kind of section
 * @name: family, full BDF, or "serial=…"
 * @serial: serial number of the device, 0 if the section names it by its address
 * @file: file that contains the section
 * @line: line of the section's header
 * @value: value of each key
 * @at: line of each key, 0 if the section does not set it
 * @absent: the section names a device that this host does not have, as far as checked
 */
struct conf_section {
	enum conf_kind kind;
	char name[TEXT_BYTES];
	uint64_t serial;
	const char *file;
	int line;
	uint32_t value[CONF_KEYS];
	int at[CONF_KEYS];
	bool absent;
};

/**
 * struct conf_error - an error in a policy
 * @code: kind of the error
 * @file: file with the error
 * @line: line of the error, 0 for the whole file
 * @text: message that names the found value and the allowed ones
 */
struct conf_error {
	enum error_code code;
	char *file;
	int line;
	char *text;
};

/**
 * struct conf - a policy
 * @name: name for messages: the requested file, or the main file of the installed policy
 *	(the folder of drop-ins if there is no main file)
 * @file: file that is being read
 * @files: files that have been read, in order: a later one wins over an earlier one
 * @files_count: number of @files
 * @dropins: number of drop-ins, which come last in @files
 * @found: all files of the installed policy, including masked ones
 * @section: sections in order of appearance
 * @count: number of sections
 * @error: errors found so far
 * @errors: number of errors
 */
struct conf {
	char *name;
	const char *file;
	char **files;
	size_t files_count;
	size_t dropins;
	struct conf_files found;
	struct conf_section *section;
	size_t count;
	struct conf_error *error;
	int errors;
};

int conf_open(struct conf *conf, const char *file);
void conf_total(const struct conf *conf, char *text, size_t size);
void conf_forgive(struct conf *conf);
void conf_free(struct conf *conf);
void conf_complain(struct conf *conf, const char *file, int line, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

void conf_defaults(struct policy *policy);
bool conf_has_serials(const struct conf *conf);
bool conf_is_unsure(const struct conf *conf, const struct device *dev);
bool conf_names(const struct conf *conf, const struct device *dev);
const struct conf_section *conf_ruling(const struct conf *conf, const struct device *dev,
				       size_t key);
const struct conf_section *conf_expected(const struct conf *conf, const char *family);
void conf_add_unmanaged(const struct conf *conf, struct devices *devices);
void conf_merge(const struct conf *conf, const struct device *dev,
		struct policy *policy);
size_t conf_absent(const struct conf *conf);
void conf_check_present(struct conf *conf);
void conf_check_managed(struct conf *conf, const struct devices *devices);
void conf_check_values(struct conf *conf, const struct devices *devices);
void conf_check(struct conf *conf, const struct devices *devices);

#endif /* CONF_H */
