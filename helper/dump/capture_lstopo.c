// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bdf.h"
#include "capture_text.h"
#include "listed.h"
#include "numa.h"
#include "say.h"
#include "xml_file.h"

#define DEPTH_MAX	64
#define CPUS_MAX	8192
/* hwloc.h, enum hwloc_obj_osdev_type_e */
#define OSDEV_BLOCK		0
#define OSDEV_NETWORK		2
#define OSDEV_OPENFABRICS	3

/**
 * struct reading - state while reading a topology of hwloc
 * @listing: PCI functions found so far
 * @tree: receives the files of NUMA nodes
 * @first_cpu: first CPU of each NUMA node, -1 without one
 * @socket: socket of each NUMA node, -1 if unknown
 */
struct reading {
	struct listing listing;
	struct tree *tree;
	int first_cpu[NUMA_NODES_MAX];
	int socket[NUMA_NODES_MAX];
};

/* Checks a bit of a set such as "0x0000ffff,0xffffffff", whose last word has the lowest bits. */
static bool has_bit(const char *set, int bit)
{
	const char *end = set + strlen(set), *at = end;
	int words = bit / 32;

	for (;;) {
		while (at > set && at[-1] != ',')
			at--;
		if (!words--)
			break;
		if (at == set)
			return false;
		at--;
	}
	return at < end && strtoul(at, NULL, 16) >> bit % 32 & 1;
}

/* Returns the only bit of a set, or -1. */
static int only_bit(const char *set)
{
	int bit, found = -1;

	for (bit = 0; set && bit < NUMA_NODES_MAX; bit++)
		if (has_bit(set, bit)) {
			if (found >= 0)
				return -1;
			found = bit;
		}
	return found;
}

static void add_file(struct tree *tree, const char *text, const char *format, int number)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), format, number);
	bytes_add(&tree_add(tree, path, TREE_FILE)->data, text, strlen(text));
}

static void take_node(struct reading *reading, const xmlNode *object, int socket)
{
	const char *set = xml_attribute(object, "cpuset");
	const char *memory = xml_attribute(object, "local_memory");
	struct bytes cpus = { 0 };
	unsigned int number;
	char text[64];
	int cpu, first;

	if (!xml_attribute_number(object, "os_index", &number) || number >= NUMA_NODES_MAX)
		return;
	for (cpu = 0; set && cpu < CPUS_MAX; cpu++) {
		if (!has_bit(set, cpu))
			continue;
		for (first = cpu; cpu + 1 < CPUS_MAX && has_bit(set, cpu + 1);)
			cpu++;
		if (reading->first_cpu[number] < 0)
			reading->first_cpu[number] = first;
		bytes_print(&cpus, first < cpu ? "%s%d-%d" : "%s%d", cpus.size ? "," : "", first, cpu);
	}
	reading->socket[number] = socket;
	bytes_print(&cpus, "\n");
	add_file(reading->tree, cpus.data, "sys/devices/system/node/node%d/cpulist", number);
	bytes_free(&cpus);
	snprintf(text, sizeof(text), "Node %u MemTotal: %" PRIu64 " kB\n", number,
		 (uint64_t)(memory ? strtoull(memory, NULL, 10) / 1024 : 0));
	add_file(reading->tree, text, "sys/devices/system/node/node%d/meminfo", number);
	if (socket < 0 || reading->first_cpu[number] < 0)
		return;
	snprintf(text, sizeof(text), "%d\n", socket);
	add_file(reading->tree, text, "sys/devices/system/cpu/cpu%d/topology/physical_package_id",
		 reading->first_cpu[number]);
}

static struct listed *take_function(struct reading *reading, const xmlNode *object, int numa)
{
	const char *busid = xml_attribute(object, "pci_busid"), *type, *buses, *speed;
	unsigned int class, domain, first, last;
	struct listed *listed;
	char bdf[BDF_BYTES];

