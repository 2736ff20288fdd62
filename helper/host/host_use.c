// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host_use.h"
#include "say.h"
#include "sysfs.h"
#include "sysroot.h"

#define LIST_BYTES	(1u << 20)	/* enough for the thousands of mounts of a container host */
#define NAME_BYTES	64
#define ADDRESS6_DIGITS	32

static int is_name(const struct dirent *entry)
{
	return *entry->d_name != '.' && strlen(entry->d_name) < NAME_BYTES;
}

/* Call @visit for the entries of a folder until it returns true. */
static bool any_entry(const char *path, bool (*visit)(const char *name, char *why, size_t size),
		      char *why, size_t size)
{
	struct dirent **entries;
	bool found = false;
	int count, i;

	count = sysroot_scandir(path, &entries, is_name, alphasort);
	for (i = 0; i < count; i++) {
		found = found || visit(entries[i]->d_name, why, size);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	return found;
}

/* Match a name, or the name of a partition of a disk, such as "nvme0n1p2" of "nvme0n1". */
static bool is_of(const char *found, const char *name)
{
	size_t length = strlen(name);

	return !strncmp(found, name, length) &&
	       (strchr(" \t", found[length]) ||
		(found[length] == 'p' && isdigit((unsigned char)found[length + 1])));
}

/**
 * host_use_list() - read a whole list of the kernel's, such as /proc/mounts
 * @path: path of the list on the host, without a slash at its beginning
 * @text: buffer that the list is appended to; nothing is appended if it cannot be read
 */
void host_use_list(const char *path, struct bytes *text)
{
	char whole[PATH_MAX];
	int fd;

	bytes_add(text, "", 0);
	snprintf(whole, sizeof(whole), "%s/%s", opt_sysroot, path);
	fd = sysroot_open_file(whole);
	if (fd < 0)
		return;
	bytes_read(text, fd, LIST_BYTES);
	close(fd);
}

/**
 * host_use_route6() - get the network interface of an IPv6 route
 * @line: line of /proc/net/ipv6_route, or the name of an interface alone
 *
 * Return: the name of the interface; NULL for the routes that every active interface has: for
 * link-local addresses (fe80::/10) and multicast groups (ff00::/8).
 */
const char *host_use_route6(const char *line)
{
	bool whole = strspn(line, "0123456789abcdef") == ADDRESS6_DIGITS;
	const char *name = strrchr(line, ' ');

	if (whole && (!strncmp(line, "ff", 2) ||
		      (!strncmp(line, "fe", 2) && strchr("89ab", line[2]))))
		return NULL;
	return name ? name + 1 : line;
}

/* Find the first line of a list that is about a name. */
static bool has_line(const char *path, bool (*is_about)(const char *line, const char *name),
		     const char *name, char *line, size_t size)
{
	struct bytes text = { 0 };
	bool found = false;
	char *rest, *at;

	host_use_list(path, &text);
	for (at = strtok_r(text.data, "\n", &rest); at && !found;
	     at = strtok_r(NULL, "\n", &rest)) {
		found = is_about(at, name);
		snprintf(line, size, "%s", at);
	}
	bytes_free(&text);
	return found;
}

static bool is_route6(const char *line, const char *name)
{
	const char *interface = host_use_route6(line);

	return interface && !strcmp(interface, name);
}

/* An entry such as "upper_bond0" is a bond, bridge, VLAN or macvlan that uses the interface. */
static bool tell_upper(const char *name, char *why, size_t size)
{
	static const char upper[] = "upper_";

	if (strncmp(name, upper, strlen(upper)))
		return false;
	snprintf(why, size, "%s is on it", name + strlen(upper));
	return true;
}

static bool net_is_used(const char *name, char *why, size_t size)
{
	char path[PATH_MAX], line[512];

	snprintf(path, sizeof(path), "%s/sys/class/net/%s", opt_sysroot, name);
	if (any_entry(path, tell_upper, why, size))
		return true;
	if (!has_line("proc/net/route", is_of, name, line, sizeof(line)) &&
	    !has_line("proc/net/ipv6_route", is_route6, name, line, sizeof(line)))
		return false;
	snprintf(why, size, "the host routes through %s", name);
	return true;
}

/**
 * host_use_network() - tell whether the host itself uses a NIC
 * @bdf: address of the NIC
 * @why: receives the use, such as a route; "" if there is none
 * @size: size of @why in bytes
 *
 * Return: true if the host uses the NIC.
 */
bool host_use_network(const char *bdf, char *why, size_t size)
{
	char path[PATH_MAX];

	*why = '\0';
	sysfs_device_path(bdf, "net", path, sizeof(path));
	return any_entry(path, net_is_used, why, size);
}

static bool tell_holder(const char *name, char *why, size_t size)
{
	snprintf(why, size, "%s is on it", name);
	return true;
}

/* @name is a disk or a partition. */
static bool block_is_used(const char *name, char *why, size_t size)
{
	char path[PATH_MAX], device[NAME_BYTES + 8], line[512], *place;

	snprintf(device, sizeof(device), "/dev/%s", name);
	if (has_line("proc/mounts", is_of, device, line, sizeof(line))) {
		place = strchr(line, ' ');
		snprintf(why, size, "%s is mounted at %.*s", name,
			 place ? (int)strcspn(place + 1, " ") : 1, place ? place + 1 : "?");
		return true;
	}
	if (has_line("proc/swaps", is_of, device, line, sizeof(line))) {
		snprintf(why, size, "%s is swap", name);
		return true;
	}
	snprintf(path, sizeof(path), "%s/sys/class/block/%s/holders", opt_sysroot, name);
	return any_entry(path, tell_holder, why, size);
}

static bool disk_is_used(const char *name, char *why, size_t size)
{
	char path[PATH_MAX], disk[NAME_BYTES];
	unsigned int controller, of, namespace;

	/* With NVMe multipath the controller has paths, such as nvme0c1n1, to the disk nvme0n1. */
	if (sscanf(name, "nvme%uc%un%u", &controller, &of, &namespace) == 3)
		snprintf(disk, sizeof(disk), "nvme%un%u", controller, namespace);
	else if (sscanf(name, "nvme%un%u", &controller, &namespace) == 2)
		snprintf(disk, sizeof(disk), "nvme%un%u", controller, namespace);
	else
		return false;
	if (block_is_used(disk, why, size))
		return true;
	snprintf(path, sizeof(path), "%s/sys/class/block/%s", opt_sysroot, disk);
	return any_entry(path, block_is_used, why, size);
}

static bool controller_is_used(const char *name, char *why, size_t size)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/sys/class/nvme/%s", opt_sysroot, name);
	return any_entry(path, disk_is_used, why, size);
}

/**
 * host_use_drive() - tell whether the host itself uses an NVMe drive
 * @bdf: address of the drive
 * @why: receives the use, such as a mount; "" if there is none
 * @size: size of @why in bytes
 *
 * Return: true if the host uses the drive.
 */
bool host_use_drive(const char *bdf, char *why, size_t size)
{
	char path[PATH_MAX];

	*why = '\0';
	sysfs_device_path(bdf, "nvme", path, sizeof(path));
	return any_entry(path, controller_is_used, why, size);
}
