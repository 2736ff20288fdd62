// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf_key.h"
#include "plan.h"

/**
 * policy_equal() - compare the keys of two policies that the module knows
 * @a: a policy
 * @b: another policy
 *
 * Return: true if they are all equal; keys of the helper alone are not compared.
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
 * plan_is_done() - tell whether a device has its wanted policy
 * @dev: device with the policy in force
 * @wanted: policy of the files
 *
 * The module must be given a policy for a GPU even if it consists of defaults: it may refuse
 * to hand out a GPU without one (require_policy). For an unmanaged device only the values
 * count.
 *
 * Return: true if nothing is left to change.
 */
bool plan_is_done(const struct device *dev, const struct policy *wanted)
{
	return (dev->policy_set || dev->unmanaged) && policy_equal(&dev->policy, wanted);
}

/**
 * plan_port_is_right() - tell whether a port has the ACS bits that policy wants
 * @port: result of the module's last check of a port or function
 *
 * Return: true if it has them, and always for a function.
 */
bool plan_port_is_right(const struct isolated *port)
{
	return *port->of || !((port->found ^ port->wanted) & port->mask);
}

/**
 * plan_change() - fill in the change for a device
 * @dev: device with the policy in force
 * @wanted: policy of the files
 * @change: receives the change
 */
void plan_change(const struct device *dev, const struct policy *wanted,
		 struct change *change)
{
	*change = (struct change) {
		.found = dev->policy,
		.wanted = *wanted,
		.unmanaged = dev->unmanaged,
		.pending = dev->pending,
		.policy_set = dev->policy_set,
	};
	memcpy(change->bdf, dev->bdf, sizeof(change->bdf));
}

/**
 * plan_make() - compare policies in force with wanted ones
 * @devices: devices with the policy in force on each
 * @wanted: policy of the files for each of @devices, in the same order
 * @changes: receives the changes; the caller frees @changes->list
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
