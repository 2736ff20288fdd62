/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tells whether a guest can have a GPU now and, if not, what stands in the way and what helps. */
#ifndef EXPLAIN_H
#define EXPLAIN_H

#include "policy_state.h"

#define EXPLAIN_GPUS_MAX	64	/* no hive has more */
#define EXPLAIN_LINES_MAX	4
#define EXPLAIN_TEXT		(4 * TEXT_BYTES)

/**
 * enum obstacle_kind - what keeps a guest from a GPU
 * @OBSTACLE_UNKNOWN: a capture without the module's answers does not tell
 * @OBSTACLE_NO_MODULE: the module is not installed for the running kernel
 * @OBSTACLE_VFS: virtual functions are enabled, so the module refuses the GPU
 * @OBSTACLE_NO_GROUP: the GPU has no IOMMU group
 * @OBSTACLE_GROUP: a driver of the host has another function of the IOMMU group
 * @OBSTACLE_MISSING: an earlier apply found the GPU, and it is gone
 * @OBSTACLE_UNBOUND: another driver has the GPU, or none
 * @OBSTACLE_LOST: the GPU does not answer
 * @OBSTACLE_SILENT: the module takes the GPU for ready, and it does not answer
 * @OBSTACLE_QUARANTINED: the GPU may hold the last user's data
 * @OBSTACLE_RESETTING: a reset is under way
 * @OBSTACLE_OPEN: another user has the GPU open
 * @OBSTACLE_NO_POLICY: no policy has been applied to the GPU, and the module wants one
 * @OBSTACLE_PARTITION: the GPU's memory is partitioned otherwise than policy wants
 * @OBSTACLE_ATS: policy requires ATS, and a function has it off
 * @OBSTACLE_HIVE_OPEN: another user has a GPU of the hive open
 * @OBSTACLE_HIVE_UNBOUND: the driver does not have all GPUs of the hive
 * @OBSTACLE_HIVE_LOST: a GPU of the hive is lost
 * @OBSTACLE_HIVE_COUNT: hardware and policy count the hive's GPUs differently
 * @OBSTACLE_BLOCKED: the module gives a reason of its own
 */
enum obstacle_kind {
	OBSTACLE_UNKNOWN,
	OBSTACLE_NO_MODULE,
	OBSTACLE_VFS,
	OBSTACLE_NO_GROUP,
	OBSTACLE_GROUP,
	OBSTACLE_MISSING,
	OBSTACLE_UNBOUND,
	OBSTACLE_LOST,
	OBSTACLE_SILENT,
	OBSTACLE_QUARANTINED,
	OBSTACLE_RESETTING,
	OBSTACLE_OPEN,
	OBSTACLE_NO_POLICY,
	OBSTACLE_PARTITION,
	OBSTACLE_ATS,
	OBSTACLE_HIVE_OPEN,
	OBSTACLE_HIVE_UNBOUND,
	OBSTACLE_HIVE_LOST,
	OBSTACLE_HIVE_COUNT,
	OBSTACLE_BLOCKED,
	OBSTACLES,
};

/* The price of a line that helps; an explanation lists the higher ones last. */
enum cost {
	COST_NONE,
	COST_RISK,		/* unverified on hardware, or slow */
	COST_ISOLATION,		/* guests can reach each other */
	COST_DATA,		/* the next guest can read the last one's data */
	COSTS,
};

/* The user or host that a line stops. */
enum stops {
	STOPS_NOTHING,
	STOPS_USER,
	STOPS_HOST,
	STOPS,
};

/**
 * struct explain_line - a line that helps
 * @text: a command, a line for the policy, or an instruction
 * @cost: its price
 * @stops: the user or host that it stops
 * @why: what the price means, "" for COST_NONE
 */
struct explain_line {
	char text[TEXT_BYTES];
	enum cost cost;
	enum stops stops;
	char why[TEXT_BYTES];
};

/**
 * struct obstacle - something that stands in the way
 * @kind: its kind
 * @text: a sentence that names it
 * @gpu: other GPUs that stand in the way
 * @gpus: number of these
 * @file: policy file with the line that decides; NULL without one
 * @line: number of that line
 * @ends: what ends it without an operator, "" for nothing
 * @help: lines that help, the safe ones first
 * @helps: number of these
 */
struct obstacle {
	enum obstacle_kind kind;
	char text[EXPLAIN_TEXT];
	const struct device *gpu[EXPLAIN_GPUS_MAX];
	size_t gpus;
	const char *file;
	int line;
	char ends[2 * TEXT_BYTES];
	struct explain_line help[EXPLAIN_LINES_MAX];
	size_t helps;
};

/**
 * struct explanation - all obstacles of a GPU
 * @list: obstacles; none if a guest can have the GPU
 * @count: number of obstacles
 */
struct explanation {
	struct obstacle *list;
	size_t count;
};

/**
 * struct explain_facts - what is known of a GPU and its host
 * @gpu: the GPU, in @devices
 * @devices: from inventory_get() with the users of each, or from sysfs_gpus()
 * @isolation: from nl_isolation_get()
 * @conf: the installed policy; empty without one
 * @policy: whether it is in force
 * @captured: the host is a captured one, which names no users
 * @told: the module has answered, so that states and policies are known
 * @policy_required: the module hands out no GPU without a policy
 * @uninstalled: the module is neither loaded nor installed for the running kernel
 * @vfs: virtual functions of the GPU are enabled
 * @stock: the GPU's driver is the kernel's vfio-pci
 * @no_group: VFIO needs an IOMMU group, and the GPU has none
 * @mate: another function of its IOMMU group, which a driver of the host has; "" without one
 * @mate_driver: that driver
 */
struct explain_facts {
	const struct device *gpu;
	const struct devices *devices;
	const struct isolation *isolation;
	const struct conf *conf;
	enum policy_state policy;
	bool captured;
	bool told;
	bool policy_required;
	bool uninstalled;
	bool vfs;
	bool stock;
	bool no_group;
	char mate[BDF_BYTES];
	char mate_driver[64];
};

extern const struct names obstacle_names, cost_names, stops_names;

bool explanation_is_unknown(const struct explanation *explanation);
void explain(const struct explain_facts *facts, struct explanation *explanation);
void explanation_free(struct explanation *explanation);

#endif /* EXPLAIN_H */
