// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "sampler.h"
#include "sampler_child.h"

#define CHUNK_BYTES	4096
#define CHUNKS		16	/* per call, since the caller has other work */
#define LOOK_MS		10
#define TERM_MS		2000
#define KILL_MS		200
#define LEFT_MAX	16

/**
 * struct sampler - a child process that reads temperatures
 * @pid: the child's process ID
 * @fd: read end of the pipe that the child writes to
 * @line: the part of the next line that has arrived
 * @used: bytes in @line
 * @broken: the current line is too long and will be skipped
 * @complained: the caller has been told of a line that is not valid
 */
struct sampler {
	pid_t pid;
	int fd;
	char line[SAMPLE_LINE_BYTES];
	size_t used;
	bool broken;
	bool complained;
};

/* Children that slept uninterruptibly when sampler_stop() wanted to end them. */
static pid_t left_behind[LEFT_MAX];

/* Reaps the children in left_behind that have ended since. */
static void reap(void)
{
	unsigned int i;

	for (i = 0; i < LEFT_MAX; i++)
		if (left_behind[i] && waitpid(left_behind[i], NULL, WNOHANG))
			left_behind[i] = 0;
}

static void leave_behind(pid_t pid)
{
	unsigned int i;

	for (i = 0; i < LEFT_MAX && left_behind[i]; i++)
		;
	if (i < LEFT_MAX)
		left_behind[i] = pid;
}

/* Detaches the child from the signal handlers, files and name that it inherits. */
static void become_child(pid_t parent, int fd)
{
	sigset_t none;
	int null, i;

	for (i = 1; i < NSIG; i++)
		signal(i, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	prctl(PR_SET_NAME, "instinct-sensor");
	if (getppid() != parent)
		_exit(0);
	if (fd != STDERR_FILENO + 1)
		dup2(fd, STDERR_FILENO + 1);
	close_range(STDERR_FILENO + 2, ~0u, 0);
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (i = 0; i <= STDERR_FILENO; i++)
		if (null >= 0)
			dup2(null, i);
		else
			close(i);
	if (null > STDERR_FILENO + 1)
		close(null);
}

/**
 * sampler_start() - start a child that reads temperatures
 * @source: source to read: enum instinct_vfio_source, HWMON, IPMI or REDFISH
 * @redfish: settings of the BMC's Redfish
 * @numbers: numbers of the GPUs by monitor.conf, for oam_parse(), or ""
 * @policy_file: policy that names the sensors, NULL for the installed one; the child reads
 *	it again when it changes, and the file may be absent
 * @interval_ms: time between two samples
 * @error: set to an errno on failure
 *
 * Return: the sampler, or NULL on failure.
 */
struct sampler *sampler_start(uint32_t source, const struct redfish_conf *redfish,
			      const char *numbers, const char *policy_file, unsigned int interval_ms, int *error)
{
	struct sampler *sampler = calloc(1, sizeof(*sampler));
	pid_t parent = getpid();
	int ends[2] = { -1, -1 };

	reap();
	if (!sampler || pipe2(ends, O_CLOEXEC) ||
	    fcntl(ends[0], F_SETFL, O_NONBLOCK) < 0)
		goto fail;
	sampler->fd = ends[0];
	sampler->pid = fork();
	if (sampler->pid < 0)
		goto fail;
	if (!sampler->pid) {
		become_child(parent, ends[1]);
		sampler_child(STDERR_FILENO + 1, source, redfish, numbers, policy_file, interval_ms);
	}
	close(ends[1]);
	return sampler;
fail:
	*error = errno;
	if (ends[0] >= 0) {
		close(ends[0]);
		close(ends[1]);
	}
	free(sampler);
	return NULL;
}

/**
 * sampler_fd() - get the file descriptor to poll
 * @sampler: sampler
 *
 * Return: a file descriptor that becomes readable when sampler_read() has work.
 */
int sampler_fd(const struct sampler *sampler)
{
	return sampler->fd;
}

static void end_line(struct sampler *sampler, sampler_call_t call, sampler_say_t say,
		     void *data)
{
	struct sample_line line;

	sampler->line[sampler->used] = '\0';
	if (sampler->broken || strlen(sampler->line) != sampler->used ||
	    !sample_line_parse(sampler->line, &line)) {
		if (!sampler->complained)
			say(LOG_WARNING, "the process that reads temperatures wrote a line that is not valid",
			    data);
		sampler->complained = true;
	} else if (line.is_sample) {
		call(&line, data);
	} else {
		say(line.remark.priority, line.remark.text, data);
	}
	sampler->used = 0;
	sampler->broken = false;
}

/**
 * sampler_read() - process the lines that the child has written
 * @sampler: sampler
 * @call: called with each temperature
 * @say: called with each remark
 * @data: for both
 *
 * Return: 0, or -EPIPE if the child has ended; then only sampler_stop() may follow.
 */
int sampler_read(struct sampler *sampler, sampler_call_t call, sampler_say_t say, void *data)
{
	char chunk[CHUNK_BYTES];
	int tries;

	for (tries = 0; tries < CHUNKS; tries++) {
		ssize_t n = read(sampler->fd, chunk, sizeof(chunk)), i;

		if (n < 0)
			return errno == EAGAIN || errno == EINTR ? 0 : -EPIPE;
		if (!n)
			return -EPIPE;
		for (i = 0; i < n; i++) {
			if (chunk[i] == '\n')
				end_line(sampler, call, say, data);
			else if (sampler->used < sizeof(sampler->line) - 1)
				sampler->line[sampler->used++] = chunk[i];
			else
				sampler->broken = true;
		}
	}
	return 0;
}

static bool has_ended(const struct sampler *sampler, int within_ms)
{
	const struct timespec look = { .tv_nsec = LOOK_MS * 1000000 };

	for (; waitpid(sampler->pid, NULL, WNOHANG) == 0; within_ms -= LOOK_MS) {
		if (within_ms <= 0)
			return false;
		nanosleep(&look, NULL);
	}
	return true;
}

/**
 * sampler_stop() - end the child and free the sampler
 * @sampler: sampler, or NULL
 *
 * The function waits for about two seconds at most. It leaves a child behind that sleeps
 * uninterruptibly in the kernel's IPMI driver. Such a child ends as soon as the driver lets
 * it, and the next start or stop of a sampler reaps it.
 */
void sampler_stop(struct sampler *sampler)
{
	reap();
	if (!sampler)
		return;
	close(sampler->fd);
	kill(sampler->pid, SIGTERM);
	if (!has_ended(sampler, TERM_MS)) {
		kill(sampler->pid, SIGKILL);
		if (!has_ended(sampler, KILL_MS))
			leave_behind(sampler->pid);
	}
	free(sampler);
}
