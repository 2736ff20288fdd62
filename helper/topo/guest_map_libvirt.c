// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guest_map.h"
#include "xml_file.h"

#define BUSES_MAX	256
#define DEPTH_MAX	16
/* QEMU's pxb, unlike its pxb-pcie, has a PCI bridge as device 0, and all devices are behind it. */
#define PXB_BRIDGES	1

/**
 * struct place - a PCI address in libvirt's numbering
 * @bus: index of the controller that provides the bus, not the guest's bus number
 * @slot: device number
 * @function: function number
 */
struct place {
	unsigned int bus;
	unsigned int slot;
	unsigned int function;
};

/**
 * struct controller - a PCI controller of libvirt: a bus and the bridge above it
 * @there: the domain has this controller
 * @is_root: the bus is the root of a hierarchy
 * @place: address of the bridge; unused if @is_root
 * @bus: the guest's number of the bus, -1 while unknown
 * @node: NUMA node of the guest, NUMA_NONE to inherit that of the bus above
 */
struct controller {
	bool there;
	bool is_root;
	struct place place;
	int bus;
	int node;
};

/**
 * struct domain - a libvirt domain
 * @map: map to fill
 * @file: name of the domain's file
 * @controller: controllers by their index
 */
struct domain {
	struct guest_map *map;
	const char *file;
	struct controller controller[BUSES_MAX];
};

static bool read_place(const xmlNode *address, struct place *place)
{
	unsigned int domain = 0;

	xml_attribute_number(address, "domain", &domain);
	place->function = 0;
	xml_attribute_number(address, "function", &place->function);
	return xml_attribute_is(address, "type", "pci") && !domain &&
	       xml_attribute_number(address, "bus", &place->bus) && place->bus < BUSES_MAX &&
	       xml_attribute_number(address, "slot", &place->slot) && place->slot < 32 &&
	       place->function < 8;
}

/* A number that no guest can have counts as unknown. */
static int node_number(const char *text)
{
	unsigned int node;
	int length = 0;

	return sscanf(text, "%2u%n", &node, &length) == 1 && !text[length] &&
	       node < NUMA_NODES_MAX ? (int)node : NUMA_NONE;
}

/* Takes the NUMA node of an expander bus, or of a host bridge (pci-root of pseries). */
static void read_node(struct controller *controller, const xmlNode *element)
{
	const xmlNode *node = xml_child(xml_child(element, "target"), "node");

	if (node && node->children && node->children->content)
		controller->node = node_number((const char *)node->children->content);
}

/* @bridges: number of bridges between the root bus and the bus that libvirt's addresses mean */
static bool read_expander(struct controller *controller, const xmlNode *element,
			  unsigned int bridges)
{
	const xmlNode *target = xml_child(element, "target");
	unsigned int number;

	controller->is_root = true;
	read_node(controller, element);
	if (!xml_attribute_number(target, "busNr", &number) || number >= BUSES_MAX - bridges)
		return false;
	controller->bus = number + bridges;
	return true;
}

static void read_controller(struct domain *domain, const xmlNode *element)
{
	const char *model = xml_attribute(element, "model");
	struct controller *controller;
	unsigned int index;
	bool there = true;

	if (!xml_attribute_is(element, "type", "pci") || !model ||
	    !xml_attribute_number(element, "index", &index) || index >= BUSES_MAX)
		return;
	controller = &domain->controller[index];
	*controller = (struct controller) { .there = true, .bus = -1, .node = NUMA_NONE };
	if (!strcmp(model, "pcie-root") || !strcmp(model, "pci-root")) {
		controller->is_root = true;
		controller->bus = 0;
		read_node(controller, element);
	} else if (!strcmp(model, "pcie-expander-bus")) {
		there = read_expander(controller, element, 0);
	} else if (!strcmp(model, "pci-expander-bus")) {
		there = read_expander(controller, element, PXB_BRIDGES);
	} else {
		there = read_place(xml_child(element, "address"), &controller->place);
	}
	if (there)
		return;
	guest_map_wrong(domain->map, domain->file, element->line,
			"controller %u has no PCI address or bus number yet: give the output of virsh dumpxml of the defined domain",
			index);
	controller->there = false;
}

