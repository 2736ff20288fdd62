// SPDX-License-Identifier: GPL-2.0-only
/* A subscriber: each event once, in order; jumps, gaps, new epochs. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>

#include "unit.h"
#include "stream.h"

/* The module's ring, as a fake: events first to last of one epoch. */
static struct {
	uint64_t epoch;
	uint64_t first;
	uint64_t last;
	int error;
	int errors;	/* replays that fail midway */
	int replays;
} ring;

static char told[4096];

static void __attribute__((format(printf, 1, 2))) tell(const char *format, ...)
{
	size_t at = strlen(told);
	va_list args;

	va_start(args, format);
	vsnprintf(told + at, sizeof(told) - at, format, args);
	va_end(args);
}

static void on_event(const struct event *event, void *data)
{
	(void)data;
	tell("%" PRIu64 " ", event->seq);
}

static void on_gap(const struct gap *gap, void *data)
{
	(void)data;
	tell("gap(%" PRIu64 ":%" PRIu64 "-%" PRIu64 ") ", gap->epoch, gap->first, gap->last);
}

static void on_epoch(uint64_t epoch, void *data)
{
	(void)data;
	tell("epoch(%" PRIu64 ") ", epoch);
}

static int replay(struct nl *ask, uint64_t from, nl_event_t call, void *data)
{
	bool fails = ring.errors > 0;
	struct event event;
	uint64_t seq;

	(void)ask;
	ring.replays++;
	ring.errors -= fails;
	for (seq = from > ring.first ? from : ring.first; seq <= ring.last; seq++) {
		event = (struct event) { .epoch = ring.epoch, .seq = seq };
		call(&event, data);
		if (fails)
			return ring.error;
	}
	return fails ? ring.error : 0;
}

static const struct stream_calls calls = { on_event, on_gap, on_epoch };

static struct stream begin(uint64_t epoch, uint64_t next)
{
	struct stream stream;

	stream_init(&stream, &calls, NULL);
	stream.replay = replay;
	stream.epoch = epoch;
	stream.next = next;
	memset(&ring, 0, sizeof(ring));
	ring.epoch = epoch;
	ring.first = 1;
	told[0] = '\0';
	return stream;
}

static void arrive(struct stream *stream, uint64_t epoch, uint64_t seq)
{
	struct event event = { .epoch = epoch, .seq = seq };

	stream_take(stream, &event);
}

static void test_in_order(void)
{
	struct stream stream = begin(7, 1);

	arrive(&stream, 7, 1);
	arrive(&stream, 7, 2);
	arrive(&stream, 7, 2);
	arrive(&stream, 7, 1);
	arrive(&stream, 7, 3);
	CHECK_STR(told, "1 2 3 ");
	CHECK_INT(ring.replays, 0);
}

static void test_jump(void)
{
	struct stream stream = begin(7, 3);

	ring.last = 8;
	arrive(&stream, 7, 6);
	CHECK_STR(told, "3 4 5 6 7 8 ");
	/* The replayed events arrive as well. */
	arrive(&stream, 7, 7);
	arrive(&stream, 7, 8);
	arrive(&stream, 7, 9);
	CHECK_STR(told, "3 4 5 6 7 8 9 ");
	CHECK_INT(ring.replays, 1);
}

static void test_gap(void)
{
	struct stream stream = begin(7, 3);

	ring.first = 5;
	ring.last = 6;
	arrive(&stream, 7, 6);
	CHECK_STR(told, "gap(7:3-4) 5 6 ");
	/* An empty ring still tells exactly which events are missing. */
	ring.first = 10;
	ring.last = 9;
	arrive(&stream, 7, 9);
	CHECK_STR(told, "gap(7:3-4) 5 6 gap(7:7-8) 9 ");
}

