// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bdf.h"
#include "guest_map.h"
#include "say.h"
#include "sysfs.h"
#include "text_file.h"
#include "text_kind.h"
#include "text_plain.h"

#define HOST_BRIDGE	"0000:00:00.0"
/* More than fits into a guest; the checks compare each device with all others. */
#define DEVICES_MAX	1024

/**
 * guest_map_add() - append a device
 * @map: map
 * @file: file that describes the device
 * @line: line in @file, or 0
 *
 * Return: the new device, with all of its properties unknown.
 */
struct guest_device *guest_map_add(struct guest_map *map, const char *file, int line)
{
	struct guest_device *dev = list_add((void **)&map->list, &map->count, sizeof(*dev));

	dev->node = NUMA_NONE;
	dev->index = -1;
	dev->file = file;
	dev->line = line;
	return dev;
}

/**
 * guest_map_wrong() - report an error in a map, and count it so that the check can go on
 * @map: map
 * @file: file with the error
 * @line: line in @file, or 0
 * @format: message as for printf(), without a newline: item, value found, values allowed
 */
void guest_map_wrong(struct guest_map *map, const char *file, int line, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	sysfs_make_plain(text);
	if (line)
		say_error(ERROR_INPUT, "%s:%d: %s", file, line, text);
	else
		say_error(ERROR_INPUT, "%s: %s", file, text);
	map->errors++;
}

/**
 * guest_bdf() - format a PCI address
 * @bdf: of BDF_BYTES, set
 * @domain: PCI segment
 * @bus: bus number
 * @slot: device number
 * @function: function number
 */
void guest_bdf(char *bdf, unsigned int domain, unsigned int bus, unsigned int slot,
	       unsigned int function)
{
	snprintf(bdf, BDF_BYTES, "%04x:%02x:%02x.%x", domain, bus & 0xff, slot & 0x1f,
		 function & 7);
}

/* Says in one line what a file is that is no map, and what to give in its place. */
static void refuse(struct guest_map *map, const char *file, enum text_kind kind)
{
	const char *instead = "give libvirt's XML, QMP's query-pci, Cloud Hypervisor's vm.info, or lines HOST GUEST";

	switch (kind) {
	case TEXT_XML_HWLOC:
		instead = "it describes a host: give it as --sysroot, and as --map libvirt's XML, QMP's query-pci, or lines HOST GUEST";
		break;
	case TEXT_XML_NCCL:
		instead = "topo check compares it with the hardware; as --map give libvirt's XML, QMP's query-pci, or lines HOST GUEST";
		break;
	case TEXT_LSPCI_HEX:
	case TEXT_LSPCI:
	case TEXT_LSPCI_TREE:
		instead = "it does not say which device of the host is which of the guest: give libvirt's XML, QMP's query-pci, or lines HOST GUEST";
		break;
	default:
		break;
	}
	guest_map_wrong(map, file, 0, "this looks like %s: %s", text_kind_titles[kind], instead);
}

static void read_text(struct guest_map *map, const char *file, char *text, size_t size)
{
	enum text_kind kind;

	size = text_plain(text, size);
	kind = text_kind_of(text, size);
	switch (kind) {
	case TEXT_XML_LIBVIRT:
	case TEXT_XML_OTHER:
		guest_map_libvirt(map, file, text, size);
		break;
	case TEXT_JSON:
		guest_map_json(map, file, text, size);
		break;
	case TEXT_COMMAND:
		guest_map_command(map, file, text, size);
		break;
	case TEXT_CLOUD:
		guest_map_cloud(map, file, text, size);
		break;
	case TEXT_INFO_PCI:
		guest_map_info_pci(map, file, text);
		break;
	case TEXT_INFO_QTREE:
		guest_map_info_qtree(map, file, text);
		break;
	case TEXT_PROXMOX:
		guest_map_proxmox(map, file, text);
		break;
	case TEXT_OTHER:
	case TEXT_BINARY:
	case TEXT_EMPTY:
		guest_map_lines(map, file, text, size);
		break;
	default:
		refuse(map, file, kind);
		break;
	}
}

static void read_file(struct guest_map *map, const char *name)
{
	size_t size = 0;
	char *text = text_file_read(name, &size);

	if (text)
		read_text(map, text_file_title(name), text, size);
	else
		map->errors++;
	free(text);
}

/**
 * guest_map_read() - read the files that describe a guest, and detect their formats
 * @map: empty; the devices and the number of errors are set
 * @files: files of the kinds that read_text() knows, or lines "HOST GUEST"; "-" for standard
 *	input
 *
 * Return: 0, or EXIT_ERROR after printing all errors.
 */
