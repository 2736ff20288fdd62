/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints a qualification report as text; the report may come from an untrusted source. */
#ifndef OUT_QUALIFY_H
#define OUT_QUALIFY_H

#include <jansson.h>
#include <stdio.h>

void out_qualify_text(FILE *out, const json_t *report);
void out_qualify_plan(FILE *out, const json_t *plan);

#endif /* OUT_QUALIFY_H */
