/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ATS of one function: what the IOMMU driver believes against what is so. ATS is
 * the IOMMU driver's: what it has off stays off.
 */
#ifndef _INSTINCT_ATS_FUNCTION_H
#define _INSTINCT_ATS_FUNCTION_H

#include <linux/list.h>
#include <linux/pci.h>

#include "event.h"

/**
 * struct instinct_ats_function - all of it under isolation's lock
 * @node: in the list of functions
 * @pdev: it, referenced
 * @of: endpoint that it is, or is a peer of
 * @policy: of that endpoint
 * @state: as it was when it was looked at last
 * @suspect: it looked lost then: it is so if it still does
 * @restored: it was switched on then, as the IOMMU driver had it
 * @adrift: it is not as the IOMMU driver has it, which was told
 * @drifts: how often that was so
 */
struct instinct_ats_function {
	struct list_head node;
	struct pci_dev *pdev;
	char of[INSTINCT_BDF_BYTES];
	enum instinct_vfio_ats policy;
	enum instinct_vfio_ats_state state;
	bool suspect;
	bool restored;
	bool adrift;
	u64 drifts;
};

enum instinct_vfio_ats_state instinct_ats_state(struct pci_dev *pdev);
bool instinct_ats_function_look(struct instinct_ats_function *function);
const char *instinct_ats_function_unmet(const struct instinct_ats_function *function);

#endif /* _INSTINCT_ATS_FUNCTION_H */
