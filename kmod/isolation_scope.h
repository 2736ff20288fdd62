/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ports and functions that policy speaks of, and what is planned for them. All of
 * it under the lock of isolation.
 */
#ifndef _INSTINCT_ISOLATION_SCOPE_H
#define _INSTINCT_ISOLATION_SCOPE_H

#include "isolation.h"

struct instinct_survey;
struct pci_dev;

int instinct_scope_plan(struct instinct_survey *survey);
bool instinct_scope_look(bool all);
bool instinct_scope_is_empty(void);

bool instinct_scope_loses_groups(void);
struct instinct_isolation_change *instinct_scope_loss_by(struct instinct_survey *survey,
							 struct list_head *changes);
void instinct_scope_settle(struct instinct_device *dev);
int instinct_scope_admit(struct instinct_device *dev, bool attached, bool *known);
bool instinct_scope_item(unsigned int index, struct instinct_isolation_item *item);

void instinct_scope_forget(struct pci_dev *pdev);
void instinct_scope_exit(void);

#endif /* _INSTINCT_ISOLATION_SCOPE_H */
