// SPDX-License-Identifier: GPL-2.0-only
/*
 * Acts as hostile users of the netlink family: several processes, with privileges and without,
 * send requests at once, in any order, valid by the specification or with random changes:
 *
 *	netlink SEED SECONDS BDF…
 *
 * In the first quarter of the time one privileged process is alone with the module, and a refused
 * request must change no policy. In the second quarter only unprivileged processes run: two have
 * lost their capabilities, and two are root in a user namespace of their own. They must change no
 * policy and no count. In the second half two privileged processes run beside one of each
 * unprivileged kind, a process that begins dumps and closes the socket, and a listener with a tiny
 * buffer. The module must never grant an unprivileged process a request that needs the privilege.
 *
 * The program prints for each request how often a process sent it and how often the module granted
 * it. The exit status is 0, or 1 if an invariant was broken, which stderr names.
 */
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <linux/genetlink.h>
#include <linux/instinct_vfio.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dice.h"
#include "netlink_request.h"

#define ANSWER_SECONDS	90
#define QUIET_SECONDS	5
#define QUIET_TRIES	24
#define NOBODY		65534

/* Counts of a request, in memory that all processes share. */
struct count {
	uint64_t asked;
	uint64_t granted;
};

static struct count *counts;

/* Is the message a notification, or a late answer to an older request? */
static bool is_other(const struct fuzzer *f, const struct nlmsghdr *nlh)
{
	return nlh->nlmsg_seq != f->seq;
}

/**
 * answer() - receive a whole answer
 * @f: process that sent the request
 * @data: function to call for each message of the answer, or NULL
 *
 * Return: 0, or the negative errno of the answer.
 */
static int answer(struct fuzzer *f, void (*data)(const struct nlmsghdr *nlh))
{
	struct nlmsghdr *nlh;
	ssize_t got;
	int left;

	for (;;) {
		got = mnl_socket_recvfrom(f->family.socket, f->buffer, sizeof(f->buffer));
		if (got < 0)
			err(1, "not so: an answer comes within %d s", ANSWER_SECONDS);
		left = got;
		for (nlh = (void *)f->buffer; mnl_nlmsg_ok(nlh, left);
		     nlh = mnl_nlmsg_next(nlh, &left)) {
			if (is_other(f, nlh))
				continue;
			if (nlh->nlmsg_type == NLMSG_ERROR || nlh->nlmsg_type == NLMSG_DONE)
				return *(int *)mnl_nlmsg_get_payload(nlh);
			if (data)
				data(nlh);
		}
	}
}

static uint64_t digest;

static void add_to_digest(const uint8_t *at, size_t left)
{
	while (left--)
		digest = (digest ^ *at++) * 0x100000001b3ull;
}

/* The policy alone counts in a message about a GPU that the driver has. */
static void add_message(const struct nlmsghdr *nlh)
{
	const struct genlmsghdr *genl = mnl_nlmsg_get_payload(nlh);
	const struct nlattr *attr;

	if (genl->cmd != INSTINCT_VFIO_CMD_DEV_GET) {
		add_to_digest((const void *)genl, mnl_nlmsg_get_payload_len(nlh));
		return;
	}
	mnl_attr_for_each(attr, nlh, sizeof(*genl))
		if (mnl_attr_get_type(attr) == INSTINCT_VFIO_A_DEV_POLICY)
			add_to_digest(mnl_attr_get_payload(attr), mnl_attr_get_payload_len(attr));
}

/* Hashes what a command dumps. */
static uint64_t digest_of(struct fuzzer *f, uint8_t command)
{
	struct nlmsghdr *nlh = family_request(&f->family, f->buffer, command, NLM_F_DUMP, ++f->seq);

	digest = 0xcbf29ce484222325ull;
	if (mnl_socket_sendto(f->family.socket, nlh, nlh->nlmsg_len) < 0)
		err(1, "dump");
	errno = -answer(f, add_message);
	/* EINTR says that the data changed during the dump. */
	if (errno && errno != EINTR)
		err(1, "not so: the module answers a dump");
	return digest;
}

static uint64_t policies(struct fuzzer *f)
{
	return digest_of(f, INSTINCT_VFIO_CMD_DEV_GET) ^ digest_of(f, INSTINCT_VFIO_CMD_POLICY_GET);
}

static uint64_t statistics_of(struct fuzzer *f)
{
	return digest_of(f, INSTINCT_VFIO_CMD_STATS_GET);
}

static bool changes_policy(const struct operation *operation)
{
	return operation->command == INSTINCT_VFIO_CMD_POLICY_APPLY;
}

