/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libarchive with its compressions, loaded only when the helper reads or writes an archive. */
#ifndef ARCHIVE_LIBRARY_H
#define ARCHIVE_LIBRARY_H

#include <archive.h>
#include <archive_entry.h>
#include <stdbool.h>

#define ARCHIVE_CALLS(X)						\
	X(write_new) X(write_set_format_pax_restricted)			\
	X(write_add_filter_zstd) X(write_add_filter_xz)			\
	X(write_add_filter_gzip) X(write_set_options)			\
	X(write_open_fd) X(write_set_bytes_in_last_block)		\
	X(write_header) X(write_data) X(write_close) X(write_free)	\
	X(read_new) X(read_support_filter_zstd)				\
	X(read_support_filter_xz) X(read_support_filter_gzip)		\
	X(read_support_filter_bzip2)					\
	X(read_support_format_tar)					\
	X(read_open_fd) X(read_next_header)				\
	X(read_data_block) X(read_free)					\
	X(error_string)							\
	X(entry_new) X(entry_clear) X(entry_free)			\
	X(entry_set_pathname) X(entry_set_filetype) X(entry_set_perm)	\
	X(entry_set_size) X(entry_set_mtime) X(entry_set_symlink)	\
	X(entry_pathname) X(entry_filetype) X(entry_size)		\
	X(entry_symlink) X(entry_hardlink)

/**
 * struct archive_calls - functions of libarchive that the helper calls, by their names there
 */
struct archive_calls {
#define ARCHIVE_CALL(name)	typeof(&archive_##name) name;
	ARCHIVE_CALLS(ARCHIVE_CALL)
#undef ARCHIVE_CALL
	typeof(&archive_errno) error_number;	/* "errno" is a macro */
};

bool archive_library(struct archive_calls *calls);

/**
 * archive_failure() - treat a warning as success
 * @ret: return value of a call
 *
 * libarchive warns when a compression needs an external program, and when this locale cannot
 * represent a name; it then uses the name unchanged.
 *
 * Return: ARCHIVE_OK for success and for a warning, else @ret.
 */
static inline int archive_failure(int ret)
{
	return ret == ARCHIVE_WARN ? ARCHIVE_OK : ret;
}

#endif /* ARCHIVE_LIBRARY_H */
