// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"
#include "module.h"
#include "profile.h"
#include "say.h"
#include "sysfs.h"
#include "user.h"

#define WRITE_TIMEOUT_S	10
#define PROBE_PATH	"/sys/bus/pci/drivers_probe"

/*
 * Unbinding a VFIO device that is open blocks in the kernel until it is
 * closed, and cannot be killed: so it is done by a child, and waited for only
 * so long.
 */
static int write_in_time(const char *path, const char *text)
{
	struct timespec tick = { .tv_nsec = 10000000 };
	int ticks = WRITE_TIMEOUT_S * 100, status;
	pid_t child;

	fflush(NULL);
	child = fork();
	if (child < 0)
		return -errno;
	if (!child)
		_exit(-sysfs_write(path, text));
	while (ticks--) {
		if (waitpid(child, &status, WNOHANG) == child)
			return WIFEXITED(status) ? -WEXITSTATUS(status) : -EIO;
		nanosleep(&tick, NULL);
	}
	return -ETIMEDOUT;
}

static int permission(const char *what, const char *bdf, int ret)
{
	if (ret == -ETIMEDOUT)
		say_error("%s: %s is still waiting after %d s: somebody has the device open; it goes on once that ends",
			  bdf, what, WRITE_TIMEOUT_S);
	else
		say_error("%s: cannot %s: %s%s", bdf, what, strerror(-ret),
			  exit_code_of(-ret) == EXIT_PERMISSION ?
			  "; run this as root" : "");
	return exit_code_of(-ret);
}

static bool driver_of(const char *bdf, char *driver, size_t size)
{
	return sysfs_read_link(bdf, "driver", driver, size);
}

/* May this be bound to us at all? */
static int check_device(const char *bdf)
{
	long long vendor, device;

	if (!sysfs_exists(bdf, "")) {
		say_error("%s: no such PCI device", bdf);
		return EXIT_ERROR;
	}
	if (sysfs_exists(bdf, "physfn")) {
		say_error("%s: is a virtual function; those stay with stock drivers (vfio-pci)",
			  bdf);
		return EXIT_UNSUPPORTED;
	}
	if (!sysfs_read_number(bdf, "vendor", &vendor) ||
	    !sysfs_read_number(bdf, "device", &device)) {
		say_error("%s: cannot read what it is", bdf);
		return EXIT_ERROR;
	}
	if (!instinct_profile_find(vendor, device)) {
		say_error("%s: [%04llx:%04llx] is not a GPU that instinct-vfio knows; bind it to vfio-pci",
			  bdf, vendor, device);
		return EXIT_UNSUPPORTED;
	}
	return EXIT_OK;
}

static int check_unused(const char *bdf)
{
	struct user user;

	if (!user_find(bdf, &user))
		return EXIT_OK;
	say_error("%s: is in use by %s (process %d); stop that first", bdf,
		  user.comm, user.pid);
	return EXIT_ERROR;
}

static int unbind_driver(const char *bdf)
{
	char path[PATH_MAX];
	int ret;

	sysfs_device_path(bdf, "driver/unbind", path, sizeof(path));
	ret = write_in_time(path, bdf);
	return ret ? permission("unbind", bdf, ret) : EXIT_OK;
}

static int set_override(const char *bdf, const char *driver)
{
	char path[PATH_MAX];
	int ret;

	sysfs_device_path(bdf, "driver_override", path, sizeof(path));
	ret = sysfs_write(path, driver);
	return ret ? permission("set driver_override", bdf, ret) : EXIT_OK;
}

static int bind_one(const char *bdf)
{
	char driver[TEXT_BYTES];
	int code;

	if (driver_of(bdf, driver, sizeof(driver))) {
		if (!strcmp(driver, DRIVER_NAME)) {
			printf("%s: already bound to %s\n", bdf, DRIVER_NAME);
			return EXIT_OK;
		}
		code = check_unused(bdf);
		if (code)
			return code;
	}
	code = set_override(bdf, DRIVER_NAME);
	if (!code && *driver)
		code = unbind_driver(bdf);
	if (code)
		return code;
	/* Its result says little: what counts is who has the device then. */
	write_in_time(PROBE_PATH, bdf);
	if (driver_of(bdf, driver, sizeof(driver)) && !strcmp(driver, DRIVER_NAME)) {
		printf("%s: bound to %s\n", bdf, DRIVER_NAME);
		return EXIT_OK;
	}
	say_error("%s: not bound to %s but to %s; dmesg says why", bdf,
		  DRIVER_NAME, *driver ? driver : "no driver");
	/* Whoever is asked to take it next must not find our name in the way. */
	set_override(bdf, "\n");
	return EXIT_ERROR;
}

