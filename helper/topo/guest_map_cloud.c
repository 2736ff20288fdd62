// SPDX-License-Identifier: GPL-2.0-or-later
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bdf.h"
#include "guest_map.h"

#define SEGMENTS_MAX	96	/* of Cloud Hypervisor */
#define SLOTS		32
#define HOST_PATH	"/sys/"

/**
 * struct cloud - a VM of Cloud Hypervisor that is not running yet
 * @map: the devices are added
 * @file: name of the file
 * @vfio: number of VFIO devices in each PCI segment so far
 * @mixed: the segment also has devices that the VMM emulates
 * @node: NUMA node of each segment, NUMA_NONE if unknown
 * @nodes: number of NUMA nodes
 */
struct cloud {
	struct guest_map *map;
	const char *file;
	int vfio[SEGMENTS_MAX];
	bool mixed[SEGMENTS_MAX];
	int node[SEGMENTS_MAX];
	int nodes;
};

/*
 * The VMM numbers the devices of a segment from 1 on, in the order of their creation: emulated ones
 * first. The first segment always has some of these.
 */
static void add(struct cloud *cloud, const char *path, const char *id, long segment)
{
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
	dev->node = cloud->node[segment];
	if (segment && !cloud->mixed[segment] && ++cloud->vfio[segment] < SLOTS) {
		guest_bdf(dev->guest, segment, 0, cloud->vfio[segment], 0);
		dev->computed = true;
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
	cloud->map->nodes = cloud->nodes ? cloud->nodes : 1;
	free(cloud);
}

static long segment_of(const json_t *device)
{
	const json_t *segment = json_object_get(device, "pci_segment");

	return json_is_integer(segment) ? json_integer_value(segment) : 0;
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
 * guest_map_cloud_json() - read the body of Cloud Hypervisor's vm.create
 * @map: the devices are added
 * @file: name of the file, for messages
 * @json: the body
 *
 * Return: false if it is no such body.
 */
bool guest_map_cloud_json(struct guest_map *map, const char *file, const json_t *json)
{
	const json_t *devices = json_object_get(json, "devices"), *list, *device;
	struct cloud *cloud;
	const char *key;
	size_t i;

	if (!json_is_array(devices) || json_object_get(json, "config"))
		return false;
	cloud = cloud_new(map, file);
	take_json_numa(cloud, json_object_get(json, "numa"));
	json_object_foreach((json_t *)json, key, list)
		json_array_foreach(list, i, device)
			if (list != devices && segment_of(device) > 0 &&
			    segment_of(device) < SEGMENTS_MAX)
				cloud->mixed[segment_of(device)] = true;
	json_array_foreach(devices, i, device)
		add(cloud, string(device, "path"), string(device, "id"), segment_of(device));
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

static long segment_in(const char *word)
{
	char value[16];

	return take_value(word, "pci_segment", value, sizeof(value)) ? atol(value) : 0;
}

static void take_numa(struct cloud *cloud, const char *word)
{
	char node[16], list[256], *at, *rest;

	if (!take_value(word, "guest_numa_id", node, sizeof(node)))
		return;
	cloud->nodes++;
	if (!take_value(word, "pci_segments", list, sizeof(list)))
		return;
	for (at = strtok_r(list, "[,", &rest); at; at = strtok_r(NULL, "[,", &rest))
		if (atol(at) >= 0 && atol(at) < SEGMENTS_MAX)
			cloud->node[atol(at)] = atoi(node);
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
	char path[512], id[GUEST_ID_BYTES], *word, *end = text + size;
	int pass;

	for (word = text; blanks && word < end; word++)
		if (strchr(" \t\n\r'\"\\", *word))
			*word = '\0';
	/* The first pass finds the segments that have other devices, and the NUMA nodes. */
	for (pass = 0; pass < 2; pass++)
		for (word = text; word < end; word += strlen(word) + 1) {
			bool vfio = take_value(word, "path", path, sizeof(path)) &&
				    !strncmp(path, HOST_PATH, strlen(HOST_PATH));
			long segment = segment_in(word);

			if (!pass && !vfio && segment > 0 && segment < SEGMENTS_MAX)
				cloud->mixed[segment] = true;
			if (!pass)
				take_numa(cloud, word);
			*id = '\0';
			take_value(word, "id", id, sizeof(id));
			if (pass && vfio)
				add(cloud, path, id, segment);
		}
	cloud_end(cloud);
}
