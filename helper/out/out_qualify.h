/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A report of a qualification, for people; it may be somebody else's. */
#ifndef OUT_QUALIFY_H
#define OUT_QUALIFY_H

#include <jansson.h>
#include <stdio.h>

void out_qualify_text(FILE *out, const json_t *report);
void out_qualify_plan(FILE *out, const json_t *plan);

#endif /* OUT_QUALIFY_H */
