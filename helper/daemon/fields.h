/* SPDX-License-Identifier: GPL-2.0-or-later */
/* NAME=VALUE texts: fields of a journal entry, environment of a hook. */
#ifndef FIELDS_H
#define FIELDS_H

#include "model.h"

#define FIELDS_MAX	40
#define FIELDS_PREFIX	"INSTINCT_VFIO_"

/**
 * struct fields - a list of fields
 * @text: the texts, NAME=VALUE
 * @count: number of texts
 */
struct fields {
	char *text[FIELDS_MAX];
	unsigned int count;
};

void fields_add(struct fields *fields, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void fields_add_event(struct fields *fields, const struct event *event);
void fields_free(struct fields *fields);

#endif /* FIELDS_H */
