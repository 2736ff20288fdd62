// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "nl.h"
#include "nl_debug.h"
#include "nl_parse.h"
#include "nl_replay.h"
#include "nl_send.h"
#include "nl_talk.h"
#include "say.h"

#define BUFFER_BYTES	32768	/* the largest message of a dump */
#define EVENT_BYTES	(1 << 20)

/**
 * struct nl - a socket, or a captured host's answers
 * @socket: libmnl's socket, NULL for a captured host
 * @replay: recorded answers of a captured host
 * @family: numbers of the family
 * @seq: sequence number of the last request
 * @tick: called during long requests, or NULL
 * @requests: number of requests so far
 * @offset: offset of the attribute in the last request that the kernel refuses, or 0
 * @message: extended ack of the last failure, or ""
 * @buffer: buffer for requests and replies
 */
struct nl {
	struct mnl_socket *socket;
	struct nl_replay replay;
	struct nl_family family;
	uint32_t seq;
	nl_tick_t tick;
	unsigned int requests;
	uint32_t offset;
	char message[256];
	_Alignas(NLMSG_ALIGNTO) char buffer[BUFFER_BYTES];
};

/**
 * nl_request() - begin a request in the socket's own buffer
 * @nl: socket
 * @command: INSTINCT_VFIO_CMD_*
 * @flags: NLM_F_ACK or NLM_F_DUMP
 *
 * Return: the request, without attributes.
 */
struct nlmsghdr *nl_request(struct nl *nl, uint8_t command, uint16_t flags)
{
	return nl_request_in(nl, nl->buffer, command, flags);
}

/**
 * nl_request_in() - begin a request that stays valid after its answer
 * @nl: socket
 * @buffer: buffer for the request
 * @command: INSTINCT_VFIO_CMD_*
 * @flags: NLM_F_ACK or NLM_F_DUMP
 *
 * Return: the request, without attributes.
 */
struct nlmsghdr *nl_request_in(struct nl *nl, void *buffer, uint8_t command,
			       uint16_t flags)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buffer);
	struct genlmsghdr *genl;

	nlh->nlmsg_type = nl->family.id;
	nlh->nlmsg_flags = NLM_F_REQUEST | flags;
	nlh->nlmsg_seq = ++nl->seq;
	genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));
	genl->cmd = command;
	genl->version = INSTINCT_VFIO_FAMILY_VERSION;
	return nlh;
}

/* State of a request that waits for its replies. */
struct talk {
	uint16_t type;
	bool interrupted;
	bool answered;
	nl_reply_t reply;
	void *data;
};

/* Take one message; return 1 to go on, 0 at the end, or a negative errno. */
static int take(struct nl *nl, const struct nlmsghdr *nlh, struct talk *talk)
{
	int error;

	if (nlh->nlmsg_seq != nl->seq)
		return 1;
	talk->interrupted |= !!(nlh->nlmsg_flags & NLM_F_DUMP_INTR);
	if (nlh->nlmsg_type == NLMSG_ERROR || nlh->nlmsg_type == NLMSG_DONE) {
		error = nl_parse_end(nlh, nl->message, sizeof(nl->message),
				     &nl->offset);
		if (error)
			return error;
		if (nlh->nlmsg_type == NLMSG_DONE)
			return talk->interrupted ? -EAGAIN : 0;
		return talk->reply && !talk->answered ? -EBADMSG : 0;
	}
	if (nlh->nlmsg_type != talk->type || !talk->reply)
		return -EBADMSG;
	talk->answered = true;
	error = talk->reply(nlh, talk->data);
	return error ? error : 1;
}

static ssize_t receive(struct nl *nl)
{
	ssize_t got;

	if (nl->socket && nl->tick)
		nl_await(nl->socket, nl->tick);
	got = nl->socket ?
		mnl_socket_recvfrom(nl->socket, nl->buffer, sizeof(nl->buffer)) :
		nl_replay_receive(&nl->replay, nl->buffer, sizeof(nl->buffer));

	if (got > 0)
		nl_debug(NL_RECEIVED, nl->buffer, got);
	return got;
}

