// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/profile.h"
#include "model.h"
#include "policy/policy.h"

#define NAMES(_var, _count, ...)						\
	static const char *const _var##_table[] = { __VA_ARGS__ };		\
	_Static_assert(sizeof(_var##_table) / sizeof(char *) == (_count),	\
		       #_var " is not complete");			\
	const struct names _var = { _var##_table, (_count) }

/* Words that the module's own table defines. */
#define WORDS(_enum)							\
	const struct names _enum##_names = { instinct_##_enum##_words,	\
		sizeof(instinct_##_enum##_words) / sizeof(char *) }

WORDS(method);
WORDS(cause);
WORDS(state);

NAMES(acs_role_names, __INSTINCT_VFIO_ACS_ROLE_MAX,
	[INSTINCT_VFIO_ACS_ROLE_ROOT_PORT] = "root-port",
	[INSTINCT_VFIO_ACS_ROLE_SWITCH_UPSTREAM] = "switch-upstream",
	[INSTINCT_VFIO_ACS_ROLE_DOWNSTREAM] = "downstream",
	[INSTINCT_VFIO_ACS_ROLE_PEER_DOWNSTREAM] = "peer-downstream",
	[INSTINCT_VFIO_ACS_ROLE_PACKAGE] = "package");
NAMES(ats_state_names, __INSTINCT_VFIO_ATS_STATE_MAX,
	[INSTINCT_VFIO_ATS_STATE_ABSENT] = "absent",
	[INSTINCT_VFIO_ATS_STATE_OFF] = "off",
	[INSTINCT_VFIO_ATS_STATE_ON] = "on",
	[INSTINCT_VFIO_ATS_STATE_LOST] = "lost",
	[INSTINCT_VFIO_ATS_STATE_ASTRAY] = "astray",
	[INSTINCT_VFIO_ATS_STATE_GONE] = "gone");
NAMES(role_names, PORT_ROLES,
	[PORT_ROOT_PORT] = "root-port",
	[PORT_SWITCH_UPSTREAM] = "switch-upstream",
	[PORT_SWITCH_DOWNSTREAM] = "switch-downstream",
	[PORT_SWUS] = "swus",
	[PORT_SWDS] = "swds",
	[PORT_OTHER] = "other");
NAMES(event_names, __INSTINCT_VFIO_EVENT_MAX,
	[INSTINCT_VFIO_EVENT_DEVICE_ADDED] = "device-added",
	[INSTINCT_VFIO_EVENT_DEVICE_REMOVED] = "device-removed",
	[INSTINCT_VFIO_EVENT_RESET_BEGUN] = "reset-begun",
	[INSTINCT_VFIO_EVENT_RESET_DONE] = "reset-done",
	[INSTINCT_VFIO_EVENT_RESET_FAILED] = "reset-failed",
	[INSTINCT_VFIO_EVENT_RESET_COALESCED] = "reset-coalesced",
	[INSTINCT_VFIO_EVENT_DEVICE_LOST] = "device-lost",
	[INSTINCT_VFIO_EVENT_DEVICE_RECOVERED] = "device-recovered",
	[INSTINCT_VFIO_EVENT_DEVICE_QUARANTINED] = "device-quarantined",
	[INSTINCT_VFIO_EVENT_DEVICE_RELEASED] = "device-released",
	[INSTINCT_VFIO_EVENT_POLICY_APPLIED] = "policy-applied",
	[INSTINCT_VFIO_EVENT_POLICY_REJECTED] = "policy-rejected",
	[INSTINCT_VFIO_EVENT_CONFIG_BLOCKED] = "config-blocked",
	[INSTINCT_VFIO_EVENT_CONFIG_VERIFIED] = "config-verified",
	[INSTINCT_VFIO_EVENT_CONFIG_FAILED] = "config-failed",
	[INSTINCT_VFIO_EVENT_ACS_DRIFT] = "acs-drift",
	[INSTINCT_VFIO_EVENT_ACS_REPAIRED] = "acs-repaired",
	[INSTINCT_VFIO_EVENT_ACS_FAILED] = "acs-failed",
	[INSTINCT_VFIO_EVENT_ATS_DRIFT] = "ats-drift",
	[INSTINCT_VFIO_EVENT_ATS_REPAIRED] = "ats-repaired",
	[INSTINCT_VFIO_EVENT_ATS_UNMET] = "ats-unmet",
	[INSTINCT_VFIO_EVENT_THERMAL_WARNING] = "thermal-warning",
	[INSTINCT_VFIO_EVENT_THERMAL_CRITICAL] = "thermal-critical",
	[INSTINCT_VFIO_EVENT_THERMAL_CLEARED] = "thermal-cleared",
	[INSTINCT_VFIO_EVENT_THERMAL_STALE] = "thermal-stale",
	[INSTINCT_VFIO_EVENT_THERMAL_FRESH] = "thermal-fresh",
	[INSTINCT_VFIO_EVENT_OPEN_REFUSED] = "open-refused",
	[INSTINCT_VFIO_EVENT_DEVICE_CHANGED] = "device-changed",
	[INSTINCT_VFIO_EVENT_RESET_POSTPONED] = "reset-postponed",
	[INSTINCT_VFIO_EVENT_DEVICE_UNSCRUBBED] = "device-unscrubbed");
NAMES(secure_os_names, __INSTINCT_VFIO_SECURE_OS_MAX,
	[INSTINCT_VFIO_SECURE_OS_UNKNOWN] = "unknown",
	[INSTINCT_VFIO_SECURE_OS_ABSENT] = "absent",
	[INSTINCT_VFIO_SECURE_OS_RUNNING] = "running");
NAMES(compute_names, __INSTINCT_VFIO_COMPUTE_MAX,
	[INSTINCT_VFIO_COMPUTE_UNKNOWN] = "unknown",
	[INSTINCT_VFIO_COMPUTE_SPX] = "SPX",
	[INSTINCT_VFIO_COMPUTE_DPX] = "DPX",
	[INSTINCT_VFIO_COMPUTE_TPX] = "TPX",
	[INSTINCT_VFIO_COMPUTE_QPX] = "QPX",
	[INSTINCT_VFIO_COMPUTE_CPX] = "CPX");
NAMES(persist_names, PERSIST_DRIVERCTL + 1,
	[PERSIST_NONE] = "none",
	[PERSIST_UDEV] = "udev",
	[PERSIST_DRIVERCTL] = "driverctl");
NAMES(phase_names, __INSTINCT_VFIO_PHASE_MAX,
	[INSTINCT_VFIO_PHASE_QUIESCE] = "quiesce",
	[INSTINCT_VFIO_PHASE_TRIGGER] = "trigger",
	[INSTINCT_VFIO_PHASE_PATH] = "path",
	[INSTINCT_VFIO_PHASE_READY] = "ready",
	[INSTINCT_VFIO_PHASE_RESTORE] = "restore",
	[INSTINCT_VFIO_PHASE_LIVENESS] = "liveness");
NAMES(result_names, __INSTINCT_VFIO_RESULT_MAX,
	[INSTINCT_VFIO_RESULT_DONE] = "done",
	[INSTINCT_VFIO_RESULT_FAILED] = "failed",
	[INSTINCT_VFIO_RESULT_COALESCED] = "coalesced");
NAMES(sensor_names, __INSTINCT_VFIO_SENSOR_MAX,
	[INSTINCT_VFIO_SENSOR_HOTSPOT] = "hotspot",
	[INSTINCT_VFIO_SENSOR_MEMORY] = "memory",
	[INSTINCT_VFIO_SENSOR_BOARD] = "board");
NAMES(source_names, __INSTINCT_VFIO_SOURCE_MAX,
	[INSTINCT_VFIO_SOURCE_HWMON] = "hwmon",
	[INSTINCT_VFIO_SOURCE_IPMI] = "ipmi",
	[INSTINCT_VFIO_SOURCE_OTHER] = "other",
	[INSTINCT_VFIO_SOURCE_REDFISH] = "redfish");
NAMES(alarm_names, __INSTINCT_VFIO_ALARM_MAX,
	[INSTINCT_VFIO_ALARM_NONE] = "none",
	[INSTINCT_VFIO_ALARM_WARNING] = "warning",
	[INSTINCT_VFIO_ALARM_CRITICAL] = "critical");

/**
 * name_of() - look up the name of an enumerator
 * @names: names of its enum
 * @value: its value
 *
 * Return: the name, or "unknown" for a value newer than this helper.
 */
const char *name_of(const struct names *names, uint32_t value)
{
	return value < names->count ? names->name[value] : "unknown";
}

/**
 * name_find() - look up the enumerator with a name
 * @names: names of the enum
 * @name: name to look up
 *
 * Return: the value, or -1.
 */
int name_find(const struct names *names, const char *name)
{
	unsigned int i;

	for (i = 0; i < names->count; i++)
		if (!strcmp(names->name[i], name))
			return i;
	return -1;
}

/**
 * name_list() - list all names of an enum
 * @names: names of the enum
 * @text: receives "a, b or c"
 * @size: size of @text in bytes
 */
void name_list(const struct names *names, char *text, size_t size)
{
	size_t at = 0;
	unsigned int i;

	for (i = 0; i < names->count && at < size; i++)
		at += snprintf(text + at, size - at, "%s%s",
			       !i ? "" : i + 1 < names->count ? ", " : " or ",
			       names->name[i]);
}

/* Edit distance of two short words. */
static unsigned int distance(const char *a, const char *b)
{
	unsigned int row[64], i, j;
	size_t n = strlen(b);

	if (n >= 64)
		return -1;
	for (j = 0; j <= n; j++)
		row[j] = j;
	for (i = 1; *a; a++, i++) {
		unsigned int before = row[0];

		row[0] = i;
		for (j = 1; j <= n; j++) {
			unsigned int best = before + (*a != b[j - 1]);

			before = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[n];
}

/**
 * name_nearest() - guess the name that a misspelt word stands for
 * @names: valid names
 * @count: number of @names
 * @word: word that the user wrote
 *
 * Return: the nearest of @names by edit distance, or NULL if none is near.
 */
const char *name_nearest(const char *const names[], size_t count,
			 const char *word)
{
	unsigned int best = strlen(word) / 2 + 1;
	const char *found = NULL;
	size_t i;

	for (i = 0; i < count; i++) {
		unsigned int d = distance(word, names[i]);

		if (d < best) {
			best = d;
			found = names[i];
		}
	}
	return found;
}

/**
 * devices_add() - append a device to a list
 * @devices: list, which may move
 *
 * Return: the device, zeroed except for state, NUMA node and IOMMU group, which are "none".
 */
struct device *devices_add(struct devices *devices)
{
	struct device *dev = list_add((void **)&devices->list, &devices->count,
				      sizeof(*dev));

	dev->state = STATE_UNMANAGED;
	dev->numa_node = -1;
	dev->iommu_group = GROUP_NONE;
	return dev;
}

/**
 * devices_find() - look up a device by its address
 * @devices: list
 * @bdf: its address with the domain
 *
 * Return: the device or NULL.
 */
struct device *devices_find(const struct devices *devices, const char *bdf)
{
	size_t i;

	for (i = 0; i < devices->count; i++)
		if (!strcmp(devices->list[i].bdf, bdf))
			return &devices->list[i];
	return NULL;
}

/**
 * devices_share_hive() - check whether two GPUs are of one hive, by policy
 * @dev: GPU with its policy
 * @other: GPU with its policy, maybe the same
 *
 * Return: true if they are two, and of one hive.
 */
bool devices_share_hive(const struct device *dev, const struct device *other)
{
	const struct instinct_profile *profile = instinct_profile_find(dev->vendor, dev->device);

	if (!strcmp(dev->bdf, other->bdf) || dev->policy.hive == INSTINCT_VFIO_HIVE_NONE ||
	    dev->policy.hive != other->policy.hive)
		return false;
	return dev->policy.hive != INSTINCT_VFIO_HIVE_AUTO ||
	       (!strcmp(dev->family, other->family) && !(profile && profile->family->solitary));
}

/**
 * devices_hive_open() - count the open GPUs of a GPU's hive
 * @devices: all managed GPUs
 * @dev: one of them
 *
 * A GPU that is blocked only because another user has one of these is ready once that user is gone.
 *
 * Return: number of GPUs of its hive, without itself, that users have open.
 */
size_t devices_hive_open(const struct devices *devices, const struct device *dev)
{
	size_t count = 0, i;

	for (i = 0; i < devices->count; i++)
		count += devices->list[i].state >= 0 && devices->list[i].open &&
			 devices_share_hive(dev, &devices->list[i]);
	return count;
}

/**
 * state_word() - the word for a GPU's state
 * @state: of the GPU, or STATE_*
 *
 * Return: the word.
 */
const char *state_word(int state)
{
	switch (state) {
	case STATE_UNMANAGED:
		return "unmanaged";
	case STATE_MISSING:
		return "missing";
	default:
		return name_of(&state_names, state);
	}
}

/**
 * state_remedy() - the operator's next step for a GPU in a state
 * @state: of the GPU, or STATE_*
 *
 * The catalog, the alerts and docs/troubleshooting.md give the same advice, word for word
 * (tests/static/remedies).
 *
 * Return: the remedy, or NULL for a state that needs none.
 */
const char *state_remedy(int state)
{
	switch (state) {
	case INSTINCT_VFIO_STATE_LOST:
		return "run instinctctl reset BDF; if the GPU stays lost, remove its package and rescan the bus; if it still stays lost, drain the host and power it off and on";
	case INSTINCT_VFIO_STATE_QUARANTINED:
		return "run instinctctl reset BDF; run instinctctl release BDF instead only if the next user may see the last user's data";
	case INSTINCT_VFIO_STATE_BLOCKED:
		return "remove the reason that instinctctl status gives: apply a policy, bind all GPUs of its hive, reset the lost one, set the partition that policy wants, or allow a method that can reset the GPU";
	case INSTINCT_VFIO_STATE_RESETTING:
		return "wait for the reset to end";
	case STATE_UNMANAGED:
		return "run instinctctl bind BDF before a virtual machine gets the GPU";
	case STATE_MISSING:
		return "rescan the bus; if the GPU stays missing, drain the host and power it off and on; if the host is to go on without the GPU, run instinctctl forget BDF";
	case STATE_UNKNOWN:
		return "capture the host again by instinctctl dump as root";
	default:
		return NULL;
	}
}

/**
 * remedy_fill() - put addresses into a remedy
 * @remedy: remedy with "BDF" for the GPU, as of state_remedy()
 * @bdfs: addresses in place of it; commands take several
 * @text: receives the remedy
 * @size: bytes of @text
 */
void remedy_fill(const char *remedy, const char *bdfs, char *text, size_t size)
{
	size_t used = 0;
	const char *at;

	*text = '\0';
	while ((at = strstr(remedy, "BDF")) && used < size) {
		used += snprintf(text + used, size - used, "%.*s%s", (int)(at - remedy), remedy,
				 bdfs);
		remedy = at + strlen("BDF");
	}
	if (used < size)
		snprintf(text + used, size - used, "%s", remedy);
}

/**
 * devices_find_as() - look up one of the entries that a device may have
 * @devices: list, in which one device may be both unmanaged and pending
 * @bdf: its address with the domain
 * @unmanaged: find the entry of a device that another driver has
 * @pending: find the entry of a device that waits for our driver; with neither flag, the
 *	entry of a managed device
 *
 * Return: the device or NULL.
 */
struct device *devices_find_as(const struct devices *devices, const char *bdf, bool unmanaged,
			       bool pending)
{
	size_t i;

	for (i = 0; i < devices->count; i++) {
		struct device *dev = &devices->list[i];

		if (!strcmp(dev->bdf, bdf) && dev->unmanaged == unmanaged && dev->pending == pending)
			return dev;
	}
	return NULL;
}

/**
 * devices_find_gpu() - look up a GPU that is managed, or pending because our driver does not have it
 * @devices: list
 * @bdf: its address with the domain
 *
 * Return: the entry, never that of an unmanaged device with a policy of its own, or NULL.
 */
struct device *devices_find_gpu(const struct devices *devices, const char *bdf)
{
	size_t i;

	for (i = 0; i < devices->count; i++)
		if (!strcmp(devices->list[i].bdf, bdf) && !devices->list[i].unmanaged)
			return &devices->list[i];
	return NULL;
}

/**
 * devices_find_like() - look up the entry of a device in another list
 * @devices: list
 * @like: entry with the same address that is unmanaged, pending or managed likewise
 *
 * Return: the device or NULL.
 */
struct device *devices_find_like(const struct devices *devices, const struct device *like)
{
	return devices_find_as(devices, like->bdf, like->unmanaged, like->pending);
}

/**
 * device_oam() - get the number that the module has read from a GPU
 * @dev: GPU
 *
 * Return: the number; -1 if the module does not know it, and of a GPU without a hive, whose register
 * tells nothing: each such GPU is node 0 of 1.
 */
int device_oam(const struct device *dev)
{
	return dev->hive_nodes > 1 && dev->hive_node < dev->hive_nodes ? (int)dev->hive_node : -1;
}

/**
 * devices_append() - append copies of all entries of another list
 * @devices: list, which may move
 * @more: other list; both lists refer to the same users afterwards
 */
void devices_append(struct devices *devices, const struct devices *more)
{
	size_t i;

	for (i = 0; i < more->count; i++)
		*devices_add(devices) = more->list[i];
}

/**
 * users_free() - empty a list
 * @users: list
 */
void users_free(struct users *users)
{
	free(users->list);
	*users = (struct users) { 0 };
}

/**
 * devices_free() - empty a list
 * @devices: list, without the users of its devices, since entries are copied between lists
 */
void devices_free(struct devices *devices)
{
	free(devices->list);
	*devices = (struct devices) { 0 };
}

/**
 * text_copy() - duplicate a string, or end the program without memory
 * @text: string
 *
 * Return: the copy, for free(); never NULL.
 */
char *text_copy(const char *text)
{
	char *copy = strdup(text);

	if (!copy) {
		perror("instinctctl");
		exit(1);
	}
	return copy;
}

/* The table keeps each text once and for good, so equal texts have equal numbers. */
static char **texts;
static uint32_t text_count;

static uint32_t text_add(const char *text)
{
	texts = realloc(texts, (text_count + 1) * sizeof(*texts));
	if (!texts) {
		perror("instinctctl");
		exit(1);
	}
	texts[text_count] = text_copy(text);
	return text_count++;
}

/**
 * text_intern() - get the number of a text, so that struct policy can hold it
 * @text: text in canonical form; "auto" has TEXT_AUTO, "none" TEXT_NONE
 *
 * Return: the number; equal texts have equal numbers.
 */
uint32_t text_intern(const char *text)
{
	uint32_t i;

	if (!text_count) {
		text_add("auto");
		text_add("none");
	}
	for (i = 0; i < text_count; i++)
		if (!strcmp(texts[i], text))
			return i;
	return text_add(text);
}

/**
 * text_of() - get the text that a number stands for
 * @number: number from text_intern()
 *
 * Return: the text, valid until the program ends.
 */
const char *text_of(uint32_t number)
{
	if (number < text_count)
		return texts[number];
	return number == TEXT_NONE ? "none" : "auto";
}

/**
 * array_new() - allocate an array, or end the program without memory
 * @count: number of items
 * @size: size of one item in bytes
 *
 * Return: the items, zeroed, with room for one more; never NULL.
 */
void *array_new(size_t count, size_t size)
{
	void *items = calloc(count + 1, size);

	if (items)
		return items;
	perror("instinctctl");
	exit(1);
}

/**
 * list_add() - append an item to a list, or end the program without memory
 * @list: items, which may move
 * @count: number of items, incremented
 * @size: size of one item in bytes
 *
 * Return: the new item, zeroed; never NULL.
 */
void *list_add(void **list, size_t *count, size_t size)
{
	char *items = realloc(*list, (*count + 1) * size);

	if (!items) {
		perror("instinctctl");
		exit(1);
	}
	*list = items;
	return memset(items + (*count)++ * size, 0, size);
}

/**
 * isolation_add() - append a port or function to a list
 * @isolation: list
 *
 * Return: the new item, zeroed; never NULL.
 */
struct isolated *isolation_add(struct isolation *isolation)
{
	return list_add((void **)&isolation->list, &isolation->count,
			sizeof(*isolation->list));
}

/**
 * isolation_free() - empty a list
 * @isolation: list
 */
void isolation_free(struct isolation *isolation)
{
	free(isolation->list);
	*isolation = (struct isolation) { 0 };
}

/**
 * stats_free() - free statistics and leave them empty
 * @stats: statistics
 */
void stats_free(struct stats *stats)
{
	size_t i;

	for (i = 0; i < stats->devices; i++) {
		free(stats->device[i].reset);
		free(stats->device[i].event);
	}
	free(stats->device);
	free(stats->duration);
	free(stats->phase);
	*stats = (struct stats) { 0 };
}
