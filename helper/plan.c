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
	changes->list = calloc(devices->count + 1, sizeof(*changes->list));
	if (!changes->list) {
		perror("instinctctl");
		exit(1);
	}
	for (i = 0; i < devices->count; i++) {
		const struct device *dev = &devices->list[i];
		struct change *change = &changes->list[changes->count];

		if (policy_equal(&dev->policy, &wanted[i]))
			continue;
		memcpy(change->bdf, dev->bdf, sizeof(change->bdf));
		change->found = dev->policy;
		change->wanted = wanted[i];
		change->plain = dev->plain;
		changes->count++;
	}
}
