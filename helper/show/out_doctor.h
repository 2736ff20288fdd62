/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints the results of doctor as text and as JSON. */
#ifndef OUT_DOCTOR_H
#define OUT_DOCTOR_H

#include <jansson.h>

#include "doctor.h"

void out_doctor_text(const struct doctor *doctor, bool quiet);
json_t *out_doctor_json(const struct doctor *doctor, int code, bool quiet);
void out_doctor_list_text(const struct doctor *doctor);
json_t *out_doctor_list_json(const struct doctor *doctor);

#endif /* OUT_DOCTOR_H */
