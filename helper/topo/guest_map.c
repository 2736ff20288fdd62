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

#define HOST_BRIDGE	"0000:00:00.0"
/* More than a guest has room for; each is compared with all others. */
#define DEVICES_MAX	1024

/**
 * guest_map_add() - one more device
 * @map: map
 * @file: that tells of it
 * @line: in that, or 0
 *
 * Return: it, of which nothing is known yet.
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
 * guest_map_wrong() - something in a map is wrong: say so, and go on to find all that is
 * @map: map
 * @file: that says it
 * @line: in that, or 0
 * @format: what, found, allowed; as for printf(), without a newline
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
		say_error("%s:%d: %s", file, line, text);
	else
		say_error("%s: %s", file, text);
	map->errors++;
}

/**
 * guest_bdf() - an address in full
 * @bdf: of BDF_BYTES, set
 * @domain: PCI segment
 * @bus: of it
 * @slot: on the bus
 * @function: of the device
 */
void guest_bdf(char *bdf, unsigned int domain, unsigned int bus, unsigned int slot,
	       unsigned int function)
{
	snprintf(bdf, BDF_BYTES, "%04x:%02x:%02x.%x", domain, bus & 0xff, slot & 0x1f,
		 function & 7);
}

/* The two forms of a device that guest_map_command() knows. */
static bool is_command(const char *text, size_t size)
{
	static const char *const marks[] = { "vfio-pci,", "\"vfio-pci\"" };

	return memmem(text, size, marks[0], strlen(marks[0])) ||
	       memmem(text, size, marks[1], strlen(marks[1]));
}

static void read_file(struct guest_map *map, const char *name)
{
	const char *file = text_file_title(name);
	size_t size = 0, at;
	char *text = text_file_read(name, &size);

	if (!text) {
		map->errors++;
		return;
	}
	at = strspn(text, " \t\r\n");
	if (text[at] == '<')
		guest_map_libvirt(map, file, text, size);
	else if (text[at] == '{' || text[at] == '[')
		guest_map_json(map, file, text, size);
	else if (is_command(text, size))
		guest_map_command(map, file, text, size);
	else
		guest_map_lines(map, file, text, size);
	free(text);
}

/**
 * guest_map_read() - read what tells of a guest, whatever form it has
 * @map: empty; set to what they tell, and to errors, which have been said
 * @files: libvirt domain XML, answers of QMP's query-pci, Cloud Hypervisor's vm.info, a
 *	QEMU command line, or lines "HOST GUEST"; "-": standard input
 *
 * Return: 0, or EXIT_ERROR, and then it has said why.
 */
int guest_map_read(struct guest_map *map, const struct guest_map_files *files)
{
	int i;

	for (i = 0; i < files->count; i++)
		read_file(map, files->name[i]);
	return map->errors ? EXIT_ERROR : EXIT_OK;
}

/* Characters that may stand for those of an address in a name that a VMM takes. */
static bool is_mark(char c)
{
	return c && strchr(":._-", c);
}

/* "0000-26-00-0" or "26:00.0" at the beginning of @text, and not a part of a longer word. */
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

/* People name devices of a VM by their address on the host, as well as a VMM takes it. */
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

/* What one file knows of a device and another does not. */
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
}

/* Which can be one: they have the same name, and come from different files. */
static bool are_one(const struct guest_device *a, const struct guest_device *b)
{
	return *a->id && !strcmp(a->id, b->id) && strcmp(a->file, b->file);
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
 * Who a device of a guest is on the host, if only its IDs are known. Returns false if it is
 * nothing that the host has.
 */
static bool recognise(struct guest_map *map, const struct topo *topo, struct guest_device *dev)
{
	int index = -1, alike;

	if (address_in(dev->id, topo, dev->host))
		return true;
	if (!dev->vendor) {
		guest_map_wrong(map, dev->file, dev->line,
				"nothing says which device of the host %s (id \"%s\") is: give a second --map with lines \"HOST ID\"",
				dev->guest, dev->id);
		return true;
	}
	alike = count_alike(topo, dev, &index);
	if (alike == 1) {
		snprintf(dev->host, sizeof(dev->host), "%s", topo->host.function[index].bdf);
		return true;
	}
	if (alike)
		guest_map_wrong(map, dev->file, dev->line,
				"%s (id \"%s\") is a %04x:%04x, of which the host has %d: say which, by a second --map with QEMU's command line, libvirt's XML or lines \"HOST ID\", or by an id that has the host's address in it",
				dev->guest, dev->id, dev->vendor, dev->device, alike);
	return alike;
}

/* Those of a VMM's that are no devices of the host are nobody's business. */
static void recognise_all(struct guest_map *map, const struct topo *topo)
{
	size_t i;

	for (i = 0; i < map->count;) {
		struct guest_device *dev = &map->list[i];

		if (*dev->host || recognise(map, topo, dev)) {
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
				"what stands for switches in a topology" : "the host bridge's");
	if (!*dev->guest)
		guest_map_wrong(map, dev->file, dev->line,
				"%s%s%s: nothing says which address it has in the guest",
				dev->host, *dev->id ? ", id " : "", dev->id);
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

/**
 * guest_map_settle() - make a map of what its files have told
 * @map: map, which all of them have been added to, without an error
 * @topo: host
 *
 * Return: 0, or EXIT_ERROR, and then all that is wrong has been said.
 */
int guest_map_settle(struct guest_map *map, const struct topo *topo)
{
	size_t gpus = 0, i, k;

	if (map->count > DEVICES_MAX) {
		say_error("the map has %zu devices, and %d at most are possible", map->count,
			  DEVICES_MAX);
		map->errors++;
		return EXIT_ERROR;
	}
	join(map);
	recognise_all(map, topo);
	for (i = 0; i < map->count; i++) {
		check_device(map, topo, &map->list[i]);
		gpus += map->list[i].index >= 0 && topo->kind[map->list[i].index] == TOPO_GPU;
		for (k = 0; k < i; k++)
			check_pair(map, topo, &map->list[k], &map->list[i]);
	}
	check_nodes(map);
	if (!map->errors && !map->count) {
		say_error("the map has no device of this host");
		map->errors++;
	} else if (!map->errors && !gpus) {
		say_error("the map has no GPU: there is nothing that a topology would be for");
		map->errors++;
	}
	if (map->count)
		qsort(map->list, map->count, sizeof(*map->list), by_guest);
	return map->errors ? EXIT_ERROR : EXIT_OK;
}

/**
 * guest_map_has() - is a device of the map at that address of the guest?
 * @map: map
 * @guest: the address
 *
 * Return: true if so.
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
 * guest_map_free() - let go of it
 * @map: map
 */
void guest_map_free(struct guest_map *map)
{
	free(map->list);
	*map = (struct guest_map) { 0 };
}
