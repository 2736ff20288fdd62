// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "conf_files.h"
#include "ini_file.h"
#include "model.h"
#include "say.h"
#include "sysfs.h"
#include "sysroot.h"

#define MAIN	"policy.conf"
#define DROPINS	"policy.d"
#define SUFFIX	".conf"

/* A file in an earlier folder masks the files of the same name in later ones. */
static const char *const folders[] = {
	"/etc/instinct-vfio", "/run/instinct-vfio", "/usr/lib/instinct-vfio",
};

#define FOLDERS	(sizeof(folders) / sizeof(folders[0]))

static bool is_null(const struct stat *st)
{
	return S_ISCHR(st->st_mode) && st->st_rdev == makedev(1, 3);
}

static bool links_to_null(const char *path)
{
	char target[PATH_MAX];

	return sysroot_readlink(path, target) && !strcmp(target, "/dev/null");
}

/* Tell whether a file exists and is empty. A captured host has no /dev, so links are read. */
static bool look(const char *path, bool *empty, bool *hollow)
{
	struct stat st;
	int ret = sysroot_stat(path, false, &st);

	*empty = false;
	*hollow = false;
	if (ret)
		return ret != -ENOENT && ret != -ENOTDIR;
	*empty = links_to_null(path);
	if (!*empty && !sysroot_stat(path, true, &st)) {
		*hollow = S_ISREG(st.st_mode) && !st.st_size;
		*empty = *hollow || is_null(&st);
	}
	return true;
}

static struct conf_file *file_add(struct conf_files *files, const char *path)
{
	struct conf_file *file = list_add((void **)&files->list, &files->count,
					  sizeof(*file));

	file->path = text_copy(path);
	return file;
}

/* Add all files with a name; the first one masks the others. */
static void find_name(struct conf_files *files, const char *name, bool dropin)
{
	size_t first = files->count, i;
	char path[PATH_MAX];
	bool empty, hollow;

	for (i = 0; i < FOLDERS; i++) {
		struct conf_file *file;

		snprintf(path, sizeof(path), "%s%s/%s", opt_sysroot, folders[i], name);
		if (!look(path, &empty, &hollow))
			continue;
		file = file_add(files, path);
		file->dropin = dropin;
		file->empty = empty;
		file->hollow = hollow;
		if (file != &files->list[first])
			file->by = text_copy(files->list[first].path);
	}
}

static int is_dropin(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name), suffix = strlen(SUFFIX);

	return *entry->d_name != '.' && length > suffix &&
	       !strcmp(entry->d_name + length - suffix, SUFFIX);
}

struct names_found {
	char **name;
	size_t count;
};

/* A file whose name cannot be printed is an error; ignoring it silently would hide a policy. */
static void name_add(struct names_found *names, struct conf_files *files,
		     const char *folder, const char *entry)
{
	char path[2 * PATH_MAX];
	char **name;

	if (ini_is_text(entry)) {
		name = list_add((void **)&names->name, &names->count, sizeof(*name));
		*name = text_copy(entry);
		return;
	}
	snprintf(path, sizeof(path), "%s/%s", folder, entry);
	sysfs_make_plain(path + strlen(folder));
	file_add(files, path)->error = -EILSEQ;
}

