// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "bdf.h"
#include "guest_map.h"

static void add(struct guest_map *map, const char *file, int line, unsigned int index,
		const char *host)
{
	struct guest_device *dev;
	char whole[BDF_BYTES], bdf[BDF_BYTES];

	/* Without a function all functions go to the guest; the first one is that of the device. */
	snprintf(whole, sizeof(whole), "%.*s%s", (int)sizeof(whole) - 3, host,
		 strchr(host, '.') ? "" : ".0");
	if (!bdf_parse(whole, bdf)) {
		guest_map_wrong(map, file, line, "hostpci%u: \"%s\" is no PCI address", index, host);
		return;
	}
	dev = guest_map_add(map, file, line);
	memcpy(dev->host, bdf, sizeof(dev->host));
	snprintf(dev->id, sizeof(dev->id), "hostpci%u", index);
}

/**
 * guest_map_proxmox() - read Proxmox's configuration of a VM, as qm config prints it
 * @map: the devices are added
 * @file: name of the file, for messages
 * @text: contents of the file; modified
 *
 * The configuration has no addresses of the guest, so another map has to give them.
 */
void guest_map_proxmox(struct guest_map *map, const char *file, char *text)
{
	char *line, *rest = text, *words, *word, *more;
	unsigned int index;
	int number = 0, length;

	while ((line = strsep(&rest, "\n"))) {
		number++;
		length = 0;
		/* "[name]" begins the configuration of a snapshot. */
		if (*line == '[')
			return;
		if (sscanf(line, " hostpci%3u: %n", &index, &length) != 1 || !length)
			continue;
		words = line + length;
		words[strcspn(words, ", \t\r")] = '\0';
		if (!strncmp(words, "mapping=", 8)) {
			guest_map_wrong(map, file, number,
					"hostpci%u is a resource mapping: give lines \"HOST hostpci%u\", with the address that pvesh get /cluster/mapping/pci shows",
					index, index);
			continue;
		}
		if (!strncmp(words, "host=", 5))
			words += 5;
		for (word = strtok_r(words, ";", &more); word; word = strtok_r(NULL, ";", &more))
			add(map, file, number, index, word);
	}
}
