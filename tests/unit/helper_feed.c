// SPDX-License-Identifier: GPL-2.0-only
/* How a sink is fed: lagging, gaps, epochs. */
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

/* A sink that says what it was told, and fails or is busy as it is wanted to. */
static struct {
	struct sink sink;
	char told[4096];
	char kept[4096];
	int take_error;
	uint64_t take_fails_at;	/* with @take_error, if not at each */
	int flush_error;
	uint64_t behind;	/* of what it was given, so much is not done */
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

static int replay_error;	/* at the end of what there is */

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
	/* What comes next was not to be had before it. */
	util_catch(STDERR_FILENO);
	give(&feed, 8);
	feed_flush(&feed);
	util_caught_text();
	CHECK_STR(fake.told, "3 4 gap(7:5-7) 8 ");
	CHECK_INT(place.next, 9);
	CHECK_INT(place.lost, 3);
	CHECK_INT(place.delivered, 3);
}

/* It fails, the others go on, the ring has it still; or not all of it. */
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
	CHECK(strstr(util_caught, "events do not get to fake from number 2 on: No space left on device; they are kept"));
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

/* What it took before it failed arrives, and it is tried again nevertheless. */
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
	/* Nor is it back when the ring can be read in part only. */
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

/* As hooks are: busy until they have got on, done with less than they were given. */
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
	/* Not before it has got on to the gap. */
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

/* As the journal is: it finds out that it is when it is given an event. */
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
	/* It has all that there was. */
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
	/* Told as soon as it can be. */
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

	/* What the state file has, and the module never had. */
	util_catch(STDERR_FILENO);
	feed_begin(&feed, 7, 1, 9);
	util_caught_text();
	CHECK(strstr(util_caught, "the state file has fake at event 50, and there is none after 9 yet"));
	CHECK_INT(place.next, 10);
	/* A new one begins with what the ring holds. */
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
