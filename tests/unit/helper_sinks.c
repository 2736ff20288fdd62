// SPDX-License-Identifier: GPL-2.0-only
/* The file of JSON lines, and how a sink is fed: lagging, gaps, epochs. */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "feed.h"
#include "helper_util.h"
#include "journal.h"

#define FILE_NAME	"events.jsonl"
#define TORN		"{\"seq\":3,\"epo"

static struct event event_of(uint64_t epoch, uint64_t seq)
{
	return (struct event) { .epoch = epoch, .seq = seq, .bdf = "0000:c1:00.0" };
}

/* Numbers of the lines of the file: "1 2 gap(3-4) 5 ", "?" where one is wrong. */
static const char *lines(const char *path)
{
	static char found[4096];
	char line[4096];
	FILE *in = fopen(path, "r");

	found[0] = '\0';
	while (in && fgets(line, sizeof(line), in)) {
		json_t *json = json_loads(line, 0, NULL), *gap = json_object_get(json, "gap");
		char text[64] = "? ";

		if (gap)
			snprintf(text, sizeof(text), "gap(%d-%d) ",
				 (int)json_integer_value(json_object_get(gap, "first")),
				 (int)json_integer_value(json_object_get(gap, "last")));
		else if (json)
			snprintf(text, sizeof(text), "%d ",
				 (int)json_integer_value(json_object_get(json, "seq")));
		strncat(found, text, sizeof(found) - strlen(found) - 1);
		json_decref(json);
	}
	if (in)
		fclose(in);
	return found;
}

static int take(struct sink *sink, uint64_t epoch, uint64_t seq)
{
	struct event event = event_of(epoch, seq);

	return sink->calls->take(sink, &event);
}

static int flush(struct sink *sink)
{
	uint64_t next = 1000;
	int ret = sink->calls->flush(sink, 7, &next);

	CHECK_INT(next, 1000);
	return ret;
}

static struct sink *json_begin(uint64_t epoch, uint64_t newest)
{
	struct sink *sink = sink_json_new(FILE_NAME);

	sink->calls->begin(sink, epoch, newest);
	return sink;
}

static void append(const char *text)
{
	FILE *out = fopen(FILE_NAME, "a");

	fputs(text, out);
	fclose(out);
}

static void test_json(void)
{
	struct gap gap = { 7, 3, 4 };
	struct sink *sink;

	unlink(FILE_NAME);
	sink = json_begin(7, 9);
	CHECK_INT(take(sink, 7, 1), 0);
	CHECK_INT(take(sink, 7, 2), 0);
	CHECK_STR(lines(FILE_NAME), "");
	CHECK_INT(sink->done, 0);
	CHECK_INT(flush(sink), 0);
	CHECK_STR(lines(FILE_NAME), "1 2 ");
	CHECK_INT(sink->done, 2);
	CHECK_INT(sink->calls->gap(sink, &gap), 0);
	CHECK_INT(take(sink, 7, 5), 0);
	CHECK_INT(flush(sink), 0);
	CHECK_STR(lines(FILE_NAME), "1 2 gap(3-4) 5 ");
	sink->calls->close(sink);
}

