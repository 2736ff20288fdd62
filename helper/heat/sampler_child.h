/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The main loop of the sampler's child process, which runs until the child is killed. */
#ifndef SAMPLER_CHILD_H
#define SAMPLER_CHILD_H

#include <stdint.h>

struct redfish_conf;

void sampler_child(int fd, uint32_t source, const struct redfish_conf *redfish,
		   const char *numbers, const char *policy_file, unsigned int interval_ms)
	__attribute__((noreturn));

#endif /* SAMPLER_CHILD_H */
