// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host_link.h"
#include "say.h"
#include "sysfs_folder.h"

/* sysfs has them with a unit, "32.0 GT/s PCIe", or says "Unknown". */
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

static void read_link(struct host_link *link, int folder)
{
	link->max_speed = read_speed(folder, "max_link_speed");
	/* What has no link has none of the four. */
	if (!link->max_speed)
		return;
	link->max_width = read_width(folder, "max_link_width");
	link->speed = read_speed(folder, "current_link_speed");
	link->width = read_width(folder, "current_link_width");
}

/**
 * host_links_read() - links of functions whose config space does not tell of them
 * @host: host; its links are complete then
 *
 * sysfs tells anybody, and takes longer.
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
		read_link(&function->link, folder);
		close(folder);
	}
}

static unsigned int lesser(unsigned int a, unsigned int b)
{
	return a && (!b || a < b) ? a : b;
}

/**
 * host_link_best() - what the link above a function could be
 * @host: host
 * @below: function at its lower end
 *
 * Return: max_speed and max_width: the most that both ends can do; speed and width: as it
 * is. All are 0 where there is no link.
 */
struct host_link host_link_best(const struct host *host, int below)
{
	int above = host->node[below].parent;
	struct host_link best = host->function[below].link;

	/* Between the ports of a switch there is none. */
	if (host->node[below].kind == INSTINCT_NODE_DOWNSTREAM ||
	    host->node[below].kind == INSTINCT_NODE_ROOT_PORT)
		return (struct host_link) { 0 };
	if (above != INSTINCT_NODE_NONE) {
		best.max_speed = lesser(best.max_speed, host->function[above].link.max_speed);
		best.max_width = lesser(best.max_width, host->function[above].link.max_width);
	}
	return best;
}

/**
 * host_link_is_degraded() - is the link above a function slower or narrower than both its
 *	ends can do?
 * @host: host
 * @below: function at its lower end
 *
 * Return: true if so; a link of which little is known is not.
 */
bool host_link_is_degraded(const struct host *host, int below)
{
	struct host_link link = host_link_best(host, below);

	return (link.speed && link.speed < link.max_speed) ||
	       (link.width && link.width < link.max_width);
}

/**
 * host_link_speed_text() - a speed as sysfs has it
 * @speed: MT/s
 * @text: set to "32.0 GT/s PCIe", say
 * @size: of @text in bytes
 */
void host_link_speed_text(unsigned int speed, char *text, size_t size)
{
	snprintf(text, size, "%u.%u GT/s PCIe", speed / 1000, speed % 1000 / 100);
}
