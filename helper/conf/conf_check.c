// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "conf.h"
#include "peers.h"
#include "policy/policy.h"
#include "core/profile.h"
#include "say.h"
#include "sysfs.h"

#define CLASS_PCI_BRIDGE	0x0604

/* The class comes from sysfs, not from the config space, which a reset may block. */
static bool is_port(const char *bdf)
{
	long long class;

	return sysfs_read_number(bdf, "class", &class) && class >> 8 == CLASS_PCI_BRIDGE;
}

/*
 * The other devices must get their policy if one has died, and a policy may be written for a whole
 * fleet. So an absent device is no error, by its address or by its serial number.
 */
static void warn_absent(struct conf_section *section, const char *what)
{
	section->absent = true;
	if (say_is_hushed())
		return;
	fflush(stdout);
	fprintf(stderr, "%s:%d: warning: %s, found [device %s]; instinctctl ignores this section\n",
		section->file, section->line, what, section->name);
}

/**
 * conf_absent() - count the sections whose device is not there
 * @conf: policy, checked
 *
 * Return: number of sections.
 */
size_t conf_absent(const struct conf *conf)
{
	size_t count = 0, i;

	for (i = 0; i < conf->count; i++)
		count += conf->section[i].absent;
	return count;
}

static void check_device_there(struct conf *conf, struct conf_section *section)
{
	if (!sysfs_exists(section->name, ""))
		warn_absent(section, "this host has no PCI device with the address");
	else if (is_port(section->name))
		conf_complain(conf, section->file, section->line,
			      "a port, found %s, allowed: a GPU or another endpoint; its keys acs_root_port, acs_downstream and so on set the ports above it",
			      section->name);
}

/* Only peers named by an address must be present; a vendor:device pair may match nothing. */
static void check_peers_there(struct conf *conf, const struct conf_section *section)
{
	char words[PEERS_BYTES], bdf[BDF_BYTES], *word, *rest = words;

	snprintf(words, sizeof(words), "%s", text_of(section->value[CONF_PEER]));
	while ((word = strsep(&rest, " ")))
		if (bdf_parse(word, bdf) && !(sysfs_exists(bdf, "") && !is_port(bdf)))
			conf_complain(conf, section->file, section->at[CONF_PEER],
				      "wrong value of peer, found %s, which is %s, allowed: an endpoint of this host",
				      bdf, sysfs_exists(bdf, "") ? "a port" :
				      "not in this host");
}

/**
 * conf_check_present() - check that the devices that a policy names are in this host, and no ports
 * @conf: policy; errors are printed and recorded, and absent devices noted
 */
void conf_check_present(struct conf *conf)
{
	size_t i;

	for (i = 0; i < conf->count; i++) {
		struct conf_section *section = &conf->section[i];

		section->absent = false;
		if (section->kind == CONF_DEVICE && !section->serial)
			check_device_there(conf, section);
		if (section->at[CONF_PEER])
			check_peers_there(conf, section);
	}
}

/* The first key of the section that only GPUs have, or -1. */
static int foreign_key(const struct conf_section *section)
{
	int key;

	for (key = 0; key < CONF_KEYS; key++)
		if (section->at[key] && !conf_keys[key].isolation)
			return key;
	return -1;
}

static bool is_gpu(const struct devices *devices, const char *bdf)
{
	size_t i;

	for (i = 0; i < devices->count; i++)
		if (!devices->list[i].unmanaged && !strcmp(devices->list[i].bdf, bdf))
			return true;
	return false;
}

static bool has_serial(const struct devices *devices, uint64_t serial)
{
	size_t i;

	for (i = 0; i < devices->count; i++)
		if (devices->list[i].serial == serial)
			return true;
	return false;
}

/* Return the number of devices whose sections cannot be determined. */
static size_t warn_unsure(const struct conf *conf, const struct devices *devices)
{
	char text[TEXT_BYTES] = "";
	size_t used = 0, count = 0, i;

	for (i = 0; i < devices->count; i++) {
		const struct device *dev = &devices->list[i];

		if (dev->unmanaged || !conf_is_unsure(conf, dev))
			continue;
		count++;
		if (used + BDF_BYTES < sizeof(text))
			used += snprintf(text + used, sizeof(text) - used, "%s%s",
					 used ? ", " : "", dev->bdf);
	}
	if (count)
		say_warning("cannot read the serial number of %s (lost? in reset? not root?): a section [device serial=...] may be meant for it, so it gets no policy",
			    text);
	return count;
}

/**
 * conf_check_managed() - check that each device may have the keys of its section
 * @conf: policy; errors are printed and recorded, and absent GPUs noted
 * @devices: the known GPUs, managed or pending; the function warns of those of
 *	conf_is_unsure(), which the caller must leave as they are
 */
