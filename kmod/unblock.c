// SPDX-License-Identifier: GPL-2.0-only
#include "unblock.h"

#define MS	1000000ull

/* A retraining stalls the traffic of all below the link, if for microseconds. */
#define RETRAINED_MAX	2

/* Time, ns, from which each rung is tried, if the one below it was tried before. */
static const u64 due[] = {
	[INSTINCT_VFIO_UNBLOCK_READ] = 0,
	[INSTINCT_VFIO_UNBLOCK_BUSES] = 10 * MS,
	[INSTINCT_VFIO_UNBLOCK_RETRAIN] = 100 * MS,
};

static bool may_retrain(const struct instinct_unblock *unblock, u64 age)
{
	u64 from = due[INSTINCT_VFIO_UNBLOCK_RETRAIN];
	unsigned int i;

	for (i = 0; i < unblock->retrained; i++)
		from *= 10;
	return unblock->retrained < RETRAINED_MAX && age >= from;
}

/**
 * instinct_unblock_due() - what to try next
 * @unblock: how far the ladder was climbed, zeroed before the first time; counted
 *	as if what is returned is now done
 * @allowed: by policy
 * @age: time, ns, since the first write was kept
 *
 * Return: the rung, with which those below it are tried again too, or NONE.
 */
enum instinct_vfio_unblock
instinct_unblock_due(struct instinct_unblock *unblock,
		     enum instinct_vfio_unblock allowed, u64 age)
{
	enum instinct_vfio_unblock rung = INSTINCT_VFIO_UNBLOCK_NONE;

	if (allowed >= INSTINCT_VFIO_UNBLOCK_READ)
		rung = INSTINCT_VFIO_UNBLOCK_READ;
	if (allowed >= INSTINCT_VFIO_UNBLOCK_BUSES &&
	    unblock->rung >= INSTINCT_VFIO_UNBLOCK_READ &&
	    age >= due[INSTINCT_VFIO_UNBLOCK_BUSES])
		rung = INSTINCT_VFIO_UNBLOCK_BUSES;
	if (allowed >= INSTINCT_VFIO_UNBLOCK_RETRAIN &&
	    unblock->rung >= INSTINCT_VFIO_UNBLOCK_BUSES && may_retrain(unblock, age)) {
		unblock->retrained++;
		rung = INSTINCT_VFIO_UNBLOCK_RETRAIN;
	}
	if (rung > unblock->rung)
		unblock->rung = rung;
	return rung;
}
