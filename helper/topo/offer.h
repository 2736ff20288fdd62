/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which devices of a host may be given to a new guest, and why not the others. */
#ifndef OFFER_H
#define OFFER_H

#include "choice.h"

/**
 * struct offer_wish - what an operator rules out
 * @bdf: devices not to be given
 * @count: how many
 */
struct offer_wish {
	const char (*bdf)[BDF_BYTES];
	size_t count;
};

void offer_make(struct choice *choice, const struct topo *topo,
		const struct offer_wish *without, const size_t wanted[TOPO_KINDS]);

#endif /* OFFER_H */
