/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Applying the policy again whenever a GPU or the module appears. */
#ifndef WATCH_H
#define WATCH_H

int watch_run(const char *file);

#endif /* WATCH_H */
