/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of a run that applies a policy share. */
#ifndef APPLY_PARTS_H
#define APPLY_PARTS_H

#include "apply.h"

/* No exit codes, but reasons to plan anew. */
#define AGAIN		(-1)	/* the host has changed */
#define BUSY		(-2)	/* a device is being bound or unbound, maybe with a reset */
#define DROPPED		(-3)	/* one does not answer, and is left out from now on */
#define DISPUTED	(-4)	/* somebody else has set policies meanwhile */
#define REASONS		5

/**
 * struct patience - how long a run has waited
 * @since: when it first did, by reason, ms
 * @pause: the next one, ms
 * @noticed: it has been said
 */
struct patience {
	int64_t since[REASONS];
	unsigned int pause;
	bool noticed;
};

/* apply_wait.c: time for what will be over. */
void patience_begin(struct patience *patience);
int patience_wait(struct patience *patience, const struct apply *apply, int reason);

/* apply_verify.c: read back. */
int apply_verify(struct apply *apply);
int apply_verify_ports(struct apply *apply);

/* apply.c: why the module refuses; an exit code. */
int apply_failed(const struct apply *apply, const char *what, int error);

#endif /* APPLY_PARTS_H */
