/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads a whole file that the operator names on the command line. */
#ifndef TEXT_FILE_H
#define TEXT_FILE_H

#include <stddef.h>

const char *text_file_title(const char *name);
char *text_file_read(const char *name, size_t *size);

#endif /* TEXT_FILE_H */