static int ask(struct nl *nl, const struct nlmsghdr *nlh)
{
	int ret;

	if (nl->socket)
		return nl_send(nl->socket, nlh, nl->tick);
	ret = nl_replay_ask(&nl->replay, nlh);
	if (ret)
		snprintf(nl->message, sizeof(nl->message), "%s", ret == -EROFS ?
			 "a captured host cannot be changed" :
			 "the capture does not have the module's answer");
	return ret;
}

static int converse(struct nl *nl, const struct nlmsghdr *nlh, struct talk *talk)
{
	int sent;

	nl->message[0] = '\0';
	nl->offset = 0;
	nl->requests++;
	nl_debug(NL_SENT, nlh, nlh->nlmsg_len);
	sent = ask(nl, nlh);
	if (sent)
		return sent;
	for (;;) {
		ssize_t got = receive(nl);
		const struct nlmsghdr *at = (void *)nl->buffer;
		int left, ret;

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			/* libmnl sets ENOSPC for a message longer than the buffer. */
			return errno == ENOSPC ? -EBADMSG : -errno;
		for (left = got; mnl_nlmsg_ok(at, left);
		     at = mnl_nlmsg_next(at, &left)) {
			ret = take(nl, at, talk);
			if (ret <= 0)
				return ret;
		}
	}
}

/**
 * nl_talk() - send a request and take its replies
 * @nl: socket
 * @nlh: request from nl_request()
 * @reply: called for each reply, or NULL if only an ACK is expected
 * @data: passed to @reply
 *
 * Return: 0 or a negative errno; -EAGAIN if a change has interrupted a dump, -EBADMSG for a
 * malformed answer.
 */
int nl_talk(struct nl *nl, struct nlmsghdr *nlh, nl_reply_t reply, void *data)
{
	struct talk talk = {
		.type = nlh->nlmsg_type,
		.reply = reply,
		.data = data,
	};

	return converse(nl, nlh, &talk);
}

/**
 * nl_make_room() - make the send buffer large enough for a message
 * @nl: socket
 * @bytes: length of the message
 *
 * Return: 0 or a negative errno.
 */
int nl_make_room(struct nl *nl, size_t bytes)
{
	/* The kernel doubles the value to make room for its own bookkeeping. */
	int room = bytes;

	if (bytes > INT_MAX / 2)
		return -EMSGSIZE;
	if (bytes < BUFFER_BYTES ||
	    !setsockopt(nl_fd(nl), SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room)) ||
	    !setsockopt(nl_fd(nl), SOL_SOCKET, SO_SNDBUF, &room, sizeof(room)))
		return 0;
	return -errno;
}

/**
 * nl_offset() - get the offset of the attribute that the kernel refuses
 * @nl: socket
 *
 * Return: offset in the last request, bytes; 0 if the kernel has not given one.
 */
uint32_t nl_offset(const struct nl *nl)
{
	return nl->offset;
}

/**
 * nl_requests() - count the requests sent so far
 * @nl: socket
 *
 * Return: number of round trips.
 */
unsigned int nl_requests(const struct nl *nl)
{
	return nl->requests;
}

static int take_family(const struct nlmsghdr *nlh, void *data)
{
	return nl_parse_family(nlh, data);
}

static int resolve(struct nl *nl)
{
	struct nlmsghdr *nlh;

	nl->family.id = GENL_ID_CTRL;
	nlh = nl_request(nl, CTRL_CMD_GETFAMILY, NLM_F_ACK);
	mnl_attr_put_strz(nlh, CTRL_ATTR_FAMILY_NAME, INSTINCT_VFIO_FAMILY_NAME);
	return nl_talk(nl, nlh, take_family, &nl->family);
}

static int open_socket(struct nl *nl)
{
	int one = 1;

	nl->socket = mnl_socket_open2(NETLINK_GENERIC, SOCK_CLOEXEC);
	if (!nl->socket || mnl_socket_bind(nl->socket, 0, MNL_SOCKET_AUTOPID))
		return -errno;
	mnl_socket_setsockopt(nl->socket, NETLINK_EXT_ACK, &one, sizeof(one));
	mnl_socket_setsockopt(nl->socket, NETLINK_CAP_ACK, &one, sizeof(one));
	return 0;
}

/**
 * nl_open() - open a socket to the module of this host, or of the captured one (--sysroot)
 * @error: receives a positive errno on failure; ENOENT if the module is not loaded, or was not
 *	when the host was captured
 *
 * Return: the socket or NULL.
 */
