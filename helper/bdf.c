// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "bdf.h"
#include "model.h"

/* Up to @digits hexadecimal digits, then @end; returns what comes after it. */
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
 * bdf_parse() - a PCI address as people write it
 * @text: "0000:c1:00.0" or "c1:00.0"
 * @bdf: of BDF_BYTES, set to its full form
 *
 * Return: false if it is none.
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
