/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether one function can reach another, by which path and by which bit. */
#ifndef REACH_H
#define REACH_H

#include "isolation_plan.h"

/**
 * enum reach_verdict - what becomes of one function's requests to the other
 * @REACH_DIRECT: they arrive, and no IOMMU looks at them
 * @REACH_REDIRECTED: they go up to the IOMMU, which decides
 * @REACH_ROOT: they go up, and what the root complex does is its own affair
 * @REACH_BLOCKED: they are stopped on the way
 */
enum reach_verdict {
	REACH_DIRECT,
	REACH_REDIRECTED,
	REACH_ROOT,
	REACH_BLOCKED,
};

/**
 * struct reach_port - what is known of a function's ACS
 * @has_acs: it has the capability
 * @control: its ACS Control
 */
struct reach_port {
	bool has_acs;
	uint16_t control;
};

/**
 * struct reach_step - a verdict, and what makes it
 * @verdict: see there
 * @port: index of the port that decides, INSTINCT_NODE_NONE: nothing does
 * @bit: of its ACS Control, 0: that it has no ACS, or that none is on
 */
struct reach_step {
	enum reach_verdict verdict;
	int port;
	uint16_t bit;
};

/**
 * struct reach - from one function to another
 * @meet: lowest port above both, INSTINCT_NODE_NONE: the root complex
 * @untranslated: requests with addresses that the IOMMU is to translate
 * @translated: requests with addresses translated by ATS
 */
struct reach {
	int meet;
	struct reach_step untranslated;
	struct reach_step translated;
};

int reach_toward(const struct instinct_topology *topology, int above, int node);
void reach_find(const struct instinct_topology *topology,
		const struct reach_port *port, int from, int to,
		struct reach *reach);

#endif /* REACH_H */
