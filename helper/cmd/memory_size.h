/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The memory size of a guest on the command line. */
#ifndef MEMORY_SIZE_H
#define MEMORY_SIZE_H

#include <stdbool.h>
#include <stdint.h>

bool memory_size_parse(const char *text, uint64_t *bytes);

#endif /* MEMORY_SIZE_H */