/* After a crash: half a line goes, and what is there is not written again. */
static void test_json_after_crash(void)
{
	struct gap gap = { 7, 6, 8 };
	struct sink *sink;

	append(TORN);
	sink = json_begin(7, 20);
	CHECK_STR(lines(FILE_NAME), "1 2 gap(3-4) 5 ");
	take(sink, 7, 4);
	take(sink, 7, 5);
	take(sink, 7, 6);
	CHECK_INT(flush(sink), 0);
	CHECK_STR(lines(FILE_NAME), "1 2 gap(3-4) 5 6 ");
	CHECK_INT(sink->done, 3);
	sink->calls->close(sink);
	/* Of a gap, too, only what is not there. */
	sink = json_begin(7, 20);
	sink->calls->gap(sink, &gap);
	CHECK_INT(flush(sink), 0);
	sink->calls->close(sink);
	CHECK_STR(lines(FILE_NAME), "1 2 gap(3-4) 5 6 gap(7-8) ");
	sink = json_begin(7, 20);
	take(sink, 7, 8);
	take(sink, 7, 9);
	CHECK_INT(flush(sink), 0);
	sink->calls->close(sink);
	CHECK_STR(lines(FILE_NAME), "1 2 gap(3-4) 5 6 gap(7-8) 9 ");
	/* Another epoch counts anew. */
	sink = json_begin(8, 1);
	take(sink, 8, 1);
	CHECK_INT(flush(sink), 0);
	sink->calls->close(sink);
	CHECK_STR(lines(FILE_NAME), "1 2 gap(3-4) 5 6 gap(7-8) 9 1 ");
	/* A file that has what never was is not believed. */
	append("{\"seq\":500,\"epoch\":8}\n");
	util_catch(STDERR_FILENO);
	sink = json_begin(8, 2);
	CHECK_STR(util_caught_text(), "instinctctl: warning: " FILE_NAME " ends with an event that the module has not had yet\n");
	take(sink, 8, 2);
	CHECK_INT(flush(sink), 0);
	sink->calls->close(sink);
	CHECK_STR(lines(FILE_NAME), "1 2 gap(3-4) 5 6 gap(7-8) 9 1 500 2 ");
}

static void test_json_any_end(void)
{
	static const char *const end[] = { "", "\n", "\n\n", "nonsense\n", "{}\n", "[]\n", "{",
		"\"gap\"\n", "{\"gap\":1}\n", "{\"seq\":\"1\",\"epoch\":8}\n", TORN, "x" };
	struct sink *sink;
	struct stat st;
	size_t i;

	for (i = 0; i < sizeof(end) / sizeof(end[0]); i++) {
		util_write(FILE_NAME, end[i]);
		sink = json_begin(8, 2);
		CHECK_INT(take(sink, 8, 1), 0);
		CHECK_INT(flush(sink), 0);
		sink->calls->close(sink);
		CHECK_STR(strrchr(lines(FILE_NAME), '1'), "1 ");
	}
	/* Something else altogether is left alone. */
	CHECK_INT(truncate(FILE_NAME, 1 << 20), 0);
	CHECK_INT(truncate(FILE_NAME, 0), 0);
	CHECK_INT(truncate(FILE_NAME, 1 << 20), 0);
	sink = json_begin(8, 2);
	take(sink, 8, 1);
	CHECK_INT(flush(sink), -EBADMSG);
	CHECK_STR(sink->why, FILE_NAME " does not end in lines, so it is not of this monitor (or a crash has filled its end): move it away");
	sink->calls->close(sink);
	stat(FILE_NAME, &st);
	CHECK_INT(st.st_size, 1 << 20);
	unlink(FILE_NAME);
}

static void test_json_moved(void)
{
	struct sink *sink = json_begin(7, 0);

	take(sink, 7, 1);
	CHECK_INT(flush(sink), 0);
	CHECK_INT(rename(FILE_NAME, FILE_NAME ".1"), 0);
	take(sink, 7, 2);
	CHECK_INT(flush(sink), 0);
	CHECK_STR(lines(FILE_NAME ".1"), "1 ");
	CHECK_STR(lines(FILE_NAME), "2 ");
	unlink(FILE_NAME);
	take(sink, 7, 3);
	CHECK_INT(flush(sink), 0);
	CHECK_STR(lines(FILE_NAME), "3 ");
	sink->calls->close(sink);
	sink = sink_json_new("absent/" FILE_NAME);
	take(sink, 7, 1);
	CHECK_INT(flush(sink), -ENOENT);
	CHECK_INT(flush(sink), 0);
	sink->calls->close(sink);
	sink = sink_json_new("/dev/full");
	take(sink, 7, 1);
	CHECK_INT(flush(sink), -EINVAL);
	CHECK_STR(sink->why, "/dev/full is not a regular file: move it away, or have another one in monitor.conf");
	sink->calls->close(sink);
	sink = sink_json_new("/dev");
	take(sink, 7, 1);
	CHECK_INT(flush(sink), -EISDIR);
	CHECK(strstr(sink->why, "/dev is not a regular file"));
	sink->calls->close(sink);
	/* Away and back again, it ends with what has come since the beginning. */
	unlink(FILE_NAME);
	sink = json_begin(7, 1);
	take(sink, 7, 1);
	take(sink, 7, 2);
	CHECK_INT(flush(sink), 0);
	CHECK_INT(rename(FILE_NAME, FILE_NAME ".1"), 0);
	CHECK_INT(mkdir(FILE_NAME, 0755), 0);
	take(sink, 7, 3);
	CHECK_INT(flush(sink), -EISDIR);
	CHECK_INT(rmdir(FILE_NAME), 0);
	CHECK_INT(rename(FILE_NAME ".1", FILE_NAME), 0);
	util_catch(STDERR_FILENO);
	take(sink, 7, 3);
	CHECK_INT(flush(sink), 0);
	CHECK_STR(util_caught_text(), "");
	CHECK_STR(sink->why, "");
	CHECK_STR(lines(FILE_NAME), "1 2 3 ");
	sink->calls->close(sink);
	unlink(FILE_NAME);
}

