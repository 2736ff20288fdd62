// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sensor_guess.h"

#define SEPARATORS	" _-#./"
#define INDEX_DIGITS	3

enum {
	WORD_TEMP = 1,
	WORD_HOT = 2,
	WORD_MEMORY = 4,
	WORD_BOARD = 8,
	WORD_FILLER = 16,
	WORD_DIE = 32,
};

/* A name with any other word (VRM, INLET, ...) belongs to another part of the module. */
static const struct {
	const char *word;
	unsigned int is;
} words[] = {
	{ "TEMP", WORD_TEMP }, { "TEMPERATURE", WORD_TEMP },
	{ "HOTSPOT", WORD_HOT }, { "HOT", WORD_HOT }, { "SPOT", WORD_HOT },
	{ "JUNCTION", WORD_HOT },
	{ "HBM", WORD_MEMORY }, { "MEM", WORD_MEMORY }, { "MEMORY", WORD_MEMORY },
	{ "BOARD", WORD_BOARD }, { "OAM", WORD_BOARD }, { "PCB", WORD_BOARD },
	{ "MODULE", WORD_BOARD },
	{ "MAX", WORD_FILLER }, { "SENSOR", WORD_FILLER }, { "DIE", WORD_DIE },
	{ "CORE", WORD_DIE }, { "ASIC", WORD_DIE },
};

/* Longer prefixes come first. A prefix that ends in a digit needs a separator before an index. */
static const char *const prefixes[] = {
	"MI355X", "MI355", "MI300X", "MI300", "ACCEL", "GPU", "OAM", "APU",
};

static const char *skip_prefix(const char *name, bool *is_oam)
{
	size_t i, length;

	for (i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		length = strlen(prefixes[i]);
		if (strncasecmp(name, prefixes[i], length))
			continue;
		if (isalpha((unsigned char)name[length]) ||
		    (isdigit((unsigned char)name[length - 1]) &&
		     isdigit((unsigned char)name[length])))
			return NULL;
		*is_oam = !strcmp(prefixes[i], "OAM");
		return name + length;
	}
	return NULL;
}

static unsigned int word_of(const char *text, size_t length)
{
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i].word) == length &&
		    !strncasecmp(words[i].word, text, length))
			return words[i].is;
	return 0;
}

static size_t span(const char *text, int (*of)(int))
{
	size_t n = 0;

	while (of((unsigned char)text[n]))
		n++;
	return n;
}

/**
 * struct parts - the parts of a name after its prefix
 * @is: WORD_* flags of its words
 * @numbers: how many numbers it has
 * @number: the first number
 * @leads: the first number precedes any word
 * @ends: the last part is a number
 */
struct parts {
	unsigned int is;
	unsigned int numbers;
	unsigned int number;
	bool leads;
	bool ends;
};

static bool split(const char *at, struct parts *parts)
{
	size_t n;

	*parts = (struct parts) { 0 };
	for (at += strspn(at, SEPARATORS); *at; at += strspn(at, SEPARATORS)) {
		n = span(at, isdigit);
		parts->ends = n;
		if (n > INDEX_DIGITS)
			return false;
		if (n && !parts->numbers++) {
			parts->number = strtoul(at, NULL, 10);
			parts->leads = !parts->is;
		}
		if (!n) {
			unsigned int is;

			n = span(at, isalpha);
			is = word_of(at, n);
			if (!is)
				return false;
			parts->is |= is;
		}
		at += n;
	}
	return true;
}

/**
 * sensor_guess_name() - guess what a BMC's temperature sensor measures, by one name
 * @name: the sensor's name, such as "GPU0_HBM_TEMP" or "OAM 3 Hotspot"
 * @guess: set
 *
 * Return: false if the name does not look like a GPU's sensor.
 */
bool sensor_guess_name(const char *name, struct guess *guess)
{
	struct parts parts;
	bool is_oam = false;

	name = skip_prefix(name, &is_oam);
	if (!name || !split(name, &parts))
		return false;
	/* The index either precedes all words, or is the only number and the last part. */
	if (!parts.numbers || (!parts.leads && (parts.numbers > 1 || !parts.ends)))
		return false;
	*guess = (struct guess) { .index = parts.number, .oam = is_oam };
	switch (parts.is & (WORD_MEMORY | WORD_BOARD)) {
	case WORD_MEMORY:
		guess->kind = INSTINCT_VFIO_SENSOR_MEMORY;
		return true;
	case WORD_BOARD:
		guess->kind = INSTINCT_VFIO_SENSOR_BOARD;
		return !(parts.is & WORD_HOT);
	case 0:
		/* "OAM0 Temp" is the module's temperature, not the die's. */
		guess->kind = is_oam && !(parts.is & (WORD_HOT | WORD_DIE)) ?
			      INSTINCT_VFIO_SENSOR_BOARD : INSTINCT_VFIO_SENSOR_HOTSPOT;
		return parts.is & (WORD_HOT | WORD_TEMP);
	default:
		return false;
	}
}

/* Returns the number of the OAM that a chassis is, such as "OAM_3", or -1. */
static int chassis_number(const char *name)
{
	size_t length = strcspn(name, "/"), n;

	if (!name[length] || strncasecmp(name, "OAM", 3))
		return -1;
	name += 3;
	name += strspn(name, SEPARATORS);
	n = span(name, isdigit);
	return n && n <= INDEX_DIGITS && name[n] == '/' ? atoi(name) : -1;
}

/* A sensor whose name has another number than its chassis belongs to neither GPU for sure. */
static bool guess_redfish(const struct found_sensor *sensor, struct guess *guess)
{
	const char *slash = strchr(sensor->name, '/');
	int chassis = chassis_number(sensor->name);

	if (!(slash && sensor_guess_name(slash + 1, guess)) &&
	    !sensor_guess_name(sensor->place, guess) && !sensor_guess_name(sensor->name, guess))
		return false;
	if (chassis >= 0)
		guess->oam = (unsigned int)chassis == guess->index;
	return true;
}

/**
 * sensor_guess() - guess what a BMC's temperature sensor measures
 * @sensor: sensor read by IPMI or Redfish
 * @guess: set
 *
 * A Redfish sensor has a name, an Id and a chassis, such as OAM_3. The first of them that looks
 * like a GPU's sensor counts.
 *
 * Return: false if the sensor does not look like a GPU's, or has another source.
 */
bool sensor_guess(const struct found_sensor *sensor, struct guess *guess)
{
	switch (sensor->source) {
	case INSTINCT_VFIO_SOURCE_IPMI:
		return sensor_guess_name(sensor->name, guess);
	case INSTINCT_VFIO_SOURCE_REDFISH:
		return guess_redfish(sensor, guess);
	default:
		return false;
	}
}
