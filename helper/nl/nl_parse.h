/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parsers of the module's netlink messages; a malformed message gives -EBADMSG. */
#ifndef NL_PARSE_H
#define NL_PARSE_H

#include <linux/netlink.h>

#include "nl.h"

/**
 * struct nl_family - numbers that the kernel assigns to the family
 * @id: message type
 * @version: version of the family
 * @group: number of the multicast group of events, 0 if there is none
 */
struct nl_family {
	uint16_t id;
	uint32_t version;
	uint32_t group;
};

int nl_parse_end(const struct nlmsghdr *nlh, char *message, size_t size,
		 uint32_t *offset);
int nl_parse_family(const struct nlmsghdr *nlh, struct nl_family *family);
bool nl_parse_is_gone(const struct nlmsghdr *nlh, const struct nl_family *family);
bool nl_parse_is_new(const struct nlmsghdr *nlh);
int nl_parse_info(const struct nlmsghdr *nlh, struct nl_info *info);
int nl_parse_device(const struct nlmsghdr *nlh, struct device *dev);
int nl_parse_policy(const struct nlmsghdr *nlh, struct device *dev);
int nl_parse_plan(const struct nlmsghdr *nlh, struct nl_reset_done *done);
int nl_parse_reset(const struct nlmsghdr *nlh, struct nl_reset_done *done);
int nl_parse_event(const struct nlmsghdr *nlh, struct event *event);
int nl_parse_stats(const struct nlmsghdr *nlh, struct stats *stats);
int nl_parse_isolated(const struct nlmsghdr *nlh, struct isolated *item);

#endif /* NL_PARSE_H */
