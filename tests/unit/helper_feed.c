// SPDX-License-Identifier: GPL-2.0-only
/* Feeding a sink: lag, gaps, epochs. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>

#include "feed.h"
#include "helper_util.h"
#include "journal.h"

static struct event event_of(uint64_t epoch, uint64_t seq)
{
	return (struct event) { .epoch = epoch, .seq = seq, .bdf = "0000:c1:00.0" };
}

/* A fake sink that records its calls, and fails or is busy on demand. */
static struct {
	struct sink sink;
	char told[4096];
	char kept[4096];
	int take_error;
	uint64_t take_fails_at;	/* number of the event that fails; 0: each */
	int flush_error;
	uint64_t behind;	/* number of events that have not arrived yet */
} fake;

static struct {
	uint64_t first;
	uint64_t last;
} ring;

static void __attribute__((format(printf, 1, 2))) tell(const char *format, ...)
{
	size_t at = strlen(fake.kept);
	va_list args;

	va_start(args, format);
	vsnprintf(fake.kept + at, sizeof(fake.kept) - at, format, args);
	va_end(args);
}

static int fake_take(struct sink *sink, const struct event *event)
{
	if (fake.take_error && (!fake.take_fails_at || event->seq == fake.take_fails_at))
		return fake.take_error;
	sink->done++;
	tell("%" PRIu64 " ", event->seq);
	return 0;
}

static int fake_gap(struct sink *sink, const struct gap *gap)
{
	(void)sink;
	tell("gap(%" PRIu64 ":%" PRIu64 "-%" PRIu64 ") ", gap->epoch, gap->first, gap->last);
	return 0;
}

static int fake_flush(struct sink *sink, uint64_t epoch, uint64_t *next)
{
	(void)epoch;
	if (fake.flush_error) {
		sink->done = 0;
		fake.kept[0] = '\0';
		return fake.flush_error;
	}
	strcat(fake.told, fake.kept);
	fake.kept[0] = '\0';
	*next -= fake.behind;
	return 0;
}

static const struct sink_calls fake_calls = {
	.take = fake_take, .gap = fake_gap, .flush = fake_flush,
};

static int replay_error;	/* returned after the last event */

static int replay(struct nl *ask, uint64_t from, nl_event_t call, void *data)
{
	uint64_t seq;

	(void)ask;
	for (seq = from > ring.first ? from : ring.first; seq <= ring.last; seq++) {
		struct event event = event_of(7, seq);

		call(&event, data);
	}
	return replay_error;
}

static struct stream stream = { .epoch = 7, .replay = replay };
static struct place_sink place;

static struct feed feed_at(uint64_t next)
{
	struct feed feed;

	memset(&fake, 0, sizeof(fake));
	fake.sink.name = "fake";
	fake.sink.calls = &fake_calls;
	place = (struct place_sink) { .name = "fake", .next = next };
	stream.ask = (struct nl *)&stream;	/* there is a module */
	feed_init(&feed, &fake.sink, &place, 7, false);
	feed_begin(&feed, 7, 1, 1000);
	return feed;
}

static void give(struct feed *feed, uint64_t seq)
{
	struct event event = event_of(7, seq);

	feed_event(feed, &event);
}

static void test_feed(void)
{
	struct feed feed = feed_at(3);

	give(&feed, 2);
	give(&feed, 3);
	give(&feed, 4);
	give(&feed, 3);
	CHECK_INT(place.next, 3);
	feed_flush(&feed);
	CHECK_STR(fake.told, "3 4 ");
	CHECK_INT(place.next, 5);
	CHECK_INT(place.delivered, 2);
	/* The module no longer has events 5 to 7. */
	util_catch(STDERR_FILENO);
	give(&feed, 8);
	feed_flush(&feed);
	util_caught_text();
	CHECK_STR(fake.told, "3 4 gap(7:5-7) 8 ");
	CHECK_INT(place.next, 9);
	CHECK_INT(place.lost, 3);
	CHECK_INT(place.delivered, 3);
}

