// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>

#include "journal.h"
#include "sink.h"

static int take(struct sink *sink, const struct event *event)
{
	struct fields fields = { 0 };
	int ret;

	journal_event_fields(&fields, event);
	ret = journal_send(&fields);
	fields_free(&fields);
	sink->done += !ret;
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
	free(sink);
}

/**
 * sink_journal_new() - events as entries of the journal
 *
 * Return: the sink, or NULL without memory.
 */
struct sink *sink_journal_new(void)
{
	static const struct sink_calls calls = {
		.take = take,
		.gap = take_gap,
		.flush = flush,
		.close = sink_close,
	};
	struct sink *sink = calloc(1, sizeof(*sink));

	if (sink) {
		sink->name = "journal";
		sink->calls = &calls;
	}
	return sink;
}
