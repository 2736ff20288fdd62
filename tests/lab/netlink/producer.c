// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes events:
 *
 *	producer BDF EVENTS [US]
 *
 * The program changes a timeout in a device's policy EVENTS times, by a millisecond up or down.
 * Each change makes an event "policy-applied". Without US the program makes events as fast as it
 * can, with many requests in each send; with US it makes one at a time, and sleeps US microseconds
 * after each.
 *
 * The output is "produced EVENTS in NS ns, N a second". The exit status is 0, 1 if the module
 * refused a request, or 2 for wrong arguments.
 */
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/genetlink.h>
#include <linux/instinct_vfio.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "family.h"

#define BATCH		128	/* requests in one send */
#define REQUEST_BYTES	128	/* more than a request takes */
#define KEY		INSTINCT_VFIO_A_POLICY_CONFIG_TIMEOUT

static _Alignas(NLMSG_ALIGNTO) char buffer[FAMILY_BYTES];

static int take_policy(const struct nlmsghdr *nlh, void *data)
{
	const struct nlattr *nest, *attr;

	mnl_attr_for_each(nest, nlh, sizeof(struct genlmsghdr))
		if (mnl_attr_get_type(nest) == INSTINCT_VFIO_A_DEV_POLICY)
			mnl_attr_for_each_nested(attr, nest)
				if (mnl_attr_get_type(attr) == KEY)
					*(uint32_t *)data = mnl_attr_get_u32(attr);
	return MNL_CB_OK;
}

static uint32_t value_now(struct family *family, const char *bdf)
{
	struct nlmsghdr *nlh = family_request(family, buffer, INSTINCT_VFIO_CMD_DEV_GET, 0, 1);
	uint32_t value = 0;
	ssize_t got;

	mnl_attr_put_strz(nlh, INSTINCT_VFIO_A_DEV_BDF, bdf);
	if (mnl_socket_sendto(family->socket, nlh, nlh->nlmsg_len) < 0)
		err(1, "DEV_GET");
	got = mnl_socket_recvfrom(family->socket, buffer, sizeof(buffer));
	if (got < 0 || mnl_cb_run(buffer, got, 1, 0, take_policy, &value) < 0)
		err(1, "DEV_GET %s", bdf);
	return value;
}

/*
 * Sends @count requests at once, and returns the policy's new value. The last request asks for an
 * answer; the kernel answers a refused request anyway, so the first answer tells the result.
 */
static uint32_t send_batch(struct family *family, const char *bdf, uint32_t value,
			   unsigned int count)
{
	struct nlmsghdr *nlh;
	struct nlattr *nest;
	size_t used = 0;
	unsigned int i;
	ssize_t got;

	for (i = 1; i <= count; i++) {
		nlh = family_request(family, buffer + used, INSTINCT_VFIO_CMD_POLICY_APPLY,
				     i == count ? NLM_F_ACK : 0, i);
		nest = mnl_attr_nest_start(nlh, INSTINCT_VFIO_A_APPLY_POLICY);
		mnl_attr_put_strz(nlh, INSTINCT_VFIO_A_POLICY_BDF, bdf);
		value ^= 1;
		mnl_attr_put_u32(nlh, KEY, value);
		mnl_attr_nest_end(nlh, nest);
		used += MNL_ALIGN(nlh->nlmsg_len);
	}
	if (mnl_socket_sendto(family->socket, buffer, used) < 0)
		err(1, "POLICY_APPLY");
	got = mnl_socket_recvfrom(family->socket, buffer, sizeof(buffer));
	if (got < 0 || mnl_cb_run(buffer, got, 0, 0, NULL, NULL) < 0)
		err(1, "POLICY_APPLY %s", bdf);
	return value;
}

static uint64_t number(const char *text)
{
	unsigned long long value;
	char *rest;

	errno = 0;
	value = strtoull(text, &rest, 0);
	if (errno || rest == text || *rest || !value)
		errx(2, "%s is no number", text);
	return value;
}

int main(int argc, char *argv[])
{
	uint64_t wanted, pause, left, began, took;
	struct family family;
	uint32_t value;

	_Static_assert(BATCH * REQUEST_BYTES <= FAMILY_BYTES, "a batch fits into the buffer");
	if (argc < 3 || argc > 4)
		errx(2, "usage: producer BDF EVENTS [US]");
	wanted = number(argv[2]);
	pause = argc > 3 ? number(argv[3]) : 0;
	family_open(&family);
	value = value_now(&family, argv[1]);

	began = family_now(CLOCK_MONOTONIC);
	for (left = wanted; left;) {
		unsigned int count = pause ? 1 : left < BATCH ? left : BATCH;

		value = send_batch(&family, argv[1], value, count);
		left -= count;
		if (pause)
			usleep(pause);
	}
	took = family_now(CLOCK_MONOTONIC) - began;
	printf("produced %" PRIu64 " in %" PRIu64 " ns, %.0f a second\n", wanted, took,
	       wanted * 1e9 / took);
	return 0;
}
