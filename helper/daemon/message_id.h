/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A MESSAGE_ID and a priority for each kind of journal entry. */
#ifndef MESSAGE_ID_H
#define MESSAGE_ID_H

#include <stdint.h>

/* The daemon's own messages, besides the module's events. */
enum own_message {
	OWN_EVENT_UNKNOWN,	/* the kind of an event is newer than this helper */
	OWN_EVENTS_LOST,	/* a sink did not get events in time */
	OWN_MODULE_COME,
	OWN_MODULE_GONE,
	OWN_SINK_FAILED,
	OWN_SINK_BACK,
	OWN_HOOK_DONE,
	OWN_HOOK_FAILED,
	OWN_HOOK_TIMEOUT,
	OWN_HOOK_REFUSED,
	OWN_SAMPLE_REFUSED,
	OWN_SAMPLER_ENDED,
	OWN_SAMPLER_SAYS,	/* at the sampler's own priority */
	OWN_METRICS_FAILED,
	OWN_ALARM_REFUSED,
	OWN_ALARM_UNASSIGNED,	/* at the alarm's own priority */
	OWN_MESSAGES
};

/**
 * struct message - a kind of journal entry
 * @id: MESSAGE_ID; the catalog has a text for each
 * @priority: priority as in syslog(3)
 */
struct message {
	char id[33];
	int priority;
};

extern const struct message own_messages[OWN_MESSAGES];

const struct message *message_of_event(uint32_t kind);

#endif /* MESSAGE_ID_H */