/* Where there is no journal, nothing has arrived there. */
static void test_journal_absent(void)
{
	struct sink *sink = sink_journal_new(NULL);

	CHECK_INT(take(sink, 7, 1), -ENOENT);
	CHECK_INT(sink->done, 0);
	CHECK_INT(flush(sink), 0);
	sink->calls->close(sink);
}

static int wakes;

static void on_wake(void *data)
{
	(void)data;
	wakes++;
}

static int journal_listen(void)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX, .sun_path = "journal" };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	unlink(at.sun_path);
	CHECK_INT(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	return fd;
}

/* The number in the entry that has come, 0 for none. */
static int journal_read(int fd)
{
	char entry[4096] = "\n";
	ssize_t n = recv(fd, entry + 1, sizeof(entry) - 2, 0);
	const char *seq = strstr(entry, "\nINSTINCT_VFIO_SEQ=");

	return n > 0 && seq ? atoi(strchr(seq, '=') + 1) : 0;
}

/* A value of several lines has its length before it. */
static void test_journal_entry(void)
{
	static const char wanted[] = "A=1\nB\n\3\0\0\0\0\0\0\0" "2\n3\nC=\n";
	struct fields fields = { 0 };
	int fd = journal_listen(), to = -1;
	char entry[64];

	fields_add(&fields, "A=1");
	fields_add(&fields, "B=2\n3");
	fields_add(&fields, "C=");
	journal_socket = "journal";
	CHECK_INT(journal_send(&to, &fields), 0);
	CHECK_INT(recv(fd, entry, sizeof(entry), 0), sizeof(wanted) - 1);
	CHECK(!memcmp(entry, wanted, sizeof(wanted) - 1));
	fields_free(&fields);
	close(to);
	close(fd);
	journal_socket = "absent";
}

/* One that hangs holds nobody up, and gets the rest when it is back. */
static void test_journal_that_hangs(void)
{
	int fd, first = 1, seq = 1, ret;
	struct sink *sink;
	sd_event *loop;

	sd_event_new(&loop);
	journal_socket = "journal";
	fd = journal_listen();
	sink = sink_journal_new(loop);
	sink->wake = on_wake;
	while (!(ret = take(sink, 7, seq)) && seq < 100000)
		seq++;
	CHECK_INT(ret, -EAGAIN);
	CHECK(sink->busy);
	CHECK_INT(sink->done, seq - 1);
	sd_event_run(loop, 0);
	CHECK_INT(wakes, 0);
	while (journal_read(fd) == first)
		first++;
	CHECK_INT(first, seq);
	sd_event_run(loop, 1000000);
	CHECK_INT(wakes, 1);
	CHECK(!sink->busy);
	CHECK_INT(take(sink, 7, seq), 0);
	CHECK_INT(journal_read(fd), seq);
	/* Begun anew, it listens at another socket. */
	close(fd);
	fd = journal_listen();
	CHECK_INT(take(sink, 7, seq + 1), 0);
	CHECK_INT(journal_read(fd), seq + 1);
	sink->calls->close(sink);
	close(fd);
	sd_event_unref(loop);
	journal_socket = "absent";
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
	RUN(test_json);
	RUN(test_json_after_crash);
	RUN(test_json_any_end);
	RUN(test_json_moved);
	RUN(test_journal_absent);
	RUN(test_journal_entry);
	RUN(test_journal_that_hangs);
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
