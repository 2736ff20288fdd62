// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "reset/plan.h"
#include "methods.h"

static const char *const risks[] = {
	[RISK_NONE] = "none", [RISK_LOW] = "low", [RISK_MEDIUM] = "medium",
	[RISK_HIGH] = "high",
};

const struct names risk_names = { risks, sizeof(risks) / sizeof(risks[0]) };

/*
 * Risks by what is known, see ARCHITECTURE.md. amdgpu saves the state of the package's ports
 * and restores it after a reset of the link above them. Operators report that GPUs do not survive
 * VFIO's bus reset, which is at SWDS.
 */
const struct kind kinds[KINDS] = {
	{
		"quiesce", INSTINCT_VFIO_METHOD_QUIESCE, INSTINCT_VFIO_BUS_PORT_SWDS, RISK_NONE,
		"stops the GPU's DMA and resets no hardware",
	}, {
		"mode1", INSTINCT_VFIO_METHOD_MODE1, INSTINCT_VFIO_BUS_PORT_SWDS, RISK_LOW,
		"has the SMU reset the whole GPU, as AMD's own drivers do",
	}, {
		"bus-switch", INSTINCT_VFIO_METHOD_BUS, INSTINCT_VFIO_BUS_PORT_SWITCH, RISK_MEDIUM,
		"resets the GPU's package at the port above it",
	}, {
		"bus-swds", INSTINCT_VFIO_METHOD_BUS, INSTINCT_VFIO_BUS_PORT_SWDS, RISK_HIGH,
		"resets the GPU at the port inside its package",
	},
};

/**
 * methods_is_wide() - check whether a method resets the whole hive of a GPU
 * @dev: GPU with the policy in force
 * @kind: method
 *
 * Return: true if it does.
 */
bool methods_is_wide(const struct device *dev, const struct kind *kind)
{
	return instinct_hive_wide(dev->policy.scope, kind->method);
}

static bool goes_wide(const struct methods_facts *facts)
{
	unsigned int i;

	for (i = 0; i < KINDS; i++)
		if (kinds[i].risk <= facts->max_risk && methods_is_wide(facts->dev, &kinds[i]))
			return true;
	return false;
}

/**
 * methods_blocked() - check whether a GPU cannot be qualified at all
 * @facts: facts about the GPU
 * @why: receives the reason and the remedy, or ""
 * @size: bytes of @why
 *
 * Return: true if there is a reason.
 */
bool methods_blocked(const struct methods_facts *facts, char *why, size_t size)
{
	const struct device *dev = facts->dev, *other;
	size_t i;

	*why = '\0';
	if (dev->open)
		snprintf(why, size, "the GPU is open: stop its guest first");
	else if (dev->state != INSTINCT_VFIO_STATE_READY)
		snprintf(why, size, "the GPU is %s%s%s, and only a ready GPU can be qualified: instinctctl reset %s",
			 name_of(&state_names, dev->state), *dev->reason ? ": " : "",
			 dev->reason, dev->bdf);
	for (i = 0; !*why && goes_wide(facts) && i < facts->devices->count; i++) {
		other = &facts->devices->list[i];
		if (other->open && devices_share_hive(dev, other))
			snprintf(why, size, "%s of the same hive is open, and a method within --max-risk %s resets the whole hive: stop its guest, or give --max-risk none, or set scope = device in the policy if mode1 of one GPU alone is known to work",
				 other->bdf, name_of(&risk_names, facts->max_risk));
	}
	return *why;
}

/* A hive member that is not ready for a reset together with the others. */
static const struct device *unfit_member(const struct methods_facts *facts)
{
	const struct device *other;
	size_t i;

	for (i = 0; i < facts->devices->count; i++) {
		other = &facts->devices->list[i];
		if (other->state != INSTINCT_VFIO_STATE_READY &&
		    devices_share_hive(facts->dev, other))
			return other;
	}
	return NULL;
}

static bool has_port_above(const struct device *dev)
{
	unsigned int i;

	for (i = 0; i < dev->ports; i++)
		if (dev->port[i].role == PORT_SWUS)
			return i;
	return false;
}

/**
 * methods_passes_over() - check whether a run must skip a method
 * @facts: facts about the GPU
 * @kind: method
 * @why: receives the reason, or ""
 * @size: bytes of @why
 *
 * Return: PASSED_NOT if the run can try the method, else the kind of reason.
 */
enum passed methods_passes_over(const struct methods_facts *facts, const struct kind *kind,
			       char *why, size_t size)
{
	const struct device *member = methods_is_wide(facts->dev, kind) ? unfit_member(facts) : NULL;

	*why = '\0';
	if (kind->risk > facts->max_risk) {
		snprintf(why, size, "risk %s is more than --max-risk %s",
			 name_of(&risk_names, kind->risk), name_of(&risk_names, facts->max_risk));
		return PASSED_THIS_TIME;
	}
	if (*facts->refusal) {
		snprintf(why, size, "%s", facts->refusal);
		return PASSED_FOR_GOOD;
	}
	if (member) {
		snprintf(why, size, "the method resets the whole hive, and %s is %s", member->bdf,
			 name_of(&state_names, member->state));
		return PASSED_THIS_TIME;
	}
	if (kind->method == INSTINCT_VFIO_METHOD_BUS &&
	    kind->bus_port == INSTINCT_VFIO_BUS_PORT_SWITCH && !has_port_above(facts->dev)) {
		snprintf(why, size, "the GPU's package has no port above it");
		return PASSED_FOR_GOOD;
	}
	return PASSED_NOT;
}