struct nl *nl_open(int *error)
{
	struct nl *nl = calloc(1, sizeof(*nl));

	if (!nl) {
		*error = ENOMEM;
		return NULL;
	}
	nl->seq = time(NULL);
	*error = *opt_sysroot ? 0 : -open_socket(nl);
	if (!*error)
		*error = -resolve(nl);
	if (!*error)
		return nl;
	nl_close(nl);
	return NULL;
}

/**
 * nl_close() - close and free a socket
 * @nl: socket
 */
void nl_close(struct nl *nl)
{
	if (nl->socket)
		mnl_socket_close(nl->socket);
	bytes_free(&nl->replay.answers);
	free(nl);
}

/**
 * nl_message() - get the extended ack of the last failure
 * @nl: socket, or NULL without the module
 *
 * Return: its text, or "".
 */
const char *nl_message(const struct nl *nl)
{
	return nl ? nl->message : "";
}

/**
 * nl_version() - get the version of the netlink family that the module provides
 * @nl: socket
 *
 * Return: the version.
 */
uint32_t nl_version(const struct nl *nl)
{
	return nl->family.version;
}

/**
 * nl_fd() - get the socket's file descriptor, to poll for events
 * @nl: socket
 *
 * Return: the file descriptor, -1 for a captured host.
 */
int nl_fd(const struct nl *nl)
{
	return nl->socket ? mnl_socket_get_fd(nl->socket) : -1;
}

/**
 * nl_on_wait() - set a callback for long requests
 * @nl: socket
 * @tick: called during a wait, or NULL
 */
void nl_on_wait(struct nl *nl, nl_tick_t tick)
{
	nl->tick = tick;
}

static int join(struct nl *nl, int group)
{
	return mnl_socket_setsockopt(nl->socket, NETLINK_ADD_MEMBERSHIP, &group,
				     sizeof(group)) < 0 ? -errno : 0;
}

/**
 * nl_events_join() - subscribe to events, and to the notice that the module is unloaded
 * @nl: socket, which the caller must not use for requests afterwards
 *
 * Return: 0 or a negative errno.
 */
int nl_events_join(struct nl *nl)
{
	int bytes = EVENT_BYTES, ret;

	if (!nl->socket)
		return -EROFS;
	if (!nl->family.group)
		return -EBADMSG;
	if (fcntl(nl_fd(nl), F_SETFL, O_NONBLOCK) < 0)
		return -errno;
	/* A small buffer is no error: after an overrun the stream reads the module's ring. */
	setsockopt(nl_fd(nl), SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes));
	ret = join(nl, nl->family.group);
	/* The multicast group of the controller's notices has the fixed number GENL_ID_CTRL. */
	return ret ? ret : join(nl, GENL_ID_CTRL);
}

/**
 * nl_events_read() - take an event that has arrived
 * @nl: socket that has joined
 * @call: called for the event
 * @data: passed to @call
 *
 * Return: 0, or a negative errno; -EAGAIN if no event has arrived, -ENOBUFS if the socket has
 * dropped events, -ENODEV if the module has been unloaded.
 */
int nl_events_read(struct nl *nl, nl_event_t call, void *data)
{
	ssize_t got = receive(nl);
	const struct nlmsghdr *at = (void *)nl->buffer;
	struct event event;
	int left;

	if (got < 0)
		return -errno;
	for (left = got; mnl_nlmsg_ok(at, left); at = mnl_nlmsg_next(at, &left)) {
		if (nl_parse_is_gone(at, &nl->family))
			return -ENODEV;
		if (at->nlmsg_type != nl->family.id)
			continue;
		if (nl_parse_event(at, &event))
			return -EBADMSG;
		call(&event, data);
	}
	return 0;
}

/**
 * nl_refused() - print an error for a refused request, with the kernel's extended ack
 * @nl: socket of the request
 * @what: verb of the request, such as "reset"
 * @bdf: address of the device, or another object of the verb
 * @error: negative errno
 *
 * Return: the exit code.
 */
int nl_refused(struct nl *nl, const char *what, const char *bdf, int error)
{
	char whole[2 * TEXT_BYTES];

	snprintf(whole, sizeof(whole), "%s %s", what, bdf);
	return say_refused(whole, nl_message(nl), error);
}
