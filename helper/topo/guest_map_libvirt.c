// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guest_map.h"
#include "xml_file.h"

#define BUSES_MAX	256
#define DEPTH_MAX	16

/**
 * struct place - an address as libvirt has it
 * @bus: number of the controller that the bus is below, none of the guest's
 * @slot: on the bus
 * @function: of the device
 */
struct place {
	unsigned int bus;
	unsigned int slot;
	unsigned int function;
};

/**
 * struct controller - a PCI bus of libvirt's, and the bridge above it
 * @there: libvirt has it
 * @is_root: its bus begins a hierarchy
 * @place: of the bridge; none where @is_root
 * @bus: number that the guest knows the bus by, -1: not yet known
 * @node: NUMA node of the guest, NUMA_NONE: as of the bus above
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
 * @map: what it is read for
 * @file: name of its file
 * @controller: by number
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

/* One that the guest cannot have is as none. */
static int node_number(const char *text)
{
	unsigned int node;
	int length = 0;

	return sscanf(text, "%2u%n", &node, &length) == 1 && !text[length] &&
	       node < NUMA_NODES_MAX ? (int)node : NUMA_NONE;
}

static bool read_expander(struct controller *controller, const xmlNode *element)
{
	const xmlNode *target = xml_child(element, "target");
	const xmlNode *node = xml_child(target, "node");
	unsigned int number;

	controller->is_root = true;
	if (node && node->children && node->children->content)
		controller->node = node_number((const char *)node->children->content);
	if (!xml_attribute_number(target, "busNr", &number) || number >= BUSES_MAX)
		return false;
	controller->bus = number;
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
	} else if (!strcmp(model, "pcie-expander-bus") || !strcmp(model, "pci-expander-bus")) {
		there = read_expander(controller, element);
	} else {
		there = read_place(xml_child(element, "address"), &controller->place);
	}
	if (there)
		return;
	guest_map_wrong(domain->map, domain->file, element->line,
			"controller %u has no PCI address or bus number yet: give what virsh dumpxml prints of the defined domain",
			index);
	controller->there = false;
}

static bool is_on(const struct controller *bridge, unsigned int above, unsigned int devfn)
{
	return bridge->there && !bridge->is_root && bridge->place.bus == above &&
	       (bridge->place.slot << 3 | bridge->place.function) == devfn;
}

/*
 * Bus numbers as SeaBIOS and EDK II give them: depth first, in order of address. Returns
 * the last one that has been given.
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
	/* Without one it may still come from another file. */
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

/* NICs may be passed as interfaces, too. */
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

static void read_domain(struct domain *domain, const xmlNode *root)
{
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
	domain->map->nodes = count_cells(root);
}

/**
 * guest_map_libvirt() - a libvirt domain, as virsh dumpxml prints it
 * @map: to which its devices are added
 * @file: name of it
 * @text: it
 * @size: of @text in bytes
 *
 * libvirt numbers buses by its controllers; the numbers that the guest has are the
 * firmware's, and computed here.
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
	/* As in the status files of a running one. */
	if (!xml_is(root, "domain"))
		root = xml_child(root, "domain");
	domain = array_new(1, sizeof(*domain));
	domain->map = map;
	domain->file = file;
	if (root)
		read_domain(domain, root);
	else
		guest_map_wrong(map, file, 0, "XML, but no libvirt domain: give what virsh dumpxml prints");
	free(domain);
	xml_free(doc);
}
