/* SPDX-License-Identifier: GPL-2.0-only */
/* A temporary folder, removed when the fuzzer ends. */
#ifndef WORK_H
#define WORK_H

#include <stddef.h>

const char *work_folder(void);
const char *work_given_folder(void);
char *work_given(const char *name, const void *data, size_t size);
void work_make_folders(const char *path);
void work_write(const char *path, const void *data, size_t size);
void work_remove(const char *path);

#endif /* WORK_H */
