// SPDX-License-Identifier: GPL-2.0-only
/* Work in a child process that the caller can abandon. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aside.h"
#include "helper_util.h"
#include "now.h"

/**
 * struct task - work for the child
 * @number: incremented by the child
 * @way: how the child ends
 * @until: time until which a BUSY child works, as now_ms()
 * @big: filled by the child, with more than a pipe holds
 */
struct task {
	int number;
	enum { WELL, NEVER, EARLY, BUSY } way;
	int64_t until;
	char big[200000];
};

static struct task task;

static void work(void *data)
{
	struct task *it = data;

	it->number++;
	memset(it->big, 'x', sizeof(it->big));
	/* aside_call() sends the child's output to /dev/null, so this line must not appear. */
	printf("not ok - a child process has the test's output\n");
	fflush(stdout);
	if (it->way == NEVER)
		pause();
	if (it->way == EARLY)
		_exit(0);
	while (it->way == BUSY && now_ms() < it->until)
		;
}

static void test_call(void)
{
	int64_t began;

	task.number = 1;
	CHECK(aside_call("0000:c1:00.0", work, &task, sizeof(task)));
	CHECK_INT(task.number, 2);
	CHECK_INT(task.big[sizeof(task.big) - 1], 'x');

	task.way = EARLY;
	began = now_ms();
	CHECK(!aside_call("0000:c1:00.0", work, &task, sizeof(task)));
	CHECK_INT(task.number, 2);
	CHECK(now_ms() - began < ASIDE_PATIENCE_MS);

	task.way = NEVER;
	began = now_ms();
	CHECK(!aside_call("0000:c1:00.0", work, &task, sizeof(task)));
	CHECK_INT(task.number, 2);
	CHECK(now_ms() - began >= ASIDE_PATIENCE_MS);

	/* aside_call() waits longer for a child that is runnable than for a blocked one. */
	task.way = BUSY;
	task.until = now_ms() + ASIDE_PATIENCE_MS + 200;
	CHECK(aside_call("0000:c1:00.0", work, &task, sizeof(task)));
	CHECK_INT(task.number, 3);
}

static void say_twice(int fd, const void *data)
{
	aside_put(fd, data, 3);
	aside_put(fd, data, 2);
}

static void test_parts(void)
{
	struct aside aside;
	char said[4] = "";

	CHECK(aside_start(&aside, say_twice, "abc"));
	CHECK(aside_take(&aside, said, 2, now_ms() + 10000));
	CHECK_STR(said, "ab");
	CHECK(aside_take(&aside, said, 3, now_ms() + 10000));
	CHECK_STR(said, "cab");
	CHECK(!aside_take(&aside, said, 1, now_ms() + 10000));
	aside_stop(&aside);
	/* aside_stop() kills the child and reaps it. */
	CHECK(aside_start(&aside, say_twice, "abc"));
	aside_stop(&aside);
	CHECK(kill(aside.pid, 0) && errno == ESRCH);
}

/* A program that asks for long, such as the monitor, has no zombie among its children. */
static void test_no_zombies(void)
{
	int i;

	task.way = WELL;
	for (i = 0; i < 50; i++)
		CHECK(aside_call("0000:c1:00.0", work, &task, sizeof(task)));
	task.way = EARLY;
	for (i = 0; i < 50; i++)
		CHECK(!aside_call("0000:c1:00.0", work, &task, sizeof(task)));
	CHECK(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
}

/* Processes that trace the children: as long as they live, a dead child cannot be reaped. */
static struct {
	pid_t pid[2 * ASIDE_LEFT_MAX];
	unsigned int count;
} *tracers;

/* Blocks as the kernel blocks a child: it goes on existing when it is killed. */
static void block(void *data)
{
	int ready[2];
	pid_t pid;
	char c;

	if (pipe(ready))
		return;
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	pid = fork();
	if (!pid) {
		c = ptrace(PTRACE_SEIZE, getppid(), NULL, NULL) ? 'n' : 'y';
		if (write(ready[1], &c, 1) == 1)
			for (;;)
				pause();
		_exit(1);
	}
	tracers->pid[tracers->count++] = pid;
	if (read(ready[0], &c, 1) == 1 && c == 'y')
		for (;;)
			pause();
	(void)data;
}

/* The children of a GPU that does not answer do not keep the others from being read. */
static void test_left_behind(void)
{
	unsigned int i;

	tracers = mmap(NULL, sizeof(*tracers), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	task.way = WELL;
	for (i = 0; i < ASIDE_LEFT_MAX; i++)
		CHECK(!aside_call("0000:c1:00.0", block, &task, sizeof(task)));
	CHECK_INT(tracers->count, ASIDE_LEFT_MAX);
	CHECK(!aside_call("0000:c1:00.0", work, &task, sizeof(task)));
	for (i = 0; i < ASIDE_LEFT_MAX; i++)
		CHECK(!aside_call("0000:c2:00.0", block, &task, sizeof(task)));
	CHECK(!aside_call("0000:c2:00.0", work, &task, sizeof(task)));
	CHECK(aside_call("0000:c3:00.0", work, &task, sizeof(task)));
	for (i = 0; i < tracers->count; i++)
		kill(tracers->pid[i], SIGKILL);
	for (i = 0; i < 100 && !aside_call("0000:c1:00.0", work, &task, sizeof(task)); i++)
		usleep(20000);
	CHECK(i < 100);
	munmap(tracers, sizeof(*tracers));
}

int main(void)
{
	util_begin();
	RUN(test_call);
	RUN(test_parts);
	RUN(test_left_behind);
	RUN(test_no_zombies);
	return unit_end();
}
