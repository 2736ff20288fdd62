/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report of a run: one JSON object, see schema/qualify.json. */
#ifndef REPORT_H
#define REPORT_H

#include <jansson.h>

#include "qualify.h"

#define REPORT_KIND	"instinct-vfio-qualify"
#define REPORT_VERSION	1	/* of the format; incremented by incompatible changes */

json_t *report_make(const struct qualify *qualify);
json_t *report_plan(const struct qualify *qualify);

/* Parts of the report about the host and the GPU, see report_host.c. */
json_t *report_text(const char *text);
json_t *report_host(const struct qualify *qualify);
json_t *report_gpu(const struct qualify *qualify);
json_t *report_path(const struct qualify *qualify);

#endif /* REPORT_H */
