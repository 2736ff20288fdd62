// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <stdlib.h>
#include <time.h>

#include "nl.h"
#include "nl_parse.h"
#include "nl_talk.h"

#define BUFFER_BYTES	32768	/* the largest message of a dump */
#define EVENT_BYTES	(1 << 20)

/**
 * struct nl - a socket
 * @socket: libmnl's
 * @family: what the kernel says of the family
 * @seq: of the last request
 * @message: the kernel's own words on the last failure, or ""
 * @buffer: for requests and replies
 */
struct nl {
	struct mnl_socket *socket;
	struct nl_family family;
	uint32_t seq;
	char message[256];
	_Alignas(NLMSG_ALIGNTO) char buffer[BUFFER_BYTES];
};

/**
 * nl_request() - begin a request
 * @nl: socket, whose buffer it is made in
 * @command: INSTINCT_VFIO_CMD_*
 * @flags: NLM_F_ACK or NLM_F_DUMP
 *
 * Return: message, without attributes.
 */
struct nlmsghdr *nl_request(struct nl *nl, uint8_t command, uint16_t flags)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(nl->buffer);
	struct genlmsghdr *genl;

	nlh->nlmsg_type = nl->family.id;
	nlh->nlmsg_flags = NLM_F_REQUEST | flags;
	nlh->nlmsg_seq = ++nl->seq;
	genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));
	genl->cmd = command;
	genl->version = INSTINCT_VFIO_FAMILY_VERSION;
	return nlh;
}

/* A request under way. */
struct talk {
	uint16_t type;
	bool interrupted;
	bool answered;
	nl_reply_t reply;
	void *data;
};

/* One message: 1 to go on, 0 at the end, or a negative errno. */
static int take(struct nl *nl, const struct nlmsghdr *nlh, struct talk *talk)
{
	int error;

	if (nlh->nlmsg_seq != nl->seq)
		return 1;
	talk->interrupted |= !!(nlh->nlmsg_flags & NLM_F_DUMP_INTR);
	if (nlh->nlmsg_type == NLMSG_ERROR || nlh->nlmsg_type == NLMSG_DONE) {
		error = nl_parse_end(nlh, nl->message, sizeof(nl->message));
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

static int converse(struct nl *nl, const struct nlmsghdr *nlh, struct talk *talk)
{
	nl->message[0] = '\0';
	if (mnl_socket_sendto(nl->socket, nlh, nlh->nlmsg_len) < 0)
		return -errno;
	for (;;) {
		ssize_t got = mnl_socket_recvfrom(nl->socket, nl->buffer,
						  sizeof(nl->buffer));
		const struct nlmsghdr *at = (void *)nl->buffer;
		int left, ret;

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
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
 * @nlh: from nl_request()
 * @reply: called for each reply, or NULL if only an ACK is expected
 * @data: for @reply
 *
 * Return: 0 or a negative errno; -EAGAIN for a dump that a change has
 * interrupted, -EBADMSG for an answer that is not understood.
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

/**
 * nl_open() - reach the module
 * @error: set to a positive errno on failure: ENOENT if it is not loaded
 *
 * Return: the socket or NULL.
 */
struct nl *nl_open(int *error)
{
	struct nl *nl = calloc(1, sizeof(*nl));
	int one = 1;

	if (!nl) {
		*error = ENOMEM;
		return NULL;
	}
	nl->seq = time(NULL);
	nl->socket = mnl_socket_open2(NETLINK_GENERIC, SOCK_CLOEXEC);
	if (!nl->socket || mnl_socket_bind(nl->socket, 0, MNL_SOCKET_AUTOPID)) {
		*error = errno;
		nl_close(nl);
		return NULL;
	}
	mnl_socket_setsockopt(nl->socket, NETLINK_EXT_ACK, &one, sizeof(one));
	mnl_socket_setsockopt(nl->socket, NETLINK_CAP_ACK, &one, sizeof(one));
	*error = -resolve(nl);
	if (!*error)
		return nl;
	nl_close(nl);
	return NULL;
}

/**
 * nl_close() - let go of the socket
 * @nl: socket
 */
void nl_close(struct nl *nl)
{
	if (nl->socket)
		mnl_socket_close(nl->socket);
	free(nl);
}

/**
 * nl_message() - the kernel's own words on the last failure
 * @nl: socket
 *
 * Return: its text, or "".
 */
const char *nl_message(const struct nl *nl)
{
	return nl->message;
}

/**
 * nl_version() - version of the family that the module speaks
 * @nl: socket
 *
 * Return: it.
 */
uint32_t nl_version(const struct nl *nl)
{
	return nl->family.version;
}

/**
 * nl_fd() - the socket's file descriptor, to poll for events
 * @nl: socket
 *
 * Return: it.
 */
int nl_fd(const struct nl *nl)
{
	return mnl_socket_get_fd(nl->socket);
}

static int join(struct nl *nl, int group)
{
	return mnl_socket_setsockopt(nl->socket, NETLINK_ADD_MEMBERSHIP, &group,
				     sizeof(group)) < 0 ? -errno : 0;
}

/**
 * nl_events_join() - hear of events from now on, and of the module's end
 * @nl: socket, not to be used for requests after this
 *
 * Return: 0 or a negative errno.
 */
int nl_events_join(struct nl *nl)
{
	int bytes = EVENT_BYTES, ret;

	if (!nl->family.group)
		return -EBADMSG;
	if (fcntl(nl_fd(nl), F_SETFL, O_NONBLOCK) < 0)
		return -errno;
	/* Best effort: what overruns is read from the kernel's ring. */
	setsockopt(nl_fd(nl), SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes));
	ret = join(nl, nl->family.group);
	/* The group of the controller's notices has its own, fixed number. */
	return ret ? ret : join(nl, GENL_ID_CTRL);
}

/**
 * nl_events_read() - take an event that has arrived
 * @nl: socket that has joined
 * @call: called for it
 * @data: for @call
 *
 * Return: 0, or a negative errno; -EAGAIN if there is none, -ENOBUFS if some were
 * lost on the way, -ENODEV if the module has been unloaded.
 */
int nl_events_read(struct nl *nl, nl_event_t call, void *data)
{
	ssize_t got = mnl_socket_recvfrom(nl->socket, nl->buffer,
					  sizeof(nl->buffer));
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
