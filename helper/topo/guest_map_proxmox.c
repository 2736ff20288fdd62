// SPDX-License-Identifier: GPL-2.0-or-later
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bdf.h"
#include "guest_map.h"
#include "say.h"
#include "sysfs.h"
#include "text_kind.h"

/* Takes "0000:18:00.1", or "0000:18:00" for all functions of the device. */
static void add(struct guest_map *map, const char *file, int line, const char *id, const char *host)
{
	struct guest_device *dev;
	char word[BDF_BYTES], bdf[BDF_BYTES];
	bool whole = !strchr(host, '.');

	snprintf(word, sizeof(word), "%.*s%s", (int)sizeof(word) - 3, host, whole ? ".0" : "");
	if (!bdf_parse(word, bdf)) {
		guest_map_wrong(map, file, line, "%s: \"%s\" is no PCI address", id, host);
		return;
	}
	dev = guest_map_add(map, file, line);
	memcpy(dev->host, bdf, sizeof(dev->host));
	snprintf(dev->id, sizeof(dev->id), "%s", id);
	dev->whole = whole;
}

static void add_list(struct guest_map *map, const char *file, int line, const char *id, char *list)
{
	char *word, *more;

	for (word = strtok_r(list, "; ", &more); word; word = strtok_r(NULL, "; ", &more))
		add(map, file, line, id, word);
}

/* Parses "0000:18:00.0;0000:18:00.1,pcie=1", "pcie=1,host=18:00" and "mapping=gpu0,pcie=1". */
static void take_hostpci(struct guest_map *map, const char *file, int line, const char *id, char *value)
{
	char *word, *more;

	value[strcspn(value, "\r\"|")] = '\0';
	for (word = strtok_r(value, ",", &more); word; word = strtok_r(NULL, ",", &more)) {
		word += strspn(word, " \t");
		if (!strncmp(word, "mapping=", 8)) {
			struct guest_device *dev = guest_map_add(map, file, line);

			snprintf(dev->id, sizeof(dev->id), "%s", id);
			snprintf(dev->mapping, sizeof(dev->mapping), "%.*s", (int)strcspn(word + 8, " \t"),
				 word + 8);
		} else if (!strncmp(word, "host=", 5) || !strchr(word, '=')) {
			add_list(map, file, line, id, strncmp(word, "host=", 5) ? word : word + 5);
		}
	}
}

/* A mapping has devices of each node of a cluster; true if the host does not tell its name. */
static bool is_this_node(const char *node)
{
	char path[PATH_MAX], name[128];

	snprintf(path, sizeof(path), "%s/proc/sys/kernel/hostname", opt_sysroot);
	return !*node || !sysfs_line(path, name, sizeof(name)) || !*name ||
	       (!strncmp(name, node, strlen(node)) && (!name[strlen(node)] || name[strlen(node)] == '.'));
}

/* "map id=10de:2335,node=pve1,path=0000:18:00.0;0000:18:00.1" in /etc/pve/mapping/pci.cfg */
static void take_mapping(struct guest_map *map, const char *name, char *line)
{
	const char *path = "", *node = "";
	struct guest_mapping *mapping;
	char *word, *more;
	size_t i;

	for (word = strtok_r(line, ", \t\r", &more); word; word = strtok_r(NULL, ", \t\r", &more)) {
		if (!strncmp(word, "path=", 5))
			path = word + 5;
		else if (!strncmp(word, "node=", 5))
			node = word + 5;
	}
	if (!*path || !is_this_node(node))
		return;
	for (i = 0; i < map->mappings; i++)
		if (!strcmp(map->mapping[i].name, name)) {
			map->mapping[i].more |= strcmp(map->mapping[i].path, path);
			return;
		}
	mapping = list_add((void **)&map->mapping, &map->mappings, sizeof(*mapping));
	snprintf(mapping->name, sizeof(mapping->name), "%s", name);
	snprintf(mapping->path, sizeof(mapping->path), "%s", path);
}

/* Checks for "[name]", which begins the configuration of a snapshot. A prompt has more. */
static bool is_section(const char *line)
{
	size_t length = strcspn(line, " \t\r]");

	if (*line != '[' || length < 2 || line[length] != ']')
		return false;
	line += length + 1;
	return !line[strspn(line, " \t\r")];
}

/**
 * guest_map_proxmox() - read Proxmox's configuration of a VM, as qm config prints it, or pci.cfg
 * @map: the devices, and resource mappings, are added
 * @file: name of the file, for messages
 * @text: contents of the file; modified
 *
 * The configuration has no addresses of the guest, so another map has to give them.
 */
