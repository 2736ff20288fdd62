// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf_key.h"
#include "plan.h"

/**
 * policy_equal() - are two policies the same?
 * @a: one
 * @b: other
 *
 * Return: true if every key is that the module knows.
 */
bool policy_equal(const struct policy *a, const struct policy *b)
{
	size_t key;

	for (key = 0; key < CONF_KEYS; key++)
		if (conf_keys[key].attr && conf_key_get(&conf_keys[key], a) !=
		    conf_key_get(&conf_keys[key], b))
			return false;
	return true;
}

/**
 * plan_is_done() - is the policy of a device what it should be?
 * @dev: device, with the policy in force
 * @wanted: by the files
 *
 * A GPU has to be told its policy even where that is all defaults: without, it may
 * not be handed out. Of what somebody else drives there is no more than values.
 *
 * Return: true if so.
 */
bool plan_is_done(const struct device *dev, const struct policy *wanted)
{
	return (dev->ruled || dev->plain) && policy_equal(&dev->policy, wanted);
}

/**
 * plan_port_is_right() - has a port taken what policy says?
 * @port: as the module looked at it last; a function is always right
 *
 * Return: true if so.
 */
bool plan_port_is_right(const struct isolated *port)
{
	return *port->of || !((port->found ^ port->wanted) & port->mask);
}

/**
 * plan_change() - what there is to change
 * @dev: device, with the policy in force
 * @wanted: by the files
 * @change: set
 */
void plan_change(const struct device *dev, const struct policy *wanted,
		 struct change *change)
{
	*change = (struct change) {
		.found = dev->policy,
		.wanted = *wanted,
		.plain = dev->plain,
		.waiting = dev->waiting,
		.ruled = dev->ruled,
	};
	memcpy(change->bdf, dev->bdf, sizeof(change->bdf));
}

/**
 * plan_make() - compare
 * @devices: with the policy in force on each
 * @wanted: for each of @devices, in the same order
 * @changes: set; free(@changes->list) is owed
 */
void plan_make(const struct devices *devices, const struct policy *wanted,
	       struct changes *changes)
{
	size_t i;

	*changes = (struct changes) { 0 };
	changes->list = array_new(devices->count, sizeof(*changes->list));
	for (i = 0; i < devices->count; i++)
		if (!plan_is_done(&devices->list[i], &wanted[i]))
			plan_change(&devices->list[i], &wanted[i],
				    &changes->list[changes->count++]);
}
