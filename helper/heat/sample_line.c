// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sample_line.h"
#include "sysfs.h"

#define WORD_BYTES	24

/**
 * sample_line_format() - write a line as text
 * @line: line
 * @text: set, without a newline: "S BDF SENSOR SOURCE MILLIDEGREES [NAME]", "S - SENSOR
 *	SOURCE MILLIDEGREES NAME" of a GPU that is not known, or "M PRIORITY TEXT"
 * @size: of @text in bytes; SAMPLE_LINE_BYTES fits every line
 */
void sample_line_format(const struct sample_line *line, char *text, size_t size)
{
	char clean[REMARK_BYTES];

	if (line->is_sample) {
		found_clean(line->name, clean, sizeof(clean));
		snprintf(text, size, "S %s %s %s %d%s%s", *line->bdf ? line->bdf : "-",
			 name_of(&sensor_names, line->sensor),
			 name_of(&source_names, line->source), line->temperature,
			 *clean ? " " : "", clean);
		return;
	}
	found_clean(line->remark.text, clean, sizeof(clean));
	snprintf(text, size, "M %d %s", line->remark.priority, clean);
}

static bool parse_sample(const char *text, struct sample_line *line)
{
	char bdf[WORD_BYTES], sensor[WORD_BYTES], source[WORD_BYTES], number[WORD_BYTES];
	int sensor_value, source_value, end = 0;
	long temperature;

	if (sscanf(text, "S %23s %23s %23s %23s%n", bdf, sensor, source, number, &end) != 4)
		return false;
	/* A sensor has a GPU or a name, or both. */
	if (strcmp(bdf, "-") ? !bdf_parse(bdf, line->bdf) : !text[end])
		return false;
	if (text[end] && (text[end] != ' ' || !text[end + 1] || strlen(text + end + 1) >= sizeof(line->name)))
		return false;
	if (text[end])
		snprintf(line->name, sizeof(line->name), "%s", text + end + 1);
	sensor_value = name_find(&sensor_names, sensor);
	source_value = name_find(&source_names, source);
	temperature = strtol(number, NULL, 10);
	if (sensor_value < 0 || source_value < 0 || !found_is_sane(temperature))
		return false;
	line->is_sample = true;
	line->sensor = sensor_value;
	line->source = source_value;
	line->temperature = temperature;
	return true;
}

static bool parse_remark(const char *text, struct sample_line *line)
{
	if (text[1] != ' ' || text[2] < '0' || text[2] > '7' || text[3] != ' ' || !text[4])
		return false;
	line->remark.priority = text[2] - '0';
	snprintf(line->remark.text, sizeof(line->remark.text), "%s", text + 4);
	return true;
}

/**
 * sample_line_parse() - read a line from text
 * @text: line without its newline, from a process that is not trusted
 * @line: set
 *
 * Return: false if sample_line_format() would not have written this text.
 */
bool sample_line_parse(const char *text, struct sample_line *line)
{
	char again[SAMPLE_LINE_BYTES];

	*line = (struct sample_line) { 0 };
	if (*text == 'S' ? !parse_sample(text, line) :
	    *text != 'M' || !parse_remark(text, line))
		return false;
	sample_line_format(line, again, sizeof(again));
	return !strcmp(text, again);
}
