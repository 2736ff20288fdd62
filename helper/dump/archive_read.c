// SPDX-License-Identifier: GPL-2.0-or-later
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive_library.h"
#include "archive_read.h"
#include "say.h"

/* A host with 256 GPUs needs a fifth of this, and the largest possible dump fits. */
const struct archive_limits archive_limits = {
	.entries = 500000,
	.file_bytes = 64u << 20,
	.bytes = 256u << 20,
};

/**
 * struct reading - state while reading an archive
 * @calls: functions of libarchive
 * @in: handle of the archive
 * @limits: largest archive that is accepted
 * @tree: receives the entries
 * @entries: number of entries read so far
 * @bytes: bytes of files and names read so far
 * @why: reason to refuse the archive, NULL so far
 */
struct reading {
	struct archive_calls calls;
	struct archive *in;
	const struct archive_limits *limits;
	struct tree *tree;
	size_t entries;
	size_t bytes;
	const char *why;
};

/* "./sys/kernel/", as tar writes it, becomes "sys/kernel". False for a path out of the archive. */
static bool clean(const char *path, char *cleaned)
{
	size_t at = 0;

	if (!path || *path == '/' || strlen(path) >= PATH_MAX)
		return false;
	while (*(path += strspn(path, "/"))) {
		size_t length = strcspn(path, "/");

		if (length == 2 && !strncmp(path, "..", 2))
			return false;
		if (length != 1 || *path != '.')
			at += sprintf(cleaned + at, "%s%.*s", at ? "/" : "", (int)length, path);
		path += length;
	}
	cleaned[at] = '\0';
	return true;
}

static bool kind_of(const struct archive_calls *calls, struct archive_entry *entry,
		    enum tree_kind *kind)
{
	switch (calls->entry_filetype(entry)) {
	case AE_IFREG:
		*kind = TREE_FILE;
		return true;
	case AE_IFDIR:
		*kind = TREE_FOLDER;
		return true;
	case AE_IFLNK:
		*kind = TREE_LINK;
		return calls->entry_symlink(entry) && *calls->entry_symlink(entry);
	default:
		return false;
	}
}

/* Return the reason to refuse an entry, or NULL to accept it. */
static const char *refuse(struct reading *reading, struct archive_entry *entry, char *path,
			  enum tree_kind *kind)
{
	const struct archive_calls *calls = &reading->calls;

	if (reading->entries++ >= reading->limits->entries)
		return "it has too many files";
	if (!clean(calls->entry_pathname(entry), path))
		return "it has a path that leads out of it";
	if (calls->entry_hardlink(entry))
		return "it has a hard link";
	if (!kind_of(calls, entry, kind))
		return "it has something that is no file, link or folder";
	if (calls->entry_size(entry) > (la_int64_t)reading->limits->file_bytes)
		return "it has a file that is too big";
	/* libarchive would skip this content, and its claimed length may be huge. */
	if (calls->entry_size(entry) > 0 && (*kind != TREE_FILE || !*path))
		return "it has a link or folder with a content";
	return NULL;
}

/* A hole takes no room in the archive but does in memory, so sparse files are refused. */
static int read_data(struct reading *reading, struct bytes *to)
{
	const void *data;
	la_int64_t offset;
	size_t size;
	int ret;

	while (!(ret = reading->calls.read_data_block(reading->in, &data, &size, &offset))) {
		if (offset != (la_int64_t)to->size)
			reading->why = "it has a file with holes";
		reading->bytes += size;
		if (to->size + size > reading->limits->file_bytes ||
		    reading->bytes > reading->limits->bytes)
			reading->why = "its contents are too big";
		if (reading->why)
			return ARCHIVE_FATAL;
		bytes_add(to, data, size);
	}
	return ret == ARCHIVE_EOF ? ARCHIVE_OK : ret;
}

static int read_entry(struct reading *reading, struct archive_entry *from)
{
	struct tree_entry *entry;
	const char *target = "";
	enum tree_kind kind;
	char path[PATH_MAX];

	reading->why = refuse(reading, from, path, &kind);
	if (reading->why)
		return ARCHIVE_FATAL;
	if (!*path)
		return ARCHIVE_OK;
	if (kind == TREE_LINK)
		target = reading->calls.entry_symlink(from);
	reading->bytes += strlen(path) + strlen(target) + sizeof(*entry);
	if (reading->bytes > reading->limits->bytes) {
		reading->why = "its contents are too big";
		return ARCHIVE_FATAL;
	}
	entry = tree_add(reading->tree, path, kind);
	if (kind == TREE_LINK)
		bytes_add(&entry->data, target, strlen(target));
	return kind == TREE_FILE ? read_data(reading, &entry->data) : ARCHIVE_OK;
}

static int read_all(struct reading *reading, int fd)
{
	const struct archive_calls *calls = &reading->calls;
	struct archive_entry *entry;
	int ret;

	ret = archive_failure(calls->read_support_filter_zstd(reading->in)) ?:
	      archive_failure(calls->read_support_filter_xz(reading->in)) ?:
	      archive_failure(calls->read_support_filter_gzip(reading->in)) ?:
	      archive_failure(calls->read_support_filter_bzip2(reading->in)) ?:
	      calls->read_support_format_tar(reading->in) ?:
	      calls->read_open_fd(reading->in, fd, 65536);
	while (!ret) {
		ret = archive_failure(calls->read_next_header(reading->in, &entry));
		if (!ret)
			ret = read_entry(reading, entry);
	}
	if (ret == ARCHIVE_EOF && !reading->tree->count)
		reading->why = "it is empty, or no archive";
	return ret == ARCHIVE_EOF && !reading->why ? EXIT_OK : EXIT_ERROR;
}

/* The dump puts all files into one top folder; remove it, so that paths are those of the host. */
static void strip_top(struct tree *tree)
{
	size_t length = tree->count ? strcspn(tree->list[0].path, "/") : 0, i;

	if (length == strlen("sys") && !strncmp(tree->list[0].path, "sys", length))
		return;
	for (i = 0; i < tree->count; i++)
		if (strcspn(tree->list[i].path, "/") != length ||
		    strncmp(tree->list[i].path, tree->list[0].path, length) ||
		    (!tree->list[i].path[length] && tree->list[i].kind != TREE_FOLDER))
			return;
	for (i = 0; i < tree->count; i++) {
		char *path = tree->list[i].path, *rest = path + length + !!path[length];

		memmove(path, rest, strlen(rest) + 1);
	}
}

/**
 * archive_read_tree() - read an untrusted archive into memory
 * @fd: descriptor of the archive, at its beginning
 * @name: name of the archive in messages
 * @limits: largest archive that is accepted
 * @tree: empty tree, filled and sorted; the caller must call tree_free() in any case
 *
 * Return: 0, or an exit code after printing the error.
 */
int archive_read_tree(int fd, const char *name, const struct archive_limits *limits,
		      struct tree *tree)
{
	struct reading reading = { .limits = limits, .tree = tree };
	int code = EXIT_ERROR;

	if (!archive_library(&reading.calls))
		return EXIT_ERROR;
	reading.in = reading.calls.read_new();
	if (reading.in)
		code = read_all(&reading, fd);
	if (code)
		say_error(ERROR_INPUT, "%s: cannot be read as a capture: %s", name, reading.why ?:
			  reading.in ? reading.calls.error_string(reading.in) ?:
			  "no reason given" : "no memory");
	reading.calls.read_free(reading.in);
	if (!code) {
		strip_top(tree);
		tree_sort(tree);
	}
	return code;
}
