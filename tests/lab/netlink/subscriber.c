// SPDX-License-Identifier: GPL-2.0-only
/*
 * Listens to the module's events, and reports missing events and latencies:
 *
 *	subscriber [-b BYTES] [-n EVENTS] [-t MS] [-d US] [-e ECHOES] [-p US] [-v]
 *
 *	-b	size of the socket's buffer, as SO_RCVBUF counts it; default: the system's
 *	-n	end after this number of events; default: never
 *	-t	end after this time without an event; default: never
 *	-d	sleep after each event
 *	-e	number of empty echoes of each kind to measure; default 1000, 0: none
 *	-p	sleep before each echo that the other process sends; default 1000
 *	-v	print a line for each event: "event SEQ KIND NS"
 *
 * NS is the time from the event, its A_EVENT_TIME, to its arrival.
 *
 * An empty echo gives a latency to compare with: the time from before its send to the arrival of
 * its answer. It is NLMSG_NOOP with NLM_F_ACK on a socket of the same protocol. The kernel
 * acknowledges it in netlink_rcv_skb(), before generic netlink looks for a family, so the time
 * has one message each way and none of our code.
 *
 * An event arrives while the subscriber sleeps, and another process causes it. An "echo" does so
 * too: another process sends the echoes from a socket that it shares with the subscriber, which
 * sleeps until an answer arrives. It sends them during the events, so under the same load. A
 * "call" is an echo without a wake-up: one thread sends and receives it, after the events.
 *
 * The program prints "listening" when it has subscribed, gaps as it sees them, and the rest at the
 * end:
 *
 *	gap FIRST LAST		a run of numbers that did not arrive
 *	events N first SEQ last SEQ missed N overruns N
 *	latency N median NS p99 NS max NS
 *	echo N median NS p99 NS max NS
 *	call N median NS p99 NS max NS
 *
 * An overrun is a time at which the socket's buffer was full. Events that are missing after the
 * last one make no gap, since no later event shows it. SIGINT and SIGTERM end the program too.
 * The exit status is 0, 1 if the program could not listen, or 2 for wrong arguments.
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
#include <sys/prctl.h>
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
	unsigned int pause_us;
	bool verbose;
} set = { .events = UINT64_MAX, .idle_ms = -1, .echoes = 1000, .pause_us = 1000 };

static struct {
	uint64_t count, first, last, missed, overruns;
	struct times latency, echo, call;
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

/* The sequence number, which the answer repeats, has the time of the send, modulo 4 s. */
static void send_echo(struct mnl_socket *socket)
{
	_Alignas(NLMSG_ALIGNTO) char buffer[NLMSG_HDRLEN];
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buffer);

	nlh->nlmsg_type = NLMSG_NOOP;
	nlh->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	nlh->nlmsg_seq = family_now(CLOCK_BOOTTIME);
	if (mnl_socket_sendto(socket, nlh, nlh->nlmsg_len) < 0)
		err(1, "echo");
}

static void take_echo(struct mnl_socket *socket, struct times *times)
{
	_Alignas(NLMSG_ALIGNTO) char buffer[FAMILY_BYTES];
	const struct nlmsghdr *nlh = (void *)buffer;

	if (mnl_socket_recvfrom(socket, buffer, sizeof(buffer)) < 0)
		err(1, "echo");
	times_add(times, (uint32_t)((uint32_t)family_now(CLOCK_BOOTTIME) - nlh->nlmsg_seq));
}

/* Sends the echoes from a process that ends with the subscriber. */
static void send_echoes(struct mnl_socket *socket)
{
	uint64_t left;
	pid_t child = fork();

	if (child < 0)
		err(1, "fork");
	if (child)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (left = set.echoes; left; left--) {
		usleep(set.pause_us);
		send_echo(socket);
	}
	_exit(0);
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

static void hear(struct family *family)
{
	_Alignas(NLMSG_ALIGNTO) char buffer[FAMILY_BYTES];
	ssize_t got = recv(mnl_socket_get_fd(family->socket), buffer, sizeof(buffer), 0);
	const struct nlmsghdr *nlh = (void *)buffer;
	uint64_t now = family_now(CLOCK_BOOTTIME);
	struct event event;

	if (got < 0 && errno == ENOBUFS)
		seen.overruns++;
	else if (got < 0 && errno != EINTR)
		err(1, "recv");
	if (got <= 0 || !mnl_nlmsg_ok(nlh, got) || !parse(nlh, &event))
		return;
	take(&event, now);
	if (set.dawdle_us)
		usleep(set.dawdle_us);
}

static void listen_to(struct family *family, struct mnl_socket *other)
{
	struct pollfd wait[] = {
		{ .fd = mnl_socket_get_fd(family->socket), .events = POLLIN },
		{ .fd = mnl_socket_get_fd(other), .events = POLLIN },
	};
	uint64_t last = family_now(CLOCK_BOOTTIME);

	while (!ended && seen.count < set.events) {
		if (poll(wait, 2, set.idle_ms) < 0)
			continue;
		if (wait[1].revents)
			take_echo(other, &seen.echo);
		if (wait[0].revents) {
			hear(family);
			last = family_now(CLOCK_BOOTTIME);
		} else if (set.idle_ms >= 0 &&
			   family_now(CLOCK_BOOTTIME) - last > set.idle_ms * 1000000ull) {
			return;
		}
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

	while ((option = getopt(argc, argv, "b:n:t:d:e:p:v")) != -1)
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
		case 'p':
			set.pause_us = number(optarg);
			break;
		case 'v':
			set.verbose = true;
			break;
		default:
			exit(2);
		}
	if (optind != argc)
		errx(2, "usage: subscriber [-b BYTES] [-n EVENTS] [-t MS] [-d US] [-e ECHOES] [-p US] [-v]");
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

	if (set.echoes)
		send_echoes(other);
	puts("listening");
	listen_to(&family, other);
	while (seen.echo.count < set.echoes)
		take_echo(other, &seen.echo);
	while (seen.call.count < set.echoes) {
		send_echo(other);
		take_echo(other, &seen.call);
	}
	printf("events %" PRIu64 " first %" PRIu64 " last %" PRIu64 " missed %" PRIu64
	       " overruns %" PRIu64 "\n", seen.count, seen.first, seen.last, seen.missed,
	       seen.overruns);
	times_print("latency", &seen.latency);
	times_print("echo", &seen.echo);
	times_print("call", &seen.call);
	return 0;
}
