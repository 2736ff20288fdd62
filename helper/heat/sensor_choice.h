/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Found sensors that may be meant, by name or by policy. Decides only. */
#ifndef SENSOR_CHOICE_H
#define SENSOR_CHOICE_H

#include "found.h"

/**
 * struct choice - found sensors that may be meant
 * @index: of them in the list of those found
 * @count: how many
 */
struct choice {
	int *index;
	size_t count;
};

void choice_add(struct choice *choice, int index);
bool choice_has(const struct choice *choice, int index);
void choice_names(const struct found *found, const struct choice *choice,
		  char *text, size_t size);
uint32_t choice_source(const char *policy);
void choice_match(struct choice *choice, const struct found *found, const char *policy,
		  const struct devices *gpus, size_t gpu);
bool choice_is_counted(const char *policy);
bool choice_is_one_for_each(struct choice *choice, const struct found *found,
			    const char *policy, const struct devices *gpus);

#endif /* SENSOR_CHOICE_H */