int guest_map_read(struct guest_map *map, const struct guest_map_files *files)
{
	int i;

	map->cloud_version = files->cloud_version;
	for (i = 0; i < files->count; i++)
		read_file(map, files->name[i]);
	return map->errors ? EXIT_ERROR : EXIT_OK;
}

/* A VMM may allow only some separators in a name, so any of these separates an address. */
static bool is_mark(char c)
{
	return c && strchr(":._-", c);
}

/* Parses "0000-26-00-0" or "26:00.0" at the beginning of @text, unless a longer word follows. */
static bool take_address(const char *text, char *bdf)
{
	static const char *const forms[] = { "xxxx:xx:xx.x", "xx:xx.x" };
	char plain[BDF_BYTES];
	size_t form, i;

	for (form = 0; form < 2; form++) {
		const char *want = forms[form];

		for (i = 0; want[i]; i++) {
			bool mark = want[i] != 'x';

			if (mark ? !is_mark(text[i]) : !isxdigit((unsigned char)text[i]))
				break;
			plain[i] = mark ? want[i] : text[i];
		}
		plain[i] = '\0';
		if (!want[i] && !isalnum((unsigned char)text[i]) && bdf_parse(plain, bdf))
			return true;
	}
	return false;
}

/* Operators often put the host address into the name that they give a VM's device. */
static bool address_in(const char *id, const struct topo *topo, char *bdf)
{
	size_t i;

	for (i = 0; id[i]; i++)
		if ((!i || !isalnum((unsigned char)id[i - 1])) && take_address(id + i, bdf) &&
		    host_find(&topo->host, bdf) >= 0)
			return true;
	return false;
}

static bool differ(const char *a, const char *b)
{
	return *a && *b && strcmp(a, b);
}

/* Completes a device by another file's description of it, and reports contradictions. */
static void merge(struct guest_map *map, struct guest_device *into,
		  const struct guest_device *from)
{
	if (differ(into->host, from->host))
		guest_map_wrong(map, from->file, from->line, "id %s is %s here, and %s elsewhere",
				from->id, from->host, into->host);
	if (!into->computed && !from->computed && differ(into->guest, from->guest))
		guest_map_wrong(map, from->file, from->line,
				"id %s is at %s of the guest here, and at %s elsewhere", from->id,
				from->guest, into->guest);
	if (!*into->host)
		memcpy(into->host, from->host, sizeof(into->host));
	if (*from->guest && (!*into->guest || into->computed)) {
		memcpy(into->guest, from->guest, sizeof(into->guest));
		into->computed = from->computed;
	}
	if (into->node == NUMA_NONE)
		into->node = from->node;
	if (!into->vendor) {
		into->vendor = from->vendor;
		into->device = from->device;
	}
}

/* Proxmox adds ".0" to the name of a device that has several functions. */
static bool is_first_function(const char *id, const char *of)
{
	size_t length = strlen(of);

	return !strncmp(id, of, length) && !strcmp(id + length, ".0");
}

/* Entries of different files with the same name describe one device. */
static bool are_one(const struct guest_device *a, const struct guest_device *b)
{
	return *a->id && *b->id && strcmp(a->file, b->file) &&
	       (!strcmp(a->id, b->id) || is_first_function(a->id, b->id) ||
		is_first_function(b->id, a->id));
}

static void join(struct guest_map *map)
{
	size_t i, k;

	for (i = 0; i < map->count; i++)
		for (k = i + 1; k < map->count;) {
			if (!are_one(&map->list[i], &map->list[k])) {
				k++;
				continue;
			}
			merge(map, &map->list[i], &map->list[k]);
			memmove(&map->list[k], &map->list[k + 1],
				(--map->count - k) * sizeof(map->list[k]));
		}
}

static int count_alike(const struct topo *topo, const struct guest_device *dev, int *index)
{
	int found = 0, i;

	for (i = 0; i < topo->host.count; i++)
		if (topo_is_device(topo->kind[i]) && topo->host.node[i].vendor == dev->vendor &&
		    topo->host.node[i].device == dev->device) {
			*index = i;
			found++;
		}
	return found;
}

/*
 * Identifies a guest's device on the host by the address in its name, or by its IDs. Returns
 * false if the host has no such device.
 */
static bool recognise(const struct topo *topo, struct guest_device *dev)
{
	int index = -1;

	if (address_in(dev->id, topo, dev->host))
		return true;
	dev->alike = dev->vendor ? count_alike(topo, dev, &index) : -1;
	if (dev->alike != 1)
		return dev->alike;
	dev->alike = 0;
	snprintf(dev->host, sizeof(dev->host), "%s", topo->host.function[index].bdf);
	return true;
}

