// SPDX-License-Identifier: GPL-2.0-only
/* Hooks as real processes: order, arguments and input, timeouts, refusals, closing. */
#include <signal.h>
#include <sys/wait.h>

#include "helper_util.h"
#include "hook.h"
#include "journal.h"
#include "sink.h"

#define SCRIPT(_text)	"#!/bin/sh\ncd " "\"${0%/*}/..\"\n" _text "\n"

static sd_event *loop;
static struct sink *sink;
static char folder[256];
static int wakes;

static void hook_write(const char *kind, const char *text, mode_t mode)
{
	char path[512];

	snprintf(path, sizeof(path), "hooks.d/%s", kind);
	unlink(path);
	util_write(path, text);
	chmod(path, mode);
}

static void on_wake(void *data)
{
	(void)data;
	wakes++;
}

static void begin(uint32_t timeout)
{
	sink = sink_hooks_new(loop, folder, timeout);
	sink->wake = on_wake;
	wakes = 0;
	unlink("told");
}

static void give(uint32_t kind, uint64_t seq)
{
	struct event event = {
		.epoch = 7, .seq = seq, .kind = kind, .bdf = "0000:c1:00.0",
		.thermal = true, .temperature = 106000,
		.alarm = INSTINCT_VFIO_ALARM_CRITICAL, .threshold = 105000,
	};

	CHECK_INT(sink->calls->take(sink, &event), 0);
}

static uint64_t place_of(uint64_t next)
{
	CHECK_INT(sink->calls->flush(sink, 7, &next), 0);
	return next;
}

/* Runs the loop until the sink has called wake @times more times. */
static void wait_for(int times)
{
	int limit = 200;

	for (times += wakes; wakes < times && limit; limit--)
		sd_event_run(loop, 50000);
	CHECK_INT(wakes, times);
}

static char *told(void)
{
	static char text[4096];
	FILE *in = fopen("told", "r");

	text[in ? fread(text, 1, sizeof(text) - 1, in) : 0] = '\0';
	if (in)
		fclose(in);
	return text;
}

/* A zombie counts as dead, even before it is reaped. */
static bool is_alive(int pid)
{
	char path[64], text[256] = "";
	const char *state;
	FILE *in;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	in = fopen(path, "r");
	if (!in)
		return false;
	text[fread(text, 1, sizeof(text) - 1, in)] = '\0';
	fclose(in);
	state = strrchr(text, ')');
	return state && state[2] != 'Z';
}

#define CRITICAL	INSTINCT_VFIO_EVENT_THERMAL_CRITICAL
#define WARNING		INSTINCT_VFIO_EVENT_THERMAL_WARNING
#define LOST		INSTINCT_VFIO_EVENT_DEVICE_LOST

static void test_order(void)
{
	hook_write("thermal-critical", SCRIPT("sleep 0.05; echo critical $INSTINCT_VFIO_SEQ >>told"), 0755);
	hook_write("device-lost", SCRIPT("echo lost $INSTINCT_VFIO_SEQ >>told"), 0700);
	begin(5000);
	util_catch(STDERR_FILENO);
	give(CRITICAL, 1);
	give(LOST, 2);
	give(WARNING, 3);	/* has no hook, so it is done at once */
	give(LOST, 4);
	CHECK_INT(sink->done, 1);
	CHECK_INT(place_of(5), 1);
	CHECK_STR(told(), "");
	wait_for(1);
	CHECK_INT(place_of(5), 2);
	wait_for(2);
	util_caught_text();
	CHECK(strstr(util_caught, "device-lost for event 4 of 0000:c1:00.0 ended well\n"));
	CHECK_STR(told(), "critical 1\nlost 2\nlost 4\n");
	CHECK_INT(place_of(5), 5);
	CHECK_INT(sink->done, 4);
	CHECK_INT(sink->failed, 0);
	CHECK(!sink->busy);
	sink->calls->close(sink);
}

static void test_busy(void)
{
	uint64_t seq = 1;

	hook_write("device-lost", SCRIPT("echo $INSTINCT_VFIO_SEQ >>told"), 0755);
	begin(5000);
	util_catch(STDERR_FILENO);
	while (!sink->busy)
		give(LOST, seq++);
	CHECK_INT(seq, 17);
	CHECK_INT(place_of(seq), 1);
	while (sink->busy)
		wait_for(1);
	util_caught_text();
	CHECK_INT(place_of(seq), 17);
	CHECK_STR(told(), "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n");
	sink->calls->close(sink);
}

