/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Takes off what surrounds the lines of a text when a person copies it from a terminal or an issue. */
#ifndef TEXT_PLAIN_H
#define TEXT_PLAIN_H

#include <stddef.h>

size_t text_plain(char *text, size_t size);

#endif /* TEXT_PLAIN_H */
