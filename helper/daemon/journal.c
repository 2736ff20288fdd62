// SPDX-License-Identifier: GPL-2.0-or-later
#include <endian.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "journal.h"
#include "out.h"

#define IDENTIFIER	"SYSLOG_IDENTIFIER=instinct-vfio"

const char *journal_socket = "/run/systemd/journal/socket";

static void add_head(struct fields *fields, const struct message *message, int priority)
{
	fields_add(fields, "MESSAGE_ID=%s", message->id);
	fields_add(fields, "PRIORITY=%d", priority);
	fields_add(fields, IDENTIFIER);
}

/**
 * journal_event_fields() - make the journal entry of an event
 * @fields: empty, filled
 * @event: the event
 */
void journal_event_fields(struct fields *fields, const struct event *event)
{
	const struct message *message = message_of_event(event->kind);
	char *text = out_event_message(event);

	fields_add(fields, "MESSAGE=%s", text ? text : event->bdf);
	free(text);
	add_head(fields, message, message->priority);
	fields_add_event(fields, event);
}

/* Encode an entry by systemd's "Native Journal Protocol"; the caller frees it. */
static char *entry_of(const struct fields *fields, size_t *size)
{
	char *entry = NULL;
	FILE *out = open_memstream(&entry, size);
	unsigned int i;

	for (i = 0; out && i < fields->count; i++) {
		const char *text = fields->text[i], *value = strchr(text, '=') + 1;
		uint64_t length = htole64(strlen(value));

		if (strchr(value, '\n')) {
			fprintf(out, "%.*s\n", (int)(value - 1 - text), text);
			fwrite(&length, sizeof(length), 1, out);
			text = value;
		}
		fprintf(out, "%s\n", text);
	}
	if (!out || !fclose(out))
		return entry;
	free(entry);
	return NULL;
}

static int socket_to_journal(void)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd, ret;

	if (snprintf(to.sun_path, sizeof(to.sun_path), "%s", journal_socket) >=
	    (int)sizeof(to.sun_path))
		return -ENAMETOOLONG;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	if (!connect(fd, (struct sockaddr *)&to, sizeof(to)))
		return fd;
	ret = -errno;
	close(fd);
	return ret;
}

static int put(int *fd, const char *entry, size_t size)
{
	int ret;

	if (*fd < 0)
		*fd = socket_to_journal();
	if (*fd < 0)
		return *fd;
	if (send(*fd, entry, size, MSG_NOSIGNAL) == (ssize_t)size)
		return 0;
	ret = -errno;
	if (ret == -EAGAIN)
		return ret;
	close(*fd);
	*fd = -1;
	return ret;
}

/**
 * journal_send() - send one entry, without waiting as libsystemd's call would
 * @fd: socket to the journal, -1 at first
 * @fields: fields of the entry
 *
 * Return: 0, -EAGAIN if the socket has no room until @fd becomes writable, or another
 * negative errno.
 */
int journal_send(int *fd, const struct fields *fields)
{
	size_t size = 0;
	char *entry = entry_of(fields, &size);
	int ret = entry ? put(fd, entry, size) : -ENOMEM;

	/* journald may have restarted, so try a new connection. */
	if (ret == -ECONNREFUSED || ret == -ENOTCONN || ret == -ECONNRESET)
		ret = put(fd, entry, size);
	free(entry);
	return ret;
}

/* Compare stderr with $JOURNAL_STREAM, see systemd.exec(5). */
static bool stderr_is_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long long dev, ino;
	struct stat st;

	return stream && sscanf(stream, "%llu:%llu", &dev, &ino) == 2 &&
	       !fstat(STDERR_FILENO, &st) && st.st_dev == dev && st.st_ino == ino;
}

static ssize_t write_or_drop(void *cookie, const char *text, size_t size)
{
	(void)cookie;
	send(STDERR_FILENO, text, size, MSG_DONTWAIT | MSG_NOSIGNAL);
	return size;
}

/**
 * journal_unblock_stderr() - make stderr drop text rather than wait, if it is the journal
 *
 * O_NONBLOCK would also apply to the hooks, which share the file description.
 */
void journal_unblock_stderr(void)
{
	FILE *out = stderr_is_journal() ?
		    fopencookie(NULL, "w", (cookie_io_functions_t) {
				.write = write_or_drop }) : NULL;

	if (!out)
		return;
	setvbuf(out, NULL, _IOLBF, 0);
	stderr = out;
}

/*
 * Send a message with its fields to the journal, and as text to stderr unless that is the
 * journal. The message has a socket of its own, which events cannot fill.
 */
static void tell(int priority, enum own_message message, struct fields *more,
		 const char *text)
{
	static int fd = -1;
	struct fields none = { 0 }, *fields = more ? more : &none;

	fields_add(fields, "MESSAGE=%s", text);
	add_head(fields, &own_messages[message], priority);
	if (journal_send(&fd, fields) || !stderr_is_journal())
		fprintf(stderr, "instinctctl: %s\n", text);
	fields_free(fields);
}

/**
 * journal_tell_at() - send a message of the daemon, with a given priority
 * @priority: priority as in syslog(3)
 * @message: kind of the message
 * @fields: more fields of the entry, freed; or NULL
 * @format: text, as for printf(), without a newline
 */
void journal_tell_at(int priority, enum own_message message, struct fields *fields,
		     const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	tell(priority, message, fields, text);
}

/**
 * journal_tell() - send a message of the daemon
 * @message: kind of the message, which sets the priority
 * @fields: more fields of the entry, freed; or NULL
 * @format: text, as for printf(), without a newline
 */
void journal_tell(enum own_message message, struct fields *fields, const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	tell(own_messages[message].priority, message, fields, text);
}
