/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ports and functions that policy speaks of: found on the host, planned, looked at.
 * instinct_isolation_lock guards all of it but the survey.
 */
#ifndef _INSTINCT_ISOLATION_SCOPE_H
#define _INSTINCT_ISOLATION_SCOPE_H

#include "isolation.h"

struct pci_dev;

/**
 * struct instinct_member - an endpoint that policy speaks of
 * @node: in instinct_members
 * @bdf: its address; the endpoint need not be there
 * @policy: of it
 * @plain: the policy that counts again when this driver lets go of it; of a device that
 *	this driver has
 * @dev: the device that this driver has there, or NULL
 * @held: the device is being reset, and its package with it
 */
struct instinct_member {
	struct list_head node;
	char bdf[INSTINCT_BDF_BYTES];
	struct instinct_isolation_policy policy;
	struct instinct_isolation_policy plain;
	struct instinct_device *dev;
	bool held;
};

extern struct list_head instinct_members;

/**
 * struct instinct_survey - all PCI functions of the host, while a plan is made
 * @topology: the functions, for isolation_plan
 * @node: the same, to be written
 * @pdev: the functions, referenced
 * @peer: peers of the endpoint that was planned last
 * @planned: the plan for all endpoints
 * @room: functions for which there is room
 */
struct instinct_survey {
	struct instinct_topology topology;
	struct instinct_node *node;
	struct pci_dev **pdev;
	bool *peer;
	struct instinct_planned *planned;
	int room;
};

int instinct_survey_make(struct instinct_survey *survey);
void instinct_survey_free(struct instinct_survey *survey);

int instinct_scope_plan(struct instinct_survey *survey);
bool instinct_scope_look(bool all);
bool instinct_scope_is_empty(void);
struct instinct_isolation_change *instinct_scope_loss(struct instinct_survey *survey,
						      struct list_head *changes);
void instinct_scope_settle(struct instinct_device *dev);
int instinct_scope_admit(const struct instinct_member *member, bool attached);
bool instinct_scope_item(unsigned int index, struct instinct_isolation_item *item);
void instinct_scope_forget(const struct pci_dev *pdev);
void instinct_scope_exit(void);

#endif /* _INSTINCT_ISOLATION_SCOPE_H */