/*
 * Checks whether a device is the first of its file to which @is_so applies, and writes how many
 * others of the file there are.
 */
static bool is_first(const struct guest_map *map, size_t index,
		     bool (*is_so)(const struct guest_device *dev), char *more, size_t size)
{
	int others = 0;
	size_t i;

	if (!is_so(&map->list[index]))
		return false;
	for (i = 0; i < map->count; i++) {
		if (strcmp(map->list[i].file, map->list[index].file) || !is_so(&map->list[i]))
			continue;
		if (i < index)
			return false;
		others += i > index;
	}
	*more = '\0';
	if (others)
		snprintf(more, size, " (and %d more)", others);
	return true;
}

static bool is_nameless(const struct guest_device *dev)
{
	return dev->alike < 0 && !*dev->mapping;
}

static bool is_mapped(const struct guest_device *dev)
{
	return dev->alike && *dev->mapping;
}

static bool is_ambiguous(const struct guest_device *dev)
{
	return dev->alike > 1 && !*dev->mapping;
}

static bool is_placeless(const struct guest_device *dev)
{
	return *dev->host && !*dev->guest && !dev->computed;
}

static bool is_versioned(const struct guest_device *dev)
{
	return *dev->host && !*dev->guest && dev->computed;
}

/* Reports devices of which a half is unknown, in one line for each file. */
static void check_halves(struct guest_map *map)
{
	char more[32];
	size_t i;

	for (i = 0; i < map->count; i++) {
		const struct guest_device *dev = &map->list[i];

		if (is_first(map, i, is_nameless, more, sizeof(more)))
			guest_map_wrong(map, dev->file, dev->line,
					"nothing says which device of the host %s (id \"%s\") is%s: give a second --map with lines \"HOST ID\"",
					dev->guest, dev->id, more);
		if (is_first(map, i, is_mapped, more, sizeof(more)))
			guest_map_wrong(map, dev->file, dev->line,
					"%s is of the resource mapping \"%s\", and nothing says which device it got%s: give a second --map with lines \"HOST %s\", qm showcmd, or, if the mapping has one device, /etc/pve/mapping/pci.cfg",
					dev->id, dev->mapping, more, dev->id);
		if (is_first(map, i, is_ambiguous, more, sizeof(more)))
			guest_map_wrong(map, dev->file, dev->line,
					"%s (id \"%s\") is a %04x:%04x, of which the host has %d: say which%s, by a second --map with QEMU's command line, libvirt's XML, qm config or lines \"HOST ID\", or by an id that has the host's address in it",
					dev->guest, dev->id, dev->vendor, dev->device, dev->alike,
					more);
		if (is_first(map, i, is_versioned, more, sizeof(more)))
			guest_map_wrong(map, dev->file, dev->line,
					"%s%s%s%s: its address depends on the version of Cloud Hypervisor, and nothing tells it (after 53.0 only segment 0 has a host bridge, and devices of others begin at slot 0): give vm.info of the running VM, or before this --map the answer to vmm.ping or a line of cloud-hypervisor --version",
					dev->host, *dev->id ? ", id " : "", dev->id, more);
		if (is_first(map, i, is_placeless, more, sizeof(more)))
			guest_map_wrong(map, dev->file, dev->line,
					"%s%s%s: nothing says which address it has in the guest%s: give a second --map with QMP's query-pci, info pci of QEMU's monitor, or Cloud Hypervisor's vm.info",
					dev->host, *dev->id ? ", id " : "", dev->id, more);
	}
}

/* Drops devices that the host does not have, such as those that the VMM emulates. */
static void recognise_all(struct guest_map *map, const struct topo *topo)
{
	size_t i;

	for (i = 0; i < map->count;) {
		struct guest_device *dev = &map->list[i];

		if (*dev->host || recognise(topo, dev)) {
			i++;
			continue;
		}
		memmove(dev, dev + 1, (--map->count - i) * sizeof(*dev));
	}
}

static void check_device(struct guest_map *map, const struct topo *topo,
			 struct guest_device *dev)
{
	if (!*dev->host)
		return;
	dev->index = host_find(&topo->host, dev->host);
	if (dev->index < 0)
		guest_map_wrong(map, dev->file, dev->line, "%s: the host has no such device",
				dev->host);
	else if (topo->kind[dev->index] == TOPO_PORT)
		guest_map_wrong(map, dev->file, dev->line,
				"%s is a port, which no guest can have: name the device below it",
				dev->host);
	if (!strcmp(dev->guest, HOST_BRIDGE) || !strncmp(dev->guest, GUEST_SWITCHES,
							  strlen(GUEST_SWITCHES)))
		guest_map_wrong(map, dev->file, dev->line,
				"%s cannot be a device's address in a guest: it is %s", dev->guest,
				strcmp(dev->guest, HOST_BRIDGE) ?
				"reserved for the switches of a topology" : "the host bridge's");
}

