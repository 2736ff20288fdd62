// SPDX-License-Identifier: GPL-2.0-only
/*
 * Looks at the policies of all devices, over and over, while somebody changes them:
 *
 *	policies
 *
 * Prints a line when they are other ones: "one READY CONFIG" if all devices have the same,
 * "mixed READY CONFIG READY CONFIG…" if not, the timeouts in ms. A dump is not of one
 * moment, and may have begun before a change and end after it: mixed is only what two of
 * them, one after the other, have found alike.
 */
#include <err.h>
#include <errno.h>
#include <linux/genetlink.h>
#include <linux/instinct_vfio.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "family.h"

#define DEVICES		8
#define PAUSE_US	4000

struct policy {
	uint32_t ready, config;
};

struct found {
	struct policy list[DEVICES];
	size_t count;
};

static int take_policy(const struct nlmsghdr *nlh, void *data)
{
	struct found *found = data;
	const struct nlattr *attr;
	struct policy *policy;

	if (found->count == DEVICES)
		errx(1, "more than %d devices", DEVICES);
	policy = &found->list[found->count++];
	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) == INSTINCT_VFIO_A_POLICY_READY_TIMEOUT)
			policy->ready = mnl_attr_get_u32(attr);
		if (mnl_attr_get_type(attr) == INSTINCT_VFIO_A_POLICY_CONFIG_TIMEOUT)
			policy->config = mnl_attr_get_u32(attr);
	}
	return MNL_CB_OK;
}

/* One that was disturbed has nothing to say. */
static bool look(struct family *family, uint32_t seq, struct found *found)
{
	static _Alignas(NLMSG_ALIGNTO) char buffer[FAMILY_BYTES];
	struct nlmsghdr *nlh = family_request(family, buffer, INSTINCT_VFIO_CMD_POLICY_GET,
					      NLM_F_DUMP, seq);
	int more = MNL_CB_OK;
	ssize_t got;

	memset(found, 0, sizeof(*found));
	if (mnl_socket_sendto(family->socket, nlh, nlh->nlmsg_len) < 0)
		err(1, "POLICY_GET");
	while (more > MNL_CB_STOP) {
		got = mnl_socket_recvfrom(family->socket, buffer, sizeof(buffer));
		more = got < 0 ? -1 : mnl_cb_run(buffer, got, seq, 0, take_policy, found);
	}
	if (!more)
		return true;
	if (errno != EINTR)
		err(1, "POLICY_GET");
	while (recv(mnl_socket_get_fd(family->socket), buffer, sizeof(buffer), MSG_DONTWAIT) > 0)
		;
	return false;
}

static bool is_mixed(const struct found *found)
{
	size_t i;

	for (i = 1; i < found->count; i++)
		if (memcmp(&found->list[0], &found->list[i], sizeof(found->list[0])))
			return true;
	return false;
}

static void tell(const struct found *found, bool mixed)
{
	char line[256];
	size_t used = 0, i;

	for (i = 0; i < (mixed ? found->count : 1); i++)
		used += snprintf(line + used, sizeof(line) - used, " %u %u",
				 found->list[i].ready, found->list[i].config);
	printf("%s%s\n", mixed ? "mixed" : "one", line);
	fflush(stdout);
}

int main(void)
{
	struct found now, before = { .count = 0 }, told = { .count = 0 };
	struct family family;
	uint32_t seq = 0;

	family_open(&family);
	for (;; usleep(PAUSE_US)) {
		bool mixed;

		/* One of a single device says nothing of others. */
		if (!look(&family, ++seq, &now) || now.count < 2)
			continue;
		mixed = is_mixed(&now);
		if (memcmp(&now, &told, sizeof(now)) &&
		    (!mixed || !memcmp(&now, &before, sizeof(now)))) {
			tell(&now, mixed);
			told = now;
		}
		before = now;
	}
}
