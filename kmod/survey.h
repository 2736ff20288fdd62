/* SPDX-License-Identifier: GPL-2.0-only */
/* All PCI functions of the host, as plain structs for those who plan. */
#ifndef _INSTINCT_SURVEY_H
#define _INSTINCT_SURVEY_H

#include <linux/pci.h>

#include "isolation_plan.h"

/**
 * struct instinct_survey - all PCI functions, while a plan is made
 * @topology: they, for those who plan
 * @node: they
 * @pdev: they, referenced
 * @parent: the ports above them, to be compared with only
 * @peer: of one endpoint
 * @planned: of all endpoints
 * @room: for so many
 */
struct instinct_survey {
	struct instinct_topology topology;
	struct instinct_node *node;
	struct pci_dev **pdev;
	struct pci_dev **parent;
	bool *peer;
	struct instinct_planned *planned;
	int room;
};

int instinct_survey_make(struct instinct_survey *survey);
void instinct_survey_free(struct instinct_survey *survey);
int instinct_survey_index(const struct instinct_survey *survey,
			  const struct pci_dev *pdev);
int instinct_survey_find(const struct instinct_survey *survey, const char *bdf);
void instinct_survey_peers(struct instinct_survey *survey, int endpoint,
			   const struct instinct_isolation_policy *policy);

#endif /* _INSTINCT_SURVEY_H */
