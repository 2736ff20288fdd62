/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints the findings of check and diff as text and as JSON. */
#ifndef OUT_FINDINGS_H
#define OUT_FINDINGS_H

#include <jansson.h>

#include "findings.h"

void out_registers(const struct findings *findings);
void out_findings_text(const struct findings *findings, bool only_differences);
json_t *out_findings_json(const struct findings *findings, int code);

#endif /* OUT_FINDINGS_H */