static bool is_on(const struct controller *bridge, unsigned int above, unsigned int devfn)
{
	return bridge->there && !bridge->is_root && bridge->place.bus == above &&
	       (bridge->place.slot << 3 | bridge->place.function) == devfn;
}

/*
 * Numbers buses as SeaBIOS and EDK II do: depth first, in order of address. Returns the last
 * number used.
 */
static int number_buses(struct domain *domain, unsigned int above, int last, int depth)
{
	unsigned int devfn, i;

	for (devfn = 0; devfn < 256 && depth < DEPTH_MAX; devfn++)
		for (i = 0; i < BUSES_MAX; i++) {
			struct controller *bridge = &domain->controller[i];

			if (!is_on(bridge, above, devfn) || bridge->bus >= 0 || last >= 255)
				continue;
			bridge->bus = ++last;
			last = number_buses(domain, i, last, depth + 1);
		}
	return last;
}

static int node_of(const struct domain *domain, unsigned int bus)
{
	int depth;

	for (depth = 0; depth < DEPTH_MAX && bus < BUSES_MAX; depth++) {
		const struct controller *controller = &domain->controller[bus];

		if (controller->node != NUMA_NONE || controller->is_root || !controller->there)
			return controller->node;
		bus = controller->place.bus;
	}
	return NUMA_NONE;
}

static bool read_source(const xmlNode *element, char *bdf)
{
	const xmlNode *address = xml_child(xml_child(element, "source"), "address");
	unsigned int domain = 0, bus, slot, function = 0;

	xml_attribute_number(address, "domain", &domain);
	xml_attribute_number(address, "function", &function);
	if (!xml_attribute_number(address, "bus", &bus) || bus > 255 ||
	    !xml_attribute_number(address, "slot", &slot) || slot > 31 || function > 7)
		return false;
	guest_bdf(bdf, domain, bus, slot, function);
	return true;
}

static void read_hostdev(struct domain *domain, const xmlNode *element)
{
	const char *alias = xml_attribute(xml_child(element, "alias"), "name");
	struct guest_device *dev;
	struct place place;
	char host[BDF_BYTES];

	if (!read_source(element, host)) {
		guest_map_wrong(domain->map, domain->file, element->line,
				"a hostdev without the device's address on the host");
		return;
	}
	dev = guest_map_add(domain->map, domain->file, element->line);
	snprintf(dev->host, sizeof(dev->host), "%s", host);
	snprintf(dev->id, sizeof(dev->id), "%s", alias ? alias : "");
	/* Another file may still give the guest's address. */
	if (!read_place(xml_child(element, "address"), &place))
		return;
	if (!domain->controller[place.bus].there || domain->controller[place.bus].bus < 0) {
		guest_map_wrong(domain->map, domain->file, element->line,
				"%s is at a controller %u that the domain does not have", host,
				place.bus);
		return;
	}
	guest_bdf(dev->guest, 0, domain->controller[place.bus].bus, place.slot, place.function);
	dev->computed = true;
	dev->node = node_of(domain, place.bus);
}

/* libvirt passes a NIC either as a hostdev or as an interface of type hostdev. */
static bool is_hostdev(const xmlNode *element)
{
	if (xml_is(element, "hostdev"))
		return xml_attribute_is(element, "type", "pci");
	return xml_is(element, "interface") && xml_attribute_is(element, "type", "hostdev");
}

static int count_cells(const xmlNode *root)
{
	const xmlNode *cell = xml_child(xml_child(xml_child(root, "cpu"), "numa"), "cell");
	int count = 0;

	for (; cell; cell = xml_next(cell, "cell"))
		count++;
	return count ? count : 1;
}

/*
 * <memnode cellid='0' nodeset='1'/> gives the guest's node 0 its memory from the host's node 1, so
 * a device of that node of the host belongs to it. A node of the host that serves several of the
 * guest's tells nothing.
 */
