// SPDX-License-Identifier: GPL-2.0-or-later
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bdf.h"
#include "guest_map.h"
#include "say.h"

#define SEGMENTS_MAX	96	/* of Cloud Hypervisor */
#define SLOTS		32
#define HOST_PATH	"/sys/"

/*
 * Cloud Hypervisor up to 53.0 has a host bridge in each segment, at device 0; since "pci, vmm: Create a
 * host bridge only on PCI segment 0" (August 2026) devices of other segments begin at 0.
 */
#define BRIDGES_MAJOR	53

/**
 * struct cloud_device - a device of the host that the VM gets
 * @index: index in the map
 * @segment: its PCI segment
 * @slot: device number that the options give, -1 without one
 */
struct cloud_device {
	size_t index;
	long segment;
	int slot;
};

/**
 * struct cloud - a VM of Cloud Hypervisor that is not running yet
 * @map: the devices are added
 * @file: name of the file
 * @device: devices of the host, in order
 * @devices: number of entries in @device
 * @fixed: device numbers of each segment that options give, one bit each
 * @emulated: number of other devices in each segment that the VMM creates before those of the host
 * @odd: the segment has a device whose turn is unknown
 * @node: NUMA node of each segment, NUMA_NONE if unknown
 * @nodes: number of NUMA nodes
 */
struct cloud {
	struct guest_map *map;
	const char *file;
	struct cloud_device *device;
	size_t devices;
	uint32_t fixed[SEGMENTS_MAX];
	int emulated[SEGMENTS_MAX];
	bool odd[SEGMENTS_MAX];
	int node[SEGMENTS_MAX];
	int nodes;
};

/* Notes an emulated device; those of other processes (vfio-user) come after the host's. */
static void note(struct cloud *cloud, const char *option, long segment, int slot)
{
	if (segment < 0 || segment >= SEGMENTS_MAX)
		return;
	if (slot >= 0)
		cloud->fixed[segment] |= 1u << slot;
	else if (strstr(option, "ivshmem"))
		cloud->odd[segment] = true;
	else if (!strstr(option, "user-device") && !strstr(option, "user_devices"))
		cloud->emulated[segment]++;
}

static void add(struct cloud *cloud, const char *path, const char *id, long segment, int slot)
{
	struct cloud_device *device;
	struct guest_device *dev;
	char host[BDF_BYTES], name[BDF_BYTES];
	size_t end = strlen(path), at;

	while (end && path[end - 1] == '/')
		end--;
	for (at = end; at && path[at - 1] != '/';)
		at--;
	snprintf(name, sizeof(name), "%.*s", (int)(end - at), path + at);
	if (!bdf_parse(name, host)) {
		guest_map_wrong(cloud->map, cloud->file, 0, "path \"%s\" is none of a PCI device", path);
		return;
	}
	dev = guest_map_add(cloud->map, cloud->file, 0);
	snprintf(dev->host, sizeof(dev->host), "%s", host);
	snprintf(dev->id, sizeof(dev->id), "%s", id);
	if (segment < 0 || segment >= SEGMENTS_MAX)
		return;
	device = list_add((void **)&cloud->device, &cloud->devices, sizeof(*device));
	*device = (struct cloud_device) { cloud->map->count - 1, segment, slot };
	if (slot >= 0)
		cloud->fixed[segment] |= 1u << slot;
}

/* Tells whether a version, such as "v53.0", has a host bridge in each segment. */
static bool has_bridges(const char *version)
{
	int major, minor;

	if (sscanf(version + (*version == 'v'), "%d.%d", &major, &minor) != 2)
		return true;
	/* A build between two releases, as git describes it: "v53.0-120-gfd86afefe". */
	return major < BRIDGES_MAJOR || (major == BRIDGES_MAJOR && !(minor == 0 && strstr(version, "-g")));
}

/*
 * Returns the first device number of a segment other than 0, -1 if nothing tells the version of the VMM.
 * The releases that know pci_device_id (52.0, 53.0) all have bridges.
 */
static int first_slot(struct cloud *cloud)
{
	char version[64] = "";
	uint32_t fixed = 0;
	int i;

	if (*cloud->map->version)
		return has_bridges(cloud->map->version);
	if (cloud->map->cloud_version && cloud->map->cloud_version(version, sizeof(version)))
		return has_bridges(version);
	for (i = 1; i < SEGMENTS_MAX; i++)
		fixed |= cloud->fixed[i];
	/* A bridge would have the number 0. */
	if (!fixed || fixed & 1)
		return fixed ? 0 : -1;
	say_warning("%s does not tell the version of Cloud Hypervisor, so the addresses are those up to version %d.0: later ones have no host bridge in other segments than 0, and devices begin at slot 0 there; the VM's vm.info is right for both",
		    cloud->file, BRIDGES_MAJOR);
	return 1;
}

