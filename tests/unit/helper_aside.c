// SPDX-License-Identifier: GPL-2.0-only
/* Work in a child process that the caller can abandon. */
#include <errno.h>
#include <signal.h>
#include <string.h>
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
	CHECK(aside_call(work, &task, sizeof(task)));
	CHECK_INT(task.number, 2);
	CHECK_INT(task.big[sizeof(task.big) - 1], 'x');

	task.way = EARLY;
	began = now_ms();
	CHECK(!aside_call(work, &task, sizeof(task)));
	CHECK_INT(task.number, 2);
	CHECK(now_ms() - began < ASIDE_PATIENCE_MS);

	task.way = NEVER;
	began = now_ms();
	CHECK(!aside_call(work, &task, sizeof(task)));
	CHECK_INT(task.number, 2);
	CHECK(now_ms() - began >= ASIDE_PATIENCE_MS);

	/* aside_call() waits longer for a child that is runnable than for a blocked one. */
	task.way = BUSY;
	task.until = now_ms() + ASIDE_PATIENCE_MS + 200;
	CHECK(aside_call(work, &task, sizeof(task)));
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
		CHECK(aside_call(work, &task, sizeof(task)));
	task.way = EARLY;
	for (i = 0; i < 50; i++)
		CHECK(!aside_call(work, &task, sizeof(task)));
	CHECK(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
}

int main(void)
{
	util_begin();
	RUN(test_call);
	RUN(test_parts);
	RUN(test_no_zombies);
	return unit_end();
}
