// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aside.h"
#include "model.h"
#include "now.h"
#include "progress.h"
#include "reader.h"
#include "say.h"
#include "sysroot.h"

#define STALLS_MAX	64	/* after so many reads that hang, the reader gives up */

/**
 * struct answer - header that the child sends before the contents of a file
 * @index: index of the file in the tree
 * @error: 0 or a negative errno
 * @size: bytes of contents that follow
 */
struct answer {
	uint32_t index;
	int32_t error;
	uint32_t size;
};

/**
 * struct reader - a child process that reads files
 * @aside: child process
 * @end: deadline for the current file, as now_ms()
 * @tree: files to read
 * @from: index of the file to begin with
 */
struct reader {
	struct aside aside;
	int64_t end;
	const struct tree *tree;
	size_t from;
};

static int read_file(const char *path, struct bytes *content)
{
	char whole[PATH_MAX];
	struct stat st;
	ssize_t n;
	int fd;

	snprintf(whole, sizeof(whole), "%s/%s", opt_sysroot, path);
	fd = sysroot_open_file(whole);
	if (fd < 0)
		return fd;
	n = !fstat(fd, &st) && S_ISREG(st.st_mode) ?
	    bytes_read(content, fd, TREE_FILE_BYTES) : -EINVAL;
	close(fd);
	return n < 0 ? n : 0;
}

static void read_from(int fd, const void *data)
{
	const struct reader *reader = data;
	const struct tree *tree = reader->tree;
	size_t i;

	for (i = reader->from; i < tree->count; i++) {
		struct answer answer = { .index = i };
		struct bytes content = { 0 };

		if (!tree->list[i].wanted)
			continue;
		answer.error = read_file(tree->list[i].path, &content);
		answer.size = answer.error ? 0 : content.size;
		aside_put(fd, &answer, sizeof(answer));
		aside_put(fd, content.data, answer.size);
		bytes_free(&content);
	}
}

static const char *reason(int error)
{
	switch (error) {
	case -EFBIG:
		return "too big";
	case -EINVAL:
		return "no regular file";
	case -ENODATA:
		return "no value now";
	case -EACCES:
	case -EPERM:
		return "only root can read it";
	default:
		return strerror(-error);
	}
}

static bool take_content(const struct reader *reader, struct tree_entry *entry, size_t size)
{
	char part[4096];

	while (size) {
		size_t some = size < sizeof(part) ? size : sizeof(part);

		if (!aside_take(&reader->aside, part, some, reader->end))
			return false;
		bytes_add(&entry->data, part, some);
		size -= some;
	}
	return true;
}

/* Receive one file from the child; false if the child hangs. */
static bool take_one(struct reader *reader, struct tree *tree, size_t i, size_t *bytes)
{
	struct tree_entry *entry = &tree->list[i];
	struct answer answer;

	reader->end = now_ms() + ASIDE_PATIENCE_MS;
	if (!aside_take(&reader->aside, &answer, sizeof(answer), reader->end) ||
	    answer.index != i || answer.size > TREE_FILE_BYTES ||
	    !take_content(reader, entry, answer.size)) {
		bytes_free(&entry->data);
		return false;
	}
	*bytes += answer.size;
	if (answer.error)
		entry->why = text_copy(reason(answer.error));
	if (*bytes > TREE_BYTES) {
		bytes_free(&entry->data);
		entry->why = text_copy("too big, all together");
	}
	return true;
}

/**
 * reader_run() - read all wanted files of the host
 * @tree: sorted tree; a file that cannot be read, or not in time, gets the reason
 */
void reader_run(struct tree *tree)
{
	struct reader reader = { .tree = tree };
	size_t stalls = 0, bytes = 0, i;
	bool running = false;

	for (i = 0; i < tree->count; i++) {
		struct tree_entry *entry = &tree->list[i];

		if (!entry->wanted)
			continue;
		progress_tick(true);
		reader.from = i;
		if (!running && stalls < STALLS_MAX)
			running = aside_start(&reader.aside, read_from, &reader);
		entry->wanted = false;
		if (running && take_one(&reader, tree, i, &bytes))
			continue;
		entry->why = text_copy("no answer in time: a reset is under way, or a driver hangs");
		stalls++;
		if (running)
			aside_stop(&reader.aside);
		running = false;
	}
	if (running)
		aside_stop(&reader.aside);
	progress_tick(false);
}
