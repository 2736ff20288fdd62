// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
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
 * conf_defaults() - the policy of a device that nobody spoke about
 * @policy: set
 */
void conf_defaults(struct policy *policy)
{
	size_t key;

	*policy = (struct policy) { 0 };
	for (key = 0; key < CONF_KEYS; key++)
		conf_key_set(&conf_keys[key], policy, conf_keys[key].fallback);
}

/**
 * conf_merge() - the policy for a device
 * @conf: without errors
 * @dev: device
 * @policy: set: defaults, then [default], [family …], [device …]; of an endpoint
 *	that nobody manages only if it is named
 */
void conf_merge(const struct conf *conf, const struct device *dev,
		struct policy *policy)
{
	size_t key;

	conf_defaults(policy);
	if (dev->plain && !conf_names(conf, dev->bdf))
		return;
	for (key = 0; key < CONF_KEYS; key++) {
		const struct conf_section *section = ruling(conf, dev, key);

		if (section && (!dev->plain || conf_keys[key].isolation))
			conf_key_set(&conf_keys[key], policy, section->value[key]);
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

/* The first key that only a GPU of the driver's has; -1: it has none. */
static int foreign_key(const struct conf_section *section)
{
	int key;

	for (key = 0; key < CONF_KEYS; key++)
		if (section->at[key] && !conf_keys[key].isolation)
			return key;
	return -1;
}

/**
 * conf_names() - does a policy have a section of a device's own?
 * @conf: policy
 * @bdf: device
 *
 * Return: true if so.
 */
bool conf_names(const struct conf *conf, const char *bdf)
{
	size_t i;

	for (i = 0; i < conf->count; i++)
		if (conf->section[i].kind == CONF_DEVICE &&
		    !strcmp(conf->section[i].name, bdf))
			return true;
	return false;
}

/**
 * conf_add_plain() - the endpoints that a policy names and nobody manages
 * @conf: policy, by conf_check_managed() without errors
 * @devices: the managed ones, added to
 */
void conf_add_plain(const struct conf *conf, struct devices *devices)
{
	struct device *dev;
	size_t i;

	for (i = 0; i < conf->count; i++) {
		const struct conf_section *section = &conf->section[i];

		if (section->kind != CONF_DEVICE ||
		    devices_find(devices, section->name))
			continue;
		dev = devices_add(devices);
		snprintf(dev->bdf, sizeof(dev->bdf), "%.*s", BDF_BYTES - 1,
			 section->name);
		dev->plain = true;
		conf_defaults(&dev->policy);
	}
}

/**
 * conf_check_managed() - of those that are present, can they be ruled so?
 * @conf: policy; errors are said, and counted
 * @managed: the managed devices
 */
void conf_check_managed(struct conf *conf, const struct devices *managed)
{
	size_t i;

	for (i = 0; i < conf->count; i++) {
		const struct conf_section *section = &conf->section[i];
		const struct device *dev = devices_find(managed, section->name);
		int key = foreign_key(section);

		if (section->kind == CONF_DEVICE && key >= 0 &&
		    sysfs_exists(section->name, "") && (!dev || dev->plain))
			conf_complain(conf, section->at[key],
				      "device not managed, found %s of %s, allowed: only ACS and ATS keys, or bind it to %s (instinctctl bind %s)",
				      conf_keys[key].name, section->name,
				      DRIVER_NAME, section->name);
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
