/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which files are the installed policy, by the rules that systemd's units have. */
#ifndef CONF_FILES_H
#define CONF_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct conf_file - a file of the installed policy
 * @path: of it, which begins with opt_sysroot
 * @dropin: of policy.d
 * @empty: it has no content, or is a link to /dev/null
 * @hollow: @empty, and no link that says so on purpose
 * @by: path of the file of that name that counts in its place, NULL: this one does
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
