// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model.h"
#include "now.h"
#include "progress.h"
#include "reader.h"
#include "say.h"
#include "sysroot.h"

#define PATIENCE_MS	1000	/* for one file; the kernel lets who reads one wait for seconds */
#define STALLS_MAX	64	/* after which no more is read: the host is not well */

/**
 * struct answer - what the child says of a file, before its content
 * @index: which one
 * @error: a negative errno, or 0
 * @size: bytes that follow
 */
struct answer {
	uint32_t index;
	int32_t error;
	uint32_t size;
};

/**
 * struct reader - the child
 * @pid: it
 * @fd: its pipe
 * @end: when who waits for it has waited enough, as now_ms()
 */
struct reader {
	pid_t pid;
	int fd;
	int64_t end;
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

static void write_all(int fd, const void *data, size_t size)
{
	const char *at = data;

	while (size) {
		ssize_t n = write(fd, at, size);

		if (n < 0 && errno != EINTR)
			_exit(EXIT_ERROR);
		at += n < 0 ? 0 : n;
		size -= n < 0 ? 0 : n;
	}
}

static void __attribute__((noreturn)) read_from(const struct tree *tree, size_t i, int fd)
{
	for (; i < tree->count; i++) {
		struct answer answer = { .index = i };
		struct bytes content = { 0 };

		if (!tree->list[i].wanted)
			continue;
		answer.error = read_file(tree->list[i].path, &content);
		answer.size = answer.error ? 0 : content.size;
		write_all(fd, &answer, sizeof(answer));
		write_all(fd, content.data, answer.size);
		bytes_free(&content);
	}
	_exit(EXIT_OK);
}

static bool start(struct reader *reader, const struct tree *tree, size_t from)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return false;
	fflush(NULL);
	reader->pid = fork();
	if (!reader->pid) {
		close(fds[0]);
		signal(SIGPIPE, SIG_DFL);
		read_from(tree, from, fds[1]);
	}
	close(fds[1]);
	reader->fd = fds[0];
	if (reader->pid > 0)
		return true;
	close(reader->fd);
	return false;
}

/* One that the kernel holds dies when it lets go of it, and nobody waits for that. */
static void stop(const struct reader *reader)
{
	close(reader->fd);
	kill(reader->pid, SIGKILL);
	waitpid(reader->pid, NULL, WNOHANG);
}

/* Bytes from the child; false at its end, or when it takes too long. */
static bool take(const struct reader *reader, void *data, size_t size)
{
	char *at = data;

	while (size) {
		struct pollfd fd = { .fd = reader->fd, .events = POLLIN };
		int64_t left = reader->end - now_ms();
		ssize_t n;

		if (poll(&fd, 1, left > 0 ? left : 0) <= 0 && now_ms() >= reader->end)
			return false;
		if (!fd.revents)
			continue;
		n = read(reader->fd, at, size);
		if (!n || (n < 0 && errno != EINTR))
			return false;
		at += n < 0 ? 0 : n;
		size -= n < 0 ? 0 : n;
	}
	return true;
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
		return "only root may read it";
	default:
		return strerror(-error);
	}
}

static bool take_content(const struct reader *reader, struct tree_entry *entry, size_t size)
{
	char part[4096];

	while (size) {
		size_t some = size < sizeof(part) ? size : sizeof(part);

		if (!take(reader, part, some))
			return false;
		bytes_add(&entry->data, part, some);
		size -= some;
	}
	return true;
}

/* One file from the child; false if it does not come. */
static bool take_one(struct reader *reader, struct tree *tree, size_t i, size_t *bytes)
{
	struct tree_entry *entry = &tree->list[i];
	struct answer answer;

	reader->end = now_ms() + PATIENCE_MS;
	if (!take(reader, &answer, sizeof(answer)) || answer.index != i ||
	    answer.size > TREE_FILE_BYTES || !take_content(reader, entry, answer.size)) {
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
 * reader_run() - read what is wanted of the host
 * @tree: sorted; of what cannot be read, or not in time, it is said why
 */
void reader_run(struct tree *tree)
{
	struct reader reader = { .pid = -1 };
	size_t stalls = 0, bytes = 0, i;
	bool running = false;

	for (i = 0; i < tree->count; i++) {
		struct tree_entry *entry = &tree->list[i];

		if (!entry->wanted)
			continue;
		progress_tick(true);
		if (!running && stalls < STALLS_MAX)
			running = start(&reader, tree, i);
		entry->wanted = false;
		if (running && take_one(&reader, tree, i, &bytes))
			continue;
		entry->why = text_copy("no answer in time: a reset is under way, or a driver hangs");
		stalls++;
		if (running)
			stop(&reader);
		running = false;
	}
	if (running)
		stop(&reader);
	progress_tick(false);
}
