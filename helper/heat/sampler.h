/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads temperatures at intervals. Each source has its own child process, so that a BMC that
 * hangs holds up no other source.
 */
#ifndef SAMPLER_H
#define SAMPLER_H

#include "sample_line.h"

struct redfish_conf;
struct sampler;

typedef void (*sampler_call_t)(const struct sample_line *line, void *data);
typedef void (*sampler_say_t)(int priority, const char *text, void *data);

struct sampler *sampler_start(uint32_t source, const struct redfish_conf *redfish,
			      const char *numbers, const char *policy_file, unsigned int interval_ms, int *error);
int sampler_fd(const struct sampler *sampler);
int sampler_read(struct sampler *sampler, sampler_call_t call, sampler_say_t say,
		 void *data);
void sampler_stop(struct sampler *sampler);

#endif /* SAMPLER_H */
