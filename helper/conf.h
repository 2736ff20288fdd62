/* SPDX-License-Identifier: GPL-2.0-or-later */
/* policy.conf: parsed, checked whole, merged per device. */
#ifndef CONF_H
#define CONF_H

#include "conf_key.h"

#define CONF_INSTALLED	"/etc/instinct-vfio/policy.conf"

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
 * @name: family or full BDF
 * @line: where it begins
 * @value: of each key
 * @at: line of each key, 0 where it is not set
 */
struct conf_section {
	enum conf_kind kind;
	char name[TEXT_BYTES];
	int line;
	uint32_t value[CONF_KEYS];
	int at[CONF_KEYS];
};

/**
 * struct conf - a policy file
 * @file: its name, as in errors
 * @section: in order of appearance
 * @count: how many
 * @errors: how many have been said
 */
struct conf {
	const char *file;
	struct conf_section *section;
	size_t count;
	int errors;
};

int conf_open(struct conf *conf, const char *file);
void conf_free(struct conf *conf);
void conf_complain(struct conf *conf, int line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

void conf_defaults(struct policy *policy);
bool conf_names(const struct conf *conf, const char *bdf);
void conf_add_plain(const struct conf *conf, struct devices *devices);
void conf_merge(const struct conf *conf, const struct device *dev,
		struct policy *policy);
void conf_check_present(struct conf *conf);
void conf_check_managed(struct conf *conf, const struct devices *managed);
void conf_check_values(struct conf *conf, const struct devices *devices);

#endif /* CONF_H */
