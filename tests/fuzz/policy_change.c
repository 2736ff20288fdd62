// SPDX-License-Identifier: GPL-2.0-only
/*
 * libFuzzer makes a third of the changes. The others work on lines, so that inputs often have
 * existing keys and sections with plausible values. The parser refuses a policy for one error,
 * so half of the inputs lose the lines that are wrong on their own.
 */
#include <string.h>

#include "conf_key.h"
#include "fuzz.h"
#include "policy_files.h"
#include "policy_mend.h"
#include "core/pure.h"

#define LINE_BYTES	512

static const char *const sections[] = {
	"[default]", "[family mi300x]", "[family mi355x]", "[family mi210]",
	"[device 0000:c1:00.0]", "[device c1:00.0]", "[device 0000:c2:00.0]",
	"[device 0000:21:00.0]", "[device 0000:c3:00.0]",
	"[device serial=0x1122334455667788]", "[device serial=11-22-33-44-55-66-77-89]",
	"[device]", "[",
};

/* Values of the keys that take no fixed words. */
static const char *const values[] = {
	"auto", "none", "never", "preset", "discovery", "1s", "90 s", "250ms", "2min",
	"0x58000", "0x58a08", "255", "SV+RR+CR+UF", "0x1d", "95", "104.5", "110 C",
	"15b3:1021", "0000:c1:00.0 15b3:1021", "5:0x59800,shift=21,scale=125,add=-49000",
	"ipmi:OAM0_*", "hwmon:amdgpu/junction",
};

#define ANY(seed, array)	((array)[dice(seed, ARRAY_SIZE(array))])

/* Formats a number independently of the code under test. */
static void make_number(char *text, size_t size, unsigned int *seed)
{
	static const char *const forms[] = {
		"%u", "%u.%03u", "%u.%02u C", "%us", "%ums", "%umin", "0x%x", "-%u",
	};
	uint32_t most = 1 << dice(seed, 24);

	snprintf(text, size, ANY(seed, forms), dice(seed, most), dice(seed, 100));
}

static size_t make_setting(char *line, unsigned int *seed)
{
	const struct conf_key *key = &ANY(seed, conf_keys);
	char value[2 * TEXT_BYTES];
	struct names words;

	conf_key_words(key, &words);
	if (!dice(seed, 8))
		snprintf(value, sizeof(value), "%s", ANY(seed, values));
	else if (words.count && (key->kind == INSTINCT_KIND_WORD || !dice(seed, 4)))
		snprintf(value, sizeof(value), "%s", words.name[dice(seed, words.count)]);
	else if (key->text || dice(seed, 2))
		snprintf(value, sizeof(value), "%s", ANY(seed, values));
	else
		make_number(value, sizeof(value), seed);
	return snprintf(line, LINE_BYTES, "%s = %s\n", key->name, value);
}

static size_t make_line(char *line, unsigned int *seed)
{
	switch (dice(seed, 12)) {
	case 0:
		line[0] = POLICY_SEPARATOR;
		return 1;
	case 1 ... 3:
		return snprintf(line, LINE_BYTES, "%s\n", ANY(seed, sections));
	default:
		return make_setting(line, seed);
	}
}

/* Offset of a random line, or the end of the text. */
static size_t any_line(const char *text, size_t size, unsigned int *seed)
{
	size_t at = dice(seed, size + 1);

	while (at && text[at - 1] != '\n')
		at--;
	return at;
}

static size_t line_bytes(const char *text, size_t size)
{
	const char *end = memchr(text, '\n', size);

	return end ? (size_t)(end - text) + 1 : size;
}

static size_t insert(char *text, size_t size, size_t max, size_t at,
		     const char *line, size_t bytes)
{
	if (size + bytes > max)
		return size;
	memmove(text + at + bytes, text + at, size - at);
	memcpy(text + at, line, bytes);
	return size + bytes;
}

/* Lets libFuzzer change a single line. */
static size_t change_line(char *text, size_t size, size_t max, size_t at,
			  unsigned int *seed)
{
	char line[LINE_BYTES];
	size_t bytes = line_bytes(text + at, size - at), changed, skip;

	if (!bytes || bytes > sizeof(line))
		return size;
	memcpy(line, text + at, bytes);
	/* Most changes of a setting keep its key. */
	skip = dice(seed, 4) && memchr(line, '=', bytes) ?
	       (size_t)((char *)memchr(line, '=', bytes) - line) + 1 : 0;
	if (skip == bytes)
		return size;
	changed = skip + LLVMFuzzerMutate((uint8_t *)line + skip, bytes - skip - 1,
					  sizeof(line) - skip - 1);
	line[changed++] = '\n';
	memmove(text + at, text + at + bytes, size - at - bytes);
	return insert(text, size - bytes, max, at, line, changed);
}

static size_t change(char *text, size_t size, size_t max, unsigned int *seed)
{
	size_t at = any_line(text, size, seed), bytes;
	char line[LINE_BYTES];

	switch (dice(seed, 8)) {
	case 0:
		bytes = line_bytes(text + at, size - at);
		memmove(text + at, text + at + bytes, size - at - bytes);
		return size - bytes;
	case 1:
		bytes = line_bytes(text + at, size - at);
		if (bytes > sizeof(line))
			return size;
		memcpy(line, text + at, bytes);
		return insert(text, size, max, any_line(text, size, seed), line, bytes);
	case 2 ... 3:
		return change_line(text, size, max, at, seed);
	default:
		bytes = make_line(line, seed);
		return insert(text, size, max, at, line, bytes);
	}
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max,
			       unsigned int seed)
{
	size_t changed;

	if (dice(&seed, 3))
		changed = change((char *)data, size, max, &seed);
	else
		changed = LLVMFuzzerMutate(data, size, max);
	if (dice(&seed, 2))
		changed = policy_mend((char *)data, changed);
	/* libFuzzer takes no empty result. */
	return changed ? changed : LLVMFuzzerMutate(data, 0, max);
}
