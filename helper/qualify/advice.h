/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The policy that the trials speak for. */
#ifndef ADVICE_H
#define ADVICE_H

#include "trial.h"

#define ADVICE_BYTES	2048

/**
 * struct advice - lines of a policy
 * @text: they, as `instinctctl apply` takes them; "" if there are none to recommend
 * @kind: the method that they choose, or NULL
 * @why: the choice explained, for people
 */
struct advice {
	char text[ADVICE_BYTES];
	const struct kind *kind;
	char why[TEXT_BYTES];
};

/**
 * struct advice_facts - what it is made from
 * @trial: all of them
 * @family: of the GPU
 * @policy: that was in force
 * @rescanned: a lost GPU was enumerated anew before it came back
 */
struct advice_facts {
	const struct trial *trial;
	const char *family;
	const struct policy *policy;
	bool rescanned;
};

uint32_t advice_timeout(uint64_t longest);
void advice_make(const struct advice_facts *facts, struct advice *advice);

#endif /* ADVICE_H */
