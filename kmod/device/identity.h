/* SPDX-License-Identifier: GPL-2.0-only */
/* The identity of a GPU, also of one that this driver does not have. */
#ifndef _INSTINCT_IDENTITY_H
#define _INSTINCT_IDENTITY_H

#include "core/event.h"
#include "core/profile.h"

struct instinct_policy;
struct pci_dev;

/**
 * struct instinct_identity - identity of a GPU
 * @bdf: address of the GPU
 * @serial: PCIe Device Serial Number, 0 if the GPU has none or did not answer
 * @profile: profile of the GPU
 */
struct instinct_identity {
	char bdf[INSTINCT_BDF_BYTES];
	u64 serial;
	const struct instinct_profile *profile;
};

bool instinct_identity_is_endpoint(const char *bdf);
struct pci_dev *instinct_identity_get(const char *bdf);
u64 instinct_identity_serial(struct pci_dev *pdev);
void instinct_identity_set(struct instinct_identity *identity, const struct pci_dev *pdev,
			   u64 serial);
bool instinct_identity_is_there(const struct instinct_identity *identity, bool look,
				bool otherwise);
const char *instinct_identity_unmet(struct pci_dev *pdev, const struct instinct_policy *policy);
int instinct_identity_find(struct instinct_identity *identity, const char *bdf, const char **why);

#endif /* _INSTINCT_IDENTITY_H */
