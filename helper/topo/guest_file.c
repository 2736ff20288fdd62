// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guest_file.h"
#include "guest_form.h"
#include "numa.h"
#include "say.h"
#include "sysfs.h"
#include "text_file.h"
#include "xml_file.h"

#define DEPTH_MAX	64
/* The limit of RCCL since 6.2, the highest of all (MAX_NODES in src/graph/xml.h). */
#define ELEMENTS_MAX	8192

/* The libraries compare the beginning of the text with the forms that they know. */
static unsigned int parse_speed(const char *text)
{
	static const char *const known[] = {
		"2.5 GT/s", "5 GT/s", "8 GT/s", "16 GT/s", "32 GT/s", "5.0 GT/s PCIe",
		"8.0 GT/s PCIe", "16.0 GT/s PCIe", "32.0 GT/s PCIe", "64.0 GT/s PCIe",
	};
	unsigned int whole = 0, tenths = 0;
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strncmp(text, known[i], strlen(known[i])) &&
		    sscanf(text, "%u.%u", &whole, &tenths) >= 1)
			return whole * 1000 + tenths * 100;
	return 0;
}

static void copy(char *into, size_t size, const xmlNode *element, const char *name)
{
	const char *value = xml_attribute(element, name);

	snprintf(into, size, "%s", value ? value : "");
	sysfs_make_plain(into);
}

/*
 * Lists the elements that the libraries store, each with the element that it has to be below
 * (from their handlers in src/graph/xml.cc, with either library's element for links between
 * GPUs). The libraries skip any other element and its contents.
 */
static bool is_stored(const xmlNode *element)
{
	static const struct {
		const char *above, *name;
	} stored[] = {
		{ "system", "cpu" }, { "cpu", "pci" }, { "cpu", "nic" }, { "pci", "pci" },
		{ "pci", "gpu" }, { "pci", "nic" }, { "pci", "pcilink" }, { "nic", "net" },
		{ "gpu", "nvlink" }, { "gpu", "xgmi" }, { "gpu", "c2c" },
	};
	size_t i;

	for (i = 0; i < sizeof(stored) / sizeof(stored[0]); i++)
		if (xml_is(element->parent, stored[i].above) && xml_is(element, stored[i].name))
			return true;
	return false;
}

static void add_part(struct guest_file *file, const xmlNode *element, int parent)
{
	struct guest_file_part *part;
	bool is_node = xml_is(element, "cpu");
	const char *numa = is_node ? xml_attribute(element, "numaid") : NULL;

	part = list_add((void **)&file->list, &file->count, sizeof(*part));
	part->parent = parent;
	part->is_node = is_node;
	/* The libraries accept any text as a number, so strtol() does too. */
	part->has_numa = numa;
	part->numa = numa ? (int)strtol(numa, NULL, 0) : NUMA_NONE;
	part->line = element->line;
	copy(part->busid, sizeof(part->busid), element, "busid");
	copy(part->class, sizeof(part->class), element, "class");
	copy(part->speed, sizeof(part->speed), element, "link_speed");
	xml_attribute_number(element, "vendor", &part->vendor);
	xml_attribute_number(element, "link_width", &part->link.max_width);
	part->link.max_speed = parse_speed(part->speed);
}

/**
 * guest_file_add_link() - add a link between two partitions of a switch chip
 * @file: file
 * @part: index of one switch
 * @target: bus ID of the other
 */
void guest_file_add_link(struct guest_file *file, int part, const char *target)
{
	struct guest_file_link *link = list_add((void **)&file->link, &file->links, sizeof(*link));

	link->part = part;
	snprintf(link->target, sizeof(link->target), "%s", target);
	sysfs_make_plain(link->target);
}

static void read_below(struct guest_file *file, const xmlNode *above, int parent, int depth)
{
	const xmlNode *element;
	size_t children = 0;

	for (element = xml_child(above, NULL);
	     element && depth < DEPTH_MAX && file->elements <= ELEMENTS_MAX;
	     element = xml_next(element, NULL)) {
		int part = parent;

		if (!is_stored(element))
			continue;
		file->elements++;
		children++;
		if (xml_is(element, "cpu") || xml_is(element, "pci")) {
			add_part(file, element, parent);
			part = file->count - 1;
		} else if (xml_is(element, "pcilink") && xml_attribute(element, "target")) {
			guest_file_add_link(file, parent, xml_attribute(element, "target"));
		}
		read_below(file, element, part, depth + 1);
	}
	if (children > file->widest) {
		file->widest = children;
		file->widest_line = above->line;
	}
}

/**
 * guest_file_parse() - parse the text of a topology file
 * @file: set; the caller calls guest_file_free() even on failure
 * @name: name of the file, for messages
 * @text: contents of the file
 * @size: of @text in bytes; a NUL follows
 *
 * Return: 0, or EXIT_ERROR after printing the reason.
 */
int guest_file_parse(struct guest_file *file, const char *name, const char *text, size_t size)
{
	xmlDoc *doc = xml_parse(text, size, name);

	*file = (struct guest_file) { .name = name };
	if (!doc)
		return EXIT_ERROR;
	file->form = guest_form_wrong(text, &file->form_line);
	if (!xml_is(xml_root(doc), "system")) {
		say_error(ERROR_INPUT, "%s is XML, but no topology file: its outermost element is <%s>, not <system>",
			  name, (const char *)xml_root(doc)->name);
		xml_free(doc);
		return EXIT_ERROR;
	}
	xml_attribute_number(xml_root(doc), "version", &file->version);
	file->elements = 1;
	read_below(file, xml_root(doc), -1, 0);
	xml_free(doc);
	if (file->elements <= ELEMENTS_MAX)
		return EXIT_OK;
	say_error(ERROR_INPUT, "%s has more than %d elements, and no library has room for these", name,
		  ELEMENTS_MAX);
	return EXIT_ERROR;
}

/**
 * guest_file_read() - read and parse a topology file
 * @file: set; the caller calls guest_file_free() even on failure
 * @name: name of the file, "-" for standard input
 *
 * Return: 0, or EXIT_ERROR after printing the reason.
 */
int guest_file_read(struct guest_file *file, const char *name)
{
	size_t size = 0;
	char *text = text_file_read(name, &size);
	int code = EXIT_ERROR;

	*file = (struct guest_file) { 0 };
	if (text)
		code = guest_file_parse(file, text_file_title(name), text, size);
	free(text);
	return code;
}

/**
 * guest_file_find() - find the element that a library would find for a device
 * @file: file
 * @busid: bus ID of the device
 *
 * Return: index of the element, the first if there are several; -1 without one.
 */
int guest_file_find(const struct guest_file *file, const char *busid)
{
	size_t i;

	for (i = 0; i < file->count; i++)
		if (!file->list[i].is_node && !strcmp(file->list[i].busid, busid))
			return i;
	return -1;
}

/**
 * guest_file_free() - free the elements of a file
 * @file: set or zeroed
 */
void guest_file_free(struct guest_file *file)
{
	free(file->list);
	free(file->link);
	*file = (struct guest_file) { 0 };
}
