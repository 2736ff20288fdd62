// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the policies of all devices, over and over, while another program changes them:
 *
 *	policies
 *
 * The program prints a line for each change: "one READY CONFIG" if all devices have the same
 * timeouts, else "mixed READY CONFIG READY CONFIG…", in ms. A dump can begin before a change and
 * end after it, so the program prints "mixed" only if two dumps in a row found the same.
 */
#include <err.h>
#include <linux/genetlink.h>
#include <linux/instinct_vfio.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
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

static void read_policy(const struct nlattr *nest, struct policy *policy)
{
	const struct nlattr *attr;

	mnl_attr_for_each_nested(attr, nest) {
		if (mnl_attr_get_type(attr) == INSTINCT_VFIO_A_POLICY_READY_TIMEOUT)
			policy->ready = mnl_attr_get_u32(attr);
		if (mnl_attr_get_type(attr) == INSTINCT_VFIO_A_POLICY_CONFIG_TIMEOUT)
			policy->config = mnl_attr_get_u32(attr);
	}
}

static int take_policy(const struct nlmsghdr *nlh, void *data)
{
	struct found *found = data;
	const struct nlattr *attr;

	if (found->count == DEVICES)
		errx(1, "more than %d devices", DEVICES);
	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr))
		if (mnl_attr_get_type(attr) == INSTINCT_VFIO_A_DEV_POLICY)
			read_policy(attr, &found->list[found->count++]);
	return MNL_CB_OK;
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

		/* A dump of a single device cannot tell whether the devices agree. */
		memset(&now, 0, sizeof(now));
		if (!family_dump(&family, INSTINCT_VFIO_CMD_DEV_GET, ++seq, take_policy, &now) ||
		    now.count < 2)
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
