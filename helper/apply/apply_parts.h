/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Declarations that the files of the apply command share. */
#ifndef APPLY_PARTS_H
#define APPLY_PARTS_H

#include "apply.h"

/* Results that are no exit codes, but reasons to make a new plan. */
#define AGAIN		(-1)	/* the host has changed */
#define BUSY		(-2)	/* a device is being bound or unbound, perhaps with a reset */
#define DROPPED		(-3)	/* a device does not answer, so it is left out from now on */
#define DISPUTED	(-4)	/* another program has set policies meanwhile */
#define REASONS		5

/**
 * struct patience - how long a run has waited
 * @since: start of the wait for each reason, in ms of now_ms()
 * @pause: length of the next pause, in ms
 * @noticed: the user has been told of the wait
 */
struct patience {
	int64_t since[REASONS];
	unsigned int pause;
	bool noticed;
};

/* apply_wait.c: waits for conditions that pass. */
void patience_begin(struct patience *patience);
int patience_wait(struct patience *patience, const struct apply *apply, int reason);

/* apply_verify.c: reads back and compares, and reports a refusal of the module. */
int apply_failed(const struct apply *apply, const char *what, int error);
int apply_verify(struct apply *apply);
int apply_verify_ports(struct apply *apply);

#endif /* APPLY_PARTS_H */
