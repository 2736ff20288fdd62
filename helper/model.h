/* SPDX-License-Identifier: GPL-2.0-or-later */
/* GPUs, policies and events as everything in instinctctl sees them. */
#ifndef MODEL_H
#define MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/instinct_vfio.h>

#define BDF_BYTES	24
#define TEXT_BYTES	256
#define PORTS_MAX	16
#define PHASES_MAX	8
#define STATE_UNMANAGED	(-1)
#define STATE_UNKNOWN	(-2)	/* ours, and only the module could tell */
#define GROUP_NONE	(-1)

struct port {
	char bdf[BDF_BYTES];
	uint32_t vendor;
	uint32_t device;
	uint32_t role;
};

/* What an operator wants of a device; the same as in the kernel. */
struct policy {
	uint32_t method;
	uint32_t tenancy;
	uint32_t bus_port;
	uint32_t ready_timeout;		/* ms */
	uint32_t mailbox;		/* bytes, 0: discovery */
	uint32_t overlap;
	uint32_t scope;
	uint32_t hive;			/* number, or INSTINCT_VFIO_HIVE_* */
	uint32_t rescan;
	uint32_t guard;
	uint32_t guard_verify;
	uint32_t guard_keep;
	uint32_t guard_force;
	uint32_t guard_unblock;
	uint32_t guard_timeout;		/* ms */
	uint32_t acs;
	uint32_t acs_root_port;		/* ACS Control, or INSTINCT_VFIO_ACS_BITS_PRESET */
	uint32_t acs_switch_upstream;
	uint32_t acs_downstream;
	uint32_t acs_peer_downstream;
	uint32_t acs_package;
	uint32_t allow_isolation_loss;
	uint32_t ats;
	uint32_t check_interval;	/* ms, 0: never */
	uint32_t peer;			/* see peers_text() */
};

struct resets {
	uint64_t hardware;
	uint64_t coalesced;
	uint64_t quiesced;
	uint64_t failed;
	uint64_t flr_held;
};

/* Config writes to the GPU and to the ports of its package. */
struct config {
	uint64_t blocked;
	uint64_t retried;
	uint64_t replayed;
	uint64_t forced;
	uint64_t failed;
	uint64_t longest;		/* ns */
};

struct device {
	char bdf[BDF_BYTES];
	uint64_t serial;
	uint32_t vendor;
	uint32_t device;
	char model[TEXT_BYTES];
	char family[TEXT_BYTES];
	int state;			/* enum instinct_vfio_state or above */
	char reason[TEXT_BYTES];
	char driver[TEXT_BYTES];	/* "" without one */
	int numa_node;
	int iommu_group;
	uint32_t open;
	uint32_t lost_by;
	struct port port[PORTS_MAX];	/* root port first */
	unsigned int ports;
	struct policy policy;
	struct resets resets;
	struct config config;
	bool plain;			/* the driver has it not: ACS and ATS only */
};

/* A port whose ACS, or a function whose ATS policy speaks of. */
struct isolated {
	char bdf[BDF_BYTES];
	char of[BDF_BYTES];		/* "" for a port */
	uint32_t role;
	uint32_t capable;
	uint32_t found;
	uint32_t wanted;
	uint32_t mask;
	uint32_t before;
	uint32_t ats;
	uint32_t ats_state;
	uint64_t drifts;
};

struct isolation {
	struct isolated *list;
	size_t count;
};

struct devices {
	struct device *list;
	size_t count;
};

struct event {
	uint64_t seq;
	uint64_t epoch;
	uint64_t time;			/* ns of CLOCK_BOOTTIME */
	uint32_t kind;
	char bdf[BDF_BYTES];
	uint64_t serial;
	uint32_t state;
	uint32_t cause;
	uint32_t method;
	uint32_t error;
	uint64_t duration;		/* ns */
	struct {
		uint32_t name;
		uint64_t duration;
	} phase[PHASES_MAX];
	unsigned int phases;
	char reason[TEXT_BYTES];
	bool has_register;
	uint32_t config_register;	/* offset in the config space */
	char port[BDF_BYTES];		/* "" but for ACS and ATS */
	uint32_t found;
	uint32_t wanted;
};

/* Names of one enum of the uapi, indexed by its values. */
struct names {
	const char *const *name;
	unsigned int count;
};

extern const struct names state_names, method_names, tenancy_names,
	bus_port_names, overlap_names, scope_names, rescan_names, guard_names,
	unblock_names, acs_names, acs_role_names, loss_names, ats_names,
	ats_state_names, role_names, cause_names, event_names, phase_names;

const char *name_of(const struct names *names, uint32_t value);
int name_find(const struct names *names, const char *name);
void name_list(const struct names *names, char *text, size_t size);
const char *name_nearest(const char *const names[], size_t count,
			 const char *word);

uint32_t peers_intern(const char *text);
const char *peers_text(uint32_t peers);

struct device *devices_add(struct devices *devices);
struct device *devices_find(const struct devices *devices, const char *bdf);
void devices_free(struct devices *devices);
struct isolated *isolation_add(struct isolation *isolation);
void isolation_free(struct isolation *isolation);

#endif /* MODEL_H */
