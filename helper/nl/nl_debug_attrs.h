/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decoder of the attributes of a netlink message, which may be malformed. */
#ifndef NL_DEBUG_ATTRS_H
#define NL_DEBUG_ATTRS_H

#include <stdio.h>

#include "nl_table.h"

void nl_print_attrs(FILE *out, const struct nl_attr_set *set, const unsigned char *at,
		    size_t size);
void nl_print_hex(FILE *out, const unsigned char *at, size_t size);
void nl_print_text(FILE *out, const unsigned char *at, size_t size);

#endif /* NL_DEBUG_ATTRS_H */
