// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "conf.h"
#include "sysfs.h"

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
 * conf_ruling() - find the section that decides a key of a device
 * @conf: policy
 * @dev: device
 * @key: number of the key
 *
 * Return: the section, or NULL if the key has its default.
 */
const struct conf_section *conf_ruling(const struct conf *conf, const struct device *dev,
				       size_t key)
{
	const struct conf_section *found = NULL;
	size_t i;

	if (dev->unmanaged && (!conf_keys[key].isolation || !conf_names(conf, dev)))
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
 * conf_expected() - find the section that says how many GPUs a host should have
 * @conf: policy
 * @family: name of a family, or NULL for all GPUs of the host
 *
 * Return: the section whose expect_gpus counts, or NULL if the policy expects no number.
 */
const struct conf_section *conf_expected(const struct conf *conf, const char *family)
{
	const struct conf_section *found = NULL;
	size_t i;

	for (i = 0; i < conf->count; i++) {
		const struct conf_section *section = &conf->section[i];

		if (section->at[CONF_EXPECT_GPUS] &&
		    (family ? section->kind == CONF_FAMILY && !strcmp(section->name, family) :
			      section->kind == CONF_DEFAULT))
			found = section;
	}
	return found && found->value[CONF_EXPECT_GPUS] != conf_keys[CONF_EXPECT_GPUS].fallback ?
	       found : NULL;
}

/**
 * conf_defaults() - get the policy of a device to which no section applies
 * @policy: receives the defaults
 */
void conf_defaults(struct policy *policy)
{
	size_t key;

	*policy = (struct policy) { 0 };
	for (key = 0; key < CONF_KEYS; key++)
		conf_key_set(&conf_keys[key], policy, conf_keys[key].fallback);
}

/**
 * conf_merge() - merge the policy for a device
 * @conf: policy without errors
 * @dev: device
 * @policy: receives the defaults, then [default], [family …], [device …]; sections apply to
 *	an unmanaged endpoint only if one of them names it
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
 * conf_names() - tell whether a policy has a section for a device alone
 * @conf: policy
 * @dev: device
 *
 * Return: true if a [device …] section names @dev.
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
 * conf_has_serials() - tell whether a policy names devices by serial number
 * @conf: policy
 *
 * Return: true if a section does.
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
 * conf_is_unsure() - tell whether the sections of a device cannot be determined
 * @conf: policy
 * @dev: device
 *
 * A lost GPU's serial number cannot be read. Merged without its section, the policy may be
 * weaker than the wanted one once the GPU is back, so such a GPU gets no policy.
 *
 * Return: true if sections name devices by serial number and that of @dev is unknown.
 */
bool conf_is_unsure(const struct conf *conf, const struct device *dev)
{
	return dev->serial_unknown && conf_has_serials(conf);
}

static void unmanaged_add(struct devices *devices, const char *bdf, const struct device *gpu)
{
	struct device *dev = devices_add(devices);

	snprintf(dev->bdf, sizeof(dev->bdf), "%.*s", BDF_BYTES - 1, bdf);
	dev->serial = gpu ? gpu->serial : 0;
	dev->serial_unknown = gpu && gpu->serial_unknown;
	dev->unmanaged = true;
	conf_defaults(&dev->policy);
}

/* Tell whether a section for the device alone sets keys that apply to any endpoint. */
static bool has_isolation(const struct conf *conf, const struct device *dev)
{
	size_t i, key;

	for (i = 0; i < conf->count; i++)
		for (key = 0; key < CONF_KEYS && names(&conf->section[i], dev); key++)
			if (conf->section[i].at[key] && conf_keys[key].isolation)
				return true;
	return false;
}

/* Tell whether the list has the device as an unmanaged or a managed one. */
static bool has_now(const struct devices *devices, const char *bdf)
{
	size_t i;

	for (i = 0; i < devices->count; i++)
		if (!devices->list[i].pending && !strcmp(devices->list[i].bdf, bdf))
			return true;
	return false;
}

/**
 * conf_add_unmanaged() - add the unmanaged endpoints that a policy names, except absent ones
 * @conf: policy that conf_check_managed() has found without errors
 * @devices: managed and pending devices; a pending device is added as an unmanaged one, too,
 *	if its section has ACS or ATS keys, which apply with any driver
 */
void conf_add_unmanaged(const struct conf *conf, struct devices *devices)
{
	size_t known = devices->count, i;

	for (i = 0; i < known; i++) {
		struct device dev = devices->list[i];

		if (dev.pending && has_isolation(conf, &dev) && !has_now(devices, dev.bdf))
			unmanaged_add(devices, dev.bdf, &dev);
	}
	for (i = 0; i < conf->count; i++) {
		const struct conf_section *section = &conf->section[i];

		if (section->kind == CONF_DEVICE && !section->serial &&
		    !devices_find(devices, section->name) && sysfs_exists(section->name, ""))
			unmanaged_add(devices, section->name, NULL);
	}
}
