/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that readers always find complete: either the old text or the new one. */
#ifndef TEXTFILE_H
#define TEXTFILE_H

#include <stddef.h>

int textfile_write(const char *path, const char *text, size_t length);
int textfile_may_replace(const char *path);
int textfile_flush(const char *path);
int textfile_store(const char *path, const char *text);

#endif /* TEXTFILE_H */
