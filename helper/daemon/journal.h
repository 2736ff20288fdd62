/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Journal entries: events, and the daemon's own messages. */
#ifndef JOURNAL_H
#define JOURNAL_H

#include "fields.h"
#include "message_id.h"

/* The journal's socket; a test sets another one. */
extern const char *journal_socket;

void journal_event_fields(struct fields *fields, const struct event *event);
int journal_send(int *fd, const struct fields *fields);
void journal_unblock_stderr(void);
void journal_tell(enum own_message message, struct fields *fields, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void journal_tell_at(int priority, enum own_message message, struct fields *fields,
		     const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif /* JOURNAL_H */
