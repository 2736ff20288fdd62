/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Findings of this host or of a captured one, by a policy file or by that in force. */
#ifndef GATHER_H
#define GATHER_H

#include "findings.h"

/* By which policies a host is judged. */
enum gather_by {
	GATHER_BY_FORCE,	/* those in force */
	GATHER_BY_FILE,
};

int gather(struct findings *findings, enum gather_by by, const char *file,
	   uint64_t guest_memory);
int gather_registers(struct findings *findings, const struct devices *devices,
		     const struct policy *wanted);

#endif /* GATHER_H */
