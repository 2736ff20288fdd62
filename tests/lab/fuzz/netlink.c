// SPDX-License-Identifier: GPL-2.0-only
/*
 * An unfriendly user of the netlink family: requests as its specification has them,
 * and changed, in any order, from several processes at once, with privileges and
 * without:
 *
 *	netlink SEED SECONDS BDF…
 *
 * A quarter of the time one process is alone with the module, and what is refused
 * must have changed no policy. For another there are only some without privileges, two
 * that have lost them and two that are root in a user namespace of their own, and after
 * them all policies and counts must be as they were. Then there are one of each and two
 * of the first, one that begins dumps and goes away, and one that listens with next to
 * no buffer. To whom the privilege is missing, nothing may be granted that changes
 * anything.
 *
 * Prints what was asked how often, and how often it was granted. Exit status 0, or 1
 * if something was not as it must be, which stderr tells.
 */
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/genetlink.h>
#include <linux/instinct_vfio.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../netlink/family.h"
#include "dice.h"

#define BYTES_MAX	16384
#define ROOM		2048	/* more than any text or number takes */
#define NESTS_MAX	4
#define ANSWER_SECONDS	90
#define QUIET_SECONDS	5
#define QUIET_TRIES	24
#define NOBODY		65534
#define EVERY		(~0ull)

enum form_kind { FORM_NUMBER, FORM_LONG, FORM_TEXT, FORM_FLAG, FORM_NEST };

struct form_set;

/**
 * struct form - an attribute by the specification
 * @number: its type
 * @name: as the specification has it
 * @kind: what it holds
 * @low: smallest number
 * @high: largest number; 0: not said
 * @nested: what is in a nest, else NULL
 */
struct form {
	uint16_t number;
	const char *name;
	enum form_kind kind;
	uint32_t low;
	uint32_t high;
	const struct form_set *nested;
};

struct form_set {
	const struct form *rows;
	unsigned int count;
};

/**
 * struct operation - one that can be asked for
 * @command: its number
 * @name: as the specification has it
 * @dump: asked for as a dump
 * @admin: needs CAP_NET_ADMIN
 * @set: attributes of its kind
 * @asks: BIT() of each that a request can have, by the specification
 */
struct operation {
	uint8_t command;
	const char *name;
	bool dump;
	bool admin;
	const struct form_set *set;
	uint64_t asks;
};

#include "family_table.h"

#define OPERATIONS	(sizeof(operations) / sizeof(operations[0]))

/* How often what happened, in memory that all processes share. */
struct count {
	uint64_t asked;
	uint64_t granted;
};

/**
 * struct fuzzer - one process of it
 * @family: its socket
 * @state: of its dice
 * @seq: number of its last message
 * @alone: nobody else changes anything
 * @may: it has the privilege
 * @buffer: for messages and answers
 */
struct fuzzer {
	struct family family;
	uint64_t state;
	uint32_t seq;
	bool alone;
	bool may;
	uint8_t buffer[FAMILY_BYTES] __attribute__((aligned(NLMSG_ALIGNTO)));
};

static char **bdfs;
static unsigned int bdf_count;
static struct count *counts;

