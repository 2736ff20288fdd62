// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "hive_rule.h"
#include "ladder.h"

static const char *const risks[] = {
	[RISK_NONE] = "none", [RISK_LOW] = "low", [RISK_MEDIUM] = "medium",
	[RISK_HIGH] = "high",
};

const struct names risk_names = { risks, sizeof(risks) / sizeof(risks[0]) };

/*
 * By what is known, see ARCHITECTURE.md. amdgpu keeps the state of the package's ports
 * and writes it back after a reset of the link above them. The bus reset that operators
 * report as deadly is VFIO's, which is at SWDS; FLR is the other one, and may be
 * something that the part is not set up for.
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
	}, {
		"flr", INSTINCT_VFIO_METHOD_FLR, INSTINCT_VFIO_BUS_PORT_SWDS, RISK_HIGH,
		"resets the GPU's function by FLR",
	},
};

/**
 * ladder_same_hive() - are two GPUs in one XGMI hive, as policy has it?
 * @dev: one
 * @other: other
 *
 * Return: true if so; not of a GPU and itself.
 */
bool ladder_same_hive(const struct device *dev, const struct device *other)
{
	uint32_t hive = dev->policy.hive;

	if (!strcmp(dev->bdf, other->bdf) || hive == INSTINCT_VFIO_HIVE_NONE ||
	    hive != other->policy.hive)
		return false;
	return hive != INSTINCT_VFIO_HIVE_AUTO || !strcmp(dev->family, other->family);
}

/**
 * ladder_is_wide() - does a method concern the whole hive of a GPU?
 * @dev: with the policy in force
 * @kind: method
 *
 * Return: true if so.
 */
bool ladder_is_wide(const struct device *dev, const struct kind *kind)
{
	return instinct_hive_wide(dev->policy.scope, kind->method);
}

static bool goes_wide(const struct ladder_facts *facts)
{
	unsigned int i;

	for (i = 0; i < KINDS; i++)
		if (kinds[i].risk <= facts->max_risk && ladder_is_wide(facts->dev, &kinds[i]))
			return true;
	return false;
}

/**
 * ladder_blocked() - why nothing is to be tried on a GPU at all
 * @facts: of it
 * @why: set to the reason, for people, and to what to do
 * @size: of @why in bytes
 *
 * Return: false if there is no reason.
 */
bool ladder_blocked(const struct ladder_facts *facts, char *why, size_t size)
{
	const struct device *dev = facts->dev, *other;
	size_t i;

	*why = '\0';
	if (dev->open)
		snprintf(why, size, "it is open: stop its guest first");
	else if (dev->state != INSTINCT_VFIO_STATE_READY)
		snprintf(why, size, "it is %s%s%s, and only a ready GPU can be qualified: instinctctl reset %s",
			 name_of(&state_names, dev->state), *dev->reason ? ": " : "",
			 dev->reason, dev->bdf);
	for (i = 0; !*why && goes_wide(facts) && i < facts->devices->count; i++) {
		other = &facts->devices->list[i];
		if (other->open && ladder_same_hive(dev, other))
			snprintf(why, size, "%s of the same hive is open, and a method within --max-risk %s resets the whole hive: stop its guest, or say --max-risk none, or scope = device in the policy if mode1 of one GPU alone is known to work",
				 other->bdf, name_of(&risk_names, facts->max_risk));
	}
	return *why;
}

/* A member of the hive that is not fit for a reset together with the others. */
static const struct device *unfit_member(const struct ladder_facts *facts)
{
	const struct device *other;
	size_t i;

	for (i = 0; i < facts->devices->count; i++) {
		other = &facts->devices->list[i];
		if (other->state != INSTINCT_VFIO_STATE_READY &&
		    ladder_same_hive(facts->dev, other))
			return other;
	}
	return NULL;
}

static bool has_port_above(const struct device *dev)
{
	unsigned int i;

	for (i = 0; i < dev->ports; i++)
		if (dev->port[i].role == INSTINCT_VFIO_ROLE_SWUS)
			return i;
	return false;
}

/**
 * ladder_passes_over() - is a method not tried, and why?
 * @facts: of the GPU
 * @kind: method
 * @why: set to the reason, for people, or ""
 * @size: of @why in bytes
 *
 * Return: PASSED_NOT if it can be tried.
 */
enum passed ladder_passes_over(const struct ladder_facts *facts, const struct kind *kind,
			       char *why, size_t size)
{
	const struct device *member = ladder_is_wide(facts->dev, kind) ? unfit_member(facts) : NULL;

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
		snprintf(why, size, "it resets the whole hive, and %s is %s", member->bdf,
			 name_of(&state_names, member->state));
		return PASSED_THIS_TIME;
	}
	if (kind->method == INSTINCT_VFIO_METHOD_BUS &&
	    kind->bus_port == INSTINCT_VFIO_BUS_PORT_SWITCH && !has_port_above(facts->dev)) {
		snprintf(why, size, "there is no port above the GPU's package");
		return PASSED_FOR_GOOD;
	}
	return PASSED_NOT;
}
