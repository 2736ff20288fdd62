/* SPDX-License-Identifier: GPL-2.0-only */
/* A socket to the module's generic netlink family. */
#ifndef FAMILY_H
#define FAMILY_H

#include <libmnl/libmnl.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define FAMILY_BYTES	32768	/* size of a buffer that holds any message */

/**
 * struct family - the family's numbers and a socket to it
 * @socket: a libmnl socket
 * @id: type of the family's messages
 * @events: number of the multicast group for events
 */
struct family {
	struct mnl_socket *socket;
	uint16_t id;
	uint32_t events;
};

void family_open(struct family *family);
struct nlmsghdr *family_request(const struct family *family, void *at, uint8_t command,
				uint16_t flags, uint32_t seq);
bool family_dump(const struct family *family, uint8_t command, uint32_t seq, mnl_cb_t take,
		 void *data);
uint64_t family_now(clockid_t clock);

#endif