static const char *text_of(struct fuzzer *f, const struct form *form)
{
	static const char *const addresses[] = {
		"", "0", "0000:00:00.0", "0000:00:1f.7", "ffff:ff:1f.7", "0000:c1:00.0x",
		"zzzz:zz:zz.z", "0000:00:00", "-1:00:00.0", "00000000000000",
	};
	static const char *const peers[] = {
		"none", "auto", "", "15b3:1021", "1dd8:1003 15b3:1021", "15b3:1021 15b3:1021",
		"0000:00:00.0", "15b3:", ":1021", "15b3:10211", " ", "auto none", "ffff:ffff",
		"15b3:1021,15b3:1021,", "0000:21:00.0 0000:22:00.0 0000:23:00.0",
	};
	static const char *const registers[] = {
		"none", "", "5:0x59800", "5:0x59804,shift=21,scale=125,add=-49000", "5:", ":",
		"0:0x0", "2:0xfffffffc", "5:0x59801", "5:0x58a68", "6:0x0", "5:0x1ffffc",
		"5:0x59800,mask=0", "5:0x59800,mask=0xffffffff,shift=31,scale=2147483647",
		"5:0x59800,shift=32", "5:0x59800,shift=-1", "5:0x59800,scale=0,add=9223372036854775807",
		"5:0x59800,,", "5:0x59800,mask=0x10000000000000000",
	};

	if (!strcmp(form->name, "bdf") || !strcmp(form->name, "of"))
		return once_in(&f->state, 6) ? ONE_OF(&f->state, addresses) :
		       bdfs[dice(&f->state, bdf_count)];
	if (!strcmp(form->name, "peer"))
		return ONE_OF(&f->state, peers);
	return ONE_OF(&f->state, registers);
}

static uint32_t number_of(struct fuzzer *f, const struct form *form)
{
	uint32_t high = form->high ?: 255;

	switch (dice(&f->state, 12)) {
	case 0:
		return form->low - 1;
	case 1:
		return form->high + 1;
	case 2:
		return dice_number(&f->state);
	case 3:
		return form->low;
	case 4:
		return form->high;
	}
	return form->low + dice(&f->state, high - form->low + 1);
}

static void put_set(struct fuzzer *f, struct nlmsghdr *nlh, const struct form_set *set,
		    uint64_t which);

static void put_nests(struct fuzzer *f, struct nlmsghdr *nlh, const struct form *form)
{
	unsigned int i, times = once_in(&f->state, 32) ? 300 : 1 + dice(&f->state, NESTS_MAX);
	struct nlattr *nest;

	for (i = 0; i < times && nlh->nlmsg_len < BYTES_MAX - ROOM; i++) {
		nest = mnl_attr_nest_start(nlh, form->number);
		if (!once_in(&f->state, 8))
			put_set(f, nlh, form->nested, EVERY);
		mnl_attr_nest_end(nlh, nest);
	}
}

static void put_attribute(struct fuzzer *f, struct nlmsghdr *nlh, const struct form *form)
{
	switch (form->kind) {
	case FORM_NUMBER:
		mnl_attr_put_u32(nlh, form->number, number_of(f, form));
		break;
	case FORM_LONG:
		mnl_attr_put_u64(nlh, form->number, dice_number(&f->state));
		break;
	case FORM_TEXT:
		mnl_attr_put_strz(nlh, form->number, text_of(f, form));
		break;
	case FORM_FLAG:
		mnl_attr_put(nlh, form->number, 0, NULL);
		break;
	case FORM_NEST:
		put_nests(f, nlh, form);
		break;
	}
}

/* The first names the device; of the others few, or nothing would ever be granted. */
static void put_set(struct fuzzer *f, struct nlmsghdr *nlh, const struct form_set *set,
		    uint64_t which)
{
	unsigned int i, few = set->count < 5 ? 1 : 2 + set->count / 2;

	if (once_in(&f->state, 8))
		few = 2;
	for (i = 0; i < set->count && nlh->nlmsg_len < BYTES_MAX - ROOM; i++)
		if (which >> set->rows[i].number & 1 &&
		    (i ? once_in(&f->state, few) : !once_in(&f->state, 32)))
			put_attribute(f, nlh, &set->rows[i]);
}

/* Lengths, types and bytes behind the headers, which netlink itself looks at. */
static void change(struct fuzzer *f, struct nlmsghdr *nlh)
{
	uint8_t *bytes = (uint8_t *)nlh;
	unsigned int i, at;

	for (i = 1 + dice(&f->state, 4); i; i--) {
		at = NLMSG_HDRLEN + dice(&f->state, nlh->nlmsg_len - NLMSG_HDRLEN + 1);
		switch (dice(&f->state, 5)) {
		case 0:
			bytes[at] = dice_number(&f->state);
			break;
		case 1:
			bytes[at] ^= 1 << dice(&f->state, 8);
			break;
		case 2:	/* the length of an attribute, where there may be one */
			*(uint16_t *)(bytes + (at & ~3u)) = dice_number(&f->state);
			break;
		case 3:
			if (at >= NLMSG_HDRLEN + GENL_HDRLEN)
				nlh->nlmsg_len = at;
			break;
		case 4:
			nlh->nlmsg_len += dice(&f->state, 64);
			break;
		}
	}
}

