// SPDX-License-Identifier: GPL-2.0-only
/* The daemon's sinks and their state file, across restarts. */
#include <errno.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "daemon_parts.h"
#include "helper_util.h"
#include "journal.h"

static char state[300], json[300], other[300];

static struct monitor_conf conf_of(const char *file)
{
	struct monitor_conf conf = { .hook_timeout = 1000 };

	snprintf(conf.state, sizeof(conf.state), "%s", state);
	snprintf(conf.json, sizeof(conf.json), "%s", file);
	return conf;
}

static void set(struct daemon *daemon, struct monitor_conf conf)
{
	CHECK_INT(daemon_sinks_set(daemon, &conf), 0);
	daemon->conf = conf;
}

static void begin(struct daemon *daemon, const char *file)
{
	*daemon = (struct daemon) { .conf = conf_of(file), .lock = -ENOLCK };
	sd_event_new(&daemon->loop);
	daemon_sinks_load(daemon);
	set(daemon, daemon->conf);
}

static uint64_t link_to(struct daemon *daemon, uint64_t epoch, uint64_t oldest, uint64_t newest)
{
	struct nl_info info = { .epoch = epoch, .oldest = oldest, .newest = newest };

	if (daemon->place.epoch && daemon->place.epoch != epoch)
		daemon_sinks_end_epoch(daemon);
	return daemon_sinks_begin(daemon, &info);
}

static void give(struct daemon *daemon, uint64_t epoch, uint64_t first, uint64_t last)
{
	for (; first <= last; first++) {
		struct event event = { .epoch = epoch, .seq = first, .bdf = "0000:c1:00.0" };

		daemon_sinks_event(daemon, &event);
	}
	daemon_sinks_settle(daemon);
}

/* Leaves the state file as kill -9 would, but frees the memory. */
static void die(struct daemon *daemon)
{
	unsigned int i;

	for (i = 0; i < DAEMON_FEEDS; i++) {
		if (daemon->feeds[i].feed.sink)
			daemon->feeds[i].feed.sink->calls->close(daemon->feeds[i].feed.sink);
		sd_event_source_disable_unref(daemon->feeds[i].retry);
	}
	sd_event_unref(daemon->loop);
}

static void stop(struct daemon *daemon)
{
	daemon_sinks_close(daemon);
	sd_event_unref(daemon->loop);
}

static struct place_sink stored(const char *name)
{
	struct place_sink none = { 0 }, *sink;
	struct place place;

	CHECK_INT(place_load(state, &place), 0);
	sink = place_find(&place, name);
	return sink ? *sink : none;
}

static unsigned int lines(const char *path)
{
	FILE *in = fopen(path, "r");
	unsigned int count = 0;
	int c;

	while (in && (c = fgetc(in)) != EOF)
		count += c == '\n';
	if (in)
		fclose(in);
	return count;
}

/* A sink begins with the oldest kept event, or at its position in the state file. */
static void test_lives(void)
{
	struct daemon daemon;

	begin(&daemon, json);
	CHECK_INT(link_to(&daemon, 7, 5, 9), 5);
	give(&daemon, 7, 5, 9);
	CHECK_INT(stored("json").next, 10);
	CHECK_INT(stored("json").delivered, 5);
	CHECK_INT(stored("json").lost, 0);
	die(&daemon);
	begin(&daemon, json);
	CHECK_INT(link_to(&daemon, 7, 5, 12), 10);
	give(&daemon, 7, 10, 12);
	stop(&daemon);
	CHECK_INT(lines(json), 8);
	/* Without a state file, the JSON file itself shows which events it has. */
	unlink(state);
	begin(&daemon, json);
	CHECK_INT(link_to(&daemon, 7, 5, 13), 5);
	give(&daemon, 7, 5, 13);
	stop(&daemon);
	CHECK_INT(lines(json), 9);
	CHECK_INT(stored("json").next, 14);
}

static void test_new_epoch(void)
{
	struct daemon daemon;

	begin(&daemon, json);
	CHECK_INT(link_to(&daemon, 8, 1, 2), 1);
	give(&daemon, 8, 1, 2);
	CHECK_INT(stored("json").next, 3);
	CHECK_INT(stored("json").lost, 0);
	CHECK_INT(lines(json), 11);
	stop(&daemon);
}

/*
 * A sink that is switched on later begins with the next event. A sink whose file is renamed in
 * monitor.conf continues at its position.
 */
static void test_switched(void)
{
	struct daemon daemon;

	begin(&daemon, "");
	CHECK_INT(link_to(&daemon, 8, 1, 2), 3);
	give(&daemon, 8, 3, 4);
	CHECK_INT(stored("json").next, 0);
	set(&daemon, conf_of(json));
	CHECK_INT(link_to(&daemon, 8, 1, 4), 5);
	give(&daemon, 8, 5, 5);
	CHECK_INT(lines(json), 12);
	set(&daemon, conf_of(other));
	CHECK_INT(link_to(&daemon, 8, 1, 5), 6);
	give(&daemon, 8, 6, 6);
	CHECK_INT(lines(json), 12);
	CHECK_INT(lines(other), 1);
	CHECK_INT(stored("json").next, 7);
	stop(&daemon);
}