static void show(const char *what, const struct operation *operation, int error,
		 const uint8_t *message, size_t bytes)
{
	size_t i;

	fprintf(stderr, "not so: %s: %s gave %d:", what, operation->name, error);
	for (i = 0; i < bytes && i < 512; i++)
		fprintf(stderr, " %02x", message[i]);
	fputc('\n', stderr);
	exit(1);
}

/* Read the command from the message, since a random change may have replaced it. */
static bool needs_privilege(const uint8_t *sent)
{
	const struct genlmsghdr *genl = (void *)(sent + NLMSG_HDRLEN);
	size_t i;

	for (i = 0; i < operation_count; i++)
		if (operations[i].command == genl->cmd && operations[i].admin)
			return true;
	return false;
}

static void judge(struct fuzzer *f, const struct operation *operation, int error,
		  uint64_t before, const uint8_t *sent, size_t bytes)
{
	struct count *count = &counts[operation - operations];

	__atomic_add_fetch(&count->asked, 1, __ATOMIC_RELAXED);
	if (!error)
		__atomic_add_fetch(&count->granted, 1, __ATOMIC_RELAXED);
	if (!f->may && !error && needs_privilege(sent))
		show("this command needs CAP_SYS_ADMIN", operation, error, sent, bytes);
	if (error > 0 || error < -4095)
		show("errors are errnos", operation, error, sent, bytes);
	if (before && error && policies(f) != before)
		show("a refused request changes no policy", operation, error, sent, bytes);
}

static void ask(struct fuzzer *f)
{
	static uint8_t sent[FAMILY_BYTES];
	const struct operation *operation = &operations[dice(&f->state, operation_count)];
	uint64_t before = 0;
	struct nlmsghdr *nlh;
	size_t bytes;

	if (f->alone && changes_policy(operation))
		before = policies(f);
	nlh = request_build(f, operation);
	bytes = nlh->nlmsg_len;
	memcpy(sent, nlh, bytes);
	if (mnl_socket_sendto(f->family.socket, nlh, bytes) < 0)
		err(1, "send");
	judge(f, operation, answer(f, NULL), before, sent, bytes);
}

static void fuzzer_open(struct fuzzer *f, uint64_t seed)
{
	struct timeval wait = { .tv_sec = ANSWER_SECONDS };

	memset(f, 0, sizeof(*f));
	f->state = seed;
	family_open(&f->family);
	setsockopt(mnl_socket_get_fd(f->family.socket), SOL_SOCKET, SO_RCVTIMEO, &wait,
		   sizeof(wait));
}

static void run_alone(struct fuzzer *f)
{
	f->alone = true;
	f->may = true;
	ask(f);
}

static void run_among_others(struct fuzzer *f)
{
	f->alone = false;
	f->may = true;
	ask(f);
}

/* Keeps only CAP_NET_ADMIN, as a network plugin has it. */
static void lose_privilege(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {
		{ .effective = 1u << CAP_NET_ADMIN, .permitted = 1u << CAP_NET_ADMIN },
	};

	if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) || setresgid(NOBODY, NOBODY, NOBODY) ||
	    setresuid(NOBODY, NOBODY, NOBODY) || syscall(SYS_capset, &header, data))
		err(1, "privileges cannot be given up");
}

static void run_unprivileged(struct fuzzer *f)
{
	if (!getuid())
		lose_privilege();
	ask(f);
}

/*
 * The socket is older than the new network namespace, and reaches the family in the initial one.
 */
static void run_in_namespace(struct fuzzer *f)
{
	static bool inside;

	if (!inside && unshare(CLONE_NEWUSER | CLONE_NEWNET))
		err(1, "unshare");
	inside = true;
	ask(f);
}

/*
 * Begins a dump, and closes the socket before its end. The size of the read buffer decides how
 * much the kernel puts into each message.
 */
static void run_in_haste(struct fuzzer *f)
{
	const struct operation *operation = &operations[dice(&f->state, operation_count)];
	size_t room = 4096 + dice(&f->state, sizeof(f->buffer) - 4096);
	unsigned int times = dice(&f->state, 8);
	struct nlmsghdr *nlh;

	if (!operation->dump || operation->admin)
		return;
	nlh = request_build(f, operation);
	mnl_socket_sendto(f->family.socket, nlh, nlh->nlmsg_len);
	while (times--)
		if (recv(mnl_socket_get_fd(f->family.socket), f->buffer, room, MSG_DONTWAIT) <= 0)
			break;
	mnl_socket_close(f->family.socket);
	family_open(&f->family);
}

