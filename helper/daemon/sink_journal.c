// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "journal.h"
#include "sink.h"

/**
 * struct journal - entries of the journal
 * @sink: as such
 * @loop: that tells of room
 * @fd: socket to it, -1 while there is none
 * @room: tells that it can be written to again
 */
struct journal {
	struct sink sink;
	sd_event *loop;
	int fd;
	sd_event_source *room;
};

static struct journal *of(struct sink *sink)
{
	return (struct journal *)sink;
}

static int on_room(sd_event_source *source, int fd, uint32_t events, void *data)
{
	struct journal *journal = data;

	(void)source;
	(void)fd;
	(void)events;
	journal->room = sd_event_source_disable_unref(journal->room);
	journal->sink.busy = false;
	if (journal->sink.wake)
		journal->sink.wake(journal->sink.data);
	return 0;
}

static int take(struct sink *sink, const struct event *event)
{
	struct journal *journal = of(sink);
	struct fields fields = { 0 };
	int ret;

	journal_event_fields(&fields, event);
	ret = journal_send(&journal->fd, &fields);
	fields_free(&fields);
	sink->done += !ret;
	/* Somebody else is not to wait for it, whether it hangs or is slow. */
	if (ret == -EAGAIN)
		sink->busy = sd_event_add_io(journal->loop, &journal->room, journal->fd,
					     EPOLLOUT, on_room, journal) >= 0;
	return ret;
}

/* The daemon itself tells of gaps there, whichever sink has one. */
static int take_gap(struct sink *sink, const struct gap *gap)
{
	(void)sink;
	(void)gap;
	return 0;
}

static int flush(struct sink *sink, uint64_t epoch, uint64_t *next)
{
	(void)sink;
	(void)epoch;
	(void)next;
	return 0;
}

static void sink_close(struct sink *sink)
{
	struct journal *journal = of(sink);

	sd_event_source_disable_unref(journal->room);
	if (journal->fd >= 0)
		close(journal->fd);
	free(journal);
}

/**
 * sink_journal_new() - events as entries of the journal
 * @loop: that tells when it has room again
 *
 * Return: the sink, or NULL without memory.
 */
struct sink *sink_journal_new(sd_event *loop)
{
	static const struct sink_calls calls = {
		.take = take,
		.gap = take_gap,
		.flush = flush,
		.close = sink_close,
	};
	struct journal *journal = calloc(1, sizeof(*journal));

	if (!journal)
		return NULL;
	journal->sink.name = "journal";
	journal->sink.calls = &calls;
	journal->loop = loop;
	journal->fd = -1;
	return &journal->sink;
}