	if (!busid || !bdf_parse(busid, bdf))
		return NULL;
	listed = listed_add(&reading->listing, bdf);
	listed->numa = numa;
	type = xml_attribute(object, "pci_type");
	if (type && sscanf(type, "%4x [%4x:%4x] [%4x:%4x]", &class, &listed->vendor, &listed->device,
			   &listed->subvendor, &listed->subdevice) == 5) {
		listed->has_ids = true;
		listed->has_class = true;
		listed->class = class << 8;
	}
	speed = xml_attribute(object, "pci_link_speed");
	if (speed && strtod(speed, NULL) > 0)
		snprintf(listed->speed, sizeof(listed->speed), "%f", strtod(speed, NULL));
	buses = xml_attribute(object, "bridge_pci");
	if (buses && sscanf(buses, "%x:[%2x-%2x]", &domain, &first, &last) == 3) {
		listed->secondary = first;
		listed->subordinate = last;
	}
	return listed;
}

static void take_os_device(struct listed *listed, const xmlNode *object)
{
	const char *name = xml_attribute(object, "name");
	char drive[32];
	unsigned int type;

	if (!name || !xml_attribute_number(object, "osdev_type", &type))
		return;
	if (type == OSDEV_NETWORK) {
		listed_name(listed, "net", name);
	} else if (type == OSDEV_OPENFABRICS) {
		listed_name(listed, "infiniband", name);
	} else if (type == OSDEV_BLOCK && !strncmp(name, "nvme", 4)) {
		snprintf(drive, sizeof(drive), "%.*s", (int)(4 + strspn(name + 4, "0123456789")), name);
		listed_name(listed, "nvme", drive);
	}
}

static void read_below(struct reading *reading, const xmlNode *above, int function, int numa,
		       int socket, int depth)
{
	const xmlNode *object;

	for (object = xml_child(above, "object");
	     object && depth < DEPTH_MAX && reading->listing.count < CAPTURE_FUNCTIONS_MAX;
	     object = xml_next(object, "object")) {
		const char *set = xml_attribute(object, "nodeset");
		int at = function, node = set ? only_bit(set) : numa, package = socket;
		unsigned int number;

		if (xml_attribute_is(object, "type", "Package") &&
		    xml_attribute_number(object, "os_index", &number))
			package = number;
		if (xml_attribute_is(object, "type", "NUMANode"))
			take_node(reading, object, socket);
		else if (xml_attribute_is(object, "type", "OSDev") && function >= 0)
			take_os_device(&reading->listing.list[function], object);
		else if (take_function(reading, object, node))
			at = reading->listing.count - 1;
		read_below(reading, object, at, node, package, depth + 1);
	}
}

/**
 * capture_lstopo() - read a topology of hwloc as a captured host
 * @name: name of the file, for messages
 * @text: XML that lstopo wrote
 * @size: of @text in bytes
 * @tree: receives the files
 *
 * hwloc knows PCI functions, their places and names, but no config spaces, and of a
 * link only the product of speed and width.
 *
 * Return: 0, or EXIT_ERROR after printing the reason.
 */
int capture_lstopo(const char *name, const char *text, size_t size, struct tree *tree)
{
	struct reading reading = { .tree = tree };
	xmlDoc *doc = xml_parse(text, size, name);
	int i;

	if (!doc)
		return EXIT_ERROR;
	for (i = 0; i < NUMA_NODES_MAX; i++)
		reading.first_cpu[i] = -1;
	read_below(&reading, xml_root(doc), -1, -1, -1, 0);
	xml_free(doc);
	listed_write(&reading.listing, tree);
	if (!reading.listing.count)
		say_error(ERROR_INPUT, "%s: the topology has no PCI function: lstopo needs --whole-io, or hwloc was built without PCI", name);
	i = reading.listing.count ? EXIT_OK : EXIT_ERROR;
	listed_free(&reading.listing);
	return i;
}
