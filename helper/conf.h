/* SPDX-License-Identifier: GPL-2.0-or-later */
/* policy.conf: parsed, checked whole, merged per device. */
#ifndef CONF_H
#define CONF_H

#include <stdio.h>

#include "model.h"

#define CONF_INSTALLED	"/etc/instinct-vfio/policy.conf"
#define CONF_KEYS	5

/**
 * struct conf_section - one section of a policy
 * @kind: which it is
 * @name: family or full BDF
 * @line: where it begins
 * @value: of each key
 * @at: line of each key, 0 where it is not set
 */
struct conf_section {
	enum conf_kind { CONF_DEFAULT, CONF_FAMILY, CONF_DEVICE } kind;
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

int conf_read(struct conf *conf, const char *file);
void conf_check_devices(struct conf *conf, const struct devices *devices);
void conf_merge(const struct conf *conf, const struct device *dev,
		struct policy *policy);
void conf_free(struct conf *conf);

const char *conf_key_name(unsigned int key);
void conf_key_format(unsigned int key, uint32_t value, char *text, size_t size);
uint32_t conf_key_get(const struct policy *policy, unsigned int key);

#endif /* CONF_H */
