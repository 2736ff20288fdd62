// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host_link.h"
#include "say.h"
#include "sysfs_folder.h"

/* The file holds a speed with its unit, such as "32.0 GT/s PCIe", or "Unknown". */
static unsigned int read_speed(int folder, const char *file)
{
	unsigned int whole, tenths;
	char text[32];
	ssize_t n;

	n = sysfs_folder_read(folder, file, text, sizeof(text) - 1);
	text[n < 0 ? 0 : n] = '\0';
	if (sscanf(text, "%u.%u GT/s", &whole, &tenths) != 2 || whole > 1000 || tenths > 9)
		return 0;
	return whole * 1000 + tenths * 100;
}

static unsigned int read_width(int folder, const char *file)
{
	long long width;

	return sysfs_folder_number(folder, file, &width) && width > 0 && width <= 32 ? width : 0;
}

/**
 * host_link_read() - read the link of a function from sysfs' files of links
 * @link: receives the link; zeroed if the function has none
 * @folder: folder from sysfs_folder_open()
 *
 * The kernel reads registers of the function for these files, and does not wait for the end of a
 * reset: the caller asks first whether the function answers. Any user may read the files.
 */
void host_link_read(struct host_link *link, int folder)
{
	*link = (struct host_link) { 0 };
	link->max_speed = read_speed(folder, "max_link_speed");
	/* A function without a link has none of the four files. */
	if (!link->max_speed)
		return;
	link->max_width = read_width(folder, "max_link_width");
	link->speed = read_speed(folder, "current_link_speed");
	link->width = read_width(folder, "current_link_width");
}

/**
 * host_links_read() - read the links of functions whose config space cannot be read
 * @host: host, whose links are complete afterwards
 *
 * Any user may read the link files of sysfs, but reading them takes longer.
 */
void host_links_read(struct host *host)
{
	int i;

	for (i = 0; i < host->count; i++) {
		struct host_function *function = &host->function[i];
		int folder;

		if (function->readable || function->link.max_speed)
			continue;
		folder = sysfs_folder_open(function->bdf);
		if (folder < 0)
			continue;
		host_link_read(&function->link, folder);
		close(folder);
	}
}

static unsigned int lesser(unsigned int a, unsigned int b)
{
	return a && (!b || a < b) ? a : b;
}

/**
 * host_link_limit() - lower the maximum of a link to that of its other end
 * @link: link as its one end reports it
 * @other: the link as its other end reports it; an unknown maximum limits nothing
 */
void host_link_limit(struct host_link *link, const struct host_link *other)
{
	link->max_speed = lesser(link->max_speed, other->max_speed);
	link->max_width = lesser(link->max_width, other->max_width);
}

/**
 * host_link_best() - get the best speed and width of the link above a function
 * @host: host
 * @below: index of the function at the lower end of the link
 *
 * Return: the current speed and width, and the maximum that both ends support; all are 0
 * without a link.
 */
struct host_link host_link_best(const struct host *host, int below)
{
	int above = host->node[below].parent;
	struct host_link best = host->function[below].link;

	/* There is no PCIe link between the ports of a switch, or above a root port. */
	if (host->node[below].kind == INSTINCT_NODE_DOWNSTREAM ||
	    host->node[below].kind == INSTINCT_NODE_ROOT_PORT)
		return (struct host_link) { 0 };
	if (above != INSTINCT_NODE_NONE)
		host_link_limit(&best, &host->function[above].link);
	return best;
}

/**
 * host_link_is_degraded() - tell whether the link above a function is degraded
 * @host: host
 * @below: index of the function at the lower end of the link
 *
 * Return: true if the link is slower or narrower than both ends support; false if unknown.
 */
bool host_link_is_degraded(const struct host *host, int below)
{
	struct host_link link = host_link_best(host, below);

	return (link.speed && link.speed < link.max_speed) ||
	       (link.width && link.width < link.max_width);
}

/**
 * host_link_speed_text() - format a speed as sysfs does
 * @speed: speed, MT/s
 * @text: receives the text, such as "32.0 GT/s PCIe"
 * @size: size of @text in bytes
 */
void host_link_speed_text(unsigned int speed, char *text, size_t size)
{
	snprintf(text, size, "%u.%u GT/s PCIe", speed / 1000, speed % 1000 / 100);
}