/*
 * Deals out device numbers as the VMM does: fixed ones are reserved, each other device gets the lowest
 * free one in the order of creation, and emulated devices are created first. Segment 0 also has
 * devices that no option names, so only fixed numbers are known there.
 */
static void place_all(struct cloud *cloud)
{
	uint32_t used[SEGMENTS_MAX];
	int first = 0, i, slot;
	bool asked = false;
	size_t k;

	memcpy(used, cloud->fixed, sizeof(used));
	for (k = 0; k < cloud->devices; k++) {
		const struct cloud_device *device = &cloud->device[k];
		struct guest_device *dev = &cloud->map->list[device->index];
		long segment = device->segment;

		dev->node = cloud->node[segment];
		slot = device->slot;
		if (slot < 0 && (!segment || cloud->odd[segment]))
			continue;
		if (slot < 0 && !asked)
			first = first_slot(cloud);
		asked |= slot < 0;
		dev->computed = true;
		if (slot < 0 && first < 0)
			continue;
		if (slot < 0 && first)
			used[segment] |= 1;
		for (i = 0; slot < 0 && cloud->emulated[segment] && i < SLOTS; i++)
			if (!(used[segment] >> i & 1)) {
				used[segment] |= 1u << i;
				cloud->emulated[segment]--;
			}
		for (i = 0; slot < 0 && i < SLOTS; i++)
			if (!(used[segment] >> i & 1))
				slot = i;
		if (slot < 0)
			continue;
		used[segment] |= 1u << slot;
		guest_bdf(dev->guest, segment, 0, slot, 0);
	}
}

static struct cloud *cloud_new(struct guest_map *map, const char *file)
{
	struct cloud *cloud = array_new(1, sizeof(*cloud));
	int i;

	cloud->map = map;
	cloud->file = file;
	for (i = 0; i < SEGMENTS_MAX; i++)
		cloud->node[i] = NUMA_NONE;
	return cloud;
}

static void cloud_end(struct cloud *cloud)
{
	place_all(cloud);
	free(cloud->device);
	cloud->map->nodes = cloud->nodes ? cloud->nodes : 1;
	free(cloud);
}

static long segment_of(const json_t *device)
{
	const json_t *segment = json_object_get(device, "pci_segment");

	return json_is_integer(segment) ? json_integer_value(segment) : 0;
}

static int slot_of(const json_t *device)
{
	const json_t *slot = json_object_get(device, "pci_device_id");
	json_int_t number = json_is_integer(slot) ? json_integer_value(slot) : -1;

	return number >= 0 && number < SLOTS ? (int)number : -1;
}

