/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decoder of netlink messages for --debug. */
#ifndef NL_DEBUG_H
#define NL_DEBUG_H

#include <stddef.h>
#include <stdio.h>

#define NL_SENT		'>'
#define NL_RECEIVED	'<'

void nl_debug(char direction, const void *messages, size_t bytes);
void nl_debug_print(FILE *out, char direction, const void *messages, size_t bytes);

#endif /* NL_DEBUG_H */
