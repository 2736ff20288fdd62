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
#define SENSORS_MAX	(INSTINCT_VFIO_SENSOR_BOARD + 1)
#define BUCKETS_MAX	32

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
	uint32_t config_verify;
	uint32_t config_unblock;
	uint32_t config_timeout;	/* ms */
	uint32_t acs;
	uint32_t acs_root_port;		/* ACS Control, or INSTINCT_VFIO_ACS_BITS_PRESET */
	uint32_t acs_switch_upstream;
	uint32_t acs_downstream;
	uint32_t acs_peer_downstream;
	uint32_t acs_package;
	uint32_t allow_isolation_loss;
	uint32_t ats;
	uint32_t check_interval;	/* ms, 0: never */
	uint32_t peer;			/* see text_of() */
	uint32_t hotspot_warning;	/* the helper's own from here on; millidegrees Celsius, 0: none */
	uint32_t hotspot_critical;
	uint32_t memory_warning;
	uint32_t memory_critical;
	uint32_t board_warning;
	uint32_t board_critical;
	uint32_t thermal_hysteresis;	/* millidegrees */
	uint32_t thermal_hold;		/* ms */
	uint32_t thermal_stale;		/* ms */
	uint32_t hotspot_sensor;	/* what feeds it, see text_of() */
	uint32_t memory_sensor;
	uint32_t board_sensor;
};

struct resets {
	uint64_t hardware;
	uint64_t coalesced;
	uint64_t quiesced;
	uint64_t failed;
};

/* Config writes to the GPU and to the ports of its package. */
struct config {
	uint64_t blocked;
	uint64_t retried;
	uint64_t verified;
	uint64_t forced;
	uint64_t failed;
	uint64_t longest;		/* ns */
};

/* A temperature, as the service has it. */
struct sensor {
	uint32_t kind;			/* enum instinct_vfio_sensor */
	uint32_t source;		/* enum instinct_vfio_source */
	bool known;			/* there was a sample */
	int32_t temperature;		/* millidegrees Celsius */
	uint64_t age;			/* ns */
	bool stale;
	uint32_t alarm;			/* enum instinct_vfio_alarm */
	int32_t warning;		/* millidegrees, 0: none */
	int32_t critical;
};

struct device {
	char bdf[BDF_BYTES];
	uint64_t serial;
	bool serial_unknown;		/* it may have one, but that cannot be read */
	bool silent;			/* its config space reads all ones: it does not answer */
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
	struct sensor sensor[SENSORS_MAX];
	unsigned int sensors;
	bool plain;			/* the driver has it not: ACS and ATS only */
	bool waiting;			/* the driver has it not yet: policy for when it has */
	bool ruled;			/* somebody has set its policy since the module's load */
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
	bool thermal;			/* it has what follows */
	uint32_t sensor;
	uint32_t source;
	int32_t temperature;		/* millidegrees Celsius */
	uint32_t alarm;			/* raised or cleared */
	int32_t threshold;		/* of that, millidegrees */
};

/* Events that a subscriber can get no more: the module has dropped them. */
struct gap {
	uint64_t epoch;
	uint64_t first;			/* number of the first one */
	uint64_t last;
};

/* How often one thing happened: a reset, or an event. */
struct tally {
	uint32_t method;
	uint32_t cause;
	uint32_t result;		/* enum instinct_vfio_result */
	uint32_t event;
	uint64_t count;
};

/* How long one thing took: a method, or a phase. */
struct histogram {
	uint32_t of;
	uint64_t count;
	uint64_t sum;			/* ns */
	uint64_t bucket[BUCKETS_MAX];	/* not cumulative; the last has no bound */
	unsigned int buckets;
};

/* What the module has counted of a device. */
struct device_stats {
	char bdf[BDF_BYTES];
	struct tally *reset;
	size_t resets;
	struct tally *event;
	size_t events;
	uint64_t policy_time;		/* s since 1970, 0: never */
};

/* What the module has counted. */
struct stats {
	uint64_t bound[BUCKETS_MAX];	/* ns */
	unsigned int bounds;
	struct histogram *duration;	/* by method */
	size_t durations;
	struct histogram *phase;
	size_t phases;
	struct device_stats *device;
	size_t devices;
};

/* Names of one enum of the uapi, indexed by its values. */
struct names {
	const char *const *name;
	unsigned int count;
};

extern const struct names state_names, method_names, acs_role_names,
	ats_state_names, role_names, cause_names, event_names, phase_names,
	result_names, sensor_names, source_names, alarm_names;

const char *name_of(const struct names *names, uint32_t value);
int name_find(const struct names *names, const char *name);
void name_list(const struct names *names, char *text, size_t size);
const char *name_nearest(const char *const names[], size_t count,
			 const char *word);

#define TEXT_AUTO	0u		/* numbers of "auto" and of "none" */
#define TEXT_NONE	1u

char *text_copy(const char *text);
uint32_t text_intern(const char *text);
const char *text_of(uint32_t number);

struct device *devices_add(struct devices *devices);
struct device *devices_find(const struct devices *devices, const char *bdf);
struct device *devices_find_as(const struct devices *devices, const char *bdf, bool plain,
			       bool waiting);
struct device *devices_find_like(const struct devices *devices, const struct device *like);
void devices_free(struct devices *devices);
struct isolated *isolation_add(struct isolation *isolation);
void isolation_free(struct isolation *isolation);
void stats_free(struct stats *stats);
void *array_new(size_t count, size_t size);
void *list_add(void **list, size_t *count, size_t size);

#endif /* MODEL_H */
