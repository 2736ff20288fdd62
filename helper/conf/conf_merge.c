// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "conf.h"

static bool names(const struct conf_section *section, const struct device *dev)
{
	if (section->kind != CONF_DEVICE)
		return false;
	return section->serial ? section->serial == dev->serial :
				 !strcmp(section->name, dev->bdf);
}

static bool applies(const struct conf_section *section, const struct device *dev)
{
	switch (section->kind) {
	case CONF_DEFAULT:
		return true;
	case CONF_FAMILY:
		return !strcmp(section->name, dev->family);
	default:
		return names(section, dev);
	}
}

/**
 * conf_ruling() - who has the last word on a key of a device
 * @conf: policy
 * @dev: device
 * @key: number of the key
 *
 * Return: the section, or NULL: it has its default.
 */
const struct conf_section *conf_ruling(const struct conf *conf, const struct device *dev,
				       size_t key)
{
	const struct conf_section *found = NULL;
	size_t i;

	if (dev->plain && (!conf_keys[key].isolation || !conf_names(conf, dev)))
		return NULL;
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
	for (key = 0; key < CONF_KEYS; key++) {
		const struct conf_section *section = conf_ruling(conf, dev, key);

		if (section)
			conf_key_set(&conf_keys[key], policy, section->value[key]);
	}
}

/**
 * conf_names() - does a policy have a section of a device's own?
 * @conf: policy
 * @dev: device
 *
 * Return: true if so.
 */
bool conf_names(const struct conf *conf, const struct device *dev)
{
	size_t i;

	for (i = 0; i < conf->count; i++)
		if (names(&conf->section[i], dev))
			return true;
	return false;
}

/**
 * conf_has_serials() - does a policy name devices by serial number?
 * @conf: policy
 *
 * Return: true if so.
 */
bool conf_has_serials(const struct conf *conf)
{
	size_t i;

	for (i = 0; i < conf->count; i++)
		if (conf->section[i].kind == CONF_DEVICE && conf->section[i].serial)
			return true;
	return false;
}

/**
 * conf_is_unsure() - may a section be a device's own, and nobody can tell?
 * @conf: policy
 * @dev: device
 *
 * A lost GPU's serial number cannot be read. Merged without the section it would be
 * under another policy, perhaps a weaker one, once it is back: it is to get none.
 *
 * Return: true if sections name devices by serial number, and this one's is unknown.
 */
bool conf_is_unsure(const struct conf *conf, const struct device *dev)
{
	return dev->serial_unknown && conf_has_serials(conf);
}

static void plain_add(struct devices *devices, const char *bdf, const struct device *gpu)
{
	struct device *dev = devices_add(devices);

	snprintf(dev->bdf, sizeof(dev->bdf), "%.*s", BDF_BYTES - 1, bdf);
	dev->serial = gpu ? gpu->serial : 0;
	dev->serial_unknown = gpu && gpu->serial_unknown;
	dev->plain = true;
	conf_defaults(&dev->policy);
}

/* Does a section of its own give it what any endpoint has? */
static bool has_isolation(const struct conf *conf, const struct device *dev)
{
	size_t i, key;

	for (i = 0; i < conf->count; i++)
		for (key = 0; key < CONF_KEYS && names(&conf->section[i], dev); key++)
			if (conf->section[i].at[key] && conf_keys[key].isolation)
				return true;
	return false;
}

/* Is it on the list as one that somebody else drives, or one that is managed? */
static bool has_now(const struct devices *devices, const char *bdf)
{
	size_t i;

	for (i = 0; i < devices->count; i++)
		if (!devices->list[i].waiting && !strcmp(devices->list[i].bdf, bdf))
			return true;
	return false;
}

/**
 * conf_add_plain() - the endpoints that a policy names and nobody manages
 * @conf: policy, by conf_check_managed() without errors
 * @devices: the managed ones and those that wait, added to: of the latter those whose
 *	ports are ruled already now, whoever drives them
 */
void conf_add_plain(const struct conf *conf, struct devices *devices)
{
	size_t known = devices->count, i;

	for (i = 0; i < known; i++) {
		struct device dev = devices->list[i];

		if (dev.waiting && has_isolation(conf, &dev) && !has_now(devices, dev.bdf))
			plain_add(devices, dev.bdf, &dev);
	}
	for (i = 0; i < conf->count; i++) {
		const struct conf_section *section = &conf->section[i];

		if (section->kind == CONF_DEVICE && !section->serial &&
		    !devices_find(devices, section->name))
			plain_add(devices, section->name, NULL);
	}
}
