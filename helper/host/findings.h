/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a host is found to be against what policy wants: policies and registers. */
#ifndef FINDINGS_H
#define FINDINGS_H

#include "conf.h"
#include "host.h"
#include "plan.h"

/**
 * struct policy_finding - the policy in force on a device, or one that waits for it
 * @ok: it is as the files say
 * @silent: it does not answer, and gets none
 * @unsure: nobody can tell what is wanted, as its serial number cannot be read
 * @change: what is found, and wanted
 */
struct policy_finding {
	bool ok;
	bool silent;
	bool unsure;
	struct change change;
};

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
 * @unbound: only that GPUs are not bound yet
 */
struct warning {
	char text[TEXT_BYTES * 2];
	bool unbound;
};

/**
 * struct findings - all of it
 * @host: as sysfs shows it
 * @conf: files that it is compared with; none without a name
 * @policy: of each device, in order of address; only of a live host, and by files
 * @policies: how many
 * @port: of each port, in order of address
 * @ports: how many
 * @ats: of each function
 * @atses: how many
 * @warning: see there
 * @warnings: how many
 * @waiting: how many devices with a policy on ACS or ATS the driver does not have yet
 * @gpus: how many the host has
 * @no_policy: none is installed, and what is looked at is that in force
 * @closed: serial numbers of GPUs that answer cannot be read: that takes root
 * @drift: whether anything is not as wanted
 * @ahead: look at what rules devices that wait for the driver, too
 */
struct findings {
	struct host host;
	struct conf conf;
	struct policy_finding *policy;
	size_t policies;
	struct port_finding *port;
	size_t ports;
	struct ats_finding *ats;
	size_t atses;
	struct warning *warning;
	size_t warnings;
	size_t waiting;
	size_t gpus;
	bool no_policy;
	bool closed;
	bool drift;
	bool ahead;
};

void findings_unsure(struct findings *findings, struct devices *devices);
void findings_policies(struct findings *findings, const struct devices *devices,
		       const struct policy *wanted);
void findings_isolation(struct findings *findings, const struct devices *devices,
			const struct policy *wanted,
			const struct isolation *isolation);
bool findings_waits_for_user(const struct host_function *function);
void findings_warn_peers(struct findings *findings, int endpoint,
			 const struct instinct_peers *peers);
void findings_warn(struct findings *findings, uint64_t guest_memory);
void findings_tell(struct findings *findings, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
bool findings_port_is_right(const struct port_finding *port);
void findings_free(struct findings *findings);

#endif /* FINDINGS_H */
