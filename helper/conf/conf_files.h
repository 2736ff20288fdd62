/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files of the installed policy, found and masked by the rules of systemd's units. */
#ifndef CONF_FILES_H
#define CONF_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct conf_file - a file of the installed policy
 * @path: path of the file, which begins with opt_sysroot
 * @dropin: the file is a drop-in of policy.d
 * @empty: the file has no content, or is a link to /dev/null
 * @hollow: the file has no content and is not a link to /dev/null, so perhaps by accident
 * @by: path of the file with the same name that masks this one, NULL if none does
 * @error: negative errno of a folder that cannot be listed, else 0
 */
struct conf_file {
	char *path;
	bool dropin;
	bool empty;
	bool hollow;
	char *by;
	int error;
};

struct conf_files {
	struct conf_file *list;
	size_t count;
};

void conf_files_find(struct conf_files *files);
bool conf_files_exist(void);
bool conf_file_doubt(const struct conf_files *files, size_t i, char *text, size_t size);
size_t conf_files_hollow(const struct conf_files *files);
uint64_t conf_files_stamp(const char *file);
void conf_files_free(struct conf_files *files);

#endif /* CONF_FILES_H */
