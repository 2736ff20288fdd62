// SPDX-License-Identifier: GPL-2.0-only
/*
 * Listens to the module's events and says what became of them:
 *
 *	subscriber [-b BYTES] [-n EVENTS] [-t MS] [-d US] [-e ECHOES] [-s] [-v]
 *
 *	-b	size of the socket's buffer, as SO_RCVBUF has it; default: the system's
 *	-n	end after so many events; default: never
 *	-t	end when there was none for so long; default: never
 *	-d	how long to dawdle over each event
 *	-e	how many empty echoes to measure at least; default 1000, 0: none
 *	-s	spin, not sleep, while there is none: without what it takes to wake up,
 *		which an echo does not have either
 *	-v	a line for each event: "event SEQ KIND NS"
 *
 * NS is how long it took from the event, its A_EVENT_TIME, until it was here.
 *
 * To compare with: an empty echo, from before it is sent until its answer is here.
 * It is NLMSG_NOOP with NLM_F_ACK on a socket of the same protocol, which the kernel
 * acknowledges in netlink_rcv_skb() before generic netlink looks for a family: so
 * nothing is in it but one message each way, and none of our code. One is measured
 * after each event with no other behind it, so under the same load; what is missing
 * to ECHOES follows at the end.
 *
 * Prints "listening" once it does, gaps as it sees them, and at the end the rest:
 *
 *	gap FIRST LAST		for each run of numbers that did not come
 *	events N first SEQ last SEQ missed N overruns N
 *	latency N median NS p99 NS max NS
 *	echo N median NS p99 NS max NS
 *
 * Overruns are times that the socket's buffer was full. What is missing at the very
 * end is no gap: no later event shows it. SIGINT and SIGTERM end it too. Exit status
 * 0, 1 if it could not listen, 2 for a wrong call.
 */
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/genetlink.h>
#include <linux/instinct_vfio.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "family.h"

/* Measured times, in ns. */
struct times {
	uint64_t *of;
	size_t count;
	size_t room;
};

struct event {
	uint64_t seq;
	uint64_t time;
	uint32_t kind;
};

static struct {
	int bytes;
	uint64_t events;
	int idle_ms;
	unsigned int dawdle_us;
	uint64_t echoes;
	bool spin;
	bool verbose;
} set = { .events = UINT64_MAX, .idle_ms = -1, .echoes = 1000 };

static struct {
	uint64_t count, first, last, missed, overruns;
	struct times latency, echo;
} seen;

static volatile sig_atomic_t ended;

static void end(int signal)
{
	(void)signal;
	ended = 1;
}

static void times_add(struct times *times, uint64_t ns)
{
	if (times->count == times->room) {
		times->room = times->room ? 2 * times->room : 4096;
		times->of = reallocarray(times->of, times->room, sizeof(*times->of));
		if (!times->of)
			err(1, "memory");
	}
	times->of[times->count++] = ns;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void times_print(const char *name, struct times *times)
{
	size_t n = times->count;

	if (!n)
		return;
	qsort(times->of, n, sizeof(*times->of), compare);
	printf("%s %zu median %" PRIu64 " p99 %" PRIu64 " max %" PRIu64 "\n", name, n,
	       times->of[n / 2], times->of[n * 99 / 100], times->of[n - 1]);
}

static void echo(struct mnl_socket *socket)
{
	_Alignas(NLMSG_ALIGNTO) char buffer[FAMILY_BYTES];
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buffer);
	uint64_t began = family_now(CLOCK_BOOTTIME);

	nlh->nlmsg_type = NLMSG_NOOP;
	nlh->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	if (mnl_socket_sendto(socket, nlh, nlh->nlmsg_len) < 0 ||
	    mnl_socket_recvfrom(socket, buffer, sizeof(buffer)) < 0)
		err(1, "echo");
	times_add(&seen.echo, family_now(CLOCK_BOOTTIME) - began);
}

static bool parse(const struct nlmsghdr *nlh, struct event *event)
{
	const struct genlmsghdr *genl = mnl_nlmsg_get_payload(nlh);
	const struct nlattr *attr;

	*event = (struct event) { 0 };
	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(*genl) || genl->cmd != INSTINCT_VFIO_CMD_EVENT)
		return false;
	mnl_attr_for_each(attr, nlh, sizeof(*genl)) {
		if (mnl_attr_get_type(attr) == INSTINCT_VFIO_A_EVENT_SEQ)
			event->seq = mnl_attr_get_u64(attr);
		else if (mnl_attr_get_type(attr) == INSTINCT_VFIO_A_EVENT_TIME)
			event->time = mnl_attr_get_u64(attr);
		else if (mnl_attr_get_type(attr) == INSTINCT_VFIO_A_EVENT_KIND)
			event->kind = mnl_attr_get_u32(attr);
	}
	return true;
}

