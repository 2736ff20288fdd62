/* SPDX-License-Identifier: GPL-2.0-or-later */
/* GPUs, policies, events and statistics, as every room of instinctctl sees them. */
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
#define STATE_UNKNOWN	(-2)	/* bound to our driver, but the module cannot be asked */
#define STATE_MISSING	(-3)	/* found by an earlier apply, and gone */
#define GROUP_NONE	(-1)
#define SENSORS_MAX	(INSTINCT_VFIO_SENSOR_BOARD + 1)

/* The role of a port on the path to a GPU; SWUS and SWDS are in the GPU's package. */
enum port_role {
	PORT_ROOT_PORT,
	PORT_SWITCH_UPSTREAM,
	PORT_SWITCH_DOWNSTREAM,
	PORT_SWUS,
	PORT_SWDS,
	PORT_OTHER,
	PORT_ROLES
};

struct port {
	char bdf[BDF_BYTES];
	uint32_t vendor;
	uint32_t device;
	enum port_role role;
};

/* The policy of a device, with the fields that the module has, and the helper's own at the end. */
struct policy {
	uint32_t method;
	uint32_t tenancy;
	uint32_t bus_port;
	uint32_t ready_timeout;		/* ms */
	uint32_t mailbox;		/* bytes, 0: discovery */
	uint32_t overlap;
	uint32_t scope;
	uint32_t hive;			/* number, or INSTINCT_VFIO_HIVE_* */
	uint32_t partition;
	uint32_t first_reset;
	uint32_t xgmi;
	uint32_t contain;
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
	uint32_t peer;			/* text number, see text_of() */
	uint32_t hotspot_warning;	/* helper only from here on; millidegrees C, 0: none */
	uint32_t hotspot_critical;
	uint32_t memory_warning;
	uint32_t memory_critical;
	uint32_t board_warning;
	uint32_t board_critical;
	uint32_t thermal_hysteresis;	/* millidegrees */
	uint32_t thermal_hold;		/* ms */
	uint32_t thermal_stale;		/* ms */
	uint32_t hotspot_sensor;	/* sensor that feeds it, see text_of() */
	uint32_t memory_sensor;
	uint32_t board_sensor;
	uint32_t expect_gpus;		/* of the host or of a family, UINT32_MAX: any number */
};

struct resets {
	uint64_t hardware;
	uint64_t coalesced;
	uint64_t quiesced;
	uint64_t failed;
};

/* Counters of config writes to the GPU and to the ports of its package. */
struct config {
	uint64_t blocked;
	uint64_t retried;
	uint64_t verified;
	uint64_t failed;
	uint64_t longest;		/* ns */
};

/* A temperature, as the monitoring service last knew it. */
struct sensor {
	uint32_t kind;			/* enum instinct_vfio_sensor */
	uint32_t source;		/* enum instinct_vfio_source */
	bool known;			/* a sample has arrived */
	int32_t temperature;		/* millidegrees Celsius */
	uint64_t age;			/* ns */
	bool stale;
	uint32_t alarm;			/* enum instinct_vfio_alarm */
	int32_t warning;		/* millidegrees, 0: none */
	int32_t critical;
};

/* A process that has a device open. */
struct user {
	int pid;
	char comm[64];
	char manager[24];		/* of the VM, such as "libvirt"; "" if the process is no known VMM */
	char vm[TEXT_BYTES];		/* name of the VM, "" if the process does not tell */
	char guest[BDF_BYTES];		/* address of the device in the guest, "" if unknown */
	bool maybe;			/* it may have another device open instead */
};

struct users {
	struct user *list;
	size_t count;
};

/* The store that binds a GPU at each boot. */
enum persist {
	PERSIST_NONE,
	PERSIST_UDEV,			/* our udev rule */
	PERSIST_DRIVERCTL,
};