static void check_pair(struct guest_map *map, const struct topo *topo,
		       const struct guest_device *a, const struct guest_device *b)
{
	if (*a->host && !strcmp(a->host, b->host))
		guest_map_wrong(map, b->file, b->line, "%s is there twice: as %s and as %s",
				b->host, a->guest, b->guest);
	else if (*a->guest && !strcmp(a->guest, b->guest))
		guest_map_wrong(map, b->file, b->line,
				"%s of the guest is there twice: %s and %s", b->guest, a->host,
				b->host);
	else if (a->index >= 0 && b->index >= 0 &&
		 (topo->physfn[a->index] == b->index || topo->physfn[b->index] == a->index))
		guest_map_wrong(map, b->file, b->line,
				"%s and %s are a PF and a VF of it: a guest that has the PF has no use for the VF, and no other guest may have it",
				a->host, b->host);
}

static int by_guest(const void *a, const void *b)
{
	const struct guest_device *x = a, *y = b;

	return strcmp(x->guest, y->guest);
}

static void check_nodes(struct guest_map *map)
{
	size_t i;

	for (i = 0; i < map->count; i++)
		if (map->nodes && map->list[i].node >= map->nodes)
			guest_map_wrong(map, map->list[i].file, map->list[i].line,
					"%s is in NUMA node %d, and the guest has %d",
					map->list[i].guest, map->list[i].node, map->nodes);
}

/* If a node's memory does not tell where it is, the CPUs that it is pinned to do. */
static void settle_cells(struct guest_map *map, const struct topo *topo)
{
	int found[NUMA_NODES_MAX] = { 0 }, cell, node;

	for (cell = 0; cell < NUMA_NODES_MAX; cell++) {
		if (!map->pinned[cell][0])
			continue;
		node = numa_of_cpu(&topo->numa, map->pinned[cell][0] - 1);
		if (node >= 0 && node < NUMA_NODES_MAX &&
		    node == numa_of_cpu(&topo->numa, map->pinned[cell][1] - 1))
			found[node] = found[node] ? GUEST_CELL_MANY : cell + 1;
	}
	for (node = 0; node < NUMA_NODES_MAX; node++)
		if (!map->cell_of[node])
			map->cell_of[node] = found[node];
}

/**
 * guest_map_settle() - merge the entries of all files and check them against the host
 * @map: map that guest_map_read() has filled without an error
 * @topo: host
 *
 * Return: 0, or EXIT_ERROR after printing all errors.
 */
int guest_map_settle(struct guest_map *map, const struct topo *topo)
{
	size_t gpus = 0, i, k;

	if (map->count > DEVICES_MAX) {
		say_error(ERROR_INPUT, "the map has %zu devices, and %d at most are possible", map->count,
			  DEVICES_MAX);
		map->errors++;
		return EXIT_ERROR;
	}
	settle_cells(map, topo);
	guest_map_proxmox_expand(map, topo);
	join(map);
	recognise_all(map, topo);
	for (i = 0; i < map->count; i++) {
		check_device(map, topo, &map->list[i]);
		gpus += map->list[i].index >= 0 && topo->kind[map->list[i].index] == TOPO_GPU;
		for (k = 0; k < i; k++)
			check_pair(map, topo, &map->list[k], &map->list[i]);
	}
	check_halves(map);
	check_nodes(map);
	if (!map->errors && !map->count) {
		say_error(ERROR_INPUT, "the map has no device of this host");
		map->errors++;
	} else if (!map->errors && !gpus) {
		say_error(ERROR_INPUT, "the map has no GPU, so the guest needs no topology file");
		map->errors++;
	}
	if (map->count)
		qsort(map->list, map->count, sizeof(*map->list), by_guest);
	return map->errors ? EXIT_ERROR : EXIT_OK;
}

/**
 * guest_map_has() - check whether the map has a device at an address of the guest
 * @map: map
 * @guest: the address
 *
 * Return: true if a device has that address.
 */
bool guest_map_has(const struct guest_map *map, const char *guest)
{
	size_t i;

	for (i = 0; i < map->count; i++)
		if (!strcmp(map->list[i].guest, guest))
			return true;
	return false;
}

/**
 * guest_map_free() - free a map's devices, and leave it empty
 * @map: map
 */
void guest_map_free(struct guest_map *map)
{
	free(map->list);
	free(map->mapping);
	*map = (struct guest_map) { 0 };
}
