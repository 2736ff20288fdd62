/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The format of the lines that the sampler's child and instinctctl push send to the service. */
#ifndef SAMPLE_LINE_H
#define SAMPLE_LINE_H

#include "sensor_map.h"

#define SAMPLE_LINE_BYTES	(REMARK_BYTES + 8)

/**
 * struct sample_line - a line
 * @is_sample: the line is a temperature, else it is a remark
 * @bdf: GPU, or "" if it is not known which one
 * @name: name of the sensor; "" for a sample that a script has pushed
 * @sensor: enum instinct_vfio_sensor
 * @source: enum instinct_vfio_source
 * @temperature: in millidegrees Celsius
 * @remark: text for the log, if @is_sample is false
 */
struct sample_line {
	bool is_sample;
	char bdf[BDF_BYTES];
	char name[FOUND_NAME_BYTES];
	uint32_t sensor;
	uint32_t source;
	int32_t temperature;
	struct remark remark;
};

void sample_line_format(const struct sample_line *line, char *text, size_t size);
bool sample_line_parse(const char *text, struct sample_line *line);

#endif /* SAMPLE_LINE_H */
