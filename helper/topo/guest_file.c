// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guest_file.h"
#include "numa.h"
#include "say.h"
#include "sysfs.h"
#include "text_file.h"
#include "xml_file.h"

#define DEPTH_MAX	64
/* As RCCL since 6.2 has room for, which has the most (MAX_NODES in src/graph/xml.h). */
#define PARTS_MAX	8192
/* Longer ones run over in RCCL up to 5.4, which has no check. */
#define VALUE_MAX	254

/* The libraries skip comments, whatever is in them. */
static void blank_comments(char *text, size_t size)
{
	char *at = text, *end;

	while ((at = memmem(at, text + size - at, "<!--", 4))) {
		end = memmem(at, text + size - at, "-->", 3);
		for (; at < (end ? end : text + size); at++)
			if (*at != '\n')
				*at = ' ';
	}
}

/* Each of these is XML, and none of the libraries reads it (src/graph/xml.cc). */
static void check_form(struct guest_file *file, const char *text, size_t size)
{
	static const struct {
		const char *what, *why;
	} unwanted[] = {
		{ "<?xml", "an XML declaration, which the libraries take for a broken tag: remove it" },
		{ "<!DOCTYPE", "a DOCTYPE, which the libraries take for a broken tag: remove it" },
		{ "\t", "a tab, which the libraries do not know for a blank" },
		{ "'", "single quotes, which the libraries do not end a value at" },
		{ "<![CDATA[", "CDATA, which the libraries do not know" },
		{ "&", "an entity such as &amp;, which the libraries do not decode" },
	};
	const char *at, *c;
	size_t i;

	for (i = 0; i < sizeof(unwanted) / sizeof(unwanted[0]) && !file->form; i++) {
		at = memmem(text, size, unwanted[i].what, strlen(unwanted[i].what));
		if (!at)
			continue;
		file->form = unwanted[i].why;
		file->form_line = 1;
		for (c = text; c < at; c++)
			file->form_line += *c == '\n';
	}
}

/* The longest form that a library knows, of which the beginning has to match. */
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

static void check_values(struct guest_file *file, const xmlNode *element)
{
	const xmlAttr *at;

	for (at = element->properties; at && !file->form; at = at->next)
		if (at->children && at->children->content &&
		    strlen((const char *)at->children->content) > VALUE_MAX) {
			file->form = "a value of more than 254 characters, for which the libraries have no room";
			file->form_line = element->line;
		}
}

static void read_below(struct guest_file *file, const xmlNode *above, int parent, int depth)
{
	const xmlNode *element;

	for (element = xml_child(above, NULL);
	     element && depth < DEPTH_MAX && file->count <= PARTS_MAX;
	     element = xml_next(element, NULL)) {
		struct guest_file_part *part;
		unsigned int numa;

		check_values(file, element);
		if (!xml_is(element, "cpu") && !xml_is(element, "pci"))
			continue;
		part = list_add((void **)&file->list, &file->count, sizeof(*part));
		part->parent = parent;
		part->is_node = xml_is(element, "cpu");
		part->numa = xml_attribute_number(element, "numaid", &numa) &&
			     numa < 10000 ? (int)numa : NUMA_NONE;
		part->line = element->line;
		copy(part->busid, sizeof(part->busid), element, "busid");
		copy(part->class, sizeof(part->class), element, "class");
		copy(part->speed, sizeof(part->speed), element, "link_speed");
		xml_attribute_number(element, "vendor", &part->vendor);
		xml_attribute_number(element, "link_width", &part->link.max_width);
		part->link.max_speed = parse_speed(part->speed);
		read_below(file, element, file->count - 1, depth + 1);
	}
}

/**
 * guest_file_parse() - understand what is in a topology file
 * @file: set; guest_file_free() is owed in any case
 * @name: of it
 * @text: in it; comments are blanked
 * @size: of @text in bytes
 *
 * Return: 0, or EXIT_ERROR, and then it has said why.
 */
int guest_file_parse(struct guest_file *file, const char *name, char *text, size_t size)
{
	xmlDoc *doc = xml_parse(text, size, name);

	*file = (struct guest_file) { .name = name };
	if (!doc)
		return EXIT_ERROR;
	blank_comments(text, size);
	check_form(file, text, size);
	if (!xml_is(xml_root(doc), "system")) {
		say_error("%s is XML, but no topology file: its outermost element is <%s>, not <system>",
			  name, (const char *)xml_root(doc)->name);
		xml_free(doc);
		return EXIT_ERROR;
	}
	xml_attribute_number(xml_root(doc), "version", &file->version);
	read_below(file, xml_root(doc), -1, 0);
	xml_free(doc);
	if (file->count <= PARTS_MAX)
		return EXIT_OK;
	say_error("%s has more than %d elements, and no library has room for these", name,
		  PARTS_MAX);
	return EXIT_ERROR;
}

/**
 * guest_file_read() - read a topology file
 * @file: set; guest_file_free() is owed in any case
 * @name: of it, "-": standard input
 *
 * Return: 0, or EXIT_ERROR, and then it has said why.
 */
int guest_file_read(struct guest_file *file, const char *name)
{
	size_t size = 0;
	char *text = text_file_read(name, &size);
	int code = EXIT_ERROR;

	*file = (struct guest_file) { .name = name };
	if (text)
		code = guest_file_parse(file, name, text, size);
	free(text);
	return code;
}

/**
 * guest_file_find() - the element that a library would find for a device
 * @file: file
 * @busid: of the device
 *
 * Return: its index, the first if there are several, or -1.
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
 * guest_file_free() - let go of it
 * @file: set or zeroed
 */
void guest_file_free(struct guest_file *file)
{
	free(file->list);
	*file = (struct guest_file) { 0 };
}
