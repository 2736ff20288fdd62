// SPDX-License-Identifier: GPL-2.0-or-later
#include <dlfcn.h>
#include <errno.h>
#include <libxml/parser.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "say.h"
#include "sysfs.h"
#include "xml_file.h"

/* Debian 12 and 13 have the first, later releases the second. */
static const char *const libraries[] = { "libxml2.so.2", "libxml2.so.16" };

/*
 * libxml2 takes ICU with it, which the daemon has no use for. What it has parsed is
 * walked through its structs, which are part of its interface.
 */
static struct {
	typeof(&xmlReadMemory) read_memory;
	typeof(&xmlDocGetRootElement) root;
	typeof(&xmlFreeDoc) free;
	typeof(&xmlGetLastError) last_error;
} xml;

static bool symbol(void *library, const char *name, void *pointer)
{
	void *found = dlsym(library, name);

	memcpy(pointer, &found, sizeof(found));
	return found;
}

/* It stays: a command that needs it is soon over. */
static bool load(void)
{
	void *library = NULL;
	size_t i;

	for (i = 0; !library && i < sizeof(libraries) / sizeof(libraries[0]); i++)
		library = dlopen(libraries[i], RTLD_NOW | RTLD_LOCAL);
	return library && symbol(library, "xmlReadMemory", &xml.read_memory) &&
	       symbol(library, "xmlDocGetRootElement", &xml.root) &&
	       symbol(library, "xmlFreeDoc", &xml.free) &&
	       symbol(library, "xmlGetLastError", &xml.last_error);
}

/* The library quotes what it has found, which is not for terminals. */
static void complain(const char *name, const xmlError *error)
{
	char text[512];

	if (!error || !error->message) {
		say_error("%s: no XML", name);
		return;
	}
	snprintf(text, sizeof(text), "%.*s", (int)strcspn(error->message, "\n"), error->message);
	sysfs_make_plain(text);
	say_error("%s:%d: no XML: %s", name, error->line, text);
}

/**
 * xml_parse() - parse XML
 * @text: it
 * @size: of it in bytes
 * @name: of the file that it is from, for messages
 *
 * Nothing outside of it is read, whatever it refers to.
 *
 * Return: a document for xml_free(), or NULL, and then it has said why.
 */
xmlDoc *xml_parse(const char *text, size_t size, const char *name)
{
	xmlDoc *doc;

	if (!xml.read_memory && !load()) {
		say_error("%s is XML, and libxml2 cannot be loaded to read it: install it (Debian: libxml2)",
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
 * xml_root() - the outermost element
 * @doc: of xml_parse()
 *
 * Return: it.
 */
xmlNode *xml_root(xmlDoc *doc)
{
	return xml.root(doc);
}

/**
 * xml_free() - let go of a document
 * @doc: of xml_parse()
 */
void xml_free(xmlDoc *doc)
{
	xml.free(doc);
}

/**
 * xml_is() - is a node an element of that name?
 * @node: it
 * @name: the name, NULL: any
 *
 * Return: true if so.
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
 * xml_child() - the first element of that name in another
 * @node: the other, or NULL
 * @name: the name, NULL: any
 *
 * Return: it or NULL.
 */
xmlNode *xml_child(const xmlNode *node, const char *name)
{
	return node ? first(node->children, name) : NULL;
}

/**
 * xml_next() - the next element of that name after another
 * @node: the other
 * @name: the name, NULL: any
 *
 * Return: it or NULL.
 */
xmlNode *xml_next(const xmlNode *node, const char *name)
{
	return first(node->next, name);
}

/**
 * xml_attribute() - an attribute's value
 * @node: element, or NULL
 * @name: of the attribute
 *
 * Return: it; NULL without one.
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
 * xml_attribute_is() - has an attribute that value?
 * @node: element, or NULL
 * @name: of the attribute
 * @value: the value
 *
 * Return: true if so.
 */
bool xml_attribute_is(const xmlNode *node, const char *name, const char *value)
{
	const char *found = xml_attribute(node, name);

	return found && !strcmp(found, value);
}

/**
 * xml_attribute_number() - an attribute that is a number
 * @node: element, or NULL
 * @name: of the attribute
 * @value: set; decimal, or hexadecimal with 0x
 *
 * Return: false if it is not there, or no number.
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