static void test_epoch(void)
{
	struct stream stream = begin(7, 30);

	/* An event of another epoch shows that the module has been replaced. */
	arrive(&stream, 8, 1);
	CHECK_INT(stream.error, -ENODEV);
	CHECK_STR(told, "");
	/* The stream starts anew with the events that the ring has. */
	stream_begin(&stream, 8);
	ring.epoch = 8;
	ring.last = 2;
	CHECK_INT(stream_look_back(&stream), 0);
	arrive(&stream, 8, 2);
	arrive(&stream, 8, 3);
	CHECK_STR(told, "epoch(8) 1 2 3 ");
	stream_begin(&stream, 8);
	CHECK_INT(stream.next, 4);
	/* A replay also shows that the module has been replaced. */
	ring.epoch = 9;
	ring.last = 9;
	CHECK_INT(stream_look_back(&stream), -ENODEV);
	CHECK_STR(told, "epoch(8) 1 2 3 ");
	/* The stream does not report its first epoch. */
	stream = begin(0, 0);
	stream_begin(&stream, 8);
	ring.epoch = 8;
	ring.last = 2;
	CHECK_INT(stream_look_back(&stream), 0);
	CHECK_STR(told, "1 2 ");
}

static void test_failing_ring(void)
{
	struct stream stream = begin(7, 3);

	/* The stream repeats an interrupted dump, and reports no event twice. */
	ring.last = 6;
	ring.error = -EAGAIN;
	ring.errors = 2;
	arrive(&stream, 7, 6);
	CHECK_STR(told, "3 4 5 6 ");
	CHECK_INT(ring.replays, 3);
	/* The stream stops at a ring that it cannot read, and reports no gap. */
	ring.last = 9;
	ring.error = -ENOENT;
	ring.errors = 1;
	arrive(&stream, 7, 9);
	CHECK_INT(stream.error, -ENODEV);
	CHECK_STR(told, "3 4 5 6 7 ");
	arrive(&stream, 7, 10);
	CHECK_INT(stream.next, 8);
	ring.last = 10;
	CHECK_INT(stream_look_back(&stream), 0);
	CHECK_STR(told, "3 4 5 6 7 8 9 10 ");
}

/* Results of the next reads: numbers of events, 0 for an overrun, a negative errno at the end. */
static const int *arriving;

static int read_next(struct nl *listen, nl_event_t call, void *data)
{
	struct event event = { .epoch = ring.epoch };

	(void)listen;
	if (*arriving < 0)
		return *arriving;
	event.seq = *arriving++;
	if (!event.seq)
		return -ENOBUFS;
	call(&event, data);
	return 0;
}

/* The stream keeps events that arrived before an overrun, even if the ring has dropped them. */
static void test_overrun(void)
{
	static const int first[] = { 1, 0, 2, 3, -EAGAIN };
	static const int second[] = { 0, 51, 60, 61, -EAGAIN };
	static const int third[] = { 0, -EAGAIN }, last[] = { 62, -ENODEV };
	struct stream stream = begin(7, 1);

	stream.read = read_next;
	arriving = first;
	ring.first = 10;
	ring.last = 50;
	CHECK_INT(stream_read(&stream), 0);
	CHECK(!strncmp(told, "1 2 3 gap(7:4-9) 10 11 ", 23));
	CHECK_INT(stream.next, 51);
	told[0] = '\0';
	arriving = second;
	ring.first = 55;
	ring.last = 61;
	CHECK_INT(stream_read(&stream), 0);
	CHECK_STR(told, "51 gap(7:52-54) 55 56 57 58 59 60 61 ");
	told[0] = '\0';
	arriving = third;
	ring.last = 61;
	CHECK_INT(stream_read(&stream), 0);
	CHECK_STR(told, "");
	arriving = last;
	CHECK_INT(stream_read(&stream), -ENODEV);
	CHECK_STR(told, "62 ");
	/* The overrun may have lost the notice that the module is gone. */
	arriving = third;
	ring.error = -ENOENT;
	ring.errors = 1;
	CHECK_INT(stream_read(&stream), -ENODEV);
}

/* The stream handles an overrun at the end of a batch at once: no later read reports it. */
static void test_overrun_at_limit(void)
{
	struct stream stream = begin(7, 1);
	int list[300], i;

	stream.read = read_next;
	for (i = 0; i < 255; i++)
		list[i] = i + 1;
	list[255] = 0;
	list[256] = -EAGAIN;
	arriving = list;
	ring.first = 200;
	ring.last = 300;
	CHECK_INT(stream_read(&stream), 0);
	CHECK(!stream.overrun);
	CHECK_INT(stream.next, 301);
}

int main(void)
{
	RUN(test_in_order);
	RUN(test_jump);
	RUN(test_gap);
	RUN(test_epoch);
	RUN(test_failing_ring);
	RUN(test_overrun);
	RUN(test_overrun_at_limit);
	return unit_end();
}
