// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "bdf.h"
#include "guest_map.h"
#include "kind.h"

/* Copies the text between the first two quotes of a line. */
static void copy_quoted(const char *line, char *into, size_t size)
{
	const char *from = strchr(line, '"'), *to = from ? strchr(from + 1, '"') : NULL;

	snprintf(into, size, "%.*s", to ? (int)(to - from - 1) : 0, to ? from + 1 : "");
}

/**
 * guest_map_info_pci() - read the answer of QEMU's monitor to info pci
 * @map: the devices are added
 * @file: name of the file, for messages
 * @text: contents of the file; modified
 *
 * The answer has the addresses that the guest's firmware assigned, and the VMM's names.
 */
void guest_map_info_pci(struct guest_map *map, const char *file, char *text)
{
	unsigned int bus, slot, function, vendor, device;
	struct guest_device *dev = NULL;
	char *line, *rest, *at;
	char guest[BDF_BYTES] = "";
	int number = 0;

	for (rest = text; (line = strsep(&rest, "\n"));) {
		number++;
		if (sscanf(line, " Bus %u, device %u, function %u:", &bus, &slot, &function) == 3) {
			dev = NULL;
			guest_bdf(guest, 0, bus, slot, function);
			continue;
		}
		at = strstr(line, ": PCI device ");
		if (at && *guest && sscanf(at, ": PCI device %4x:%4x", &vendor, &device) == 2 &&
		    !kind_is_emulated(vendor) && !strstr(line, "bridge:")) {
			dev = guest_map_add(map, file, number);
			memcpy(dev->guest, guest, sizeof(dev->guest));
			dev->vendor = vendor;
			dev->device = device;
		}
		if (dev && strstr(line, "id \""))
			copy_quoted(line, dev->id, sizeof(dev->id));
	}
}

/* Takes the host's address from 'host = "0000:18:00.0"' or 'sysfsdev = "/sys/.../0000:18:00.0"'. */
static void take_host(struct guest_device *dev, const char *line)
{
	char value[256], *part;

	copy_quoted(line, value, sizeof(value));
	part = strrchr(value, '/');
	bdf_parse(part ? part + 1 : value, dev->host);
}

/**
 * guest_map_info_qtree() - read the answer of QEMU's monitor to info qtree
 * @map: the devices are added
 * @file: name of the file, for messages
 * @text: contents of the file; modified
 *
 * The answer has both addresses of a vfio-pci device.
 */
void guest_map_info_qtree(struct guest_map *map, const char *file, char *text)
{
	struct guest_device *dev = NULL;
	char *line, *rest, *at;
	int number = 0;

	for (rest = text; (line = strsep(&rest, "\n"));) {
		unsigned int bus, slot, function;

		number++;
		line += strspn(line, " \t");
		if (!strncmp(line, "dev: ", 5)) {
			dev = NULL;
			if (strncmp(line + 5, "vfio-pci", 8))
				continue;
			dev = guest_map_add(map, file, number);
			copy_quoted(line, dev->id, sizeof(dev->id));
		} else if (dev && (!strncmp(line, "host = ", 7) || !strncmp(line, "sysfsdev = ", 11))) {
			take_host(dev, line);
		} else if (dev && !strncmp(line, "class ", 6)) {
			at = strstr(line, ", addr ");
			if (at && sscanf(at, ", addr %x:%x.%x", &bus, &slot, &function) == 3)
				guest_bdf(dev->guest, 0, bus, slot, function);
			dev = NULL;
		}
	}
}
