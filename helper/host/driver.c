// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "driver.h"
#include "progress.h"
#include "say.h"
#include "sysfs.h"
#include "user.h"

#define UNBIND_S	10
/* A probe may reset a device that is found lost: as long as policy can let it. */
#define PROBE_S		(INSTINCT_VFIO_READY_TIMEOUT_MAX / 1000)
#define PROBE_PATH	"/sys/bus/pci/drivers_probe"
#define TICK_NS		10000000
#define TICKS_PER_S	100
#define TICKS_PER_LINE	(PROGRESS_TICK_MS * 1000000 / TICK_NS)

/*
 * Unbinding a VFIO device that is open blocks in the kernel until it is
 * closed, and cannot be killed: so it is done by a child, and waited for only
 * so long. The child keeps none of our files open: who reads our output, or
 * waits for a lock of ours, is not to wait for it too.
 */
static int write_in_time(const char *path, const char *text, int seconds)
{
	struct timespec tick = { .tv_nsec = TICK_NS };
	int ticks = seconds * TICKS_PER_S, status;
	pid_t child;

	fflush(NULL);
	child = fork();
	if (child < 0)
		return -errno;
	if (!child) {
		close_range(0, ~0u, 0);
		_exit(-sysfs_write(path, text));
	}
	for (; ticks; ticks--) {
		if (waitpid(child, &status, WNOHANG) == child) {
			progress_tick(false);
			return WIFEXITED(status) ? -WEXITSTATUS(status) : -EIO;
		}
		if (ticks % TICKS_PER_LINE == 0)
			progress_tick(true);
		nanosleep(&tick, NULL);
	}
	progress_tick(false);
	return -ETIMEDOUT;
}

static int complain(const char *bdf, const char *what, int ret)
{
	if (ret == -ETIMEDOUT)
		say_error("%s: cannot %s: the kernel is still waiting after %d s for somebody who has it open; it goes on once he closes it",
			  bdf, what, UNBIND_S);
	else
		say_error("%s: cannot %s: %s%s", bdf, what, strerror(-ret),
			  exit_code_of(-ret) == EXIT_PERMISSION ?
			  "; run this as root" : "");
	return exit_code_of(-ret);
}

/**
 * driver_of() - the driver that a device is bound to
 * @bdf: device
 * @driver: of DRIVER_BYTES, set to its name or ""
 *
 * Return: false if there is none.
 */
bool driver_of(const char *bdf, char *driver)
{
	return sysfs_read_link(bdf, "driver", driver, DRIVER_BYTES);
}

/**
 * driver_is_ours() - is a device bound to the module?
 * @bdf: device
 *
 * Return: true if it is.
 */
bool driver_is_ours(const char *bdf)
{
	char driver[DRIVER_BYTES];

	return driver_of(bdf, driver) && !strcmp(driver, DRIVER_NAME);
}

/**
 * driver_check_unused() - may a device be taken from its driver?
 * @bdf: device
 *
 * Return: 0, or an exit code, and then it has named who has it open.
 */
int driver_check_unused(const char *bdf)
{
	struct user user;

	if (!user_find(bdf, &user))
		return EXIT_OK;
	say_error("%s: is in use by %s (process %d); stop that first", bdf,
		  user.comm, user.pid);
	return EXIT_ERROR;
}

/**
 * driver_is_overridden() - does a device's driver_override say the module?
 * @bdf: device
 *
 * Return: true if it does.
 */
bool driver_is_overridden(const char *bdf)
{
	char path[PATH_MAX], text[DRIVER_BYTES];
	ssize_t n;

	sysfs_device_path(bdf, "driver_override", path, sizeof(path));
	n = sysfs_read(path, text, sizeof(text) - 1);
	text[n < 0 ? 0 : n] = '\0';
	return !strcmp(text, DRIVER_NAME "\n");
}

/**
 * driver_override() - which driver a device shall go to, and no other
 * @bdf: device
 * @driver: its name, or "" for no preference
 *
 * Return: 0, or an exit code, and then it has said why.
 */
int driver_override(const char *bdf, const char *driver)
{
	char path[PATH_MAX];
	int ret;

	sysfs_device_path(bdf, "driver_override", path, sizeof(path));
	/* Writing nothing at all would not arrive; a newline clears it. */
	ret = sysfs_write(path, *driver ? driver : "\n");
	return ret ? complain(bdf, "set its driver_override", ret) : EXIT_OK;
}

/**
 * driver_unbind() - take a device from its driver
 * @bdf: device
 *
 * Return: 0, or an exit code, and then it has said why.
 */
int driver_unbind(const char *bdf)
{
	char path[PATH_MAX];
	int ret;

	sysfs_device_path(bdf, "driver/unbind", path, sizeof(path));
	ret = write_in_time(path, bdf, UNBIND_S);
	return ret ? complain(bdf, "unbind it from its driver", ret) : EXIT_OK;
}

/**
 * driver_probe() - have the kernel look for a device's driver
 * @bdf: device without a driver
 *
 * What the kernel answers says little: what counts is who has it afterwards.
 *
 * Return: 0, or -ETIMEDOUT if that driver's probe does not end.
 */
int driver_probe(const char *bdf)
{
	int ret = write_in_time(PROBE_PATH, bdf, PROBE_S);

	return ret == -ETIMEDOUT ? ret : 0;
}
