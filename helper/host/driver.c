// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "aside.h"
#include "driver.h"
#include "progress.h"
#include "say.h"
#include "sysfs.h"
#include "user.h"

#define WRITE_S		10
/* A probe may reset a lost device, for as long as policy can allow. */
#define PROBE_S		(INSTINCT_VFIO_READY_TIMEOUT_MAX / 1000)
#define PROBE_PATH	"/sys/bus/pci/drivers_probe"
#define TICK_NS		10000000
#define TICKS_PER_S	100
#define TICKS_PER_LINE	(PROGRESS_TICK_MS * 1000000 / TICK_NS)

/*
 * Unbinding an open VFIO device blocks in the kernel, unkillably, until the device is closed.
 * A child does it, so that this process can stop waiting. The child keeps none of our files
 * open, since other programs wait for the end of our output and for our locks.
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
		say_error(ERROR_BUSY, "%s: cannot %s: after %d s the kernel still waits, for a user that has the device open or for a reset; it goes on once that is over",
			  bdf, what, WRITE_S);
	else
		say_error(error_code_of(-ret, ERROR_IO), "%s: cannot %s: %s%s", bdf, what, strerror(-ret),
			  exit_code_of(-ret) == EXIT_PERMISSION ?
			  "; run this as root" : "");
	return exit_code_of(-ret);
}

/**
 * driver_of() - get the driver that a device is bound to
 * @bdf: address of the device
 * @driver: buffer of DRIVER_BYTES; receives the name of the driver, or ""
 *
 * Return: false if the device has no driver.
 */
bool driver_of(const char *bdf, char *driver)
{
	return sysfs_read_link(bdf, "driver", driver, DRIVER_BYTES);
}

/**
 * driver_is_ours() - tell whether a device is bound to the module, by its own name or the drop-in's
 * @bdf: address of the device
 *
 * Return: true if it is.
 */
bool driver_is_ours(const char *bdf)
{
	char driver[DRIVER_BYTES];

	return driver_of(bdf, driver) && sysfs_is_ours(driver);
}

/* List all users, or all candidates, in one text for free(). */
static char *describe_all(const struct users *users)
{
	char one[2 * TEXT_BYTES], *text = NULL;
	size_t size, i;
	FILE *out = open_memstream(&text, &size);

	for (i = 0; out && i < users->count; i++) {
		user_describe(&users->list[i], one, sizeof(one));
		fprintf(out, "%s%s", i ? ", " : "", one);
	}
	if (out)
		fclose(out);
	return text;
}

/**
 * driver_check_unused() - check that no process has a device open
 * @bdf: address of the device
 * @open: number of its VFIO users as the module knows it, or OPEN_UNKNOWN
 *
 * Return: 0, or an exit code after printing an error that names the process.
 */
int driver_check_unused(const char *bdf, int open)
{
	struct users users = { 0 };
	struct user_search search = { .bdf = bdf, .open = open, .users = &users };
	char driver[DRIVER_BYTES], *names;
	const char *waits = "";

	user_list(&search, 1);
	if (search.use == USE_NONE)
		return EXIT_OK;
	/* An unbind takes this link away, and then waits for the user. */
	if (!driver_of(bdf, driver))
		waits = "; an unbind of it is under way, and waits for that";
	names = describe_all(&users);
	if (search.use == USE_SEEN)
		say_error(ERROR_BUSY, "%s: is in use by %s; stop that first%s", bdf, names ?: "?", waits);
	else if (search.use == USE_MAYBE)
		say_error(ERROR_BUSY, "%s: is open, and has to be one of the devices of %s; stop that first%s",
			  bdf, names ?: "?", waits);
	else
		say_error(ERROR_BUSY, "%s: is in use by a process that cannot be seen from here (%s); stop its guest first%s",
			  bdf, user_hidden_why(), waits);
	free(names);
	users_free(&users);
	return EXIT_ERROR;
}

/**
 * struct override - a read of a device's driver_override
 * @bdf: address of the device
 * @ret: number of bytes, or a negative errno
 * @text: the driver's name
 */
