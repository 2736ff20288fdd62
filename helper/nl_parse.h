/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Netlink messages of the module, read with distrust. */
#ifndef NL_PARSE_H
#define NL_PARSE_H

#include <linux/netlink.h>

#include "nl.h"

int nl_parse_info(const struct nlmsghdr *nlh, struct nl_info *info);
int nl_parse_device(const struct nlmsghdr *nlh, struct device *dev);
int nl_parse_policy(const struct nlmsghdr *nlh, struct policy *policy);
int nl_parse_reset(const struct nlmsghdr *nlh, struct nl_reset_done *done);
int nl_parse_event(const struct nlmsghdr *nlh, struct event *event);

#endif /* NL_PARSE_H */
