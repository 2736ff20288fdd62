// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "bdf.h"
#include "model.h"

/* Parse up to @digits hexadecimal digits and then @end; return the text after @end, or NULL. */
static const char *hex_field(const char *text, unsigned int digits, char end,
			     unsigned int *value)
{
	unsigned int n = 0;

	*value = 0;
	for (; isxdigit((unsigned char)*text) && n < digits; text++, n++)
		*value = *value << 4 | (isdigit((unsigned char)*text) ?
			 *text - '0' : tolower((unsigned char)*text) - 'a' + 10);
	return n && *text == end ? text + 1 : NULL;
}

/**
 * bdf_parse() - parse a PCI address
 * @text: "0000:c1:00.0" or "c1:00.0"
 * @bdf: buffer of BDF_BYTES; receives the address with its domain
 *
 * Return: false if @text is not a PCI address.
 */
bool bdf_parse(const char *text, char *bdf)
{
	unsigned int domain = 0, bus = 0, slot = 0, function = 0;
	const char *at = text;

	if (strchr(text, ':') != strrchr(text, ':'))
		at = hex_field(at, 8, ':', &domain);
	if (at)
		at = hex_field(at, 2, ':', &bus);
	if (at)
		at = hex_field(at, 2, '.', &slot);
	if (at)
		at = hex_field(at, 1, '\0', &function);
	if (!at || slot > 31 || function > 7)
		return false;
	snprintf(bdf, BDF_BYTES, "%04x:%02x:%02x.%u", domain, bus, slot, function);
	return true;
}

/**
 * bdf_number() - convert a PCI address to a number
 * @bdf: address with the domain
 *
 * Return: domain << 16 | bus << 8 | devfn; 0 if @bdf is not a PCI address.
 */
uint64_t bdf_number(const char *bdf)
{
	unsigned int domain, bus, slot, function;

	if (sscanf(bdf, "%x:%x:%x.%u", &domain, &bus, &slot, &function) != 4)
		return 0;
	return (uint64_t)domain << 16 | bus << 8 | slot << 3 | function;
}
