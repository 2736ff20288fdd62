/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A line on the terminal that shows a long operation and disappears at its end. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

#define PROGRESS_TICK_MS	250

void progress_begin(const char *doing);
void progress_step(const char *what, size_t number, size_t count);
bool progress_is_shown(void);
void progress_tick(bool waiting);
void progress_end(void);

#endif /* PROGRESS_H */
