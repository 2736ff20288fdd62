/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Temperatures read at intervals by a process for each source, so that a BMC that hangs
 * holds up nobody else.
 */
#ifndef SAMPLER_H
#define SAMPLER_H

#include <stdint.h>

struct sampler;

typedef void (*sampler_call_t)(const char *bdf, uint32_t sensor, uint32_t source,
			       int32_t temperature, void *data);
typedef void (*sampler_say_t)(int priority, const char *text, void *data);

struct sampler *sampler_start(uint32_t source, const char *policy_file,
			      unsigned int interval_ms, int *error);
int sampler_fd(const struct sampler *sampler);
int sampler_read(struct sampler *sampler, sampler_call_t call, sampler_say_t say,
		 void *data);
void sampler_stop(struct sampler *sampler);

#endif /* SAMPLER_H */
