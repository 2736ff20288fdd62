/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The recorded answers of a captured host's module. */
#ifndef NL_REPLAY_H
#define NL_REPLAY_H

#include <linux/netlink.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "bytes.h"

/* Folder below the root of a captured host, with a file for each recorded command. */
#define NL_RECORDS	"instinct-vfio/netlink"
#define NL_RECORD_BYTES	(8u << 20)	/* the largest: 4,096 events are 2 MiB */

/**
 * struct nl_replay - a request that recorded answers serve
 * @answers: recorded messages
 * @at: bytes of @answers that were received
 * @seq: sequence number of the request
 * @dump: the request is a dump
 * @ended: the final message was received, too
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
