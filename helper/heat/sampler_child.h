/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the sampler's child does, until somebody ends it. */
#ifndef SAMPLER_CHILD_H
#define SAMPLER_CHILD_H

#include <stdint.h>

void sampler_child(int fd, uint32_t source, const char *policy_file,
		   unsigned int interval_ms)
	__attribute__((noreturn));

#endif /* SAMPLER_CHILD_H */
