// SPDX-License-Identifier: GPL-2.0-or-later
#include <limits.h>

#include "sysfs.h"
#include "sysfs_folder.h"
#include "sysroot.h"

/**
 * sysfs_folder_open() - open the folder of a function
 * @bdf: address of the function
 *
 * The kernel resolves a long path of links once for the folder instead of once for each of
 * its files; a host has thousands of them.
 *
 * Return: a file descriptor, which the caller closes, or a negative errno.
 */
int sysfs_folder_open(const char *bdf)
{
	char path[PATH_MAX];

	sysfs_device_path(bdf, "", path, sizeof(path));
	return sysroot_open_folder(path);
}

/**
 * sysfs_folder_read() - read the beginning of a file
 * @folder: folder from sysfs_folder_open()
 * @file: name of the file
 * @data: receives the bytes, without a terminating NUL
 * @size: size of @data in bytes
 *
 * Return: bytes read or a negative errno.
 */
ssize_t sysfs_folder_read(int folder, const char *file, void *data, size_t size)
{
	return sysroot_read_in(folder, file, data, size);
}

/**
 * sysfs_folder_number() - read the number that is the whole first line of a file
 * @folder: folder from sysfs_folder_open()
 * @file: name of the file
 * @val: receives the number
 *
 * Return: false if the file cannot be read or holds no number.
 */
bool sysfs_folder_number(int folder, const char *file, long long *val)
{
	char text[SYSFS_NUMBER_BYTES];

	return sysfs_parse_number(text, sysfs_folder_read(folder, file, text, sizeof(text) - 1),
				  0, val);
}

/**
 * sysfs_folder_link() - read the target of a link
 * @folder: folder from sysfs_folder_open()
 * @link: name of the link
 * @name: receives the last component of the target, "" without such a link
 * @size: size of @name in bytes
 *
 * Return: false if the folder has no such link.
 */
bool sysfs_folder_link(int folder, const char *link, char *name, size_t size)
{
	char target[PATH_MAX];
	bool found = sysroot_readlink_in(folder, link, target);

	sysfs_last_part(target, name, size);
	return found;
}
