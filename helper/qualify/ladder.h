/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reset methods that can be tried on a spare GPU, the least dangerous first. */
#ifndef LADDER_H
#define LADDER_H

#include "model.h"

/* How much is known to speak for a method, and what against it. */
enum risk {
	RISK_NONE,	/* no hardware is reset */
	RISK_LOW,	/* AMD's own drivers do it on this silicon */
	RISK_MEDIUM,	/* Linux's amdgpu is written to survive it; on no ladder here */
	RISK_HIGH,	/* operators report that it lost such GPUs until the host's reboot */
};

/**
 * struct kind - one thing to try
 * @name: of it
 * @method: enum instinct_vfio_method
 * @bus_port: enum instinct_vfio_bus_port, of method bus only
 * @risk: of it
 * @what: it does, for people
 */
struct kind {
	const char *name;
	uint32_t method;
	uint32_t bus_port;
	enum risk risk;
	const char *what;
};

#define KINDS	5

extern const struct kind kinds[KINDS];
extern const struct names risk_names;

/**
 * struct ladder_facts - what decides whether a method is tried
 * @max_risk: how far the operator goes
 * @dev: the GPU as it is now, with the policy in force
 * @devices: all that are managed
 * @refusal: the module's own, "" if it has none
 */
struct ladder_facts {
	enum risk max_risk;
	const struct device *dev;
	const struct devices *devices;
	const char *refusal;
};

enum passed {
	PASSED_NOT,		/* it is tried */
	PASSED_THIS_TIME,	/* not in this run */
	PASSED_FOR_GOOD,	/* such a GPU cannot be reset so */
};

bool ladder_same_hive(const struct device *dev, const struct device *other);
bool ladder_is_wide(const struct device *dev, const struct kind *kind);
bool ladder_blocked(const struct ladder_facts *facts, char *why, size_t size);
enum passed ladder_passes_over(const struct ladder_facts *facts, const struct kind *kind,
			       char *why, size_t size);

#endif /* LADDER_H */
