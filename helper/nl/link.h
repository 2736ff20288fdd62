/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A service's connection to the module, kept while the module is unloaded and loaded again. */
#ifndef LINK_H
#define LINK_H

#include <systemd/sd-event.h>

#include "nl_watch.h"
#include "stream.h"

/**
 * struct link_calls - callbacks of a service
 * @follow: the stream is open; the service sets the event from which it reads on, and takes
 *	kept events; returns 0 or a negative errno
 * @linked: the service is subscribed to events; returns 0 or a negative errno
 * @read: events have been read; may be NULL
 * @gone: the module has been unloaded
 * @waiting: the module is not loaded, and the link waits for it
 * @failed: the module cannot be reached; the text is for the status of the service
 * @closing: the sockets are about to be closed; may be NULL
 */
struct link_calls {
	int (*follow)(const struct nl_info *info, void *data);
	int (*linked)(const struct nl_info *info, void *data);
	void (*read)(void *data);
	void (*gone)(void *data);
	void (*waiting)(void *data);
	void (*failed)(const char *why, void *data);
	void (*closing)(void *data);
};

/**
 * struct link - connection of a service to the module
 * @loop: event loop of the service
 * @stream: the module's events, by stream_init()
 * @calls: callbacks of the service
 * @data: passed to @calls
 * @events: event source for the stream's socket
 * @watch: socket that waits for the module, NULL while the module is loaded
 * @come: event source for @watch
 * @again: timer for the next attempt after a failure
 * @delay: time until the next attempt, s
 */
struct link {
	sd_event *loop;
	struct stream *stream;
	const struct link_calls *calls;
	void *data;
	sd_event_source *events;
	struct nl_watch *watch;
	sd_event_source *come;
	sd_event_source *again;
	unsigned int delay;
};

int link_open(struct link *link);
void link_free(struct link *link);

#endif /* LINK_H */
