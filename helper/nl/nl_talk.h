/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of nl.c that other files of this room use to send requests. */
#ifndef NL_TALK_H
#define NL_TALK_H

#include <linux/netlink.h>
#include <stddef.h>
#include <stdint.h>

struct nl;

/* Called for each reply; returning a negative errno ends the request. */
typedef int (*nl_reply_t)(const struct nlmsghdr *nlh, void *data);

struct nlmsghdr *nl_request(struct nl *nl, uint8_t command, uint16_t flags);
struct nlmsghdr *nl_request_in(struct nl *nl, void *buffer, uint8_t command,
			       uint16_t flags);
int nl_make_room(struct nl *nl, size_t bytes);
uint32_t nl_offset(const struct nl *nl);
int nl_talk(struct nl *nl, struct nlmsghdr *nlh, nl_reply_t reply, void *data);

#endif /* NL_TALK_H */
