/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is told in the journal: a MESSAGE_ID and a priority for each kind. */
#ifndef MESSAGE_ID_H
#define MESSAGE_ID_H

#include <stdint.h>

/* What the daemon has to say itself, beside the module's events. */
enum own_message {
	OWN_EVENT_UNKNOWN,	/* an event that is newer than this helper */
	OWN_EVENTS_LOST,	/* a sink did not get them in time */
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
	OWN_MESSAGES
};

/**
 * struct message - one kind
 * @id: MESSAGE_ID; the catalog has a text for each
 * @priority: as syslog has it
 */
struct message {
	char id[33];
	int priority;
};

extern const struct message own_messages[OWN_MESSAGES];

const struct message *message_of_event(uint32_t kind);

#endif /* MESSAGE_ID_H */
