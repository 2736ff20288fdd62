/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A check of an output file before the work that fills it. */
#ifndef OUTPUT_FILE_H
#define OUTPUT_FILE_H

int output_file_check(const char *file);

#endif /* OUTPUT_FILE_H */
