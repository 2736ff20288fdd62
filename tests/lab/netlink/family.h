/* SPDX-License-Identifier: GPL-2.0-only */
/* A socket to the module's generic netlink family. */
#ifndef FAMILY_H
#define FAMILY_H

#include <libmnl/libmnl.h>
#include <stdint.h>
#include <time.h>

#define FAMILY_BYTES	32768	/* of a buffer for any message */

/**
 * struct family - what the kernel says of it
 * @socket: libmnl's
 * @id: message type of its messages
 * @events: number of the multicast group
 */
struct family {
	struct mnl_socket *socket;
	uint16_t id;
	uint32_t events;
};

void family_open(struct family *family);
struct nlmsghdr *family_request(const struct family *family, void *at, uint8_t command,
				uint16_t flags, uint32_t seq);
uint64_t family_now(clockid_t clock);

#endif
