/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The module of a captured host: its answers, as they were recorded there. */
#ifndef NL_REPLAY_H
#define NL_REPLAY_H

#include <linux/netlink.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "bytes.h"

/* Below the root of a captured host, with a file for each command that was asked. */
#define NL_RECORDS	"instinct-vfio/netlink"
#define NL_RECORD_BYTES	(8u << 20)	/* the largest: 4,096 events are 2 MiB */

/**
 * struct nl_replay - a request to recorded answers
 * @answers: what is in the file, messages
 * @at: how many bytes of it have been given
 * @seq: of the request
 * @dump: it asks for several messages
 * @ended: the end was given, too
 */
struct nl_replay {
	struct bytes answers;
	size_t at;
	uint32_t seq;
	bool dump;
	bool ended;
};

bool nl_is_recorded(void);
const char *nl_replay_name(const struct nlmsghdr *nlh);
int nl_replay_ask(struct nl_replay *replay, const struct nlmsghdr *nlh);
ssize_t nl_replay_receive(struct nl_replay *replay, void *buffer, size_t size);

#endif /* NL_REPLAY_H */
