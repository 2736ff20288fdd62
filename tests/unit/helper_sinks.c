// SPDX-License-Identifier: GPL-2.0-only
/* The file of JSON lines, and the journal: crashes, renames, hangs. */
#include <errno.h>
#include <jansson.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "helper_util.h"
#include "journal.h"
#include "sink.h"

#define FILE_NAME	"events.jsonl"
#define TORN		"{\"seq\":3,\"epo"

static struct event event_of(uint64_t epoch, uint64_t seq)
{
	return (struct event) { .epoch = epoch, .seq = seq, .bdf = "0000:c1:00.0" };
}

/* Returns the numbers in the file's lines: "1 2 gap(3-4) 5 ", with "?" for a wrong line. */
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

/* After a crash the sink removes half a line, and writes no event twice. */
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
	/* The sink writes only the missing part of a gap, too. */
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
	/* Another epoch has its own numbers. */
	sink = json_begin(8, 1);
	take(sink, 8, 1);
	CHECK_INT(flush(sink), 0);
	sink->calls->close(sink);
	CHECK_STR(lines(FILE_NAME), "1 2 gap(3-4) 5 6 gap(7-8) 9 1 ");
	/* The sink does not trust a file with an event that the module has not had. */
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
		"\"gap\"\n", "{\"gap\":1}\n", "{\"seq\":\"1\",\"epoch\":8}\n", TORN };
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
	/* The sink leaves a file alone that does not end in lines. */
	CHECK_INT(truncate(FILE_NAME, 1 << 20), 0);
	CHECK_INT(truncate(FILE_NAME, 0), 0);
	CHECK_INT(truncate(FILE_NAME, 1 << 20), 0);
	sink = json_begin(8, 2);
	take(sink, 8, 1);
	CHECK_INT(flush(sink), -EBADMSG);
	CHECK_STR(sink->why, FILE_NAME " does not end in lines, so this monitor has not written it (or a crash has filled its end): move it away");
	sink->calls->close(sink);
	stat(FILE_NAME, &st);
	CHECK_INT(st.st_size, 1 << 20);
	util_write(FILE_NAME, "a note\nwithout an end");
	sink = json_begin(8, 2);
	take(sink, 8, 1);
	CHECK_INT(flush(sink), -EBADMSG);
	sink->calls->close(sink);
	stat(FILE_NAME, &st);
	CHECK_INT(st.st_size, strlen("a note\nwithout an end"));
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
	CHECK_STR(sink->why, "/dev/full is not a regular file: move it away, or name another file in monitor.conf");
	sink->calls->close(sink);
	sink = sink_json_new("/dev");
	take(sink, 7, 1);
	CHECK_INT(flush(sink), -EISDIR);
	CHECK(strstr(sink->why, "/dev is not a regular file"));
	sink->calls->close(sink);
	/* A file that was moved away and back ends with the sink's own event: no warning. */
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

/* Without a journal the sink delivers nothing. */
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

/* Returns the number of the received entry's event, 0 without an entry. */
static int journal_read(int fd)
{
	char entry[4096] = "\n";
	ssize_t n = recv(fd, entry + 1, sizeof(entry) - 2, 0);
	const char *seq = strstr(entry, "\nINSTINCT_VFIO_SEQ=");

	return n > 0 && seq ? atoi(strchr(seq, '=') + 1) : 0;
}

/* The length of a value precedes it if the value has several lines. */
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

/* A journal that hangs does not block the service, and gets the rest later. */
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
	/* A restarted journal listens on a new socket. */
	close(fd);
	fd = journal_listen();
	CHECK_INT(take(sink, 7, seq + 1), 0);
	CHECK_INT(journal_read(fd), seq + 1);
	sink->calls->close(sink);
	close(fd);
	sd_event_unref(loop);
	journal_socket = "absent";
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
	return unit_end();
}
