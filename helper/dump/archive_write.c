// SPDX-License-Identifier: GPL-2.0-or-later
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "archive_library.h"
#include "archive_write.h"
#include "say.h"

static int add_filter(const struct archive_calls *calls, struct archive *archive,
		      enum archive_filter filter)
{
	switch (filter) {
	case ARCHIVE_ZSTD:
		return calls->write_add_filter_zstd(archive) ?:
		       calls->write_set_options(archive, "zstd:compression-level=12");
	case ARCHIVE_XZ:
		return calls->write_add_filter_xz(archive);
	case ARCHIVE_GZIP:
		/* gzip would store the time; without it the same tree gives the same archive. */
		return calls->write_add_filter_gzip(archive) ?:
		       calls->write_set_options(archive, "gzip:!timestamp");
	case ARCHIVE_PLAIN:
		break;
	}
	return ARCHIVE_OK;
}

static mode_t type_of(enum tree_kind kind)
{
	switch (kind) {
	case TREE_LINK:
		return AE_IFLNK;
	case TREE_FOLDER:
		return AE_IFDIR;
	case TREE_FILE:
		break;
	}
	return AE_IFREG;
}

static int write_entry(const struct archive_calls *calls, struct archive *archive,
		       struct archive_entry *entry, const struct tree_entry *from)
{
	bool file = from->kind == TREE_FILE;
	int ret;

	calls->entry_set_filetype(entry, type_of(from->kind));
	calls->entry_set_perm(entry, file ? 0644 : 0755);
	calls->entry_set_size(entry, file ? from->data.size : 0);
	if (from->kind == TREE_LINK)
		calls->entry_set_symlink(entry, from->data.data);
	ret = archive_failure(calls->write_header(archive, entry));
	if (ret || !file || !from->data.size)
		return ret;
	return calls->write_data(archive, from->data.data, from->data.size) ==
	       (la_ssize_t)from->data.size ? ARCHIVE_OK : ARCHIVE_FATAL;
}

/* Entries have no owner: the user who unpacks the archive owns the files. */
static int write_all(const struct archive_calls *calls, struct archive *archive,
		     const struct tree *tree, const char *top, time_t when)
{
	struct archive_entry *entry = calls->entry_new();
	int ret = entry ? ARCHIVE_OK : ARCHIVE_FATAL;
	char path[PATH_MAX];
	size_t i;

	for (i = 0; !ret && i < tree->count; i++) {
		if (tree->list[i].why)
			continue;
		if (snprintf(path, sizeof(path), "%s/%s", top, tree->list[i].path) >= PATH_MAX)
			continue;
		calls->entry_clear(entry);
		calls->entry_set_pathname(entry, path);
		calls->entry_set_mtime(entry, when, 0);
		ret = write_entry(calls, archive, entry, &tree->list[i]);
	}
	calls->entry_free(entry);
	return ret;
}

/* libarchive keeps the errno of a failed system call; it says more than libarchive's text. */
static void complain(const struct archive_calls *calls, struct archive *archive,
		     const char *name)
{
	int error = calls->error_number(archive);
	const char *why = error > 0 ? strerror(error) : calls->error_string(archive);

	say_error(ERROR_IO, "cannot write %s: %s", name, why ? why : "no reason given");
}

/**
 * archive_write_tree() - write a tree as a tar archive
 * @tree: sorted tree; entries with a reason why they are missing are left out
 * @top: folder to put all entries into
 * @when: modification time of all entries, seconds since 1970
 * @filter: compression
 * @fd: descriptor to write to
 * @name: name of the archive in messages
 *
 * Return: 0, or an exit code after printing the error.
 */
int archive_write_tree(const struct tree *tree, const char *top, time_t when,
		       enum archive_filter filter, int fd, const char *name)
{
	struct archive_calls calls;
	struct archive *archive;
	int ret;

	if (!archive_library(&calls))
		return EXIT_ERROR;
	archive = calls.write_new();
	if (!archive)
		return EXIT_ERROR;
	ret = calls.write_set_format_pax_restricted(archive) ?:
	      add_filter(&calls, archive, filter) ?:
	      calls.write_set_bytes_in_last_block(archive, 1) ?:
	      calls.write_open_fd(archive, fd) ?:
	      write_all(&calls, archive, tree, top, when) ?:
	      calls.write_close(archive);
	if (ret)
		complain(&calls, archive, name);
	calls.write_free(archive);
	return ret ? EXIT_ERROR : EXIT_OK;
}
