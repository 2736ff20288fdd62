/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses untrusted XML with libxml2, which is loaded at run time. */
#ifndef XML_FILE_H
#define XML_FILE_H

#include <libxml/tree.h>
#include <stdbool.h>
#include <stddef.h>

xmlDoc *xml_parse(const char *text, size_t size, const char *name);
xmlNode *xml_root(xmlDoc *doc);
void xml_free(xmlDoc *doc);
xmlNode *xml_child(const xmlNode *node, const char *name);
xmlNode *xml_next(const xmlNode *node, const char *name);
const char *xml_attribute(const xmlNode *node, const char *name);
bool xml_attribute_is(const xmlNode *node, const char *name, const char *value);
bool xml_attribute_number(const xmlNode *node, const char *name, unsigned int *value);
bool xml_is(const xmlNode *node, const char *name);

#endif /* XML_FILE_H */
