/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a host is found to be against what policy wants: policies and registers. */
#ifndef FINDINGS_H
#define FINDINGS_H

#include "conf.h"
#include "host.h"
#include "plan.h"

/**
 * struct port_finding - ACS of a port that policy speaks of
 * @function: index in the host
 * @role: what the port is
 * @found: ACS Control
 * @wanted: what it should be
 * @mask: bits that policy speaks of
 * @loss: bits that IOMMU groups rely on and that this would take away against
 *	policy
 * @gone: bits that IOMMU groups are computed from and that it will not have on
 * @unreadable: its config space cannot be read
 */
struct port_finding {
	int function;
	enum instinct_vfio_acs_role role;
	uint16_t found;
	uint16_t wanted;
	uint16_t mask;
	uint16_t loss;
	uint16_t gone;
	bool unreadable;
};

/**
 * struct ats_finding - ATS of an endpoint or of a peer of one
 * @function: index in the host
 * @of: the endpoint's
 * @policy: enum instinct_vfio_ats
 * @state: enum instinct_vfio_ats_state, as far as can be told
 * @unmet: why it is not as policy requires and what to change, or NULL
 */
struct ats_finding {
	int function;
	int of;
	uint32_t policy;
	uint32_t state;
	const char *unmet;
};

/**
 * struct warning - something that policy does not rule and that will be missed
 * @text: for people
 */
struct warning {
	char text[TEXT_BYTES * 2];
};

/**
 * struct findings - all of it
 * @host: as sysfs shows it
 * @policies: of devices that have another one in force
 * @port: of each port, in order of address
 * @ports: how many
 * @ats: of each function
 * @atses: how many
 * @warning: see there
 * @warnings: how many
 * @drift: whether anything is not as wanted
 */
struct findings {
	struct host host;
	struct changes policies;
	struct port_finding *port;
	size_t ports;
	struct ats_finding *ats;
	size_t atses;
	struct warning *warning;
	size_t warnings;
	bool drift;
};

void findings_isolation(struct findings *findings, const struct devices *devices,
			const struct policy *wanted,
			const struct isolation *isolation);
void findings_warn(struct findings *findings, uint64_t guest_memory);
void findings_free(struct findings *findings);

#endif /* FINDINGS_H */
