// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "out_guest.h"
#include "sysfs.h"

#define CLASS_SWITCH	0x060400

/*
 * The libraries accept only a subset of XML (src/graph/xml.cc): each tag on one line with
 * one blank between attributes, no declaration, no tabs. They detect omitted data themselves
 * and believe all data that is present. So the file says nothing of the guest's CPUs, which
 * the host does not know, and has no gpu and nic elements.
 */

static void print_link(const struct host_link *link)
{
	char text[32];

	/* An idle link may run at a lower speed, so the file gives the link's maximum. */
	if (!link->max_speed || !link->max_width)
		return;
	host_link_speed_text(link->max_speed, text, sizeof(text));
	printf(" link_speed=\"%s\" link_width=\"%u\"", text, link->max_width);
}

static void print_number(const char *bdf, const char *file, const char *name)
{
	long long number;

	if (sysfs_read_number(bdf, file, &number))
		printf(" %s=\"0x%04x\"", name, (unsigned int)number & 0xffff);
}

static void print_device(const struct topo *topo, const struct guest_part_of *device)
{
	const struct instinct_node *node = &topo->host.node[device->host];
	const char *bdf = topo->host.function[device->host].bdf;

	printf("<pci busid=\"%s\" class=\"0x%06x\" vendor=\"0x%04x\" device=\"0x%04x\"",
	       device->busid, node->class, node->vendor, node->device);
	print_number(bdf, "subsystem_vendor", "subsystem_vendor");
	print_number(bdf, "subsystem_device", "subsystem_device");
	print_link(&device->link);
	puts("/>");
}

static void print_part(const struct topo *topo, const struct guest_tree *tree, size_t index,
		       int depth)
{
	const struct guest_part_of *part = &tree->list[index];
	size_t i;

	printf("%*s", 2 * depth, "");
	if (part->part == GUEST_DEVICE) {
		print_device(topo, part);
		return;
	}
	if (part->part == GUEST_NODE) {
		printf("<cpu numaid=\"%d\"", part->numa);
	} else {
		/* A real vendor's IDs could make RCCL flatten the switch. */
		printf("<pci busid=\"%s\" class=\"0x%06x\" vendor=\"0xffff\" device=\"0xffff\" subsystem_vendor=\"0xffff\" subsystem_device=\"0xffff\"",
		       part->busid, CLASS_SWITCH);
		print_link(&part->link);
	}
	puts(">");
	for (i = 0; i < tree->count; i++)
		if (guest_tree_is_linked(tree, topo, index, i))
			printf("%*s<pcilink target=\"%s\"/>\n", 2 * depth + 2, "",
			       tree->list[i].busid);
	for (i = index + 1; i < tree->count; i++)
		if (tree->list[i].parent == (int)index)
			print_part(topo, tree, i, depth + 1);
	printf("%*s</%s>\n", 2 * depth, "", part->part == GUEST_NODE ? "cpu" : "pci");
}

/**
 * out_guest_xml() - print the topology file of a guest
 * @topo: host
 * @tree: topology of the guest
 * @flavor: library that will read the file
 */
void out_guest_xml(const struct topo *topo, const struct guest_tree *tree,
		   enum guest_flavor flavor)
{
	size_t i;

	printf("<system version=\"%u\">\n", guest_flavor_version(flavor));
	for (i = 0; i < tree->count; i++)
		if (tree->list[i].part == GUEST_NODE)
			print_part(topo, tree, i, 1);
	puts("</system>");
}
