// SPDX-License-Identifier: GPL-2.0-or-later
#include <limits.h>

#include "sysfs.h"
#include "sysfs_folder.h"
#include "sysroot.h"

/**
 * sysfs_folder_open() - open the folder of a function
 * @bdf: function
 *
 * The way to each of its files is long, and a host has thousands of them.
 *
 * Return: a file descriptor, to be closed, or a negative errno.
 */
int sysfs_folder_open(const char *bdf)
{
	char path[PATH_MAX];

	sysfs_device_path(bdf, "", path, sizeof(path));
	return sysroot_open_folder(path);
}

/**
 * sysfs_folder_read() - the beginning of a file
 * @folder: open
 * @file: in it
 * @data: set, without a NUL at its end
 * @size: of @data in bytes
 *
 * Return: bytes read or a negative errno.
 */
ssize_t sysfs_folder_read(int folder, const char *file, void *data, size_t size)
{
	return sysroot_read_in(folder, file, data, size);
}

/**
 * sysfs_folder_number() - a number that is all of a file's first line
 * @folder: open
 * @file: in it
 * @val: set
 *
 * Return: false if there is none.
 */
bool sysfs_folder_number(int folder, const char *file, long long *val)
{
	char text[SYSFS_NUMBER_BYTES];

	return sysfs_parse_number(text, sysfs_folder_read(folder, file, text, sizeof(text) - 1),
				  0, val);
}

/**
 * sysfs_folder_link() - what a link points to
 * @folder: open
 * @link: in it
 * @name: set to the last part of the target, "" if there is no such link
 * @size: of @name in bytes
 *
 * Return: false if there is none.
 */
bool sysfs_folder_link(int folder, const char *link, char *name, size_t size)
{
	char target[PATH_MAX];
	bool found = sysroot_readlink_in(folder, link, target);

	sysfs_last_part(target, name, size);
	return found;
}