static void take(const struct event *event, uint64_t now)
{
	if (!seen.count)
		seen.first = event->seq;
	else if (event->seq != seen.last + 1) {
		printf("gap %" PRIu64 " %" PRIu64 "\n", seen.last + 1, event->seq - 1);
		seen.missed += event->seq - seen.last - 1;
	}
	seen.last = event->seq;
	seen.count++;
	times_add(&seen.latency, now - event->time);
	if (set.verbose)
		printf("event %" PRIu64 " %u %" PRIu64 "\n", event->seq, event->kind,
		       now - event->time);
}

static bool waiting(int fd, int ms)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };

	return poll(&wait, 1, ms) == 1;
}

/* Return: false if it is time to go. */
static bool await(int fd)
{
	uint64_t until = family_now(CLOCK_BOOTTIME) + set.idle_ms * 1000000ull;

	if (!set.spin)
		return set.idle_ms < 0 || waiting(fd, set.idle_ms);
	while (!waiting(fd, 0))
		if (ended || (set.idle_ms >= 0 && family_now(CLOCK_BOOTTIME) > until))
			return false;
	return true;
}

static void listen_to(struct family *family, struct mnl_socket *other)
{
	_Alignas(NLMSG_ALIGNTO) char buffer[FAMILY_BYTES];
	int fd = mnl_socket_get_fd(family->socket);
	const struct nlmsghdr *nlh = (void *)buffer;
	struct event event;
	uint64_t now;
	ssize_t got;

	while (!ended && seen.count < set.events) {
		if (!await(fd))
			return;
		got = recv(fd, buffer, sizeof(buffer), 0);
		now = family_now(CLOCK_BOOTTIME);
		if (got < 0 && errno == ENOBUFS)
			seen.overruns++;
		else if (got < 0 && errno != EINTR)
			err(1, "recv");
		if (got <= 0 || !mnl_nlmsg_ok(nlh, got) || !parse(nlh, &event))
			continue;
		take(&event, now);
		if (set.dawdle_us)
			usleep(set.dawdle_us);
		if (set.echoes && !waiting(fd, 0))
			echo(other);
	}
}

static uint64_t number(const char *text)
{
	unsigned long long value;
	char *rest;

	errno = 0;
	value = strtoull(text, &rest, 0);
	if (errno || rest == text || *rest)
		errx(2, "%s is no number", text);
	return value;
}

static void options(int argc, char *argv[])
{
	int option;

	while ((option = getopt(argc, argv, "b:n:t:d:e:sv")) != -1)
		switch (option) {
		case 'b':
			set.bytes = number(optarg);
			break;
		case 'n':
			set.events = number(optarg);
			break;
		case 't':
			set.idle_ms = number(optarg);
			break;
		case 'd':
			set.dawdle_us = number(optarg);
			break;
		case 'e':
			set.echoes = number(optarg);
			break;
		case 's':
			set.spin = true;
			break;
		case 'v':
			set.verbose = true;
			break;
		default:
			exit(2);
		}
	if (optind != argc)
		errx(2, "usage: subscriber [-b BYTES] [-n EVENTS] [-t MS] [-d US] [-e ECHOES] [-sv]");
}

int main(int argc, char *argv[])
{
	const struct sigaction action = { .sa_handler = end };
	struct mnl_socket *other;
	struct family family;

	options(argc, argv);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	setvbuf(stdout, NULL, _IOLBF, 0);
	family_open(&family);
	other = mnl_socket_open2(NETLINK_GENERIC, SOCK_CLOEXEC);
	if (!other || mnl_socket_bind(other, 0, MNL_SOCKET_AUTOPID))
		err(1, "netlink");
	if (set.bytes && setsockopt(mnl_socket_get_fd(family.socket), SOL_SOCKET,
				    SO_RCVBUFFORCE, &set.bytes, sizeof(set.bytes)))
		err(1, "-b %d", set.bytes);
	if (mnl_socket_setsockopt(family.socket, NETLINK_ADD_MEMBERSHIP, &family.events,
				  sizeof(family.events)))
		err(1, "group " INSTINCT_VFIO_MCGRP_EVENTS);

	puts("listening");
	listen_to(&family, other);
	while (seen.echo.count < set.echoes)
		echo(other);
	printf("events %" PRIu64 " first %" PRIu64 " last %" PRIu64 " missed %" PRIu64
	       " overruns %" PRIu64 "\n", seen.count, seen.first, seen.last, seen.missed,
	       seen.overruns);
	times_print("latency", &seen.latency);
	times_print("echo", &seen.echo);
	return 0;
}
