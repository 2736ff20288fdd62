// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#include "host_clock.h"
#include "now.h"
#include "say.h"
#include "sysfs.h"

static uint64_t now_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return t.tv_sec * NS_PER_S + t.tv_nsec;
}

/* Read the clock file of a captured host; false if the capture has none. */
static bool read_clock(struct host_clock *clock)
{
	char path[PATH_MAX], text[128];
	ssize_t n;

	snprintf(path, sizeof(path), "%s/" HOST_CLOCK_FILE, opt_sysroot);
	n = sysfs_read(path, text, sizeof(text) - 1);
	text[n < 0 ? 0 : n] = '\0';
	return sscanf(text, "realtime %" SCNu64 "\nboottime %" SCNu64, &clock->realtime,
		      &clock->boottime) == 2;
}

/**
 * host_clock_now() - get the current time, or the time at which the host was captured
 *
 * Return: the time; the current one if a captured host has no clock file.
 */
struct host_clock host_clock_now(void)
{
	static struct host_clock captured;
	static const char *of;

	if (*opt_sysroot && of != opt_sysroot && read_clock(&captured))
		of = opt_sysroot;
	if (*opt_sysroot && of == opt_sysroot)
		return captured;
	return (struct host_clock) {
		.realtime = now_ns(CLOCK_REALTIME),
		.boottime = now_ns(CLOCK_BOOTTIME),
	};
}

/**
 * host_clock_text() - format a moment as a capture's clock file
 * @clock: moment
 * @text: receives the contents of the file
 * @size: size of @text in bytes
 */
void host_clock_text(const struct host_clock *clock, char *text, size_t size)
{
	snprintf(text, size, "realtime %" PRIu64 "\nboottime %" PRIu64 "\n", clock->realtime,
		 clock->boottime);
}
