/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The differences between a host and its policy: policies in force, and ACS and ATS registers. */
#ifndef FINDINGS_H
#define FINDINGS_H

#include "conf.h"
#include "host.h"
#include "plan.h"

/**
 * struct policy_finding - the policy in force on a device, or pending for it
 * @ok: the policy is that of the files
 * @silent: the device is absent, and gets no policy
 * @unsure: the wanted policy is unknown, since the serial number cannot be read
 * @change: found and wanted policy
 */
struct policy_finding {
	bool ok;
	bool silent;
	bool unsure;
	struct change change;
};

/**
 * struct port_finding - ACS of a port that policy covers
 * @function: index of the port in the host
 * @role: role of the port
 * @found: ACS Control as read
 * @wanted: ACS Control that policy wants
 * @mask: bits that policy covers
 * @loss: bits that IOMMU groups rely on and that the plan would clear without permission
 *	(allow_isolation_loss)
 * @gone: bits that Linux computes IOMMU groups from and that @wanted does not have
 * @unreadable: the config space of the port cannot be read
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
 * struct ats_finding - ATS of an endpoint or of one of its peers
 * @function: index of the function in the host
 * @of: index of the endpoint
 * @policy: enum instinct_vfio_ats
 * @state: enum instinct_vfio_ats_state, as far as the helper can tell
 * @unmet: reason why ATS is not as policy wants, with the remedy, or NULL
 */
struct ats_finding {
	int function;
	int of;
	uint32_t policy;
	uint32_t state;
	const char *unmet;
};

/**
 * struct gpu_finding - a GPU of the host
 * @bdf: its address
 * @family: its family
 * @state: enum instinct_vfio_state or STATE_*; lost if its config space reads as all ones
 * @reason: the module's reason for the state, or ""
 * @unusable: the state is one in which no guest gets the GPU until an operator acts
 */
struct gpu_finding {
	char bdf[BDF_BYTES];
	char family[TEXT_BYTES];
	int state;
	char reason[TEXT_BYTES];
	bool unusable;
};

/**
 * struct count_finding - the number of GPUs, compared with the number that policy expects
 * @family: family that the number is of, or NULL for all GPUs
 * @found: number of GPUs
 * @wanted: expected number
 * @file: file that expects it, or NULL if every host should have one
 * @line: line of the file
 */
struct count_finding {
	const char *family;
	size_t found;
	size_t wanted;
	const char *file;
	int line;
};

/**
 * struct warning - a problem for a VM that no policy key covers
 * @text: text of the warning
 * @unbound: the warning says only that GPUs are not bound yet
 */
struct warning {
	char text[TEXT_BYTES * 2];
	bool unbound;
};

/**
 * struct findings - all findings about a host
 * @host: functions of the host, from sysfs
 * @conf: policy files that the host is compared with; without a name if there are none
 * @policy: findings about policies in order of address; empty if the state of the module is
 *	unknown, or without policy files
 * @policies: number of these
 * @port: findings about ports in order of address
 * @ports: number of these
 * @ats: findings about ATS of functions
 * @atses: number of these
 * @warning: warnings
 * @warnings: number of warnings
 * @pending: number of devices with ACS or ATS keys that the driver does not have yet
 * @gpu: GPUs in the host, and those that are missing
 * @gpus: number of these
 * @count: compared numbers of GPUs; empty before findings_expect()
 * @counts: number of these
 * @unusable: number of lost and quarantined GPUs, 0 before findings_expect()
 * @missing: number of missing GPUs, 0 before findings_expect()
 * @no_policy: no policy is installed, so the policies in force are checked
 * @no_module: the module is not loaded, so no policy is in force
 * @closed: serial numbers of present GPUs cannot be read without root
 * @drift: some finding differs from the wanted state
 * @ahead: check ACS and ATS of pending devices, too
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
	size_t pending;
	struct gpu_finding *gpu;
	size_t gpus;
	struct count_finding *count;
	size_t counts;
	size_t unusable;
	size_t missing;
	bool no_policy;
	bool no_module;
	bool closed;
	bool drift;
	bool ahead;
};

void findings_gpus(struct findings *findings, const struct devices *devices);
void findings_expect(struct findings *findings);
void findings_unsure(struct findings *findings, struct devices *devices);
void findings_policies(struct findings *findings, const struct devices *devices,
		       const struct policy *wanted);
void findings_isolation(struct findings *findings, const struct devices *devices,
			const struct policy *wanted,
			const struct isolation *isolation);
void findings_warn_peers(struct findings *findings, int endpoint,
			 const struct instinct_peers *peers);
void findings_warn(struct findings *findings, uint64_t guest_memory);
void findings_tell(struct findings *findings, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
bool findings_port_is_right(const struct port_finding *port);
void findings_free(struct findings *findings);

#endif /* FINDINGS_H */
