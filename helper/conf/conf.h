/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A policy: parsed, checked whole, merged per device. */
#ifndef CONF_H
#define CONF_H

#include "conf_files.h"
#include "conf_key.h"

#define CONF_INSTALLED	"/etc/instinct-vfio/policy.conf"
#define CONF_ERRORS_MAX	1000	/* told of one policy */

/* In the order of precedence, the last one wins. */
enum conf_kind {
	CONF_DEFAULT,
	CONF_FAMILY,
	CONF_DEVICE,
	CONF_WRONG,	/* its keys are checked, and go nowhere */
};

/**
 * struct conf_section - one section of a policy
 * @kind: which it is
 * @name: family or full BDF; "serial=…" where it is named by that
 * @serial: of the device, 0 where it is named by its address
 * @file: in which it is
 * @line: where it begins
 * @value: of each key
 * @at: line of each key, 0 where it is not set
 */
struct conf_section {
	enum conf_kind kind;
	char name[TEXT_BYTES];
	uint64_t serial;
	const char *file;
	int line;
	uint32_t value[CONF_KEYS];
	int at[CONF_KEYS];
};

/**
 * struct conf_error - a complaint
 * @file: about which
 * @line: where, 0: all of it
 * @text: what was found, and what is allowed
 */
struct conf_error {
	char *file;
	int line;
	char *text;
};

/**
 * struct conf - a policy
 * @name: what people call it: the file that was asked for, or the main one of the
 *	installed policy (the folder of drop-ins, if that is all there is)
 * @file: that is being read
 * @files: what has been read, in order: a later one wins over an earlier one
 * @files_count: how many
 * @dropins: how many of those, at the end, are drop-ins
 * @found: of the installed policy all files, with those that do not count
 * @section: in order of appearance
 * @count: how many
 * @error: what has been said against it
 * @errors: how many
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
void conf_add_plain(const struct conf *conf, struct devices *devices);
void conf_merge(const struct conf *conf, const struct device *dev,
		struct policy *policy);
void conf_check_present(struct conf *conf);
void conf_check_managed(struct conf *conf, const struct devices *devices);
void conf_check_values(struct conf *conf, const struct devices *devices);
void conf_check(struct conf *conf, const struct devices *devices);

#endif /* CONF_H */
