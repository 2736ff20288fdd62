/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the text format of Prometheus as strictly as Prometheus does. */
#ifndef PROM_READER_H
#define PROM_READER_H

#include <math.h>
#include <stdlib.h>

#include "unit.h"

#define LINES_MAX	1024

/* The state of the reader. */
struct reader {
	char family[128];
	char type[16];
	char seen[LINES_MAX][128];	/* families so far */
	size_t families;
	char series[LINES_MAX][256];
	size_t count;
};

static inline bool is_name(const char *text, size_t length)
{
	return length && strspn(text, "abcdefghijklmnopqrstuvwxyz_0123456789") >= length;
}

/* Returns the end of the labels that begin at @text, NULL if they are malformed. */
static inline const char *skip_labels(const char *text)
{
	do {
		size_t name = strcspn(++text, "=");

		if (!is_name(text, name) || text[name + 1] != '"')
			return NULL;
		for (text += name + 2; *text && *text != '"'; text++)
			if (*text < ' ' || *text > '~' ||
			    (*text == '\\' && !strchr("\\\"n", *++text)))
				return NULL;
		if (*text++ != '"')
			return NULL;
	} while (*text == ',');
	return *text == '}' ? text + 1 : NULL;
}

static inline void read_comment(struct reader *reader, const char *line)
{
	char name[128], word[16];
	size_t i;

	CHECK_INT(sscanf(line, "# %15s %127s", word, name), 2);
	if (!strcmp(word, "HELP")) {
		for (i = 0; i < reader->families; i++)
			CHECK(strcmp(reader->seen[i], name));
		snprintf(reader->seen[reader->families++], 128, "%s", name);
		snprintf(reader->family, sizeof(reader->family), "%s", name);
		return;
	}
	CHECK_STR(word, "TYPE");
	CHECK_STR(name, reader->family);
	CHECK_INT(sscanf(line, "# TYPE %*s %15s", reader->type), 1);
}

static inline void read_sample(struct reader *reader, const char *line)
{
	size_t name = strcspn(line, "{ "), family = strlen(reader->family), i;
	const char *rest = line[name] == '{' ? skip_labels(line + name) : line + name;
	char suffix[128], *end;
	double value;

	CHECK(is_name(line, name) && rest && *rest == ' ');
	if (!rest || *rest != ' ')
		return;
	value = strtod(rest + 1, &end);
	CHECK(end > rest + 1 && !*end && isfinite(value));
	CHECK(name >= family && !strncmp(line, reader->family, family));
	snprintf(suffix, sizeof(suffix), "%.*s", (int)(name - family), line + family);
	if (strcmp(reader->type, "summary"))
		CHECK_STR(suffix, "");
	else
		CHECK(!strcmp(suffix, "_sum") || !strcmp(suffix, "_count"));
	snprintf(reader->series[reader->count], 256, "%.*s", (int)(rest - line), line);
	for (i = 0; i < reader->count; i++)
		if (!strcmp(reader->series[i], reader->series[reader->count]))
			unit_fail(__FILE__, __LINE__, line);
	reader->count++;
}

/*
 * Checks that every line parses, that each family is in one piece, and that no series repeats.
 * Returns the number of samples.
 */
static inline size_t check_readable(const char *text)
{
	struct reader *reader = calloc(1, sizeof(*reader));
	char *copy = strdup(text), *rest = copy, *line;
	size_t count;

	CHECK(text[strlen(text) - 1] == '\n');
	while ((line = strsep(&rest, "\n")) && rest) {
		if (*line == '#')
			read_comment(reader, line);
		else
			read_sample(reader, line);
	}
	count = reader->count;
	free(copy);
	free(reader);
	return count;
}

#endif /* PROM_READER_H */
