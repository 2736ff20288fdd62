/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the devices of a host that a new guest may get, and the reason for each other one. */
#ifndef OFFER_H
#define OFFER_H

#include "choice.h"

/**
 * struct offer_wish - devices that the operator rules out
 * @bdf: addresses of the devices
 * @count: number of entries in @bdf
 */
struct offer_wish {
	const char (*bdf)[BDF_BYTES];
	size_t count;
};

void offer_make(struct choice *choice, const struct topo *topo,
		const struct offer_wish *without, const size_t wanted[TOPO_KINDS]);

#endif /* OFFER_H */
