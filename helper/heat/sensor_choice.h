/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Matches found sensors against names and policy patterns. Pure decisions without I/O. */
#ifndef SENSOR_CHOICE_H
#define SENSOR_CHOICE_H

#include "found.h"

/**
 * struct choice - candidates among the found sensors
 * @index: indexes into the list of found sensors
 * @count: number of entries in @index
 */
struct choice {
	int *index;
	size_t count;
};

void choice_add(struct choice *choice, int index);
void choice_names(const struct found *found, const struct choice *choice,
		  char *text, size_t size);
uint32_t choice_source(const char *policy);
void choice_match(struct choice *choice, const struct found *found, const char *policy,
		  const struct devices *gpus, size_t gpu, int number);
bool choice_is_counted(const char *policy);

#endif /* SENSOR_CHOICE_H */
