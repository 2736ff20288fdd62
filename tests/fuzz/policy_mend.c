// SPDX-License-Identifier: GPL-2.0-only
#include <stdbool.h>
#include <string.h>

#include "conf_key.h"
#include "policy_files.h"
#include "policy_mend.h"
#include "core/pure.h"

#define LINE_BYTES	192	/* limit of a line; longer ones are removed */

/* Sections of the host in policy.c. */
static const char *const sections[] = {
	"[default]", "[family mi300x]", "[family mi355x]", "[device 0000:c1:00.0]",
	"[device 0000:c2:00.0]", "[device serial=0x1122334455667788]",
	"[device 0000:21:00.0]",
};

#define PLAIN	(ARRAY_SIZE(sections) - 1)	/* unmanaged device: only isolation keys */

/* State of the scan of a file. */
struct place {
	bool seen[ARRAY_SIZE(sections)];
	size_t section;
	bool set[CONF_KEYS];
};

static bool take_section(struct place *place, const char *line)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sections); i++)
		if (!strcmp(sections[i], line) && !place->seen[i]) {
			place->seen[i] = true;
			place->section = i;
			memset(place->set, 0, sizeof(place->set));
			return true;
		}
	return false;
}

static bool take_setting(struct place *place, char *line)
{
	char *value = strchr(line, '=');
	uint32_t number;
	size_t key;

	if (!value || place->section == ARRAY_SIZE(sections))
		return false;
	*value++ = '\0';
	line[strcspn(line, " \t")] = '\0';
	value += strspn(value, " \t");
	for (key = 0; key < CONF_KEYS; key++)
		if (!strcmp(conf_keys[key].name, line))
			break;
	if (key == CONF_KEYS || place->set[key] ||
	    (place->section == PLAIN && !conf_keys[key].isolation) ||
	    !conf_key_parse(&conf_keys[key], value, &number))
		return false;
	place->set[key] = true;
	return true;
}

static bool take_line(struct place *place, const char *text, size_t size)
{
	char line[LINE_BYTES];

	if (size >= sizeof(line))
		return false;
	memcpy(line, text, size);
	line[size] = '\0';
	return *line == '[' ? take_section(place, line) : take_setting(place, line);
}

/**
 * policy_mend() - remove the lines that the parser would refuse
 * @text: files with POLICY_SEPARATOR between them; changed in place
 * @size: of @text in bytes
 *
 * Return: new size of @text.
 */
size_t policy_mend(char *text, size_t size)
{
	struct place place = { .section = ARRAY_SIZE(sections) };
	size_t at, next, left = 0;

	for (at = 0; at < size; at = next + 1) {
		for (next = at; next < size && text[next] != '\n'; next++)
			if (text[next] == POLICY_SEPARATOR)
				break;
		if (take_line(&place, text + at, next - at)) {
			memmove(text + left, text + at, next - at);
			left += next - at;
			if (left < size)
				text[left++] = '\n';
		}
		if (next < size && text[next] == POLICY_SEPARATOR) {
			text[left++] = POLICY_SEPARATOR;
			place = (struct place) { .section = ARRAY_SIZE(sections) };
		}
	}
	return left;
}