struct override {
	char bdf[BDF_BYTES];
	int ret;
	char text[DRIVER_BYTES];
};

static void read_override(void *data)
{
	struct override *override = data;
	char path[PATH_MAX];

	sysfs_device_path(override->bdf, "driver_override", path, sizeof(path));
	override->ret = sysfs_read(path, override->text, sizeof(override->text) - 1);
	override->text[override->ret < 0 ? 0 : override->ret] = '\0';
	override->text[strcspn(override->text, "\n")] = '\0';
	/* The kernel prints a missing override so. */
	if (!strcmp(override->text, "(null)"))
		*override->text = '\0';
}

/**
 * driver_override_get() - read a device's driver_override
 * @bdf: address of the device
 * @driver: buffer of DRIVER_BYTES; receives the name, or "" without an override
 *
 * On most kernels the read takes the device lock, and so tells whether somebody else binds,
 * unbinds or resets the device.
 *
 * Return: 0, or an exit code after printing the error.
 */
int driver_override_get(const char *bdf, char *driver)
{
	struct override override = { 0 };

	snprintf(override.bdf, sizeof(override.bdf), "%s", bdf);
	*driver = '\0';
	if (!aside_call(bdf, read_override, &override, sizeof(override))) {
		say_error(ERROR_BUSY, "%s: another process binds, unbinds or resets it, and the kernel has not finished that yet; try again later",
			  bdf);
		return EXIT_ERROR;
	}
	if (override.ret < 0)
		return complain(bdf, "read its driver_override", override.ret);
	memcpy(driver, override.text, DRIVER_BYTES);
	return EXIT_OK;
}

/**
 * driver_override() - set a device's driver_override, which excludes all other drivers
 * @bdf: address of the device
 * @driver: name of the driver, or "" to clear the override
 *
 * Return: 0, or an exit code after printing the error.
 */
int driver_override(const char *bdf, const char *driver)
{
	char path[PATH_MAX];
	int ret;

	sysfs_device_path(bdf, "driver_override", path, sizeof(path));
	/* sysfs never sees a write of 0 bytes; a newline clears the override. */
	ret = write_in_time(path, *driver ? driver : "\n", WRITE_S);
	return ret ? complain(bdf, "set its driver_override", ret) : EXIT_OK;
}

/**
 * driver_unbind() - unbind a device from its driver
 * @bdf: address of the device
 *
 * Return: 0, or an exit code after printing the error.
 */
int driver_unbind(const char *bdf)
{
	char path[PATH_MAX];
	int ret;

	sysfs_device_path(bdf, "driver/unbind", path, sizeof(path));
	ret = write_in_time(path, bdf, WRITE_S);
	return ret ? complain(bdf, "unbind it from its driver", ret) : EXIT_OK;
}

/**
 * driver_probe() - have the kernel bind a device to a driver
 * @bdf: address of a device without a driver
 *
 * The kernel's answer does not tell whether a driver took the device, so this function ignores
 * it; the caller checks the driver afterwards.
 *
 * Return: 0, or -ETIMEDOUT if the driver's probe does not end.
 */
int driver_probe(const char *bdf)
{
	int ret = write_in_time(PROBE_PATH, bdf, PROBE_S);

	return ret == -ETIMEDOUT ? ret : 0;
}

/**
 * driver_put_back() - give a device without a driver back to the driver that it had
 * @bdf: address of the device
 * @driver: that driver, or "" for none
 * @override: driver_override that the device had, or "" for none
 *
 * Return: 0, or an exit code after printing the error.
 */
int driver_put_back(const char *bdf, const char *driver, const char *override)
{
	char found[DRIVER_BYTES] = "";
	int code = EXIT_OK;

	if (*driver)
		code = driver_override(bdf, driver);
	if (!code && *driver)
		driver_probe(bdf);
	code = driver_override(bdf, override) ?: code;
	driver_of(bdf, found);
	if (!code && strcmp(found, driver)) {
		say_error(ERROR_FAILED, "%s: cannot be put back: its driver is %s now, and was %s", bdf,
			  *found ? found : "none", driver);
		code = EXIT_ERROR;
	}
	return code;
}