static void read_memnode(struct guest_map *map, const xmlNode *element)
{
	const char *at = xml_attribute(element, "nodeset");
	unsigned int cell, first, last;
	int length;

	if (!at || !xml_attribute_number(element, "cellid", &cell) || cell >= NUMA_NODES_MAX)
		return;
	for (; sscanf(at, "%3u%n", &first, &length) == 1; at++) {
		at += length;
		last = first;
		if (sscanf(at, "-%3u%n", &last, &length) == 1)
			at += length;
		for (; first <= last && first < NUMA_NODES_MAX; first++)
			map->cell_of[first] = map->cell_of[first] ? GUEST_CELL_MANY : (int)cell + 1;
		if (*at != ',')
			return;
	}
}

/* <vcpupin vcpu='0' cpuset='0-15'/> pins a virtual CPU, which <cell id='0' cpus='0-7'/> has. */
static void read_pins(struct guest_map *map, const xmlNode *root)
{
	const xmlNode *cell = xml_child(xml_child(xml_child(root, "cpu"), "numa"), "cell"), *pin;
	const char *cpus, *set;
	unsigned int vcpu, number = 0;
	int first, last;

	for (; cell && number < NUMA_NODES_MAX; cell = xml_next(cell, "cell"), number++) {
		xml_attribute_number(cell, "id", &number);
		cpus = xml_attribute(cell, "cpus");
		pin = xml_child(xml_child(root, "cputune"), "vcpupin");
		for (; pin && cpus && number < NUMA_NODES_MAX; pin = xml_next(pin, "vcpupin")) {
			set = xml_attribute(pin, "cpuset");
			if (!set || !xml_attribute_number(pin, "vcpu", &vcpu) ||
			    !numa_list_has(cpus, vcpu) || !numa_list_ends(set, &first, &last))
				continue;
			if (!map->pinned[number][0] || first + 1 < map->pinned[number][0])
				map->pinned[number][0] = first + 1;
			if (last + 1 > map->pinned[number][1])
				map->pinned[number][1] = last + 1;
		}
	}
}

static void read_domain(struct domain *domain, const xmlNode *root)
{
	const xmlNode *memory = xml_child(xml_child(root, "numatune"), "memnode");
	const xmlNode *devices = xml_child(root, "devices"), *at;
	unsigned int i;

	for (at = xml_child(devices, "controller"); at; at = xml_next(at, "controller"))
		read_controller(domain, at);
	for (i = 0; i < BUSES_MAX; i++)
		if (domain->controller[i].there && domain->controller[i].is_root &&
		    domain->controller[i].bus >= 0)
			number_buses(domain, i, domain->controller[i].bus, 0);
	for (at = xml_child(devices, NULL); at; at = xml_next(at, NULL))
		if (is_hostdev(at))
			read_hostdev(domain, at);
	for (; memory; memory = xml_next(memory, "memnode"))
		read_memnode(domain->map, memory);
	read_pins(domain->map, root);
	domain->map->nodes = count_cells(root);
}

/**
 * guest_map_libvirt() - read a libvirt domain, as virsh dumpxml prints it
 * @map: the devices are added
 * @file: name of the file, for messages
 * @text: contents of the file
 * @size: of @text in bytes
 *
 * libvirt identifies a bus by its controller's index. The guest's bus numbers come from its
 * firmware, so the function computes them.
 */
void guest_map_libvirt(struct guest_map *map, const char *file, const char *text, size_t size)
{
	xmlDoc *doc = xml_parse(text, size, file);
	struct domain *domain;
	const xmlNode *root;

	if (!doc) {
		map->errors++;
		return;
	}
	root = xml_root(doc);
	/* libvirt's status file of a running domain wraps the domain element. */
	if (!xml_is(root, "domain"))
		root = xml_child(root, "domain");
	domain = array_new(1, sizeof(*domain));
	domain->map = map;
	domain->file = file;
	if (root)
		read_domain(domain, root);
	else
		guest_map_wrong(map, file, 0, "XML, but no libvirt domain: give the output of virsh dumpxml");
	free(domain);
	xml_free(doc);
}
