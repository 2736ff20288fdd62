/* SPDX-License-Identifier: GPL-2.0-only */
/* The endpoints that policy speaks of. All of it under the lock of isolation. */
#ifndef _INSTINCT_ISOLATION_MEMBER_H
#define _INSTINCT_ISOLATION_MEMBER_H

#include "isolation.h"

struct pci_dev;

/**
 * struct instinct_member - an endpoint that policy speaks of
 * @node: in instinct_members
 * @bdf: which; it need not be there
 * @policy: of it
 * @plain: what it is under again when this driver lets go of it; of one that it has
 * @dev: what this driver has of it, or NULL
 * @held: it is being reset, and its package with it
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

struct instinct_member *instinct_member_find(const char *bdf);
struct instinct_member *instinct_member_get(const char *bdf);
struct instinct_member *instinct_member_plain(unsigned int index);
void instinct_member_tidy(void);
void instinct_member_exit(void);

u32 instinct_member_interval(void);
bool instinct_member_is_default(const struct instinct_isolation_policy *policy);
bool instinct_member_is_of(const struct instinct_device *dev, const struct pci_dev *pdev);
bool instinct_member_is_held(const struct pci_dev *pdev);

int instinct_member_take(struct list_head *changes,
			 struct instinct_isolation_change **culprit, const char **why);
void instinct_member_give_back(struct list_head *changes);

#endif /* _INSTINCT_ISOLATION_MEMBER_H */
