/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The time on this host, or the time at which a captured host was captured. */
#ifndef HOST_CLOCK_H
#define HOST_CLOCK_H

#include <stddef.h>
#include <stdint.h>

/* Path below the root of a captured host. */
#define HOST_CLOCK_FILE	"instinct-vfio/clock"

/**
 * struct host_clock - one moment by two clocks
 * @realtime: ns since 1970
 * @boottime: ns of CLOCK_BOOTTIME, the clock of events
 */
struct host_clock {
	uint64_t realtime;
	uint64_t boottime;
};

struct host_clock host_clock_now(void);
void host_clock_text(const struct host_clock *clock, char *text, size_t size);

#endif /* HOST_CLOCK_H */