struct device {
	char bdf[BDF_BYTES];
	uint64_t serial;
	bool serial_unknown;		/* the device may have one, but it cannot be read */
	bool silent;			/* absent: its config space reads as all ones */
	bool listened;			/* silent is of this moment */
	uint32_t vendor;
	uint32_t device;
	char model[TEXT_BYTES];
	char family[TEXT_BYTES];
	int state;			/* enum instinct_vfio_state or STATE_* */
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
	uint64_t reset_at;		/* end of the last reset, ns of CLOCK_BOOTTIME; 0: not looked up, or none */
	uint32_t reset_method;
	bool reset_failed;
	struct config config;
	uint32_t secure_os;		/* enum instinct_vfio_secure_os */
	uint32_t hive_nodes;		/* as the hardware reports, 0: unknown */
	uint32_t hive_node;
	uint32_t partition;		/* memory partition mode; ANY: unknown */
	bool partition_next;		/* another mode is requested */
	uint32_t compute;		/* enum instinct_vfio_compute */
	bool has_bootloader;
	uint32_t c2pmsg_33;		/* bootloader accepts commands */
	uint32_t c2pmsg_35;		/* bootloader has started */
	uint32_t fingerprint;		/* of the IP discovery table, 0: unknown */
	struct sensor sensor[SENSORS_MAX];
	unsigned int sensors;
	bool unmanaged;			/* another driver has it: policy covers ACS and ATS only */
	bool pending;			/* our driver has it not yet: policy for its next bind */
	bool policy_set;			/* a policy was set since the module was loaded */
	struct users users;
	bool users_known;			/* the processes of this host were looked at */
	enum persist persist;
};

/* A port whose ACS policy covers, or a function whose ATS policy covers. */
struct isolated {
	char bdf[BDF_BYTES];
	char of[BDF_BYTES];		/* endpoint that a function belongs to; "" for a port */
	uint32_t role;
	uint32_t capable;
	uint32_t found;
	uint32_t wanted;
	uint32_t mask;
	uint32_t before;
	uint32_t ats;
	uint32_t ats_state;
	uint64_t drifts;
	uint64_t looked;		/* ns of CLOCK_BOOTTIME, 0: never */
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
	bool has_secure_os;
	uint32_t secure_os;		/* enum instinct_vfio_secure_os */
	bool has_register;
	uint32_t config_register;	/* offset in the config space */
	char port[BDF_BYTES];		/* "" except in ACS and ATS events */
	uint32_t found;
	uint32_t wanted;
	bool thermal;			/* the members below are set */
	uint32_t sensor;
	uint32_t source;
	int32_t temperature;		/* millidegrees Celsius */
	uint32_t alarm;			/* raised or cleared */
	int32_t threshold;		/* of that alarm, millidegrees */
};

/* Events that a subscriber has missed for good: the module has dropped them. */
struct gap {
	uint64_t epoch;
	uint64_t first;			/* number of the first missing event */
	uint64_t last;
};

/* A counter of resets of one kind, or of events of one kind. */
struct tally {
	uint32_t method;
	uint32_t cause;
	uint32_t result;		/* enum instinct_vfio_result */
	uint32_t event;
	uint64_t count;
};

/* The time that resets by a method, or in a phase, have taken together. */
struct duration {
	uint32_t of;			/* enum instinct_vfio_method or instinct_vfio_phase */
	uint64_t count;
	uint64_t sum;			/* ns */
};

/* The module's counters for one device. */
struct device_stats {
	char bdf[BDF_BYTES];
	struct tally *reset;
	size_t resets;
	struct tally *event;
	size_t events;
	uint64_t policy_time;		/* s since 1970, 0: never */
};

/* The module's counters. */
struct stats {
	struct duration *duration;	/* by method */
	size_t durations;
	struct duration *phase;
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
	secure_os_names, compute_names, persist_names,
	result_names, sensor_names, source_names, alarm_names;

const char *name_of(const struct names *names, uint32_t value);
int name_find(const struct names *names, const char *name);
void name_list(const struct names *names, char *text, size_t size);
const char *name_nearest(const char *const names[], size_t count,
			 const char *word);

#define TEXT_AUTO	0u		/* text numbers of "auto" and "none" */
#define TEXT_NONE	1u

char *text_copy(const char *text);
uint32_t text_intern(const char *text);
const char *text_of(uint32_t number);

struct device *devices_add(struct devices *devices);
struct device *devices_find(const struct devices *devices, const char *bdf);
bool devices_share_hive(const struct device *dev, const struct device *other);
size_t devices_hive_open(const struct devices *devices, const struct device *dev);
const char *state_word(int state);
const char *state_remedy(int state);
void remedy_fill(const char *remedy, const char *bdfs, char *text, size_t size);
struct device *devices_find_as(const struct devices *devices, const char *bdf, bool unmanaged,
			       bool pending);
struct device *devices_find_gpu(const struct devices *devices, const char *bdf);
struct device *devices_find_like(const struct devices *devices, const struct device *like);
void devices_append(struct devices *devices, const struct devices *more);
void devices_free(struct devices *devices);
int device_oam(const struct device *dev);
void users_free(struct users *users);
struct isolated *isolation_add(struct isolation *isolation);
void isolation_free(struct isolation *isolation);
void stats_free(struct stats *stats);
void *array_new(size_t count, size_t size);
void *list_add(void **list, size_t *count, size_t size);

#endif /* MODEL_H */
