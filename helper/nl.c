// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "nl.h"
#include "nl_parse.h"

#define A(name)		INSTINCT_VFIO_A_##name
#define BUFFER_BYTES	32768

/**
 * struct nl - a socket
 * @socket: libmnl's
 * @family: number of the generic netlink family
 * @version: its version
 * @group: number of the multicast group of events
 * @seq: of the last request
 * @message: the kernel's own words on the last failure, or ""
 * @buffer: for requests and replies
 */
struct nl {
	struct mnl_socket *socket;
	uint16_t family;
	uint32_t version;
	uint32_t group;
	uint32_t seq;
	char message[256];
	char buffer[BUFFER_BYTES];
};

/* A request's reply: called per message; a negative errno ends it. */
typedef int (*reply_t)(const struct nlmsghdr *nlh, void *data);

static struct nlmsghdr *request(struct nl *nl, uint16_t type, uint8_t command,
				uint16_t flags)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(nl->buffer);
	struct genlmsghdr *genl;

	nlh->nlmsg_type = type;
	nlh->nlmsg_flags = NLM_F_REQUEST | flags;
	nlh->nlmsg_seq = ++nl->seq;
	genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));
	genl->cmd = command;
	genl->version = 1;
	return nlh;
}

/* Keep the extended ACK's text. */
static void keep_message(struct nl *nl, const struct nlmsghdr *nlh)
{
	const struct nlmsgerr *err = mnl_nlmsg_get_payload(nlh);
	size_t skip = sizeof(*err);
	const struct nlattr *attr;

	if (!(nlh->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	if (!(nlh->nlmsg_flags & NLM_F_CAPPED)) {
		if (err->msg.nlmsg_len < sizeof(err->msg))
			return;
		skip += err->msg.nlmsg_len - sizeof(err->msg);
	}
	if (skip > mnl_nlmsg_get_payload_len(nlh))
		return;
	mnl_attr_for_each(attr, nlh, skip)
		if (mnl_attr_get_type(attr) == NLMSGERR_ATTR_MSG &&
		    mnl_attr_validate(attr, MNL_TYPE_NUL_STRING) == 0)
			snprintf(nl->message, sizeof(nl->message), "%s",
				 mnl_attr_get_str(attr));
}

/*
 * One message of a reply. 1 to go on, 0 at the end, a negative errno;
 * -EAGAIN for a dump that was interrupted by a change.
 */
static int take(struct nl *nl, const struct nlmsghdr *nlh, reply_t reply,
		void *data, bool *interrupted)
{
	const struct nlmsgerr *err;

	if (nlh->nlmsg_seq != nl->seq)
		return 1;
	*interrupted |= !!(nlh->nlmsg_flags & NLM_F_DUMP_INTR);
	switch (nlh->nlmsg_type) {
	case NLMSG_ERROR:
		if (mnl_nlmsg_get_payload_len(nlh) < sizeof(*err))
			return -EBADMSG;
		err = mnl_nlmsg_get_payload(nlh);
		if (err->error)
			keep_message(nl, nlh);
		return err->error;
	case NLMSG_DONE:
		return *interrupted ? -EAGAIN : 0;
	default:
		if (mnl_nlmsg_get_payload_len(nlh) < sizeof(struct genlmsghdr))
			return -EBADMSG;
		if (reply) {
			int ret = reply(nlh, data);

			if (ret)
				return ret;
		}
		return 1;
	}
}

/* Send a request and take its replies. 0 or a negative errno. */
static int talk(struct nl *nl, struct nlmsghdr *nlh, reply_t reply, void *data)
{
	bool interrupted = false;

	nl->message[0] = '\0';
	if (mnl_socket_sendto(nl->socket, nlh, nlh->nlmsg_len) < 0)
		return -errno;
	for (;;) {
		ssize_t got = mnl_socket_recvfrom(nl->socket, nl->buffer,
						  sizeof(nl->buffer));
		const struct nlmsghdr *at = (void *)nl->buffer;
		int left, ret = 1;

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		for (left = got; mnl_nlmsg_ok(at, left);
		     at = mnl_nlmsg_next(at, &left)) {
			ret = take(nl, at, reply, data, &interrupted);
			if (ret <= 0)
				return ret;
		}
	}
}

struct family {
	struct nl *nl;
	bool found;
};

static int take_family(const struct nlmsghdr *nlh, void *data)
{
	struct family *family = data;
	const struct nlattr *attr, *group, *part;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		switch (mnl_attr_get_type(attr)) {
		case CTRL_ATTR_FAMILY_ID:
			family->nl->family = mnl_attr_get_u16(attr);
			family->found = true;
			break;
		case CTRL_ATTR_VERSION:
			family->nl->version = mnl_attr_get_u32(attr);
			break;
		case CTRL_ATTR_MCAST_GROUPS:
			mnl_attr_for_each_nested(group, attr)
				mnl_attr_for_each_nested(part, group)
					if (mnl_attr_get_type(part) ==
					    CTRL_ATTR_MCAST_GRP_ID)
						family->nl->group =
							mnl_attr_get_u32(part);
			break;
		}
	}
	return 0;
}

static int resolve(struct nl *nl)
{
	struct family family = { .nl = nl };
	struct nlmsghdr *nlh = request(nl, GENL_ID_CTRL, CTRL_CMD_GETFAMILY,
				       NLM_F_ACK);
	int ret;

	mnl_attr_put_strz(nlh, CTRL_ATTR_FAMILY_NAME, INSTINCT_VFIO_FAMILY_NAME);
	ret = talk(nl, nlh, take_family, &family);
	if (ret)
		return ret;
	if (!family.found)
		return -ENOENT;
	return nl->version == INSTINCT_VFIO_FAMILY_VERSION ? 0 : -EPROTONOSUPPORT;
}

/**
 * nl_open() - reach the module
 * @error: set to a positive errno on failure: ENOENT if it is not loaded,
 *	EPROTONOSUPPORT if it speaks another version of the family
 *
 * Return: the socket or NULL.
 */
struct nl *nl_open(int *error)
{
	struct nl *nl = calloc(1, sizeof(*nl));
	int one = 1, ret;

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
	ret = resolve(nl);
	if (ret) {
		*error = -ret;
		nl_close(nl);
		return NULL;
	}
	return nl;
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
 * nl_fd() - the socket's file descriptor, to poll for events
 * @nl: socket
 *
 * Return: it.
 */
int nl_fd(const struct nl *nl)
{
	return mnl_socket_get_fd(nl->socket);
}

static int take_info(const struct nlmsghdr *nlh, void *data)
{
	return nl_parse_info(nlh, data);
}

/**
 * nl_info_get() - about the module
 * @nl: socket
 * @info: set
 *
 * Return: 0 or a negative errno.
 */
int nl_info_get(struct nl *nl, struct nl_info *info)
{
	*info = (struct nl_info) { 0 };
	return talk(nl, request(nl, nl->family, INSTINCT_VFIO_CMD_INFO_GET,
				NLM_F_ACK), take_info, info);
}

static int take_device(const struct nlmsghdr *nlh, void *data)
{
	return nl_parse_device(nlh, devices_add(data));
}

/**
 * nl_devices_get() - all managed devices
 * @nl: socket
 * @devices: empty, filled
 *
 * Return: 0 or a negative errno.
 */
int nl_devices_get(struct nl *nl, struct devices *devices)
{
	int tries = 5, ret;

	do {
		devices_free(devices);
		ret = talk(nl, request(nl, nl->family, INSTINCT_VFIO_CMD_DEV_GET,
				       NLM_F_DUMP), take_device, devices);
	} while (ret == -EAGAIN && --tries);
	return ret;
}

static int take_policy(const struct nlmsghdr *nlh, void *data)
{
	return nl_parse_policy(nlh, data);
}

/**
 * nl_policy_get() - the policy in force on a device
 * @nl: socket
 * @bdf: device
 * @policy: set
 *
 * Return: 0 or a negative errno.
 */
int nl_policy_get(struct nl *nl, const char *bdf, struct policy *policy)
{
	struct nlmsghdr *nlh = request(nl, nl->family,
				       INSTINCT_VFIO_CMD_POLICY_GET, NLM_F_ACK);

	mnl_attr_put_strz(nlh, A(POLICY_BDF), bdf);
	return talk(nl, nlh, take_policy, policy);
}

/**
 * nl_policy_set() - set the whole policy of a device
 * @nl: socket
 * @bdf: device
 * @policy: all of it
 *
 * Return: 0 or a negative errno, and then nothing has changed.
 */
int nl_policy_set(struct nl *nl, const char *bdf, const struct policy *policy)
{
	struct nlmsghdr *nlh = request(nl, nl->family,
				       INSTINCT_VFIO_CMD_POLICY_SET, NLM_F_ACK);

	mnl_attr_put_strz(nlh, A(POLICY_BDF), bdf);
	mnl_attr_put(nlh, A(POLICY_DEFAULTS), 0, NULL);
	mnl_attr_put_u32(nlh, A(POLICY_METHOD), policy->method);
	mnl_attr_put_u32(nlh, A(POLICY_TENANCY), policy->tenancy);
	mnl_attr_put_u32(nlh, A(POLICY_BUS_PORT), policy->bus_port);
	mnl_attr_put_u32(nlh, A(POLICY_READY_TIMEOUT), policy->ready_timeout);
	mnl_attr_put_u32(nlh, A(POLICY_MAILBOX), policy->mailbox);
	return talk(nl, nlh, NULL, NULL);
}

static int take_reset(const struct nlmsghdr *nlh, void *data)
{
	return nl_parse_reset(nlh, data);
}

/**
 * nl_reset() - reset a device, and wait for it
 * @nl: socket
 * @bdf: device
 * @method: enum instinct_vfio_method
 * @done: set
 *
 * Return: 0 or a negative errno.
 */
int nl_reset(struct nl *nl, const char *bdf, uint32_t method,
	     struct nl_reset_done *done)
{
	struct nlmsghdr *nlh = request(nl, nl->family, INSTINCT_VFIO_CMD_RESET,
				       NLM_F_ACK);

	mnl_attr_put_strz(nlh, A(RESET_BDF), bdf);
	mnl_attr_put_u32(nlh, A(RESET_METHOD), method);
	return talk(nl, nlh, take_reset, done);
}

/**
 * nl_release() - let a quarantined device be opened again
 * @nl: socket
 * @bdf: device
 *
 * Return: 0 or a negative errno.
 */
int nl_release(struct nl *nl, const char *bdf)
{
	struct nlmsghdr *nlh = request(nl, nl->family, INSTINCT_VFIO_CMD_RELEASE,
				       NLM_F_ACK);

	mnl_attr_put_strz(nlh, A(DEV_BDF), bdf);
	return talk(nl, nlh, NULL, NULL);
}

/**
 * nl_events_join() - hear of events from now on
 * @nl: socket, not to be used for requests after this
 *
 * Return: 0 or a negative errno.
 */
int nl_events_join(struct nl *nl)
{
	if (mnl_socket_setsockopt(nl->socket, NETLINK_ADD_MEMBERSHIP,
				  &nl->group, sizeof(nl->group)) < 0)
		return -errno;
	return 0;
}

/**
 * nl_events_read() - take the events that have arrived
 * @nl: socket that has joined
 * @call: called for each
 * @data: for @call
 *
 * Return: 0, or a negative errno; -ENOBUFS if some were lost on the way.
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
		if (at->nlmsg_type != nl->family)
			continue;
		if (nl_parse_event(at, &event))
			return -EBADMSG;
		call(&event, data);
	}
	return 0;
}

struct replay {
	nl_event_t call;
	void *data;
};

static int take_event(const struct nlmsghdr *nlh, void *data)
{
	struct replay *replay = data;
	struct event event;
	int ret = nl_parse_event(nlh, &event);

	if (!ret)
		replay->call(&event, replay->data);
	return ret;
}

/**
 * nl_events_replay() - the kept events
 * @nl: socket that has not joined
 * @from: first number wanted
 * @call: called for each
 * @data: for @call
 *
 * Return: 0 or a negative errno.
 */
int nl_events_replay(struct nl *nl, uint64_t from, nl_event_t call, void *data)
{
	struct replay replay = { .call = call, .data = data };
	struct nlmsghdr *nlh = request(nl, nl->family,
				       INSTINCT_VFIO_CMD_EVENT_GET, NLM_F_DUMP);

	mnl_attr_put_u64(nlh, A(EVENT_SEQ), from);
	return talk(nl, nlh, take_event, &replay);
}