static struct nlmsghdr *build(struct fuzzer *f, const struct operation *operation)
{
	uint16_t flags = NLM_F_ACK | (operation->dump ? NLM_F_DUMP : 0);
	struct nlmsghdr *nlh;

	memset(f->buffer, 0, sizeof(f->buffer));
	nlh = family_request(&f->family, f->buffer, operation->command, flags, ++f->seq);
	if (operation->set)
		put_set(f, nlh, operation->set, once_in(&f->state, 8) ? EVERY : operation->asks);
	if (once_in(&f->state, 4))
		change(f, nlh);
	return nlh;
}

/* Of a notification in between, or of an answer that nobody waits for any more. */
static bool is_other(const struct fuzzer *f, const struct nlmsghdr *nlh)
{
	return nlh->nlmsg_seq != f->seq;
}

/**
 * answer() - take all of an answer
 * @f: who asked
 * @data: called for each of its messages
 *
 * Return: 0, or the negative errno that was the answer.
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

static void add_bytes(const uint8_t *at, size_t left)
{
	while (left--)
		digest = (digest ^ *at++) * 0x100000001b3ull;
}

static void add_to_digest(const struct nlmsghdr *nlh)
{
	add_bytes(mnl_nlmsg_get_payload(nlh), mnl_nlmsg_get_payload_len(nlh));
}

/* Of what time alone brings: a sample grows old, an alarm's hold is over. */
static bool is_time_s(const struct nlattr *tally)
{
	const struct nlattr *attr;

	if (mnl_attr_get_type(tally) != INSTINCT_VFIO_A_STATS_EVENT)
		return false;
	mnl_attr_for_each_nested(attr, tally)
		if (mnl_attr_get_type(attr) == INSTINCT_VFIO_A_TALLY_EVENT)
			return mnl_attr_get_u32(attr) >= INSTINCT_VFIO_EVENT_THERMAL_WARNING &&
			       mnl_attr_get_u32(attr) <= INSTINCT_VFIO_EVENT_THERMAL_FRESH;
	return false;
}

static void add_statistics(const struct nlmsghdr *nlh)
{
	const struct nlattr *attr;

	mnl_attr_for_each(attr, nlh, GENL_HDRLEN)
		if (!is_time_s(attr))
			add_bytes((const uint8_t *)attr, attr->nla_len);
}

/* All that a command dumps, as one number. */
static uint64_t digest_of(struct fuzzer *f, uint8_t command,
			  void (*add)(const struct nlmsghdr *nlh))
{
	struct nlmsghdr *nlh = family_request(&f->family, f->buffer, command, NLM_F_DUMP, ++f->seq);

	digest = 0xcbf29ce484222325ull;
	if (mnl_socket_sendto(f->family.socket, nlh, nlh->nlmsg_len) < 0)
		err(1, "dump");
	errno = -answer(f, add);
	/* It has changed under the dump, which says so. */
	if (errno && errno != EINTR)
		err(1, "not so: what there is can be dumped");
	return digest;
}

static uint64_t policies(struct fuzzer *f)
{
	return digest_of(f, INSTINCT_VFIO_CMD_POLICY_GET, add_to_digest);
}

static uint64_t statistics_of(struct fuzzer *f)
{
	return digest_of(f, INSTINCT_VFIO_CMD_STATS_GET, add_statistics);
}

