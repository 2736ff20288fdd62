/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hosts as other programs describe them, read as captures. */
#ifndef CAPTURE_TEXT_H
#define CAPTURE_TEXT_H

#include "tree.h"

#define CAPTURE_FUNCTIONS_MAX	16384

size_t capture_lspci(char *text, struct tree *tree);
int capture_lstopo(const char *name, const char *text, size_t size, struct tree *tree);

#endif /* CAPTURE_TEXT_H */
