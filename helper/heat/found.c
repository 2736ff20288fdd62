// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "found.h"

/* Invisible characters that set the direction of the text around them. */
static bool turns_text(uint32_t code)
{
	return code == 0x200e || code == 0x200f || (code >= 0x202a && code <= 0x202e) ||
	       (code >= 0x2066 && code <= 0x2069);
}

/* Returns the bytes of the UTF-8 character that @text begins with, 0 if it is not printable. */
static size_t character(const unsigned char *text)
{
	static const struct {
		unsigned char mask, lead;
		uint32_t least;
	} forms[] = {
		{ 0x80, 0x00, 0x20 }, { 0xe0, 0xc0, 0xa0 }, { 0xf0, 0xe0, 0x800 },
		{ 0xf8, 0xf0, 0x10000 },
	};
	uint32_t code;
	size_t n, i;

	for (n = 0; n < 4; n++)
		if ((*text & forms[n].mask) == forms[n].lead)
			break;
	if (n == 4)
		return 0;
	code = *text & (unsigned char)~forms[n].mask;
	for (i = 1; i <= n; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (text[i] & 0x3f);
	}
	if (code < forms[n].least || code == 0x7f || code > 0x10ffff ||
	    (code >= 0xd800 && code <= 0xdfff) || turns_text(code))
		return 0;
	return n + 1;
}

/**
 * found_clean() - make untrusted text fit to print
 * @text: text from another program or device
 * @clean: set to UTF-8 without control characters; "?" replaces each byte that is not valid
 * @size: of @clean in bytes; longer text is cut
 */
void found_clean(const char *text, char *clean, size_t size)
{
	size_t at = 0;

	while (*text) {
		size_t n = character((const unsigned char *)text);

		if (at + (n ? n : 1) >= size)
			break;
		if (n)
			memcpy(clean + at, text, n);
		else
			clean[at] = '?';
		at += n ? n : 1;
		text += n ? n : 1;
	}
	clean[at] = '\0';
}

/**
 * found_is_sane() - check that a temperature is plausible for working hardware
 * @temperature: in millidegrees Celsius
 *
 * Return: false if the temperature is out of range, so that callers discard it.
 */
bool found_is_sane(long long temperature)
{
	return temperature >= INSTINCT_VFIO_TEMPERATURE_MIN &&
	       temperature <= INSTINCT_VFIO_TEMPERATURE_MAX;
}

/**
 * found_add() - append a sensor to a list
 * @found: list
 * @source: enum instinct_vfio_source
 * @name: the sensor's name as its source reports it; found_clean() is applied
 *
 * Return: the new sensor, its temperature unknown; or NULL if @name is empty or the list
 * is full.
 */
struct found_sensor *found_add(struct found *found, uint32_t source, const char *name)
{
	struct found_sensor *sensor;

	if (!*name || found->count == FOUND_MAX)
		return NULL;
	sensor = list_add((void **)&found->list, &found->count, sizeof(*sensor));
	sensor->source = source;
	found_clean(name, sensor->name, sizeof(sensor->name));
	return sensor;
}

/**
 * found_free() - free a list's sensors, and leave it empty
 * @found: list
 */
void found_free(struct found *found)
{
	free(found->list);
	*found = (struct found) { 0 };
}
