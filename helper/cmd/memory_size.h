/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The memory of a guest, as people write it. */
#ifndef MEMORY_SIZE_H
#define MEMORY_SIZE_H

#include <stdbool.h>
#include <stdint.h>

bool memory_size_parse(const char *text, uint64_t *bytes);

#endif /* MEMORY_SIZE_H */