static const char *string(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

static void take_json_numa(struct cloud *cloud, const json_t *numa)
{
	const json_t *node, *item;
	size_t i, k;

	json_array_foreach(numa, i, node) {
		const json_t *number = json_object_get(node, "guest_numa_id");

		cloud->nodes++;
		json_array_foreach(json_object_get(node, "pci_segments"), k, item)
			if (json_is_integer(number) && json_integer_value(item) >= 0 &&
			    json_integer_value(item) < SEGMENTS_MAX)
				cloud->node[json_integer_value(item)] = json_integer_value(number);
	}
}

/**
 * guest_map_cloud_json() - read the body of Cloud Hypervisor's vm.create, or its answer to vmm.ping
 * @map: the devices, or the VMM's version, are added
 * @file: name of the file, for messages
 * @json: the body, or the answer
 *
 * Return: false if it is neither.
 */
bool guest_map_cloud_json(struct guest_map *map, const char *file, const json_t *json)
{
	const json_t *devices = json_object_get(json, "devices"), *list, *device;
	struct cloud *cloud;
	const char *key;
	size_t i;

	if (json_is_string(json_object_get(json, "build_version"))) {
		snprintf(map->version, sizeof(map->version), "%s", string(json, "build_version"));
		return true;
	}
	if (!json_is_array(devices) || json_object_get(json, "config"))
		return false;
	cloud = cloud_new(map, file);
	take_json_numa(cloud, json_object_get(json, "numa"));
	json_object_foreach((json_t *)json, key, list) {
		/* "pci_segments" describes the segments themselves. */
		if (list == devices || !strcmp(key, "pci_segments"))
			continue;
		if (json_is_object(list))
			note(cloud, key, segment_of(list), slot_of(list));
		json_array_foreach(list, i, device)
			note(cloud, key, segment_of(device), slot_of(device));
	}
	json_array_foreach(devices, i, device)
		add(cloud, string(device, "path"), string(device, "id"), segment_of(device),
		    slot_of(device));
	cloud_end(cloud);
	return true;
}

/* Copies the value of a key in "path=/sys/...,pci_segment=1"; false without the key. */
static bool take_value(const char *word, const char *key, char *value, size_t size)
{
	const char *at = word;
	size_t length = strlen(key);

	for (; at; at = strchr(at, ','), at = at ? at + 1 : NULL)
		if (!strncmp(at, key, length) && at[length] == '=') {
			at += length + 1;
			snprintf(value, size, "%.*s", (int)(*at == '[' ? strcspn(at, "]") :
							    strcspn(at, ",")), at);
			return true;
		}
	return false;
}

static long number_in(const char *word, const char *key, long without)
{
	char value[16];

	return take_value(word, key, value, sizeof(value)) ? atol(value) : without;
}

/* "cloud-hypervisor v53.0" is what cloud-hypervisor --version prints. */
static void take_version(struct guest_map *map, const char *text, size_t size)
{
	static const char before[] = "cloud-hypervisor v";
	const char *at = memmem(text, size, before, strlen(before));

	if (!at)
		return;
	at += strlen(before) - 1;
	if (at[1] >= '0' && at[1] <= '9')
		snprintf(map->version, sizeof(map->version), "%.*s", (int)strcspn(at, " \n"), at);
}

static void take_word(struct cloud *cloud, const char *option, const char *word)
{
	char path[512], id[GUEST_ID_BYTES] = "";
	long segment = number_in(word, "pci_segment", 0), slot = number_in(word, "pci_device_id", -1);

	slot = slot < SLOTS ? slot : -1;
	if (!strcmp(option, "--pci-segment"))
		return;
	if (take_value(word, "path", path, sizeof(path)) && !strncmp(path, HOST_PATH, strlen(HOST_PATH))) {
		take_value(word, "id", id, sizeof(id));
		add(cloud, path, id, segment, slot);
	} else if (segment > 0 || slot >= 0) {
		note(cloud, option, segment, slot);
	}
}

static void take_numa(struct cloud *cloud, const char *word)
{
	char node[16], list[256], *at, *rest;

	if (!take_value(word, "guest_numa_id", node, sizeof(node)))
		return;
	cloud->nodes++;
	if (!take_value(word, "pci_segments", list, sizeof(list)))
		return;
	/* "0,2-4", as IntegerList in Cloud Hypervisor's option_parser has it. */
	for (at = strtok_r(list, "[,", &rest); at; at = strtok_r(NULL, "[,", &rest)) {
		char *more;
		long first = strtol(at, &more, 10), last = *more == '-' ? strtol(more + 1, NULL, 10) : first;

		for (; first >= 0 && first <= last && first < SEGMENTS_MAX; first++)
			cloud->node[first] = atoi(node);
	}
}

/**
 * guest_map_cloud() - read options of Cloud Hypervisor, with --device among them
 * @map: the devices are added
 * @file: name of the file, for messages
 * @text: words separated by NULs, as in /proc/PID/cmdline, or by blanks; modified
 * @size: of @text in bytes; a NUL follows
 */
void guest_map_cloud(struct guest_map *map, const char *file, char *text, size_t size)
{
	bool blanks = !memchr(text, '\0', size);
	struct cloud *cloud = cloud_new(map, file);
	char option[32] = "", *word, *value, *end = text + size;

	take_version(map, text, size);
	for (word = text; blanks && word < end; word++)
		if (strchr(" \t\n\r'\"\\", *word))
			*word = '\0';
	for (word = text; word < end; word += strlen(word) + 1) {
		value = word;
		if (!strncmp(word, "--", 2)) {
			snprintf(option, sizeof(option), "%.*s", (int)strcspn(word, "="), word);
			value = word + strcspn(word, "=");
			value += *value == '=';
		}
		take_numa(cloud, value);
		take_word(cloud, option, value);
	}
	cloud_end(cloud);
}
