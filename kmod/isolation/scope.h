/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The scope is the set of ports and functions that policy covers. The module finds them in a
 * snapshot of the host, plans their ACS and ATS, and looks at them.
 * instinct_isolation_lock guards all of it but the snapshot.
 */
#ifndef _INSTINCT_ISOLATION_SCOPE_H
#define _INSTINCT_ISOLATION_SCOPE_H

#include <linux/mutex.h>

#include "isolation/isolation.h"

struct pci_dev;

/*
 * After this time Linux has completed a bind or a hot-add, and an IOMMU driver has done both
 * writes that switch ATS.
 */
#define INSTINCT_ISOLATION_SOON_MS	20

/**
 * struct instinct_member - an endpoint that policy covers
 * @node: links instinct_members
 * @bdf: address of the endpoint, which need not be present
 * @policy: the endpoint's policy
 * @unmanaged: with @dev, the policy that counts again once this driver lets go of the device
 * @dev: the endpoint's device if this driver has it, or NULL
 */
struct instinct_member {
	struct list_head node;
	char bdf[INSTINCT_BDF_BYTES];
	struct instinct_isolation_policy policy;
	struct instinct_isolation_policy unmanaged;
	struct instinct_device *dev;
};

/**
 * struct instinct_item - a port, or a function with ATS
 * @node: links the list of ports or the list of functions
 * @pdev: the port or function, referenced
 * @seen: the state that the last look found
 * @of: endpoint whose policy covers the port or function, for events
 * @planned: the plan for a port; without @planned.spoken the next look puts its ACS back
 * @fresh: a port was read so recently that the next look need not read it
 * @due: the plan for a port has changed since the last look
 * @stubborn: a write to the port's ACS had no effect, and an event has reported that
 * @covered: ACS bits that policy covers, and bits that it covered and that are not back yet
 * @suspect: time in jiffies of the first look that found ATS lost; 0 if the last look did not
 * @restored: the last look has switched lost ATS on
 * @adrift: ATS differs from the IOMMU driver's belief, and an event has reported that
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
	u16 covered;
	unsigned long suspect;
	bool restored;
	bool adrift;
};

extern struct mutex instinct_isolation_lock;
extern struct list_head instinct_members;

int instinct_snapshot_make(struct instinct_topology *host);
void instinct_snapshot_free(struct instinct_topology *host);

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
