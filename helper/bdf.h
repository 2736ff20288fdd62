/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PCI addresses as people write them. */
#ifndef BDF_H
#define BDF_H

#include <stdbool.h>

bool bdf_parse(const char *text, char *bdf);

#endif /* BDF_H */