void guest_map_proxmox(struct guest_map *map, const char *file, char *text)
{
	char *line, *rest = text, id[32], mapping[GUEST_ID_BYTES] = "";
	const char *value;
	unsigned int index;
	int number = 0;

	while ((line = strsep(&rest, "\n"))) {
		number++;
		line += strspn(line, " \t");
		value = text_hostpci(line, &index);
		if (is_section(line))
			return;
		if (value) {
			snprintf(id, sizeof(id), "hostpci%u", index);
			take_hostpci(map, file, number, id, line + (value - line));
		} else if (!strncmp(line, "map ", 4)) {
			take_mapping(map, mapping, line + 4);
		} else if (*line && *line != '#' && !strpbrk(line, " \t:")) {
			snprintf(mapping, sizeof(mapping), "%.*s", (int)strcspn(line, "\r"), line);
		}
	}
}

/**
 * guest_map_proxmox_json() - read the configuration of a VM as Proxmox's API answers it
 * @map: the devices are added
 * @file: name of the file, for messages
 * @json: the answer, or its member "data"
 *
 * Return: false if it is no such configuration.
 */
bool guest_map_proxmox_json(struct guest_map *map, const char *file, const json_t *json)
{
	const json_t *data = json_object_get(json, "data") ?: json, *value;
	bool found = false;
	const char *key;
	char text[512];

	json_object_foreach((json_t *)data, key, value) {
		if (strncmp(key, "hostpci", 7) || !json_is_string(value))
			continue;
		found = true;
		snprintf(text, sizeof(text), "%s", json_string_value(value));
		take_hostpci(map, file, 0, key, text);
	}
	return found;
}

/* Puts the devices of a mapping in the place of an entry that names it; false if nothing tells them. */
static bool resolve(struct guest_map *map, size_t index)
{
	const struct guest_device dev = map->list[index];
	char list[sizeof(map->mapping->path)];
	size_t i;

	for (i = 0; i < map->mappings && *dev.mapping; i++) {
		if (strcmp(map->mapping[i].name, dev.mapping) || map->mapping[i].more)
			continue;
		memmove(&map->list[index], &map->list[index + 1], (--map->count - index) * sizeof(dev));
		snprintf(list, sizeof(list), "%s", map->mapping[i].path);
		add_list(map, dev.file, dev.line, dev.id, list);
		return true;
	}
	return false;
}

/* Counts the functions that an entry stands for, and returns the address of one of them. */
static int functions_of(const struct topo *topo, const struct guest_device *dev, int which, char *bdf)
{
	size_t slot = strlen(dev->host) - 1;
	int count = 0, i;

	for (i = 0; dev->whole && i < topo->host.count; i++)
		if (!strncmp(topo->host.function[i].bdf, dev->host, slot)) {
			if (count == which)
				snprintf(bdf, BDF_BYTES, "%s", topo->host.function[i].bdf);
			count++;
		}
	if (!count)
		snprintf(bdf, BDF_BYTES, "%s", dev->host);
	return count ? count : 1;
}

/**
 * guest_map_proxmox_expand() - name the functions of devices as Proxmox does
 * @map: the devices of all files
 * @topo: host
 *
 * A hostpci with several functions becomes one device of several functions in the guest, which
 * Proxmox names hostpci0.0, hostpci0.1 and so on, in the order of its list (qemu-server,
 * PVE/QemuServer/PCI.pm).
 */
void guest_map_proxmox_expand(struct guest_map *map, const struct topo *topo)
{
	size_t i, k, left = map->count, last;
	int total, which, number;
	char bdf[BDF_BYTES];

	for (i = 0; left--;)
		i += !resolve(map, i);
	for (i = 0; i < map->count; i = last) {
		const struct guest_device first = map->list[i];

		total = 0;
		for (last = i; last < map->count && map->list[last].line == first.line &&
			       map->list[last].file == first.file && !strcmp(map->list[last].id, first.id) &&
			       *map->list[last].host && !*map->list[last].guest; last++)
			total += functions_of(topo, &map->list[last], -1, bdf);
		last = last > i ? last : i + 1;
		if (total < 2 || strncmp(first.id, "hostpci", 7) || strchr(first.id, '.'))
			continue;
		for (k = i, number = 0; k < last; k++) {
			struct guest_device dev = map->list[k];
			int count = functions_of(topo, &dev, -1, bdf);

			for (which = 0; which < count; which++, number++) {
				struct guest_device *one = which ? guest_map_add(map, dev.file, dev.line) :
								   &map->list[k];

				functions_of(topo, &dev, which, one->host);
				snprintf(one->id, sizeof(one->id), "%.100s.%d", first.id, number);
				one->whole = false;
			}
		}
	}
}
