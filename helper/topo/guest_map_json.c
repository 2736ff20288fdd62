// SPDX-License-Identifier: GPL-2.0-or-later
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "bdf.h"
#include "guest_map.h"
#include "kind.h"

#define DEPTH_MAX	16

static int number(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);
	json_int_t found = json_is_integer(value) ? json_integer_value(value) : -1;

	return found >= 0 && found <= INT_MAX ? (int)found : -1;
}

static const char *string(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

static void take_pci_device(struct guest_map *map, const char *file, const json_t *json)
{
	int bus = number(json, "bus"), slot = number(json, "slot");
	int function = number(json, "function");
	const json_t *id = json_object_get(json, "id");
	int vendor = number(id, "vendor"), device = number(id, "device");
	struct guest_device *dev;

	if (bus < 0 || bus > 255 || slot < 0 || slot > 31 || function < 0 || function > 7) {
		guest_map_wrong(map, file, 0, "query-pci: a device without a bus, slot and function");
		return;
	}
	if (kind_is_emulated(vendor) || vendor < 0 || device < 0)
		return;
	dev = guest_map_add(map, file, 0);
	guest_bdf(dev->guest, 0, bus, slot, function);
	snprintf(dev->id, sizeof(dev->id), "%s", string(json, "qdev_id"));
	dev->vendor = vendor;
	dev->device = device;
}

static void take_pci_devices(struct guest_map *map, const char *file, const json_t *list,
			     int depth)
{
	const json_t *device, *bridge;
	size_t i;

	json_array_foreach(list, i, device) {
		bridge = json_object_get(device, "pci_bridge");
		if (!bridge)
			take_pci_device(map, file, device);
		else if (depth < DEPTH_MAX)
			take_pci_devices(map, file, json_object_get(bridge, "devices"),
					 depth + 1);
	}
}

/* Reads an answer of query-pci, which has {"bus": 0, "devices": [...]} for each PCI bus. */
static bool take_query_pci(struct guest_map *map, const char *file, const json_t *list)
{
	const json_t *bus;
	bool found = false;
	size_t i;

	json_array_foreach(list, i, bus) {
		const json_t *devices = json_object_get(bus, "devices");

		if (!json_is_array(devices) || !json_object_get(bus, "bus"))
			continue;
		found = true;
		take_pci_devices(map, file, devices, 0);
	}
	return found;
}

/* Returns the guest's NUMA node that a PCI segment belongs to. */
static int node_of_segment(const json_t *numa, int segment)
{
	const json_t *node, *item;
	size_t i, k;

	json_array_foreach(numa, i, node)
		json_array_foreach(json_object_get(node, "pci_segments"), k, item)
			if (json_integer_value(item) == segment)
				return number(node, "guest_numa_id");
	return NUMA_NONE;
}

static void take_vfio_device(struct guest_map *map, const char *file, const json_t *info,
			     const json_t *json)
{
	const json_t *numa = json_object_get(json_object_get(info, "config"), "numa");
	const char *path = string(json, "path"), *id = string(json, "id"), *guest;
	struct guest_device *dev;
	char host[BDF_BYTES], name[BDF_BYTES];
	size_t end = strlen(path), at;
	int segment = number(json, "pci_segment");

	while (end && path[end - 1] == '/')
		end--;
	for (at = end; at && path[at - 1] != '/';)
		at--;
	snprintf(name, sizeof(name), "%.*s", (int)(end - at), path + at);
	/* A device passed as an open file has no path, so another map has to give its address. */
	*host = '\0';
	if (end && !bdf_parse(name, host)) {
		guest_map_wrong(map, file, 0, "vm.info: path \"%s\" is none of a PCI device", path);
		return;
	}
	dev = guest_map_add(map, file, 0);
	snprintf(dev->host, sizeof(dev->host), "%s", host);
	snprintf(dev->id, sizeof(dev->id), "%s", id);
	dev->node = node_of_segment(numa, segment < 0 ? 0 : segment);
	guest = string(json_object_get(json_object_get(info, "device_tree"), id), "pci_bdf");
	if (*guest && !bdf_parse(guest, dev->guest))
		guest_map_wrong(map, file, 0, "vm.info: pci_bdf \"%s\" of %s is no PCI address", guest,
				id);
}

static bool take_vm_info(struct guest_map *map, const char *file, const json_t *info)
{
	const json_t *config = json_object_get(info, "config"), *json;
	const json_t *numa = json_object_get(config, "numa");
	size_t i;

	if (!json_is_object(config))
		return false;
	json_array_foreach(json_object_get(config, "devices"), i, json)
		take_vfio_device(map, file, info, json);
	map->nodes = json_array_size(numa) ? (int)json_array_size(numa) : 1;
	return true;
}

static bool take_document(struct guest_map *map, const char *file, const json_t *json)
{
	if (json_is_array(json))
		return take_query_pci(map, file, json);
	if (json_is_array(json_object_get(json, "return")))
		return take_query_pci(map, file, json_object_get(json, "return"));
	return guest_map_proxmox_json(map, file, json) || guest_map_cloud_json(map, file, json) ||
	       take_vm_info(map, file, json);
}

/**
 * guest_map_json() - read JSON of a VMM: Cloud Hypervisor's vm.info or vm.create, or QMP's query-pci
 * @map: the devices are added
 * @file: name of the file, for messages
 * @text: one or several JSON documents, such as the output of a QMP session
 * @size: of @text in bytes
 */
void guest_map_json(struct guest_map *map, const char *file, const char *text, size_t size)
{
	bool found = false;
	json_error_t error;
	json_t *json;
	size_t at = 0;

	while (at + strspn(text + at, " \t\r\n") < size) {
		json = json_loadb(text + at, size - at, JSON_DISABLE_EOF_CHECK, &error);
		if (!json) {
			guest_map_wrong(map, file, 0, "no JSON: %s", error.text);
			return;
		}
		at += error.position;
		found |= take_document(map, file, json);
		json_decref(json);
	}
	if (!found)
		guest_map_wrong(map, file, 0,
				"JSON, but neither an answer of QMP's query-pci nor Cloud Hypervisor's vm.info or vm.create");
}
