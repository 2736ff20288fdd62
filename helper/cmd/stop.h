/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ending a command that waits in ppoll(), by a signal. */
#ifndef STOP_H
#define STOP_H

#include <signal.h>
#include <stddef.h>

extern volatile sig_atomic_t stop;

void stop_on(const int *signals, size_t count, sigset_t *before);

#endif /* STOP_H */
