// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bdf.h"
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
 * @name: QEMU's name of the bus
 * @used: device numbers that are taken, one bit each
 */
struct controller {
	bool there;
	bool is_root;
	struct place place;
	int bus;
	int node;
	char name[GUEST_ID_BYTES];
	uint32_t used;
};

/**
 * struct domain - a libvirt domain
 * @map: map to fill
 * @file: name of the domain's file
 * @root: the domain's element
 * @controller: controllers by their index; those of <qemu:commandline> have the last free ones
 */
struct domain {
	struct guest_map *map;
	const char *file;
	const xmlNode *root;
	struct controller controller[BUSES_MAX];
};

/* libxml2 leaves the prefix to the name if nothing declares it, as in a part of a domain. */
static bool is_qemu(const xmlNode *node, const char *name)
{
	return xml_is(node, name) || (xml_is(node, NULL) && !strncmp((const char *)node->name, "qemu:", 5) &&
				      !strcmp((const char *)node->name + 5, name));
}

static const xmlNode *next_qemu(const xmlNode *node, const char *name)
{
	while (node && !is_qemu(node, name))
		node = xml_next(node, NULL);
	return node;
}

static const xmlNode *qemu_child(const xmlNode *node, const char *name)
{
	return next_qemu(xml_child(node, NULL), name);
}

static int find_bus(const struct domain *domain, const char *name)
{
	int i;

	for (i = 0; i < BUSES_MAX; i++)
		if (domain->controller[i].there && !strcmp(domain->controller[i].name, name))
			return i;
	return -1;
}

/* "0x1c", "1c.0" and "0x1c.0x1" are device numbers with functions, all hexadecimal. */
static bool read_slot(const char *addr, struct place *place)
{
	int length = 0;

	place->function = 0;
	if (sscanf(addr, "%x%n.%x%n", &place->slot, &length, &place->function, &length) < 1 || addr[length])
		return false;
	return place->slot < 32 && place->function < 8;
}

/*
 * <qemu:override> replaces properties that libvirt gives a device. Returns the value of one, NULL
 * without it.
 */
static const char *overridden(const struct domain *domain, const char *alias, const char *property)
{
	const xmlNode *device = qemu_child(qemu_child(domain->root, "override"), "device"), *at;

	for (; device && alias; device = next_qemu(xml_next(device, NULL), "device")) {
		if (!xml_attribute_is(device, "alias", alias))
			continue;
		at = qemu_child(qemu_child(device, "frontend"), "property");
		for (; at; at = next_qemu(xml_next(at, NULL), "property"))
			if (xml_attribute_is(at, "name", property) && !xml_attribute_is(at, "type", "remove"))
				return xml_attribute(at, "value");
	}
	return NULL;
}

