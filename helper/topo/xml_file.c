// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <libxml/parser.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "library.h"
#include "say.h"
#include "sysfs.h"
#include "xml_file.h"

/* Debian 12 and 13 have the first; later releases have the second. */
static const char *const libraries[] = { "libxml2.so.2", "libxml2.so.16" };

LIBRARY_NOTE("hwloc-xml", "recommended", "\"libxml2.so.2\",\"libxml2.so.16\"");

/*
 * libxml2 pulls in ICU, which the daemon does not need, so it is loaded at run time. The code
 * walks a document through libxml2's structs, which are part of its interface.
 */
static struct xml {
	typeof(&xmlReadMemory) read_memory;
	typeof(&xmlDocGetRootElement) root;
	typeof(&xmlFreeDoc) free;
	typeof(&xmlGetLastError) last_error;
} xml;

static const struct library_call calls[] = {
	{ "xmlReadMemory", offsetof(struct xml, read_memory) },
	{ "xmlDocGetRootElement", offsetof(struct xml, root) },
	{ "xmlFreeDoc", offsetof(struct xml, free) },
	{ "xmlGetLastError", offsetof(struct xml, last_error) },
};

/* The library stays loaded, since a command that needs it ends soon. */
static bool load(void)
{
	const char *missing;
	size_t i;

	for (i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++)
		if (library_open(libraries[i], calls, sizeof(calls) / sizeof(calls[0]), &xml, &missing))
			return true;
	return false;
}

/* libxml2's message quotes the file, so it must not reach a terminal unfiltered. */
static void complain(const char *name, const xmlError *error)
{
	char text[512];

	if (!error || !error->message) {
		say_error(ERROR_INPUT, "%s: no XML", name);
		return;
	}
	snprintf(text, sizeof(text), "%.*s", (int)strcspn(error->message, "\n"), error->message);
	sysfs_make_plain(text);
	say_error(ERROR_INPUT, "%s:%d: no XML: %s", name, error->line, text);
}

/**
 * xml_parse() - parse XML text into a document
 * @text: XML
 * @size: of @text in bytes
 * @name: name of the file, for messages
 *
 * The parser reads no other file or URL, even if the text refers to one.
 *
 * Return: a document for xml_free(), or NULL after printing the reason.
 */
xmlDoc *xml_parse(const char *text, size_t size, const char *name)
{
	xmlDoc *doc;

	if (!xml.read_memory && !load()) {
		say_error(ERROR_NO_LIBRARY, "%s is XML, and libxml2 cannot be loaded to read it: install it (Debian: libxml2)",
			  name);
		return NULL;
	}
	if (size > INT_MAX)
		return NULL;
	doc = xml.read_memory(text, size, NULL, NULL,
			      XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING |
			      XML_PARSE_NOCDATA);
	if (doc && xml.root(doc))
		return doc;
	complain(name, xml.last_error());
	if (doc)
		xml.free(doc);
	return NULL;
}

/**
 * xml_root() - get the outermost element
 * @doc: from xml_parse()
 *
 * Return: the element.
 */
xmlNode *xml_root(xmlDoc *doc)
{
	return xml.root(doc);
}

/**
 * xml_free() - free a document
 * @doc: from xml_parse()
 */
void xml_free(xmlDoc *doc)
{
	xml.free(doc);
}

/**
 * xml_is() - check whether a node is an element of a given name
 * @node: node
 * @name: the name, NULL for any
 *
 * Return: true if it is.
 */
bool xml_is(const xmlNode *node, const char *name)
{
	return node->type == XML_ELEMENT_NODE &&
	       (!name || !strcmp((const char *)node->name, name));
}

static xmlNode *first(xmlNode *node, const char *name)
{
	while (node && !xml_is(node, name))
		node = node->next;
	return node;
}

/**
 * xml_child() - find the first child element of a given name
 * @node: parent, or NULL
 * @name: the name, NULL for any
 *
 * Return: the element or NULL.
 */
xmlNode *xml_child(const xmlNode *node, const char *name)
{
	return node ? first(node->children, name) : NULL;
}

/**
 * xml_next() - find the next sibling element of a given name
 * @node: element to start after
 * @name: the name, NULL for any
 *
 * Return: the element or NULL.
 */
xmlNode *xml_next(const xmlNode *node, const char *name)
{
	return first(node->next, name);
}

/**
 * xml_attribute() - get an attribute's value
 * @node: element, or NULL
 * @name: name of the attribute
 *
 * Return: the value; NULL if the element lacks the attribute.
 */
const char *xml_attribute(const xmlNode *node, const char *name)
{
	const xmlAttr *at = node ? node->properties : NULL;

	while (at && strcmp((const char *)at->name, name))
		at = at->next;
	if (!at)
		return NULL;
	return at->children && at->children->content ? (const char *)at->children->content : "";
}

/**
 * xml_attribute_is() - check whether an attribute has a given value
 * @node: element, or NULL
 * @name: name of the attribute
 * @value: the value
 *
 * Return: true if the attribute exists and has the value.
 */
bool xml_attribute_is(const xmlNode *node, const char *name, const char *value)
{
	const char *found = xml_attribute(node, name);

	return found && !strcmp(found, value);
}

/**
 * xml_attribute_number() - parse an attribute that is a number
 * @node: element, or NULL
 * @name: name of the attribute
 * @value: set; the text is decimal, or hexadecimal with 0x
 *
 * Return: false if the attribute is absent or not a number.
 */
bool xml_attribute_number(const xmlNode *node, const char *name, unsigned int *value)
{
	const char *text = xml_attribute(node, name);
	unsigned long number;
	char *end;

	if (!text || *text < '0' || *text > '9')
		return false;
	errno = 0;
	number = strtoul(text, &end, strncmp(text, "0x", 2) ? 10 : 16);
	if (*end || errno || number > UINT_MAX)
		return false;
	*value = number;
	return true;
}