void conf_check_managed(struct conf *conf, const struct devices *devices)
{
	bool unsure = warn_unsure(conf, devices);
	size_t i;

	for (i = 0; i < conf->count; i++) {
		struct conf_section *section = &conf->section[i];
		int key = foreign_key(section);

		if (section->kind != CONF_DEVICE)
			continue;
		if (section->serial && !unsure && !has_serial(devices, section->serial))
			warn_absent(section, "no GPU of this host has the serial number");
		if (!section->serial && key >= 0 && sysfs_exists(section->name, "") &&
		    !is_gpu(devices, section->name))
			conf_complain(conf, section->file, section->at[key],
				      "no GPU that instinct-vfio knows, found %s of %s, allowed: only ACS and ATS keys",
				      conf_keys[key].name, section->name);
	}
}

/* Tell whether the setting of section a wins over that of section b. */
static bool is_later(const struct conf *conf, const struct conf_section *a, size_t key_a,
		     const struct conf_section *b, size_t key_b)
{
	if (a->kind != b->kind)
		return a->kind > b->kind;
	if (a != b)
		return a - conf->section > b - conf->section;
	return a->at[key_a] > b->at[key_b];
}

/* Returns the key that was set last of two that conflict, or -1 if neither was set. */
static int culprit(const struct conf *conf, const struct device *dev, size_t key, size_t other)
{
	const struct conf_section *a = conf_ruling(conf, dev, key);
	const struct conf_section *b = conf_ruling(conf, dev, other);

	if (a && b)
		return is_later(conf, b, other, a, key) ? other : key;
	if (a)
		return key;
	return b ? (int)other : -1;
}

/* One message is enough for all devices that get the value from the same line. */
static bool is_said(const struct conf *conf, const char *file, int line, const char *why)
{
	int i;

	for (i = 0; i < conf->errors; i++) {
		const struct conf_error *error = &conf->error[i];
		size_t length = strlen(error->text), end = strlen(why);

		if (error->line == line && !strcmp(error->file, file) && length >= end &&
		    !strcmp(error->text + length - end, why))
			return true;
	}
	return false;
}

static void complain_value(struct conf *conf, const struct device *dev, int key,
			   const char *why)
{
	const struct conf_section *section = conf_ruling(conf, dev, key);
	char found[TEXT_BYTES];

	if (is_said(conf, section->file, section->at[key], why))
		return;
	conf_key_format(&conf_keys[key], section->value[key], found, sizeof(found));
	conf_complain(conf, section->file, section->at[key],
		      "wrong value of %s for %s (%s), found \"%s\", allowed: %s",
		      conf_keys[key].name, dev->bdf, dev->family, found, why);
}

/* The parser checks each threshold alone, and the module does not know them. */
static void check_thresholds(struct conf *conf, const struct device *dev,
			     const struct policy *policy)
{
	static const size_t keys[][2] = {
		{ CONF_HOTSPOT_WARNING, CONF_HOTSPOT_CRITICAL },
		{ CONF_MEMORY_WARNING, CONF_MEMORY_CRITICAL },
		{ CONF_BOARD_WARNING, CONF_BOARD_CRITICAL },
	};
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		uint32_t warning = conf_key_get(&conf_keys[keys[i][0]], policy);
		uint32_t critical = conf_key_get(&conf_keys[keys[i][1]], policy);
		int key = culprit(conf, dev, keys[i][0], keys[i][1]);

		if (warning && critical && warning > critical && key >= 0)
			complain_value(conf, dev, key,
				       "a warning threshold must not be above the critical one of its sensor");
	}
}

static void check_device(struct conf *conf, const struct device *dev,
			 const struct instinct_family *family)
{
	const struct conf_key *fault;
	struct instinct_policy rules;
	struct policy policy;
	const char *why;

	conf_merge(conf, dev, &policy);
	conf_key_rules(&policy, &rules);
	while ((fault = instinct_policy_fault(&rules, family, &why))) {
		if (!conf_ruling(conf, dev, fault - conf_keys))
			break;
		complain_value(conf, dev, fault - conf_keys, why);
		/* Defaults never conflict, so the next fault differs. Texts are never at fault. */
		instinct_policy_set(&rules, fault, fault->fallback);
	}
	check_thresholds(conf, dev, &policy);
}

/**
 * conf_check_values() - check that the module would accept the policy of each device
 * @conf: policy; errors are printed and recorded
 * @devices: devices that the policy is for
 *
 * The check uses the module's own source for the values that a family does not support, and
 * finds warning thresholds above the critical ones.
 */
void conf_check_values(struct conf *conf, const struct devices *devices)
{
	const struct instinct_profile *profile;
	size_t i;

	for (i = 0; i < devices->count; i++) {
		const struct device *dev = &devices->list[i];

		profile = instinct_profile_find(dev->vendor, dev->device);
		if (profile && !dev->unmanaged)
			check_device(conf, dev, profile->family);
	}
}

/**
 * conf_check() - run all checks of a policy on this host
 * @conf: policy; errors are printed and recorded
 * @devices: as for conf_check_managed()
 */
void conf_check(struct conf *conf, const struct devices *devices)
{
	conf_check_present(conf);
	conf_check_managed(conf, devices);
	conf_check_values(conf, devices);
}
