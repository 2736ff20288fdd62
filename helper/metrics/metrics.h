/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A snapshot as metrics of Prometheus. */
#ifndef METRICS_H
#define METRICS_H

#include "snapshot.h"

char *metrics_text(const struct snapshot *snapshot, size_t *length);

#endif /* METRICS_H */