static void names_add(struct names_found *names, struct conf_files *files,
		      const char *folder)
{
	struct dirent **entries = NULL;
	int count, error, i;
	char path[PATH_MAX];
	bool masked, hollow;

	snprintf(path, sizeof(path), "%s%s/%s", opt_sysroot, folder, DROPINS);
	count = sysroot_scandir(path, &entries, is_dropin, NULL);
	error = count < 0 ? errno : 0;
	/* A missing folder is no error; a dangling link is: its folder may come later. */
	if (error == ENOENT && (!look(path, &masked, &hollow) || masked))
		error = 0;
	if (error)
		file_add(files, path)->error = -error;
	for (i = 0; i < count; i++) {
		name_add(names, files, path, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/**
 * conf_files_find() - find the files of the installed policy
 * @files: receives the main file, then drop-ins by name; later ones win. Masked files follow
 *	the file that masks them
 */
void conf_files_find(struct conf_files *files)
{
	struct names_found names = { 0 };
	char name[PATH_MAX];
	size_t i;

	*files = (struct conf_files) { 0 };
	find_name(files, MAIN, false);
	for (i = 0; i < FOLDERS; i++)
		names_add(&names, files, folders[i]);
	if (names.count)
		qsort(names.name, names.count, sizeof(*names.name), by_name);
	for (i = 0; i < names.count; i++) {
		if (i && !strcmp(names.name[i], names.name[i - 1]))
			continue;
		snprintf(name, sizeof(name), "%s/%s", DROPINS, names.name[i]);
		find_name(files, name, true);
	}
	for (i = 0; i < names.count; i++)
		free(names.name[i]);
	free(names.name);
}

static uint64_t stamp_bytes(uint64_t stamp, const void *data, size_t size)
{
	const unsigned char *byte = data;

	/* FNV-1a */
	for (; size; size--)
		stamp = (stamp ^ *byte++) * 0x100000001b3ull;
	return stamp;
}

static uint64_t stamp_stat(uint64_t stamp, const struct stat *st)
{
	stamp = stamp_bytes(stamp, &st->st_ino, sizeof(st->st_ino));
	stamp = stamp_bytes(stamp, &st->st_size, sizeof(st->st_size));
	return stamp_bytes(stamp, &st->st_mtim, sizeof(st->st_mtim));
}

static uint64_t stamp_found(uint64_t stamp, const char *path)
{
	struct stat st;

	stamp = stamp_bytes(stamp, path, strlen(path));
	return sysroot_stat(path, true, &st) ? stamp : stamp_stat(stamp, &st);
}

/**
 * conf_files_stamp() - get a number that changes with a policy, without reading the policy
 * @file: name of the file, NULL for the installed policy
 *
 * Return: the number, which depends on the set of files and on their inodes, sizes and times;
 * 0 without a policy.
 */
uint64_t conf_files_stamp(const char *file)
{
	struct conf_files files;
	uint64_t stamp = 0;
	struct stat st;
	size_t i;

	if (file)
		return stat(file, &st) ? 0 : stamp_stat(0, &st);
	conf_files_find(&files);
	for (i = 0; i < files.count; i++)
		stamp = stamp_found(stamp, files.list[i].path);
	conf_files_free(&files);
	return stamp;
}

/**
 * conf_files_free() - free a list of files and leave it empty
 * @files: list
 */
void conf_files_free(struct conf_files *files)
{
	size_t i;

	for (i = 0; i < files->count; i++) {
		free(files->list[i].path);
		free(files->list[i].by);
	}
	free(files->list);
	*files = (struct conf_files) { 0 };
}

/**
 * conf_files_exist() - tell whether a policy is installed
 *
 * Return: true if it has a file, even an unreadable one, other than empty drop-ins.
 */
bool conf_files_exist(void)
{
	struct conf_files files;
	bool exist = false;
	size_t i;

	conf_files_find(&files);
	for (i = 0; i < files.count; i++)
		exist |= !files.list[i].dropin || !files.list[i].empty;
	conf_files_free(&files);
	return exist;
}

static const char *masked_by(const struct conf_files *files, const char *path)
{
	size_t i;

	for (i = 0; i < files->count; i++)
		if (files->list[i].by && !strcmp(files->list[i].by, path))
			return files->list[i].path;
	return "others of its name";
}

static bool is_hollow(const struct conf_file *file)
{
	return file->hollow && !file->by;
}

/**
 * conf_file_doubt() - warn of a file that may be empty by accident
 * @files: files of the installed policy
 * @i: index of the file
 * @text: receives the warning
 * @size: size of @text in bytes
 *
 * A program that writes a file without fsync() leaves an empty one when the power fails.
 *
 * Return: true if there is a warning.
 */
bool conf_file_doubt(const struct conf_files *files, size_t i, char *text, size_t size)
{
	const struct conf_file *file = &files->list[i];

	if (!is_hollow(file))
		return false;
	if (file->dropin)
		snprintf(text, size, "%s is empty, and so masks %s; a link to /dev/null does that on purpose",
			 file->path, masked_by(files, file->path));
	else
		snprintf(text, size, "%s is empty: all defaults; a comment in it says that on purpose",
			 file->path);
	return true;
}

/**
 * conf_files_hollow() - count the drop-ins that may be empty by accident
 * @files: files of the installed policy
 *
 * Return: their number.
 */
size_t conf_files_hollow(const struct conf_files *files)
{
	size_t count = 0, i;

	for (i = 0; i < files->count; i++)
		count += files->list[i].dropin && is_hollow(&files->list[i]);
	return count;
}