/* A sink that failed catches up from the ring, with a gap if the ring has lost events. */
static void test_feed_that_fails(void)
{
	struct feed feed = feed_at(1);

	give(&feed, 1);
	feed_flush(&feed);
	give(&feed, 2);
	give(&feed, 3);
	fake.flush_error = -ENOSPC;
	util_catch(STDERR_FILENO);
	feed_flush(&feed);
	CHECK(feed.lagging);
	CHECK_INT(feed.delay, 1);
	CHECK_INT(place.next, 2);
	CHECK_INT(place.failed, 1);
	give(&feed, 4);
	ring.first = 1;
	ring.last = 5;
	feed_catch_up(&feed, &stream);
	CHECK_INT(feed.delay, 2);
	CHECK_INT(place.failed, 2);
	util_caught_text();
	CHECK(strstr(util_caught, "events do not get to fake from number 2 on: No space left on device; the module keeps them"));
	CHECK(!strstr(strchr(util_caught, '\n') + 1, "do not get"));
	fake.flush_error = 0;
	ring.first = 4;
	util_catch(STDERR_FILENO);
	feed_catch_up(&feed, &stream);
	util_caught_text();
	CHECK(strstr(util_caught, "events 2 to 3 did not get to fake"));
	CHECK(strstr(util_caught, "events get to fake again"));
	CHECK_STR(fake.told, "1 gap(7:2-3) 4 5 ");
	CHECK_INT(place.next, 6);
	CHECK_INT(place.lost, 2);
	CHECK_INT(place.delivered, 3);
	CHECK(!feed.lagging);
	CHECK_INT(feed.delay, 0);
}

/* Events that a sink took before it failed arrive, and the feed still tries it again. */
static void test_feed_that_fails_midway(void)
{
	struct feed feed = feed_at(1);

	fake.take_error = -ENOENT;
	fake.take_fails_at = 3;
	util_catch(STDERR_FILENO);
	give(&feed, 1);
	give(&feed, 2);
	give(&feed, 3);
	feed_flush(&feed);
	util_caught_text();
	CHECK(!strstr(util_caught, "events get to fake again"));
	CHECK_STR(fake.told, "1 2 ");
	CHECK_INT(place.next, 3);
	CHECK(feed.lagging);
	CHECK_INT(feed.delay, 1);
	/* A sink lags until the ring has been read to its end. */
	fake.take_error = 0;
	ring.first = 1;
	ring.last = 4;
	replay_error = -EBUSY;
	util_catch(STDERR_FILENO);
	feed_catch_up(&feed, &stream);
	util_caught_text();
	replay_error = 0;
	CHECK_INT(place.next, 5);
	CHECK(feed.lagging);
	CHECK_INT(feed.delay, 2);
	util_catch(STDERR_FILENO);
	feed_catch_up(&feed, &stream);
	util_caught_text();
	CHECK(strstr(util_caught, "events get to fake again"));
	CHECK_STR(fake.told, "1 2 3 4 ");
	CHECK(!feed.lagging);
	CHECK_INT(feed.delay, 0);
}

static void test_feed_back_off(void)
{
	static const unsigned int wanted[] = { 1, 2, 4, 8, 16, 32, 60, 60 };
	struct feed feed = feed_at(1);
	size_t i;

	ring.first = 1;
	ring.last = 1;
	fake.take_error = -ENOENT;
	util_catch(STDERR_FILENO);
	give(&feed, 1);
	for (i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		CHECK_INT(feed.delay, wanted[i]);
		feed_catch_up(&feed, &stream);
	}
	fake.take_error = 0;
	feed_catch_up(&feed, &stream);
	util_caught_text();
	CHECK_STR(fake.told, "1 ");
	CHECK_INT(feed.delay, 0);
}

