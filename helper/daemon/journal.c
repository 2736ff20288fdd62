// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#define SD_JOURNAL_SUPPRESS_LOCATION
#include <systemd/sd-journal.h>

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
 * journal_event_fields() - the entry of an event
 * @fields: empty, filled
 * @event: it
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

/**
 * journal_send() - one entry
 * @fields: its
 *
 * Return: 0 or a negative errno; -ENOENT without a journal, which libsystemd would
 * pass over.
 */
int journal_send(const struct fields *fields)
{
	struct iovec vec[FIELDS_MAX];
	unsigned int i;

	if (access(journal_socket, F_OK))
		return -errno;
	for (i = 0; i < fields->count; i++)
		vec[i] = (struct iovec) { fields->text[i], strlen(fields->text[i]) };
	return sd_journal_sendv(vec, fields->count);
}

/* As systemd.exec(5) has it. */
static bool stderr_is_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long long dev, ino;
	struct stat st;

	return stream && sscanf(stream, "%llu:%llu", &dev, &ino) == 2 &&
	       !fstat(STDERR_FILENO, &st) && st.st_dev == dev && st.st_ino == ino;
}

/* To the journal with its fields, and to who has stderr, unless that is it too. */
static void tell(int priority, enum own_message message, struct fields *more,
		 const char *text)
{
	struct fields none = { 0 }, *fields = more ? more : &none;

	fields_add(fields, "MESSAGE=%s", text);
	add_head(fields, &own_messages[message], priority);
	if (journal_send(fields) || !stderr_is_journal())
		fprintf(stderr, "instinctctl: %s\n", text);
	fields_free(fields);
}

/**
 * journal_tell_at() - something that the daemon has to say, at a priority
 * @priority: as syslog has it
 * @message: what
 * @fields: more of the entry, let go of; or NULL
 * @format: for people, as for printf(), without a newline
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
 * journal_tell() - something that the daemon has to say
 * @message: what
 * @fields: more of the entry, let go of; or NULL
 * @format: for people, as for printf(), without a newline
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