static int unbind_one(const char *bdf)
{
	char driver[TEXT_BYTES];
	int code;

	if (!driver_of(bdf, driver, sizeof(driver)) || strcmp(driver, DRIVER_NAME)) {
		say_error("%s: is not bound to %s but to %s", bdf, DRIVER_NAME,
			  *driver ? driver : "no driver");
		return EXIT_ERROR;
	}
	code = check_unused(bdf);
	/* A newline clears it. */
	if (!code)
		code = set_override(bdf, "\n");
	if (!code)
		code = unbind_driver(bdf);
	if (code)
		return code;
	if (driver_of(bdf, driver, sizeof(driver))) {
		say_error("%s: still bound to %s", bdf, driver);
		return EXIT_ERROR;
	}
	printf("%s: unbound, without a driver now\n", bdf);
	return EXIT_OK;
}

/* The GPUs that --all means. */
static int list_all(struct devices *devices, bool bound)
{
	size_t i, kept = 0;
	int ret = sysfs_gpus(devices);

	if (ret) {
		say_error("cannot read /sys/bus/pci/devices: %s", strerror(-ret));
		return EXIT_ERROR;
	}
	for (i = 0; i < devices->count; i++)
		if (!bound || !strcmp(devices->list[i].driver, DRIVER_NAME))
			devices->list[kept++] = devices->list[i];
	devices->count = kept;
	return EXIT_OK;
}

static int parse(struct targets *targets, int argc, char *argv[], bool bound)
{
	static const struct option options[] = {
		{ "all", no_argument, NULL, 'a' },
		{ 0 },
	};
	struct devices every = { 0 };
	bool all = false;
	int option, code = EXIT_OK;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "a", options, NULL)) != -1) {
		if (option != 'a')
			return cmd_usage("unknown option %s", argv[optind - 1]);
		all = true;
	}
	if (all)
		code = list_all(&every, bound);
	if (!code)
		code = targets_parse(targets, argc - optind, argv + optind, all,
				     &every);
	if (!code && all && !targets->count) {
		say_error(bound ? "no GPU is bound to " DRIVER_NAME :
			  "no AMD Instinct GPU that instinct-vfio knows on this host");
		code = EXIT_ERROR;
	}
	devices_free(&every);
	return code;
}

/**
 * cmd_bind() - instinctctl bind
 * @argc: words, with the command
 * @argv: they
 *
 * Return: exit code.
 */
int cmd_bind(int argc, char *argv[])
{
	struct targets targets = { 0 };
	int code, one;
	struct nl *nl;
	size_t i;

	code = parse(&targets, argc, argv, false);
	/* All are checked before the first is touched. */
	for (i = 0; i < targets.count; i++) {
		one = check_device(targets.bdf[i]);
		code = code ? code : one;
	}
	if (code)
		goto out;
	nl = module_open(true, &code);
	if (!nl)
		goto out;
	nl_close(nl);
	code = EXIT_OK;
	for (i = 0; i < targets.count; i++) {
		one = bind_one(targets.bdf[i]);
		code = code ? code : one;
	}
out:
	targets_free(&targets);
	return code;
}

/**
 * cmd_unbind() - instinctctl unbind
 * @argc: words, with the command
 * @argv: they
 *
 * Return: exit code.
 */
int cmd_unbind(int argc, char *argv[])
{
	struct targets targets = { 0 };
	int code, one;
	size_t i;

	code = parse(&targets, argc, argv, true);
	for (i = 0; !code && i < targets.count; i++)
		if (!sysfs_exists(targets.bdf[i], "")) {
			say_error("%s: no such PCI device", targets.bdf[i]);
			code = EXIT_ERROR;
		}
	if (code)
		goto out;
	for (i = 0; i < targets.count; i++) {
		one = unbind_one(targets.bdf[i]);
		code = code ? code : one;
	}
out:
	targets_free(&targets);
	return code;
}
