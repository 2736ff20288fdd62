/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The path of DMA between two functions, and the ACS bit that decides it. */
#ifndef REACH_H
#define REACH_H

#include "isolation/plan.h"

/**
 * enum reach_verdict - the fate of one function's requests to another
 * @REACH_DIRECT: a switch routes the requests to the other function past the IOMMU
 * @REACH_REDIRECTED: ACS redirects the requests to the IOMMU, which decides
 * @REACH_ROOT: the requests reach the root complex, whose behaviour is implementation specific
 * @REACH_BLOCKED: a port blocks the requests
 * @REACH_ISOLATED: the hardware never routes the requests directly, whatever ACS Control says
 */
enum reach_verdict {
	REACH_DIRECT,
	REACH_REDIRECTED,
	REACH_ROOT,
	REACH_BLOCKED,
	REACH_ISOLATED,
};

/**
 * struct reach_port - ACS of a function
 * @has_acs: the function has the capability
 * @control: its ACS Control
 * @isolates: the function isolates by itself: its ACS cannot redirect requests, or quirk_isolates()
 */
struct reach_port {
	bool has_acs;
	uint16_t control;
	bool isolates;
};

/**
 * struct reach_step - a verdict and its cause
 * @verdict: fate of the requests
 * @port: index of the port that decides, INSTINCT_NODE_NONE if none does
 * @bit: bit of its ACS Control that decides, 0 if it has no ACS or no such bit is on
 */
struct reach_step {
	enum reach_verdict verdict;
	int port;
	uint16_t bit;
};

/**
 * struct reach - reach of one function to another
 * @meet: index of the lowest port above both, INSTINCT_NODE_NONE for the root complex
 * @untranslated: fate of requests with untranslated addresses
 * @translated: fate of requests with addresses translated by ATS
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