static void test_what_it_is_given(void)
{
	hook_write("thermal-critical", SCRIPT("echo \"$# $1 $2 $PATH $HOME\" >told\n"
		"env | sed -n '/^INSTINCT/p' | sort >>told; cat >>told"), 0755);
	setenv("HOME", "/nowhere", 1);
	begin(5000);
	util_catch(STDERR_FILENO);
	give(CRITICAL, 9);
	wait_for(1);
	util_caught_text();
	CHECK_STR(util_undated(told()), "2 thermal-critical 0000:c1:00.0 /usr/sbin:/usr/bin:/sbin:/bin \n"
		"INSTINCT_VFIO_ALARM=critical\nINSTINCT_VFIO_BDF=0000:c1:00.0\n"
		"INSTINCT_VFIO_EPOCH=7\nINSTINCT_VFIO_KIND=thermal-critical\n"
		"INSTINCT_VFIO_SENSOR=hotspot\nINSTINCT_VFIO_SEQ=9\nINSTINCT_VFIO_SOURCE=hwmon\n"
		"INSTINCT_VFIO_STATE=ready\nINSTINCT_VFIO_TEMPERATURE_CELSIUS=106.0\n"
		"INSTINCT_VFIO_TEMPERATURE_MILLIDEGREES=106000\nINSTINCT_VFIO_THRESHOLD_CELSIUS=105.0\n"
		"INSTINCT_VFIO_THRESHOLD_MILLIDEGREES=105000\nINSTINCT_VFIO_TIME=0000-00-00T00:00:00.000Z\n"
		"INSTINCT_VFIO_TIME_USEC=0\n"
		"{\"seq\":9,\"epoch\":7,\"time_ns\":0,\"time\":\"0000-00-00T00:00:00.000Z\",\"kind\":\"thermal-critical\",\"bdf\":\"0000:c1:00.0\",\"serial\":null,\"state\":\"ready\",\"cause\":\"none\",\"method\":\"auto\",\"error\":0,\"duration_ns\":0,\"phases\":[],\"reason\":\"\",\"sensor\":\"hotspot\",\"source\":\"hwmon\",\"temperature_millidegrees\":106000,\"alarm\":\"critical\",\"threshold_millidegrees\":105000}\n");
	sink->calls->close(sink);
}

/* A timeout kills the hook's process group, and the next hook runs. */
static void test_timeout(void)
{
	hook_write("thermal-critical", SCRIPT("sleep 30 & echo $! >told; wait"), 0755);
	hook_write("device-lost", SCRIPT("exit 3"), 0755);
	begin(200);
	give(CRITICAL, 1);
	give(LOST, 2);
	util_catch(STDERR_FILENO);
	wait_for(2);
	util_caught_text();
	CHECK(strstr(util_caught, "thermal-critical for event 1 of 0000:c1:00.0 took longer than 0.2 s and was killed\n"));
	CHECK(strstr(util_caught, "device-lost for event 2 of 0000:c1:00.0 ended with status 3\n"));
	CHECK_INT(sink->failed, 2);
	CHECK_INT(sink->done, 2);
	sink->calls->close(sink);
	usleep(20000);
	CHECK(!is_alive(atoi(told())));
}

static void expect_refused(const char *why)
{
	util_catch(STDERR_FILENO);
	give(LOST, 1);
	give(LOST, 2);
	util_caught_text();
	CHECK(strstr(util_caught, why));
	/* The sink reports a refusal once. */
	CHECK(strchr(util_caught, '\n') && !strchr(util_caught, '\n')[1]);
	CHECK_INT(place_of(3), 3);
	sink->calls->close(sink);
}

