// SPDX-License-Identifier: GPL-2.0-only
/*
 * Waits until the module resets no device, or not the named one:
 *
 *	settled [BDF]
 *
 * The program prints the boot time at which it asked last, in ms, and fails if the driver does not
 * have the named device. It costs the lab's processors next to nothing, unlike a loop around
 * instinctctl.
 */
#include <linux/genetlink.h>
#include <linux/instinct_vfio.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "family.h"

#define PAUSE_US	2000

struct look {
	const char *bdf;
	bool seen;
	bool resetting;
};

static int take_device(const struct nlmsghdr *nlh, void *data)
{
	struct look *look = data;
	const struct nlattr *attr;
	const char *bdf = "";
	uint32_t state = 0;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) == INSTINCT_VFIO_A_DEV_BDF)
			bdf = mnl_attr_get_str(attr);
		if (mnl_attr_get_type(attr) == INSTINCT_VFIO_A_DEV_STATE)
			state = mnl_attr_get_u32(attr);
	}
	if (look->bdf && strcmp(look->bdf, bdf))
		return MNL_CB_OK;
	look->seen = true;
	if (state == INSTINCT_VFIO_STATE_RESETTING)
		look->resetting = true;
	return MNL_CB_OK;
}

int main(int argc, char **argv)
{
	struct look look = { .bdf = argc > 1 ? argv[1] : NULL, .resetting = true };
	struct family family;
	uint64_t asked = 0;
	uint32_t seq = 0;

	family_open(&family);
	while (look.resetting) {
		if (seq)
			usleep(PAUSE_US);
		look.seen = look.resetting = false;
		asked = family_now(CLOCK_BOOTTIME);
		/* If a change of the devices interrupts the dump, nothing is known of the rest. */
		if (!family_dump(&family, INSTINCT_VFIO_CMD_DEV_GET, ++seq, take_device, &look))
			look.resetting = true;
	}
	if (look.bdf && !look.seen) {
		fprintf(stderr, "settled: the driver does not have %s\n", look.bdf);
		return 1;
	}
	printf("%.3f\n", asked / 1e6);
	return 0;
}
