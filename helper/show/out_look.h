/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints the report of a census as text; the report may come from an untrusted source. */
#ifndef OUT_LOOK_H
#define OUT_LOOK_H

#include <jansson.h>
#include <stdio.h>

void out_look_text(FILE *out, const json_t *report);

#endif /* OUT_LOOK_H */
