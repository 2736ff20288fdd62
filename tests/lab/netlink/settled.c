// SPDX-License-Identifier: GPL-2.0-only
/*
 * Waits until the module resets no device:
 *
 *	settled
 *
 * The program prints the boot time at which it asked last, in ms. It costs the lab's processors
 * next to nothing, unlike a loop around instinctctl.
 */
#include <linux/genetlink.h>
#include <linux/instinct_vfio.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "family.h"

#define PAUSE_US	2000

static int take_device(const struct nlmsghdr *nlh, void *data)
{
	const struct nlattr *attr;
	bool *resetting = data;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) == INSTINCT_VFIO_A_DEV_STATE &&
		    mnl_attr_get_u32(attr) == INSTINCT_VFIO_STATE_RESETTING)
			*resetting = true;
	}
	return MNL_CB_OK;
}

int main(void)
{
	bool resetting = true;
	struct family family;
	uint64_t asked = 0;
	uint32_t seq = 0;

	family_open(&family);
	while (resetting) {
		if (seq)
			usleep(PAUSE_US);
		resetting = false;
		asked = family_now(CLOCK_BOOTTIME);
		/* If a change of the devices interrupts the dump, nothing is known of the rest. */
		if (!family_dump(&family, INSTINCT_VFIO_CMD_DEV_GET, ++seq, take_device, &resetting))
			resetting = true;
	}
	printf("%.3f\n", asked / 1e6);
	return 0;
}
