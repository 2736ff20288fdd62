/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PCI addresses as users write them, with or without the domain. */
#ifndef BDF_H
#define BDF_H

#include <stdbool.h>
#include <stdint.h>

bool bdf_parse(const char *text, char *bdf);
uint64_t bdf_number(const char *bdf);

#endif /* BDF_H */
