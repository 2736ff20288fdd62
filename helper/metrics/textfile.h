/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file that whoever reads it finds whole: the old one, or the new one. */
#ifndef TEXTFILE_H
#define TEXTFILE_H

#include <stddef.h>

int textfile_write(const char *path, const char *text, size_t length);
int textfile_may_replace(const char *path);
int textfile_flush(const char *path);

#endif /* TEXTFILE_H */
