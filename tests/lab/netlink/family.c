// SPDX-License-Identifier: GPL-2.0-only
#include <err.h>
#include <errno.h>
#include <linux/genetlink.h>
#include <linux/instinct_vfio.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

#include "family.h"

static int take_group(const struct nlattr *group, struct family *family)
{
	const struct nlattr *attr;
	bool events = false;
	uint32_t id = 0;

	mnl_attr_for_each_nested(attr, group) {
		if (mnl_attr_get_type(attr) == CTRL_ATTR_MCAST_GRP_ID)
			id = mnl_attr_get_u32(attr);
		if (mnl_attr_get_type(attr) == CTRL_ATTR_MCAST_GRP_NAME)
			events = !strcmp(mnl_attr_get_str(attr), INSTINCT_VFIO_MCGRP_EVENTS);
	}
	if (events)
		family->events = id;
	return MNL_CB_OK;
}

static int take_family(const struct nlmsghdr *nlh, void *data)
{
	const struct nlattr *attr, *group;
	struct family *family = data;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) == CTRL_ATTR_FAMILY_ID)
			family->id = mnl_attr_get_u16(attr);
		if (mnl_attr_get_type(attr) == CTRL_ATTR_MCAST_GROUPS)
			mnl_attr_for_each_nested(group, attr)
				take_group(group, family);
	}
	return MNL_CB_OK;
}

/**
 * family_request() - begin a message to the module
 * @family: an open family
 * @at: buffer for the message
 * @command: INSTINCT_VFIO_CMD_*
 * @flags: netlink flags besides NLM_F_REQUEST
 * @seq: sequence number
 *
 * Return: the message, without attributes.
 */
struct nlmsghdr *family_request(const struct family *family, void *at, uint8_t command,
				uint16_t flags, uint32_t seq)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(at);
	struct genlmsghdr *genl;

	nlh->nlmsg_type = family->id;
	nlh->nlmsg_flags = NLM_F_REQUEST | flags;
	nlh->nlmsg_seq = seq;
	genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));
	genl->cmd = command;
	genl->version = 1;
	return nlh;
}

/**
 * family_open() - open a socket and look the family's numbers up; exit with 1 if there is no family
 * @family: set
 */
void family_open(struct family *family)
{
	_Alignas(NLMSG_ALIGNTO) char buffer[FAMILY_BYTES];
	struct nlmsghdr *nlh;
	ssize_t got;

	*family = (struct family) { .id = GENL_ID_CTRL };
	family->socket = mnl_socket_open2(NETLINK_GENERIC, SOCK_CLOEXEC);
	if (!family->socket || mnl_socket_bind(family->socket, 0, MNL_SOCKET_AUTOPID))
		err(1, "netlink");
	nlh = family_request(family, buffer, CTRL_CMD_GETFAMILY, 0, 1);
	mnl_attr_put_strz(nlh, CTRL_ATTR_FAMILY_NAME, INSTINCT_VFIO_FAMILY_NAME);
	if (mnl_socket_sendto(family->socket, nlh, nlh->nlmsg_len) < 0)
		err(1, "netlink");
	got = mnl_socket_recvfrom(family->socket, buffer, sizeof(buffer));
	if (got < 0 || mnl_cb_run(buffer, got, 1, 0, take_family, family) < 0)
		err(1, "family " INSTINCT_VFIO_FAMILY_NAME);
}

/**
 * family_dump() - ask for a dump, and take its messages; exit with 1 on an error
 * @family: an open family
 * @command: INSTINCT_VFIO_CMD_*_GET
 * @seq: sequence number
 * @take: called for each message
 * @data: for @take
 *
 * Return: false if a change of the devices interrupted the dump.
 */
bool family_dump(const struct family *family, uint8_t command, uint32_t seq, mnl_cb_t take,
		 void *data)
{
	static _Alignas(NLMSG_ALIGNTO) char buffer[FAMILY_BYTES];
	struct nlmsghdr *nlh = family_request(family, buffer, command, NLM_F_DUMP, seq);
	int more = MNL_CB_OK;
	ssize_t got;

	if (mnl_socket_sendto(family->socket, nlh, nlh->nlmsg_len) < 0)
		err(1, "command %u", command);
	while (more > MNL_CB_STOP) {
		got = mnl_socket_recvfrom(family->socket, buffer, sizeof(buffer));
		more = got < 0 ? -1 : mnl_cb_run(buffer, got, seq, 0, take, data);
	}
	if (!more)
		return true;
	if (errno != EINTR)
		err(1, "command %u", command);
	while (recv(mnl_socket_get_fd(family->socket), buffer, sizeof(buffer), MSG_DONTWAIT) > 0)
		;
	return false;
}

/**
 * family_now() - read a clock
 * @clock: CLOCK_BOOTTIME, the clock of the events' times, or another
 *
 * Return: the time in ns.
 */
uint64_t family_now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}