static bool changes_policy(const struct operation *operation)
{
	return operation->command == INSTINCT_VFIO_CMD_POLICY_SET ||
	       operation->command == INSTINCT_VFIO_CMD_POLICY_APPLY;
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

/* A changed message may be another command's. */
static bool needs_privilege(const uint8_t *sent)
{
	const struct genlmsghdr *genl = (void *)(sent + NLMSG_HDRLEN);
	size_t i;

	for (i = 0; i < OPERATIONS; i++)
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
		show("nothing is changed without CAP_NET_ADMIN", operation, error, sent, bytes);
	if (error > 0 || error < -4095)
		show("errors are errnos", operation, error, sent, bytes);
	if (before && error && policies(f) != before)
		show("what is refused changes nothing", operation, error, sent, bytes);
}

static void ask(struct fuzzer *f)
{
	static uint8_t sent[FAMILY_BYTES];
	const struct operation *operation = &operations[dice(&f->state, OPERATIONS)];
	uint64_t before = 0;
	struct nlmsghdr *nlh;
	size_t bytes;

	if (f->alone && changes_policy(operation))
		before = policies(f);
	nlh = build(f, operation);
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

static void run_unprivileged(struct fuzzer *f)
{
	if (!getuid() && (setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY)))
		err(1, "setresuid");
	ask(f);
}

/* The family is of the initial network namespace, and so is the socket. */
static void run_in_namespace(struct fuzzer *f)
{
	static bool inside;

	if (!inside && unshare(CLONE_NEWUSER | CLONE_NEWNET))
		err(1, "unshare");
	inside = true;
	ask(f);
}

/*
 * Begins a dump, and goes away with it. What goes into each message of it depends on the
 * room that it is read with.
 */
static void run_in_haste(struct fuzzer *f)
{
	const struct operation *operation = &operations[dice(&f->state, OPERATIONS)];
	size_t room = 4096 + dice(&f->state, sizeof(f->buffer) - 4096);
	unsigned int times = dice(&f->state, 8);
	struct nlmsghdr *nlh;

	if (!operation->dump || operation->admin)
		return;
	nlh = build(f, operation);
	mnl_socket_sendto(f->family.socket, nlh, nlh->nlmsg_len);
	while (times--)
		if (recv(mnl_socket_get_fd(f->family.socket), f->buffer, room, MSG_DONTWAIT) <= 0)
			break;
	mnl_socket_close(f->family.socket);
	family_open(&f->family);
}

/* A subscriber whose buffer is full most of the time. */
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

/* Waits for @children of ours; the first that failed ends all others. */
static int end_all(const pid_t *pids, unsigned int children)
{
	int status, failed = 0;
	unsigned int i;

	while (wait(&status) > 0) {
		if (!status || failed)
			continue;
		failed = 1;
		if (WIFSIGNALED(status))
			fprintf(stderr, "not so: nobody dies (signal %d)\n", WTERMSIG(status));
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

/* What others have asked for goes on after they are gone: when nothing is counted any more. */
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
		errx(1, "not so: what has been asked for comes to an end");
	return now;
}

/* Nothing that they ask for may change anything. */
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
		fprintf(stderr, "not so: who has no privilege changes no policy, and has nothing done\n");
		failed = 1;
	}
	mnl_socket_close(fuzzer.family.socket);
	return failed;
}

static int tell(void)
{
	int missing = 0;
	size_t i;

	for (i = 0; i < OPERATIONS; i++) {
		printf("%s%s: asked %" PRIu64 ", granted %" PRIu64 "\n", operations[i].name,
		       operations[i].dump ? " dump" : "", counts[i].asked, counts[i].granted);
		missing |= !counts[i].granted;
	}
	if (missing)
		fprintf(stderr, "not so: each was granted at least once\n");
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
	bdfs = argv + 3;
	bdf_count = argc - 3;
	counts = mmap(NULL, sizeof(*counts) * OPERATIONS, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (counts == MAP_FAILED)
		err(1, "mmap");
	failed = phase(alone, &seeds, (seconds + 3) / 4) ?:
		 phase_without(without, &seeds, (seconds + 3) / 4) ?:
		 phase(together, &seeds, seconds / 2);
	return tell() || failed;
}