/* Subscribes with a buffer that is full most of the time. */
static void run_as_listener(struct fuzzer *f)
{
	int fd = mnl_socket_get_fd(f->family.socket), bytes = 1;

	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
	mnl_socket_setsockopt(f->family.socket, NETLINK_ADD_MEMBERSHIP, &f->family.events,
			      sizeof(f->family.events));
	recv(fd, f->buffer, dice(&f->state, 256), MSG_DONTWAIT | MSG_TRUNC);
	usleep(dice(&f->state, 20000));
	if (once_in(&f->state, 16)) {
		mnl_socket_close(f->family.socket);
		family_open(&f->family);
	}
}

static pid_t begin(void (*run)(struct fuzzer *f), uint64_t seed, uint64_t end)
{
	static struct fuzzer fuzzer;
	pid_t pid = fork();

	if (pid < 0)
		err(1, "fork");
	if (pid)
		return pid;
	fuzzer_open(&fuzzer, seed);
	while (family_now(CLOCK_MONOTONIC) < end)
		run(&fuzzer);
	exit(0);
}

/* Waits for all @children; the first that fails ends all others. */
static int end_all(const pid_t *pids, unsigned int children)
{
	int status, failed = 0;
	unsigned int i;

	while (wait(&status) > 0) {
		if (!status || failed)
			continue;
		failed = 1;
		if (WIFSIGNALED(status))
			fprintf(stderr, "not so: no process dies by signal %d\n", WTERMSIG(status));
		for (i = 0; i < children; i++)
			kill(pids[i], SIGKILL);
	}
	return failed;
}

static int phase(void (*const *runs)(struct fuzzer *f), uint64_t *seeds, uint64_t seconds)
{
	uint64_t end = family_now(CLOCK_MONOTONIC) + seconds * 1000000000ull;
	unsigned int count;
	pid_t pids[8];

	for (count = 0; runs[count]; count++)
		pids[count] = begin(runs[count], dice_next(seeds), end);
	return end_all(pids, count);
}

/* Resets outlive the process that asked for them, so this waits until no count changes. */
static uint64_t settled_statistics(struct fuzzer *f)
{
	uint64_t before, now = statistics_of(f);
	unsigned int tries = QUIET_TRIES;

	do {
		before = now;
		sleep(QUIET_SECONDS);
		now = statistics_of(f);
	} while (before != now && --tries);
	if (!tries)
		errx(1, "not so: requests come to an end");
	return now;
}

/* Runs processes that must change no policy and no count. */
static int phase_without(void (*const *runs)(struct fuzzer *f), uint64_t *seeds, uint64_t seconds)
{
	static struct fuzzer fuzzer;
	uint64_t policy, statistics;
	int failed;

	fuzzer_open(&fuzzer, 0);
	statistics = settled_statistics(&fuzzer);
	policy = policies(&fuzzer);
	failed = phase(runs, seeds, seconds);
	if (policy != policies(&fuzzer) ||
	    statistics != statistics_of(&fuzzer)) {
		fprintf(stderr, "not so: unprivileged processes change no policy and no count\n");
		failed = 1;
	}
	mnl_socket_close(fuzzer.family.socket);
	return failed;
}

static int tell(void)
{
	int missing = 0;
	size_t i;

	for (i = 0; i < operation_count; i++) {
		printf("%s%s: asked %" PRIu64 ", granted %" PRIu64 "\n", operations[i].name,
		       operations[i].dump ? " dump" : "", counts[i].asked, counts[i].granted);
		missing |= !counts[i].granted;
	}
	if (missing)
		fprintf(stderr, "not so: the module granted each request at least once\n");
	return missing;
}

int main(int argc, char *argv[])
{
	static void (*const alone[])(struct fuzzer *f) = { run_alone, NULL };
	static void (*const without[])(struct fuzzer *f) = {
		run_unprivileged, run_unprivileged, run_in_namespace, run_in_namespace, NULL,
	};
	static void (*const together[])(struct fuzzer *f) = {
		run_among_others, run_among_others, run_unprivileged, run_in_namespace,
		run_in_haste, run_as_listener, NULL,
	};
	uint64_t seeds, seconds;
	int failed;

	if (argc < 4)
		errx(2, "usage: netlink SEED SECONDS BDF…");
	seeds = strtoull(argv[1], NULL, 0);
	seconds = strtoull(argv[2], NULL, 0);
	request_about(argv + 3, argc - 3);
	counts = mmap(NULL, sizeof(*counts) * operation_count, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (counts == MAP_FAILED)
		err(1, "mmap");
	failed = phase(alone, &seeds, (seconds + 3) / 4) ?:
		 phase_without(without, &seeds, (seconds + 3) / 4) ?:
		 phase(together, &seeds, seconds / 2);
	return tell() || failed;
}
