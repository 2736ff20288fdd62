/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file that a command is told to write, looked at before there is something to write. */
#ifndef OUTPUT_FILE_H
#define OUTPUT_FILE_H

int output_file_check(const char *file);

#endif /* OUTPUT_FILE_H */
