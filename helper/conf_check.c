// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "conf.h"
#include "policy.h"
#include "sysfs.h"

static bool applies(const struct conf_section *section, const struct device *dev)
{
	switch (section->kind) {
	case CONF_DEFAULT:
		return true;
	case CONF_FAMILY:
		return !strcmp(section->name, dev->family);
	case CONF_DEVICE:
		return !strcmp(section->name, dev->bdf);
	default:
		return false;
	}
}

/* The section that has the last word on a key of a device, or NULL. */
static const struct conf_section *ruling(const struct conf *conf,
					 const struct device *dev, size_t key)
{
	const struct conf_section *found = NULL;
	size_t i;

	for (i = 0; i < conf->count; i++) {
		const struct conf_section *section = &conf->section[i];

		if (section->at[key] && applies(section, dev) &&
		    (!found || section->kind >= found->kind))
			found = section;
	}
	return found;
}

/**
 * conf_merge() - the policy for a device
 * @conf: without errors
 * @dev: device
 * @policy: set: defaults, then [default], [family …], [device …]
 */
void conf_merge(const struct conf *conf, const struct device *dev,
		struct policy *policy)
{
	size_t key;

	*policy = (struct policy) { 0 };
	for (key = 0; key < CONF_KEYS; key++) {
		const struct conf_section *section = ruling(conf, dev, key);

		conf_key_set(&conf_keys[key], policy, section ?
			     section->value[key] : conf_keys[key].fallback);
	}
}

/**
 * conf_check_present() - are the devices that a policy names in this host?
 * @conf: policy; errors are said, and counted
 */
void conf_check_present(struct conf *conf)
{
	size_t i;

	for (i = 0; i < conf->count; i++) {
		const struct conf_section *section = &conf->section[i];

		if (section->kind == CONF_DEVICE &&
		    !sysfs_exists(section->name, ""))
			conf_complain(conf, section->line,
				      "no such PCI device, found %s, allowed: a device of this host (see instinctctl status)",
				      section->name);
	}
}

/**
 * conf_check_managed() - of those that are present, are they managed?
 * @conf: policy; errors are said, and counted
 * @managed: the managed devices
 */
void conf_check_managed(struct conf *conf, const struct devices *managed)
{
	size_t i;

	for (i = 0; i < conf->count; i++) {
		const struct conf_section *section = &conf->section[i];

		if (section->kind == CONF_DEVICE &&
		    sysfs_exists(section->name, "") &&
		    !devices_find(managed, section->name))
			conf_complain(conf, section->line,
				      "device not managed, found %s, allowed: one bound to %s (instinctctl bind %s)",
				      section->name, DRIVER_NAME, section->name);
	}
}

/**
 * conf_check_values() - would the module take what each device would get?
 * @conf: policy; errors are said, and counted
 * @devices: that it is for
 *
 * Asks the module's own rules, which are the same source. What the parser let
 * through and a family does not take can only be a mailbox.
 */
void conf_check_values(struct conf *conf, const struct devices *devices)
{
	const struct conf_section *section, *said = NULL;
	const struct instinct_profile *profile;
	struct instinct_policy policy;
	const char *why;
	char found[64];
	size_t i;

	for (i = 0; i < devices->count; i++) {
		const struct device *dev = &devices->list[i];

		profile = instinct_profile_find(dev->vendor, dev->device);
		section = ruling(conf, dev, CONF_MAILBOX);
		if (!profile || !section || section == said)
			continue;
		instinct_policy_defaults(&policy);
		policy.mailbox = section->value[CONF_MAILBOX];
		if (!instinct_policy_check(&policy, profile->family, &why))
			continue;
		conf_key_format(&conf_keys[CONF_MAILBOX], policy.mailbox, found,
				sizeof(found));
		conf_complain(conf, section->at[CONF_MAILBOX],
			      "wrong value for %s (%s), found \"%s\", allowed: %s",
			      dev->bdf, dev->family, found, why);
		said = section;
	}
}
