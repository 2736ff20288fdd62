/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Running another program and collecting its output. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include "bytes.h"

int program_run(char *const argv[], int timeout_ms, size_t limit, struct bytes *output);

#endif /* PROGRAM_H */
