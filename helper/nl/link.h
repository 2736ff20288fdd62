/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A service's tie to the module: there, gone, loaded anew, or out of reach. */
#ifndef LINK_H
#define LINK_H

#include <systemd/sd-event.h>

#include "nl_watch.h"
#include "stream.h"

/**
 * struct link_calls - what a service does
 * @follow: the stream is open: from which event on? A negative errno if it cannot
 * @linked: all is well now; a negative errno if it cannot go on so
 * @read: events have been read; may be NULL
 * @gone: the module has been unloaded
 * @waiting: it is not loaded
 * @failed: why it cannot be reached, for who asks how the service is
 * @closing: before the sockets go; may be NULL
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
 * struct link - the tie
 * @loop: that it is in
 * @stream: the module's events, by stream_init()
 * @calls: what the service does
 * @data: for @calls
 * @events: tells of events
 * @watch: waits for the module, NULL while it is there
 * @come: tells of it
 * @again: the timer until it is tried again, after a failure
 * @delay: s until then
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
