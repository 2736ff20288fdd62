/* SPDX-License-Identifier: GPL-2.0-only */
/* Removes the lines of a policy that the parser would refuse. */
#ifndef POLICY_MEND_H
#define POLICY_MEND_H

#include <stddef.h>

size_t policy_mend(char *text, size_t size);

#endif /* POLICY_MEND_H */