/* The hooks sink behaves like this: an event that it took arrives when its hook has ended. */
static void test_feed_that_is_busy(void)
{
	struct feed feed = feed_at(1);

	fake.behind = 1;
	fake.sink.busy = true;
	feed.lagging = false;
	give(&feed, 1);
	give(&feed, 2);
	feed_flush(&feed);
	CHECK_INT(place.next, 1);
	ring.first = 5;
	ring.last = 5;
	feed_catch_up(&feed, &stream);
	CHECK_STR(fake.told, "1 ");
	/* The gap waits until all earlier events have arrived. */
	fake.sink.busy = false;
	feed_catch_up(&feed, &stream);
	CHECK_STR(fake.told, "1 ");
	CHECK(feed.lagging);
	CHECK_INT(feed.delay, 0);
	fake.behind = 0;
	util_catch(STDERR_FILENO);
	feed_catch_up(&feed, &stream);
	util_caught_text();
	CHECK_STR(fake.told, "1 gap(7:2-4) 5 ");
	CHECK_INT(place.lost, 3);
	CHECK_INT(place.next, 6);
}

/* The journal sink behaves like this: it becomes busy when an event finds no room. */
static void test_feed_that_becomes_busy(void)
{
	struct feed feed = feed_at(1);

	fake.take_error = -EAGAIN;
	fake.take_fails_at = 2;
	give(&feed, 1);
	fake.sink.busy = true;
	give(&feed, 2);
	feed_flush(&feed);
	CHECK_STR(fake.told, "1 ");
	CHECK(feed.lagging);
	CHECK_INT(feed.delay, 0);
	CHECK_INT(place.failed, 0);
	CHECK_INT(place.next, 2);
	fake.take_error = 0;
	fake.sink.busy = false;
	ring.first = 1;
	ring.last = 3;
	feed_catch_up(&feed, &stream);
	CHECK_STR(fake.told, "1 2 3 ");
	CHECK(!feed.lagging);
}

static void test_feed_epoch(void)
{
	struct feed feed = feed_at(1);
	struct event event = event_of(8, 1);

	give(&feed, 1);
	feed_flush(&feed);
	/* The sink has all events of the epoch, so none is lost. */
	feed_end_epoch(&feed, 1);
	CHECK_INT(place.lost, 0);
	CHECK_INT(place.next, 1);
	feed_begin(&feed, 7, 1, 1000);
	give(&feed, 1);
	feed_flush(&feed);
	fake.flush_error = -ENOSPC;
	util_catch(STDERR_FILENO);
	give(&feed, 2);
	feed_flush(&feed);
	feed_end_epoch(&feed, 4);
	CHECK_INT(place.lost, 3);
	/* The sink gets the gap as soon as it works again. */
	feed_begin(&feed, 8, 1, 1);
	CHECK(feed.lagging);
	CHECK_STR(fake.told, "1 1 ");
	fake.flush_error = 0;
	ring.first = 1;
	ring.last = 0;
	feed_catch_up(&feed, &stream);
	util_caught_text();
	CHECK_STR(fake.told, "1 1 gap(7:2-4) ");
	util_catch(STDERR_FILENO);
	feed_event(&feed, &event);
	feed_flush(&feed);
	util_caught_text();
	CHECK_STR(fake.told, "1 1 gap(7:2-4) 1 ");
	CHECK_INT(place.next, 2);
	CHECK_INT(place.lost, 3);
}

static void test_feed_begin(void)
{
	struct feed feed = feed_at(50);

	/* The state file is ahead of the module. */
	util_catch(STDERR_FILENO);
	feed_begin(&feed, 7, 1, 9);
	util_caught_text();
	CHECK(strstr(util_caught, "the state file has fake at event 50, and there is none after 9 yet"));
	CHECK_INT(place.next, 10);
	/* A new sink begins with the oldest event in the ring. */
	feed_init(&feed, &fake.sink, &place, 0, true);
	feed_end_epoch(&feed, 100);
	feed_begin(&feed, 7, 31, 40);
	CHECK_INT(place.next, 31);
	CHECK_INT(place.lost, 0);
}

int main(void)
{
	util_begin();
	journal_socket = "absent";
	RUN(test_feed);
	RUN(test_feed_that_fails);
	RUN(test_feed_that_fails_midway);
	RUN(test_feed_back_off);
	RUN(test_feed_that_is_busy);
	RUN(test_feed_that_becomes_busy);
	RUN(test_feed_epoch);
	RUN(test_feed_begin);
	return unit_end();
}