/* A sink that is switched on gets no earlier events even if no other sink was on. */
static void test_switched_from_none(void)
{
	struct daemon daemon;

	unlink(state);
	begin(&daemon, "");
	CHECK_INT(link_to(&daemon, 8, 1, 500), 501);
	give(&daemon, 8, 501, 502);
	set(&daemon, conf_of(other));
	CHECK_INT(link_to(&daemon, 8, 1, 502), 503);
	CHECK_INT(daemon.place.sink[0].next, 503);
	set(&daemon, conf_of(""));
	stop(&daemon);
	begin(&daemon, other);
	CHECK_INT(link_to(&daemon, 8, 1, 503), 503);
	/* An old event that another sink has missed does not set the newest number back. */
	give(&daemon, 8, 400, 401);
	CHECK_INT(daemon.place.heard, 503);
	stop(&daemon);
	CHECK_INT(stored("json").lost, 0);
}

static void test_spoilt_state(void)
{
	struct daemon daemon;

	util_write(state, "{\"version\":1,");
	util_catch(STDERR_FILENO);
	begin(&daemon, json);
	util_caught_text();
	CHECK(strstr(util_caught, "monitor.json: not understood; events begin with the oldest one that the module has"));
	CHECK_INT(link_to(&daemon, 9, 3, 2), 3);
	give(&daemon, 9, 3, 3);
	CHECK_INT(stored("json").next, 4);
	stop(&daemon);
}

/* The sink's folder is absent when the module is unloaded, and then the daemon is killed. */
static void test_owed_gap(void)
{
	char late[320];
	struct daemon daemon;

	snprintf(late, sizeof(late), "%s/later/events.jsonl", util_folder);
	unlink(state);
	util_catch(STDERR_FILENO);
	begin(&daemon, late);
	link_to(&daemon, 9, 1, 0);
	give(&daemon, 9, 1, 3);
	link_to(&daemon, 10, 1, 0);
	give(&daemon, 10, 1, 1);
	CHECK_INT(stored("json").lost, 3);
	CHECK_INT(stored("json").owes, 1);
	die(&daemon);
	CHECK_INT(mkdir("later", 0755), 0);
	begin(&daemon, late);
	link_to(&daemon, 10, 1, 1);
	give(&daemon, 10, 1, 1);
	util_caught_text();
	CHECK_INT(lines(late), 2);
	CHECK_INT(stored("json").owes, 0);
	CHECK_INT(stored("json").lost, 3);
	stop(&daemon);
}

/* A timer retries a sink whose folder is absent. */
static void test_retry(void)
{
	char late[320];
	struct daemon daemon;

	snprintf(late, sizeof(late), "%s/late/events.jsonl", util_folder);
	unlink(state);
	util_catch(STDERR_FILENO);
	begin(&daemon, late);
	daemon.stream.ask = (struct nl *)&daemon;	/* there is a module */
	link_to(&daemon, 9, 1, 0);
	give(&daemon, 9, 1, 2);
	util_caught_text();
	CHECK(strstr(util_caught, "events do not get to json from number 1 on: No such file or directory"));
	CHECK(loop_timer_is_on(daemon.feeds[FEED_JSON].retry));
	CHECK_INT(stored("json").next, 1);
	CHECK_INT(stored("json").failed, 1);
	daemon.stream.ask = NULL;
	daemon_sinks_settle(&daemon);
	CHECK(!loop_timer_is_on(daemon.feeds[FEED_JSON].retry));
	stop(&daemon);
}

/* The daemon locks its state file as soon as it can, and again when the file changes. */
static void test_lock(void)
{
	struct daemon daemon;
	int status, ends[2];
	char c;
	pid_t pid;

	unlink(state);
	snprintf(strrchr(state, '/'), 32, "/folder/monitor.json");
	util_catch(STDERR_FILENO);
	begin(&daemon, json);
	CHECK_INT(daemon_sinks_lock(&daemon, state), 0);
	CHECK_INT(daemon.lock, -ENOENT);
	link_to(&daemon, 9, 1, 0);
	give(&daemon, 9, 1, 1);
	util_caught_text();
	CHECK(strstr(util_caught, "folder/monitor.json: No such file or directory; after a crash"));
	CHECK_INT(mkdir("folder", 0755), 0);
	give(&daemon, 9, 2, 2);
	CHECK(daemon.lock >= 0);
	CHECK_INT(stored("json").next, 3);
	/* If another process has the new lock, the daemon keeps its own. */
	CHECK_INT(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	pid = fork();
	if (!pid) {
		close(ends[1]);
		_exit(place_lock("other") < 0 || write(ends[0], "x", 1) != 1 ||
		      read(ends[0], &c, 1));
	}
	close(ends[0]);
	CHECK_INT(read(ends[1], &c, 1), 1);
	status = daemon.lock;
	CHECK_INT(daemon_sinks_lock(&daemon, "other"), -EBUSY);
	CHECK_INT(daemon.lock, status);
	close(ends[1]);
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK_INT(status, 0);
	CHECK_INT(daemon_sinks_lock(&daemon, "other"), 0);
	stop(&daemon);
}

int main(void)
{
	util_begin();
	journal_socket = "absent";
	snprintf(state, sizeof(state), "%s/monitor.json", util_folder);
	snprintf(json, sizeof(json), "%s/events.jsonl", util_folder);
	snprintf(other, sizeof(other), "%s/other.jsonl", util_folder);
	RUN(test_lives);
	RUN(test_new_epoch);
	RUN(test_switched);
	RUN(test_switched_from_none);
	RUN(test_spoilt_state);
	RUN(test_owed_gap);
	RUN(test_retry);
	RUN(test_lock);
	return unit_end();
}
