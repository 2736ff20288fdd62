/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recommending a policy from the outcome of the trials. */
#ifndef ADVICE_H
#define ADVICE_H

#include "trial.h"

#define ADVICE_BYTES	2048

/**
 * struct advice - a recommended policy
 * @text: policy in the form that `instinctctl apply` reads, "" without a recommendation
 * @kind: recommended method, or NULL
 * @why: reason for the choice
 */
struct advice {
	char text[ADVICE_BYTES];
	const struct kind *kind;
	char why[TEXT_BYTES];
};

/**
 * struct advice_facts - facts that a recommendation depends on
 * @trial: all trials, one for each kind
 * @family: family of the GPU
 * @policy: policy in force during the trials
 */
struct advice_facts {
	const struct trial *trial;
	const char *family;
	const struct policy *policy;
};

uint32_t advice_timeout(uint64_t longest);
void advice_make(const struct advice_facts *facts, struct advice *advice);

#endif /* ADVICE_H */
