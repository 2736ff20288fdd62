// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "journal.h"
#include "sink.h"

/**
 * struct journal - the sink that writes journal entries
 * @sink: the sink
 * @loop: event loop
 * @fd: socket to the journal, or -1
 * @room: event source that reports a writable @fd
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
	/* A journal that hangs or is slow must not hold up the other sinks. */
	if (ret == -EAGAIN)
		sink->busy = sd_event_add_io(journal->loop, &journal->room, journal->fd,
					     EPOLLOUT, on_room, journal) >= 0;
	return ret;
}

/* feed.c reports the gaps of every sink in the journal, so the sink need not. */
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
 * sink_journal_new() - create the sink that writes journal entries
 * @loop: event loop that reports room in the socket
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
