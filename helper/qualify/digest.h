/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A digest that shows changes of a report. */
#ifndef DIGEST_H
#define DIGEST_H

#include <jansson.h>
#include <stdbool.h>

#define DIGEST_MEMBER	"digest"

bool digest_add(json_t *report);
bool digest_holds(const json_t *report);

#endif /* DIGEST_H */
