/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The owner of a port's errors and hot-plug events: Linux, or the host's firmware. */
#ifndef OWNERSHIP_H
#define OWNERSHIP_H

#include "model.h"

/* The owner of a feature of a port. */
enum owner {
	OWNER_UNKNOWN,	/* sysfs or the capture does not tell */
	OWNER_NONE,	/* the port lacks the feature */
	OWNER_LINUX,	/* the firmware has left it to Linux (_OSC), and Linux handles it */
	OWNER_FIRMWARE,	/* the firmware keeps it, or Linux was built without it */
	OWNER_OFF,	/* the kernel's command line switches Linux's part off */
	OWNER_NOBODY,	/* Linux may have it, and does not use it at this port */
};

extern const struct names owner_names;

/**
 * struct ownership - owners of the features of a port
 * @aer: Advanced Error Reporting; Linux hears of all errors from the root port, so a port of a
 *	switch has the owner of its root port
 * @dpc: Downstream Port Containment
 * @hotplug: the events of a hot-plug slot
 */
struct ownership {
	enum owner aer;
	enum owner dpc;
	enum owner hotplug;
};

void ownership_read(struct ownership *own, const char *bdf);

#endif /* OWNERSHIP_H */