/* Returns false if the place is one that nothing describes. */
static bool override_place(const struct domain *domain, const char *alias, struct place *place)
{
	const char *bus = overridden(domain, alias, "bus"), *addr = overridden(domain, alias, "addr");
	int found = bus ? find_bus(domain, bus) : (int)place->bus;

	place->bus = found < 0 ? 0 : found;
	return found >= 0 && (!addr || read_slot(addr, place));
}

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
	const char *alias = xml_attribute(xml_child(element, "alias"), "name");
	struct controller *controller;
	unsigned int index;
	bool there = true;

	if (!xml_attribute_is(element, "type", "pci") || !model ||
	    !xml_attribute_number(element, "index", &index) || index >= BUSES_MAX)
		return;
	controller = &domain->controller[index];
	*controller = (struct controller) { .there = true, .bus = -1, .node = NUMA_NONE };
	snprintf(controller->name, sizeof(controller->name), strcmp(model, "pcie-root") ? "pci.%u" : "pcie.%u",
		 index);
	if (alias)
		snprintf(controller->name, sizeof(controller->name), "%s", alias);
	if (!strcmp(model, "pcie-root") || !strcmp(model, "pci-root")) {
		controller->is_root = true;
		controller->bus = 0;
		/* Chips that every machine has: q35's are at 0 and 1f, the older one's at 0 and 1. */
		controller->used = 1 | (strcmp(model, "pcie-root") ? 1 << 1 : 1u << 31);
		read_node(controller, element);
	} else if (!strcmp(model, "pcie-expander-bus")) {
		there = read_expander(controller, element, 0);
	} else if (!strcmp(model, "pci-expander-bus")) {
		there = read_expander(controller, element, PXB_BRIDGES);
	} else {
		there = read_place(xml_child(element, "address"), &controller->place) &&
			override_place(domain, controller->name, &controller->place);
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

static void put(struct domain *domain, struct guest_device *dev, const struct place *place)
{
	guest_bdf(dev->guest, 0, domain->controller[place->bus].bus, place->slot, place->function);
	dev->computed = true;
	dev->node = node_of(domain, place->bus);
}

/* An override may give libvirt's device another one of the host. */
static void override_host(const struct domain *domain, const char *alias, char *host)
{
	const char *other = overridden(domain, alias, "host") ?: overridden(domain, alias, "sysfsdev");
	const char *part = other ? strrchr(other, '/') : NULL;

	if (other)
		bdf_parse(part ? part + 1 : other, host);
}

static void read_hostdev(struct domain *domain, const xmlNode *element, const char *name)
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
	override_host(domain, alias ? alias : name, host);
	dev = guest_map_add(domain->map, domain->file, element->line);
	snprintf(dev->host, sizeof(dev->host), "%s", host);
	snprintf(dev->id, sizeof(dev->id), "%s", alias ? alias : "");
	/* Another file may still give the guest's address. */
	if (!read_place(xml_child(element, "address"), &place) ||
	    !override_place(domain, alias ? alias : name, &place))
		return;
	if (!domain->controller[place.bus].there || domain->controller[place.bus].bus < 0) {
		guest_map_wrong(domain->map, domain->file, element->line,
				"%s is at a controller %u that the domain does not have", host,
				place.bus);
		return;
	}
	put(domain, dev, &place);
}

/*
 * Finds the place of a device of <qemu:commandline>: QEMU puts one without addr= at the lowest free
 * device number, and one without bus= on the root bus. Returns false if the bus is unknown.
 */
static bool take_place(struct domain *domain, const char *device, struct place *place)
{
	char bus[GUEST_ID_BYTES], addr[32];
	struct controller *controller;
	int index;

	index = guest_device_option(device, "bus", bus, sizeof(bus)) ? find_bus(domain, bus) : 0;
	if (index < 0 || !domain->controller[index].there)
		return false;
	controller = &domain->controller[index];
	place->bus = index;
	if (guest_device_option(device, "addr", addr, sizeof(addr))) {
		if (!read_slot(addr, place))
			return false;
	} else {
		for (place->slot = 0, place->function = 0; controller->used >> place->slot & 1;)
			if (++place->slot == 32)
				return false;
	}
	controller->used |= 1u << place->slot;
	return true;
}

/* Adds the bus below a bridge of <qemu:commandline>. */
static void add_bridge(struct domain *domain, const char *device, const char *driver,
		       const struct place *place)
{
	bool express = !strcmp(driver, "pxb-pcie");
	struct controller *controller;
	char text[32];
	int index;

	for (index = BUSES_MAX - 1; index > 0 && domain->controller[index].there;)
		index--;
	controller = &domain->controller[index];
	if (!index)
		return;
	*controller = (struct controller) { .there = true, .bus = -1, .node = NUMA_NONE, .place = *place };
	guest_device_option(device, "id", controller->name, sizeof(controller->name));
	controller->is_root = express || !strcmp(driver, "pxb");
	if (!controller->is_root)
		return;
	if (guest_device_option(device, "bus_nr", text, sizeof(text)))
		controller->bus = strtoul(text, NULL, 0) + (express ? 0 : PXB_BRIDGES);
	controller->there = controller->bus > 0 && controller->bus < BUSES_MAX;
	if (guest_device_option(device, "numa_node", text, sizeof(text)))
		controller->node = node_number(text);
}

static bool is_bridge(const char *driver)
{
	static const char *const bridges[] = {
		"pcie-root-port", "ioh3420", "x3130-upstream", "xio3130-downstream", "pci-bridge",
		"pcie-pci-bridge", "i82801b11-bridge", "pxb-pcie", "pxb",
	};
	size_t i;

	for (i = 0; i < sizeof(bridges) / sizeof(bridges[0]); i++)
		if (!strcmp(driver, bridges[i]))
			return true;
	return false;
}

