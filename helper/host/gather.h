/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Findings about this host or a captured one, against policy files or the policies in force. */
#ifndef GATHER_H
#define GATHER_H

#include "findings.h"

/* The policies that a host is compared with. */
enum gather_by {
	GATHER_BY_FORCE,	/* the policies in force */
	GATHER_BY_FILE,
};

int gather(struct findings *findings, enum gather_by by, const char *file,
	   uint64_t guest_memory);
int gather_registers(struct findings *findings, const struct devices *devices,
		     const struct policy *wanted);

#endif /* GATHER_H */
