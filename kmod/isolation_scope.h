/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ports and functions that policy speaks of: found on the host, planned, looked at.
 * instinct_isolation_lock guards all of it but the survey.
 */
#ifndef _INSTINCT_ISOLATION_SCOPE_H
#define _INSTINCT_ISOLATION_SCOPE_H

#include <linux/mutex.h>

#include "isolation.h"

struct pci_dev;

/*
 * By then Linux has done all that comes with a bind or a hot-add, and an IOMMU driver both
 * writes that switch ATS.
 */
#define INSTINCT_ISOLATION_SOON_MS	20

/**
 * struct instinct_member - an endpoint that policy speaks of
 * @node: in instinct_members
 * @bdf: its address; the endpoint need not be there
 * @policy: of it
 * @plain: the policy that counts again when this driver lets go of it; of a device that
 *	this driver has
 * @dev: the device that this driver has there, or NULL
 */
struct instinct_member {
	struct list_head node;
	char bdf[INSTINCT_BDF_BYTES];
	struct instinct_isolation_policy policy;
	struct instinct_isolation_policy plain;
	struct instinct_device *dev;
};

/**
 * struct instinct_item - a port, or a function with ATS
 * @node: in the list of ports or of functions
 * @pdev: the port or function, referenced
 * @seen: the state that a look has found
 * @of: endpoint whose policy speaks of it, for events
 * @planned: ACS that a port should carry; without @planned.spoken its ACS is to be put back
 * @fresh: a port was read a moment ago
 * @due: the plan for a port is new
 * @stubborn: a port could not be mended, and an event has told so
 * @ruled: ACS bits that policy speaks of, or did so and that are not as before yet
 * @suspect: jiffies since when looks have found ATS lost, 0 if the last has not
 * @restored: the last look has switched ATS on, as the IOMMU driver had it
 * @adrift: ATS is not as the IOMMU driver has it, and an event has told so
 */
struct instinct_item {
	struct list_head node;
	struct pci_dev *pdev;
	struct instinct_isolation_item seen;
	char of[INSTINCT_BDF_BYTES];
	struct instinct_planned planned;
	bool fresh;
	bool due;
	bool stubborn;
	u16 ruled;
	unsigned long suspect;
	bool restored;
	bool adrift;
};

extern struct mutex instinct_isolation_lock;
extern struct list_head instinct_members;

int instinct_survey_make(struct instinct_topology *host);
void instinct_survey_free(struct instinct_topology *host);

int instinct_scope_plan(struct instinct_topology *host);
bool instinct_scope_look(bool all);
struct instinct_isolation_change *instinct_scope_loss(struct instinct_topology *host,
						      struct list_head *changes);
int instinct_scope_admit(const struct instinct_member *member, bool attached);
void instinct_scope_forget(const struct pci_dev *pdev);
void instinct_scope_exit(void);

void instinct_acs_learn(struct instinct_item *port);
void instinct_acs_look(struct instinct_item *port, bool expected);
void instinct_acs_put_back(struct instinct_item *port);

enum instinct_vfio_ats_state instinct_ats_state(struct pci_dev *pdev);
bool instinct_ats_look(struct instinct_item *function);
const char *instinct_ats_unmet(const struct instinct_item *function, bool attached);

#endif /* _INSTINCT_ISOLATION_SCOPE_H */