/* Checks for devices that are on no PCI bus, such as "scsi-hd", "usb-kbd" and "virtserialport". */
static bool is_on_pci(const struct domain *domain, const char *device, const char *driver)
{
	char bus[GUEST_ID_BYTES];

	if (guest_device_option(device, "bus", bus, sizeof(bus)))
		return find_bus(domain, bus) >= 0;
	return strstr(driver, "pci") || is_bridge(driver) || strstr(driver, "vga") || strstr(driver, "e1000") ||
	       strstr(driver, "nvme") || strstr(driver, "xhci") || strstr(driver, "hda");
}

/* Visits the values of the option -device in <qemu:commandline>. */
static void each_argument(struct domain *domain, void (*visit)(struct domain *domain, const char *device,
							       const xmlNode *element))
{
	const xmlNode *at = qemu_child(qemu_child(domain->root, "commandline"), "arg");
	bool next = false;

	for (; at; at = next_qemu(xml_next(at, NULL), "arg")) {
		const char *value = xml_attribute(at, "value");

		if (next && value)
			visit(domain, value, at);
		next = value && (!strcmp(value, "-device") || !strcmp(value, "--device"));
	}
}

static void visit_bridge(struct domain *domain, const char *device, const xmlNode *element)
{
	char driver[64];
	struct place place;

	(void)element;
	guest_device_option(device, "driver", driver, sizeof(driver));
	/* vfio-pci comes after all buses have their numbers, and takes its place then. */
	if (!guest_device_is_vfio(device) && is_on_pci(domain, device, driver) &&
	    take_place(domain, device, &place) && is_bridge(driver))
		add_bridge(domain, device, driver, &place);
}

static void visit_vfio(struct domain *domain, const char *device, const xmlNode *element)
{
	struct guest_device *dev;
	char host[64], bdf[BDF_BYTES];
	struct place place;

	guest_device_host(device, host, sizeof(host));
	if (!guest_device_is_vfio(device))
		return;
	if (!bdf_parse(host, bdf)) {
		guest_map_wrong(domain->map, domain->file, element->line,
				"qemu:commandline: host=%s of a vfio-pci is no PCI address", host);
		return;
	}
	dev = guest_map_add(domain->map, domain->file, element->line);
	snprintf(dev->host, sizeof(dev->host), "%s", bdf);
	guest_device_option(device, "id", dev->id, sizeof(dev->id));
	/* Another file may give the guest's address of a device on an unknown bus. */
	if (take_place(domain, device, &place) && domain->controller[place.bus].bus >= 0)
		put(domain, dev, &place);
}

/* Notes the device numbers that libvirt's devices have, for those of <qemu:commandline>. */
static void note_used(struct domain *domain, const xmlNode *devices)
{
	const xmlNode *at = xml_child(devices, NULL);
	struct place place;

	for (; at; at = xml_next(at, NULL))
		if (read_place(xml_child(at, "address"), &place))
			domain->controller[place.bus].used |= 1u << place.slot;
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
	unsigned int i, hostdevs = 0;
	char name[32];

	for (at = xml_child(devices, "controller"); at; at = xml_next(at, "controller"))
		read_controller(domain, at);
	note_used(domain, devices);
	each_argument(domain, visit_bridge);
	for (i = 0; i < BUSES_MAX; i++)
		if (domain->controller[i].there && domain->controller[i].is_root &&
		    domain->controller[i].bus >= 0)
			number_buses(domain, i, domain->controller[i].bus, 0);
	for (at = xml_child(devices, NULL); at; at = xml_next(at, NULL))
		if (is_hostdev(at)) {
			/* libvirt's own name of a hostdev without an alias. */
			snprintf(name, sizeof(name), "hostdev%u", hostdevs++);
			read_hostdev(domain, at, name);
		}
	each_argument(domain, visit_vfio);
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
	domain->root = root;
	if (root)
		read_domain(domain, root);
	else
		guest_map_wrong(map, file, 0, "XML, but no libvirt domain: give the output of virsh dumpxml");
	free(domain);
	xml_free(doc);
}
