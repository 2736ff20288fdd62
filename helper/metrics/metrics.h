/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Formats a snapshot as Prometheus metrics. */
#ifndef METRICS_H
#define METRICS_H

#include "snapshot.h"

char *metrics_text(const struct snapshot *snapshot, size_t *length);

#endif /* METRICS_H */
