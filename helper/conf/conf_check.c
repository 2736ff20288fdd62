// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "conf.h"
#include "policy.h"
#include "profile.h"
#include "say.h"
#include "sysfs.h"

#define CLASS_PCI_BRIDGE	0x0604

/* By what Linux has kept: a device that is being reset lets nobody look at itself. */
static bool is_port(const char *bdf)
{
	long long class;

	return sysfs_read_number(bdf, "class", &class) && class >> 8 == CLASS_PCI_BRIDGE;
}

static void check_device_there(struct conf *conf, const struct conf_section *section)
{
	if (!sysfs_exists(section->name, ""))
		conf_complain(conf, section->file, section->line,
			      "no such PCI device, found %s, allowed: a device of this host (see instinctctl status)",
			      section->name);
	else if (is_port(section->name))
		conf_complain(conf, section->file, section->line,
			      "a port, found %s, allowed: a GPU or another endpoint, by whose acs_root_port, acs_downstream and the like the ports above it are ruled",
			      section->name);
}

/* Those that are named by an address; of IDs any may be missing. */
static void check_peers_there(struct conf *conf, const struct conf_section *section)
{
	char words[INSTINCT_PEERS_BYTES], bdf[BDF_BYTES], *word, *rest = words;

	snprintf(words, sizeof(words), "%s", text_of(section->value[CONF_PEER]));
	while ((word = strsep(&rest, " ")))
		if (bdf_parse(word, bdf) && !(sysfs_exists(bdf, "") && !is_port(bdf)))
			conf_complain(conf, section->file, section->at[CONF_PEER],
				      "wrong value of peer, found %s, which is %s, allowed: an endpoint of this host",
				      bdf, sysfs_exists(bdf, "") ? "a port" :
				      "not in this host");
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

		if (section->kind == CONF_DEVICE && !section->serial)
			check_device_there(conf, section);
		if (section->at[CONF_PEER])
			check_peers_there(conf, section);
	}
}

/* The first key that only a GPU has; -1: it has none. */
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
		if (!devices->list[i].plain && !strcmp(devices->list[i].bdf, bdf))
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

/* One policy may be for a whole fleet, so this is no error. */
static void warn_absent(const struct conf_section *section)
{
	if (say_is_hushed())
		return;
	fflush(stdout);
	fprintf(stderr, "%s:%d: warning: no GPU of this host has the serial number, found [device %s]; what it says goes nowhere\n",
		section->file, section->line, section->name);
}

/* Returns how many there are whose section cannot be told. */
static size_t warn_unsure(const struct conf *conf, const struct devices *devices)
{
	char text[TEXT_BYTES] = "";
	size_t used = 0, count = 0, i;

	for (i = 0; i < devices->count; i++) {
		const struct device *dev = &devices->list[i];

		if (dev->plain || !conf_is_unsure(conf, dev))
			continue;
		count++;
		if (used + BDF_BYTES < sizeof(text))
			used += snprintf(text + used, sizeof(text) - used, "%s%s",
					 used ? ", " : "", dev->bdf);
	}
	if (count)
		say_warning("cannot read the serial number of %s (lost? in reset? not root?): which section [device serial=...] is its cannot be told, so it gets no policy",
			    text);
	return count;
}

/**
 * conf_check_managed() - of those that are present, can they be ruled so?
 * @conf: policy; errors are said, and counted
 * @devices: the known GPUs, whether they are managed or wait; those of conf_is_unsure()
 *	are warned of, and are to be left as they are
 */
void conf_check_managed(struct conf *conf, const struct devices *devices)
{
	bool unsure = warn_unsure(conf, devices);
	size_t i;

	for (i = 0; i < conf->count; i++) {
		const struct conf_section *section = &conf->section[i];
		int key = foreign_key(section);

		if (section->kind != CONF_DEVICE)
			continue;
		if (section->serial && !unsure && !has_serial(devices, section->serial))
			warn_absent(section);
		if (!section->serial && key >= 0 && sysfs_exists(section->name, "") &&
		    !is_gpu(devices, section->name))
			conf_complain(conf, section->file, section->at[key],
				      "no GPU that instinct-vfio knows, found %s of %s, allowed: only ACS and ATS keys",
				      conf_keys[key].name, section->name);
	}
}

/* Which of two sections has spoken last on a device. */
static bool is_later(const struct conf *conf, const struct conf_section *a, size_t key_a,
		     const struct conf_section *b, size_t key_b)
{
	if (a->kind != b->kind)
		return a->kind > b->kind;
	if (a != b)
		return a - conf->section > b - conf->section;
	return a->at[key_a] > b->at[key_b];
}

/* Of two keys that do not go together the one that was set last; -1: neither was. */
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

/* Of many devices that have it from the same line the first is enough. */
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

/* The module does not know thresholds: each alone is in its range, and goes with no other. */
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
		/* Defaults go together, so the next fault is another one. No text is at fault. */
		instinct_policy_set(&rules, fault, fault->fallback);
	}
	check_thresholds(conf, dev, &policy);
}

/**
 * conf_check_values() - would the module take what each device would get?
 * @conf: policy; errors are said, and counted
 * @devices: that it is for
 *
 * Asks the module's own rules, which are the same source, what a family does not take; and
 * looks for thresholds that are allowed, but not together.
 */
void conf_check_values(struct conf *conf, const struct devices *devices)
{
	const struct instinct_profile *profile;
	size_t i;

	for (i = 0; i < devices->count; i++) {
		const struct device *dev = &devices->list[i];

		profile = instinct_profile_find(dev->vendor, dev->device);
		if (profile && !dev->plain)
			check_device(conf, dev, profile->family);
	}
}

/**
 * conf_check() - all that can be wrong with a policy on this host
 * @conf: policy; errors are said, and counted
 * @devices: as for conf_check_managed()
 */
void conf_check(struct conf *conf, const struct devices *devices)
{
	conf_check_present(conf);
	conf_check_managed(conf, devices);
	conf_check_values(conf, devices);
}
