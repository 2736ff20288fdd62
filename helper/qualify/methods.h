/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reset methods that a run can try on a spare GPU, the least dangerous first. */
#ifndef METHODS_H
#define METHODS_H

#include "model.h"

/* The risk of a method by the evidence for and against it. */
enum risk {
	RISK_NONE,	/* no hardware is reset */
	RISK_LOW,	/* AMD's own drivers do it on this silicon */
	RISK_MEDIUM,	/* Linux's amdgpu is written to survive it; auto does not try it */
	RISK_HIGH,	/* operators report that it lost such GPUs until the host's reboot */
};

/**
 * struct kind - a method that a run can try
 * @name: name of the kind
 * @method: enum instinct_vfio_method
 * @bus_port: enum instinct_vfio_bus_port, for method bus only
 * @risk: risk of the method
 * @what: effect of the method
 */
struct kind {
	const char *name;
	uint32_t method;
	uint32_t bus_port;
	enum risk risk;
	const char *what;
};

#define KINDS	4

extern const struct kind kinds[KINDS];
extern const struct names risk_names;

/**
 * struct methods_facts - facts that decide whether a run tries a method
 * @max_risk: highest risk that the operator accepts
 * @dev: current state of the GPU, with the policy in force
 * @devices: all GPUs that the module manages
 * @refusal: reason of the module to refuse the method, or ""
 */
struct methods_facts {
	enum risk max_risk;
	const struct device *dev;
	const struct devices *devices;
	const char *refusal;
};

enum passed {
	PASSED_NOT,		/* the run tries the method */
	PASSED_THIS_TIME,	/* the run skips the method, another run may try it */
	PASSED_FOR_GOOD,	/* the method cannot reset such a GPU */
};

bool methods_is_wide(const struct device *dev, const struct kind *kind);
bool methods_blocked(const struct methods_facts *facts, char *why, size_t size);
enum passed methods_passes_over(const struct methods_facts *facts, const struct kind *kind,
			       char *why, size_t size);

#endif /* METHODS_H */