static void test_refused(void)
{
	begin(1000);
	hook_write("device-lost", SCRIPT(":"), 0775);
	expect_refused("hooks.d/device-lost is not run: it can be written by others (chmod go-w)");
	begin(1000);
	hook_write("device-lost", SCRIPT(":"), 0644);
	expect_refused("is not executable (chmod +x)");
	begin(1000);
	unlink("hooks.d/device-lost");
	CHECK_INT(symlink("/bin/true", "hooks.d/device-lost"), 0);
	expect_refused("is not a regular file");
	hook_write("device-lost", SCRIPT(":"), 0755);
	begin(1000);
	chmod("hooks.d", 0777);
	expect_refused("hooks.d is not run: it can be written by others (chmod go-w)");
	chmod("hooks.d", 0755);
	if (!geteuid()) {
		begin(1000);
		CHECK_INT(chown("hooks.d/device-lost", 65534, 65534), 0);
		expect_refused("does not belong to root");
	}
	hook_write("device-lost", "#!/no/such/interpreter\n", 0755);
	begin(1000);
	util_catch(STDERR_FILENO);
	give(LOST, 1);
	util_caught_text();
	CHECK(strstr(util_caught, "device-lost for event 1 of 0000:c1:00.0 does not start: No such file or directory"));
	CHECK_INT(sink->failed, 1);
	CHECK_INT(place_of(2), 2);
	sink->calls->close(sink);
	unlink("hooks.d/device-lost");
}

/* The sink retries a hook whose file is still open for writing. */
static void test_passing_reason(void)
{
	int fd;

	hook_write("device-lost", SCRIPT("echo $INSTINCT_VFIO_SEQ >>told"), 0755);
	fd = open("hooks.d/device-lost", O_WRONLY | O_CLOEXEC);
	begin(5000);
	util_catch(STDERR_FILENO);
	give(LOST, 1);
	give(LOST, 2);
	CHECK_INT(place_of(3), 1);
	wait_for(1);
	CHECK_INT(sink->failed, 0);
	close(fd);
	wait_for(3);
	util_caught_text();
	CHECK(strstr(util_caught, "device-lost for event 1 of 0000:c1:00.0 does not start: Text file busy; the service tries again\n"));
	CHECK(!strstr(strstr(util_caught, "the service tries again") + 1, "the service tries again"));
	CHECK_STR(told(), "1\n2\n");
	CHECK_INT(place_of(3), 3);
	CHECK_INT(sink->failed, 0);
	sink->calls->close(sink);
}

/* The loop reaps all hooks, so that no zombie is left. */
static void expect_no_child(void)
{
	int limit = 200;

	while (!waitid(P_ALL, 0, &(siginfo_t) { 0 }, WEXITED | WNOHANG | WNOWAIT) && limit--)
		sd_event_run(loop, 50000);
	CHECK(waitpid(-1, NULL, WNOHANG) < 0);
}

/* Closing the sink ends the running hook, whose event does not count as arrived. */
static void test_stop(void)
{
	hook_write("thermal-critical", SCRIPT("trap 'exit 0' TERM; sleep 30 & wait"), 0755);
	begin(30000);
	give(CRITICAL, 1);
	CHECK_INT(place_of(2), 1);
	sink->calls->close(sink);
	expect_no_child();
	CHECK_INT(wakes, 0);
}

/* The loop keeps watching a hook that ignores SIGTERM, and reaps it once it ends. */
static void test_stop_of_the_deaf(void)
{
	hook_write("thermal-critical", SCRIPT("trap '' TERM; echo $$ >told; while :; do sleep 0.1; done"), 0755);
	begin(30000);
	give(CRITICAL, 1);
	while (!*told())
		usleep(10000);
	sink->calls->close(sink);
	sd_event_run(loop, 200000);
	CHECK(is_alive(atoi(told())));
	CHECK_INT(kill(-atoi(told()), SIGKILL), 0);
	expect_no_child();
	CHECK_INT(wakes, 0);
}

int main(void)
{
	sigset_t blocked;

	util_begin();
	journal_socket = "absent";
	mkdir("hooks.d", 0755);
	snprintf(folder, sizeof(folder), "%s/hooks.d", util_folder);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGCHLD);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	sd_event_new(&loop);
	RUN(test_order);
	RUN(test_busy);
	RUN(test_what_it_is_given);
	RUN(test_timeout);
	RUN(test_refused);
	RUN(test_passing_reason);
	RUN(test_stop);
	RUN(test_stop_of_the_deaf);
	sd_event_unref(loop);
	return unit_end();
}
