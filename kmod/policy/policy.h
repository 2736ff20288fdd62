/* SPDX-License-Identifier: GPL-2.0-only */
/* The policy of one device, and the check of its values. */
#ifndef _INSTINCT_POLICY_H
#define _INSTINCT_POLICY_H

#include "core/profile.h"
#include "policy/key.h"

#define INSTINCT_PEERS_MAX	16
#define INSTINCT_PEERS_BYTES	256

/**
 * struct instinct_peer - one address or ID that an operator names
 * @by_id: @value is an ID, and all functions with that ID are peers
 * @value: vendor << 16 | device, or the address as domain << 16 | bus << 8 | slot << 3 | function
 */
struct instinct_peer {
	u32 by_id;
	u32 value;
};

/**
 * struct instinct_peers - functions that are paired with an endpoint
 * @automatic: the module picks the network functions below the same switch
 * @count: number of used elements of @item
 * @item: peers that the operator names; unused elements are zero
 */
struct instinct_peers {
	u32 automatic;
	u32 count;
	struct instinct_peer item[INSTINCT_PEERS_MAX];
};

/**
 * struct instinct_acs_policy - ACS that an operator wants on the ports of an endpoint
 * @preset: preset for all roles
 * @bits: for each role the value of ACS Control, or INSTINCT_VFIO_ACS_BITS_PRESET
 * @loss: whether the module may switch bits off that IOMMU groups rely on
 */
struct instinct_acs_policy {
	enum instinct_vfio_acs preset;
	u32 bits[__INSTINCT_VFIO_ACS_ROLE_MAX];
	enum instinct_vfio_isolation_loss loss;
};

/**
 * struct instinct_isolation_policy - isolation that an operator wants for an endpoint
 * @acs: ACS of the ports on the paths of the endpoint and of its peers
 * @ats: ATS of the endpoint and of its peers
 * @check_interval: interval between two checks of ACS and ATS, ms; 0 for no checks
 * @peers: peers of the endpoint
 *
 * The struct has no padding, so that equal policies have equal bytes.
 */
struct instinct_isolation_policy {
	struct instinct_acs_policy acs;
	enum instinct_vfio_ats ats;
	u32 check_interval;
	struct instinct_peers peers;
};

/**
 * struct instinct_policy - policy of one device
 * @method: reset method
 * @tenancy: whether the next user may get the device unscrubbed
 * @bus_port: port that method "bus" resets
 * @ready_timeout: time that a method has to bring the device back, ms; 0 for the family's value
 * @mailbox: byte offset of MP1 in the register BAR; 0 to take it from the IP discovery table
 * @overlap: resets that run in the background
 * @scope: devices that a reset concerns
 * @hive: number of the hive, INSTINCT_VFIO_HIVE_AUTO or INSTINCT_VFIO_HIVE_NONE
 * @partition: memory partition that a device must have to be handed out
 * @config_verify: whether the module verifies and repeats config writes
 * @config_unblock: remedies that the module may try when a switch swallows config writes
 * @config_timeout: time that a register may take to hold the written value, ms
 * @isolation: isolation of the endpoint
 */
struct instinct_policy {
	enum instinct_vfio_method method;
	enum instinct_vfio_tenancy tenancy;
	enum instinct_vfio_bus_port bus_port;
	u32 ready_timeout;
	u32 mailbox;
	enum instinct_vfio_overlap overlap;
	enum instinct_vfio_scope scope;
	u32 hive;
	enum instinct_vfio_partition partition;
	enum instinct_vfio_verify config_verify;
	enum instinct_vfio_unblock config_unblock;
	u32 config_timeout;
	struct instinct_isolation_policy isolation;
};

int instinct_peers_parse(struct instinct_peers *peers, const char *text, const char **why);
void instinct_peers_format(const struct instinct_peers *peers, char *text);
void instinct_policy_set(struct instinct_policy *policy,
			 const struct instinct_policy_key *key, u32 value);
u32 instinct_policy_get(const struct instinct_policy *policy,
			const struct instinct_policy_key *key);
void instinct_policy_defaults(struct instinct_policy *policy);
const struct instinct_policy_key *instinct_policy_fault(const struct instinct_policy *policy,
							const struct instinct_family *family,
							const char **why);

#endif /* _INSTINCT_POLICY_H */
