// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "conf_key.h"
#include "isolation_plan.h"
#include "out.h"
#include "say.h"

#define NS_PER_MS	1000000u

static const char *state_name(const struct device *dev)
{
	if (dev->state == STATE_UNMANAGED)
		return "unmanaged";
	return name_of(&state_names, dev->state);
}

static const char *state_color(const struct device *dev)
{
	if (!opt_color)
		return "";
	switch (dev->state) {
	case INSTINCT_VFIO_STATE_READY:
		return "\033[32m";
	case INSTINCT_VFIO_STATE_LOST:
	case INSTINCT_VFIO_STATE_QUARANTINED:
		return "\033[31m";
	default:
		return "\033[33m";
	}
}

/* Only where there was trouble. */
static void print_config(const struct config *config)
{
	if (!config->blocked)
		return;
	printf("  config writes: %" PRIu64 " blocked, %" PRIu64 " verified, %" PRIu64 " failed, longest %" PRIu64 " ms\n",
	       config->blocked, config->verified, config->failed,
	       (uint64_t)(config->longest / NS_PER_MS));
}

static void print_sensors(const struct device *dev)
{
	const char *separator = "  ";
	unsigned int i;

	for (i = 0; i < dev->sensors; i++) {
		const struct sensor *sensor = &dev->sensor[i];

		if (!sensor->known)
			continue;
		printf("%s%s %.1f C", separator, name_of(&sensor_names, sensor->kind),
		       sensor->temperature / 1000.0);
		if (sensor->stale)
			printf(" (stale)");
		if (sensor->alarm)
			printf(" (%s)", name_of(&alarm_names, sensor->alarm));
		separator = ", ";
	}
	if (*separator == ',')
		putchar('\n');
}

static void print_device(const struct device *dev, bool policy_required)
{
	printf("%-13s %-10s %s%-12s%s %-18.18s", dev->bdf, dev->model,
	       state_color(dev), state_name(dev), opt_color ? "\033[0m" : "",
	       *dev->driver ? dev->driver : "-");
	if (dev->state < 0)
		printf(" %4s %6s %8s\n", "-", "-", "-");
	else
		printf(" %4s %6" PRIu64 " %8" PRIu64 "\n", dev->open ? "yes" : "no",
		       dev->resets.hardware + dev->resets.quiesced,
		       dev->resets.failed);
	if (*dev->reason)
		printf("  %s\n", dev->reason);
	if (policy_required && dev->state >= 0 && !dev->ruled)
		puts("  cannot be opened: no policy has been applied to it (instinctctl apply)");
	print_config(&dev->config);
	print_sensors(dev);
}

/**
 * out_devices_text() - a table for people, 80 columns wide
 * @devices: to print, but for those that are no GPUs of ours
 * @policy_required: without a policy none is handed out
 */
void out_devices_text(const struct devices *devices, bool policy_required)
{
	size_t gpus = 0, i;

	for (i = 0; i < devices->count; i++)
		gpus += !devices->list[i].plain;
	if (!gpus) {
		puts("no AMD Instinct GPU that instinct-vfio knows on this host");
		return;
	}
	printf("%-13s %-10s %-12s %-18s %4s %6s %8s\n", "GPU", "MODEL", "STATE",
	       "DRIVER", "OPEN", "RESETS", "FAILED");
	for (i = 0; i < devices->count; i++)
		if (!devices->list[i].plain)
			print_device(&devices->list[i], policy_required);
}

/**
 * out_json() - print a value and let go of it
 * @json: value
 * @flags: of json_dumpf()
 */
void out_json(json_t *json, size_t flags)
{
	json_dumpf(json, stdout, flags);
	putchar('\n');
	fflush(stdout);
	json_decref(json);
}

/**
 * out_done() - with --json: what was asked of a device is done
 * @bdf: device
 * @more: an object with what else there is to say, let go of
 */
void out_done(const char *bdf, json_t *more)
{
	json_t *line = json_pack("{s:s, s:b}", "bdf", bdf, "ok", true);

	json_object_update(line, more);
	json_decref(more);
	out_json(line, JSON_COMPACT);
}

/**
 * out_failed() - with --json: what was asked of a device is not done
 * @bdf: device
 * @code: exit code; say_error() has said why
 *
 * Return: @code.
 */
int out_failed(const char *bdf, int code)
{
	if (opt_json)
		out_json(json_pack("{s:s, s:b, s:s}", "bdf", bdf, "ok", false,
				   "error", say_last_error()), JSON_COMPACT);
	return code;
}

static json_t *verify_json(const struct policy *policy)
{
	return json_pack("{s:s, s:s, s:I}",
			 "config_verify", conf_key_word(CONF_CONFIG_VERIFY, policy->config_verify),
			 "config_unblock", conf_key_word(CONF_CONFIG_UNBLOCK, policy->config_unblock),
			 "config_timeout_ms", (json_int_t)policy->config_timeout);
}

/* As they are written; the interval as a number. */
static json_t *isolation_json(const struct policy *policy)
{
	json_t *json = json_pack("{s:I}", "check_interval_ms",
				 (json_int_t)policy->check_interval);
	char value[INSTINCT_PEERS_BYTES];
	size_t i;

	for (i = CONF_ACS; i <= CONF_PEER; i++) {
		const struct conf_key *key = &conf_keys[i];

		if (i == CONF_CHECK_INTERVAL)
			continue;
		conf_key_format(key, conf_key_get(key, policy), value, sizeof(value));
		json_object_set_new(json, key->name, json_string(value));
	}
	return json;
}

/* Texts, thresholds as numbers. */
static json_t *heat_json(const struct policy *policy)
{
	json_t *json = json_pack("{s:I, s:I, s:I}",
		"thermal_hysteresis_millidegrees", (json_int_t)policy->thermal_hysteresis,
		"thermal_hold_ms", (json_int_t)policy->thermal_hold,
		"thermal_stale_ms", (json_int_t)policy->thermal_stale);
	char name[TEXT_BYTES];
	size_t i;

	for (i = CONF_HOTSPOT_WARNING; i <= CONF_BOARD_CRITICAL; i++) {
		uint32_t value = conf_key_get(&conf_keys[i], policy);

		snprintf(name, sizeof(name), "%s_millidegrees", conf_keys[i].name);
		json_object_set_new(json, name, value ? json_integer(value) : json_null());
	}
	for (i = CONF_HOTSPOT_SENSOR; i < CONF_KEYS; i++)
		json_object_set_new(json, conf_keys[i].name,
				    json_string(text_of(conf_key_get(&conf_keys[i], policy))));
	return json;
}

/**
 * out_policy_json() - a policy for programs
 * @policy: it
 * @own: it comes from files, which have the helper's own keys too; the module has not
 *
 * Return: an object.
 */
json_t *out_policy_json(const struct policy *policy, bool own)
{
	char hive[TEXT_BYTES];
	json_t *json;

	conf_key_format(&conf_keys[CONF_HIVE], policy->hive, hive, sizeof(hive));
	json = json_pack("{s:s, s:s, s:s, s:I, s:I, s:s, s:s, s:s, s:s}",
			 "method", name_of(&method_names, policy->method),
			 "tenancy", conf_key_word(CONF_TENANCY, policy->tenancy),
			 "bus_port", conf_key_word(CONF_BUS_PORT, policy->bus_port),
			 "ready_timeout_ms", (json_int_t)policy->ready_timeout,
			 "mailbox", (json_int_t)policy->mailbox,
			 "overlap", conf_key_word(CONF_OVERLAP, policy->overlap),
			 "scope", conf_key_word(CONF_SCOPE, policy->scope),
			 "hive", hive,
			 "rescan", conf_key_word(CONF_RESCAN, policy->rescan));
	json_object_update_new(json, verify_json(policy));
	json_object_update_new(json, isolation_json(policy));
	if (own)
		json_object_update_new(json, heat_json(policy));
	return json;
}

static json_t *hex(uint64_t value, int digits)
{
	return json_sprintf("0x%0*" PRIx64, digits, value);
}

/**
 * out_serial_json() - a PCIe Device Serial Number
 * @serial: it, 0 if there is none
 *
 * Return: a string or null.
 */
json_t *out_serial_json(uint64_t serial)
{
	return serial ? hex(serial, 16) : json_null();
}

static json_t *ports_json(const struct device *dev)
{
	json_t *list = json_array();
	unsigned int i;

	for (i = 0; i < dev->ports; i++)
		json_array_append_new(list, json_pack("{s:s, s:o, s:o, s:s}",
			"bdf", dev->port[i].bdf,
			"vendor", hex(dev->port[i].vendor, 4),
			"device", hex(dev->port[i].device, 4),
			"role", name_of(&role_names, dev->port[i].role)));
	return list;
}

/**
 * out_lost_by_json() - methods that lost a device
 * @dev: it
 *
 * Return: a list of their names.
 */
json_t *out_lost_by_json(const struct device *dev)
{
	json_t *list = json_array();
	unsigned int i;

	for (i = 0; i < method_names.count; i++)
		if (dev->lost_by & 1u << i)
			json_array_append_new(list,
					      json_string(method_names.name[i]));
	return list;
}

static json_t *resets_json(const struct resets *resets)
{
	return json_pack("{s:I, s:I, s:I, s:I}",
			 "hardware", (json_int_t)resets->hardware,
			 "coalesced", (json_int_t)resets->coalesced,
			 "quiesced", (json_int_t)resets->quiesced,
			 "failed", (json_int_t)resets->failed);
}

static json_t *config_json(const struct config *config)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}",
			 "blocked", (json_int_t)config->blocked,
			 "retried", (json_int_t)config->retried,
			 "verified", (json_int_t)config->verified,
			 "forced", (json_int_t)config->forced,
			 "failed", (json_int_t)config->failed,
			 "longest_ns", (json_int_t)config->longest);
}

static json_t *sensors_json(const struct device *dev)
{
	json_t *list = json_array(), *json;
	unsigned int i;

	for (i = 0; i < dev->sensors; i++) {
		const struct sensor *sensor = &dev->sensor[i];

		json = json_pack("{s:s, s:s, s:s, s:b}",
				 "sensor", name_of(&sensor_names, sensor->kind),
				 "source", name_of(&source_names, sensor->source),
				 "alarm", name_of(&alarm_names, sensor->alarm),
				 "stale", sensor->stale);
		json_object_set_new(json, "temperature_millidegrees", sensor->known ?
				    json_integer(sensor->temperature) : json_null());
		json_object_set_new(json, "age_ns", sensor->known ?
				    json_integer(sensor->age) : json_null());
		json_array_append_new(list, json);
	}
	return list;
}

static json_t *device_json(const struct device *dev)
{
	bool managed = dev->state >= 0, waits = dev->waiting && dev->ruled;

	return json_pack("{s:s, s:o, s:o, s:s, s:s, s:s, s:s, s:o, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:b, s:o, s:o, s:o}",
			 "bdf", dev->bdf,
			 "vendor", hex(dev->vendor, 4),
			 "device", hex(dev->device, 4),
			 "model", dev->model,
			 "family", dev->family,
			 "state", state_name(dev),
			 "reason", dev->reason,
			 "driver", *dev->driver ? json_string(dev->driver) : json_null(),
			 "numa_node", dev->numa_node,
			 "iommu_group", dev->iommu_group == GROUP_NONE ?
				json_null() : json_integer(dev->iommu_group),
			 "serial", out_serial_json(dev->serial),
			 "open", managed ? json_integer(dev->open) : json_null(),
			 "path", ports_json(dev),
			 "lost_by", out_lost_by_json(dev),
			 "policy", managed || waits ? out_policy_json(&dev->policy, false) : json_null(),
			 "ruled", managed && dev->ruled,
			 "policy_waiting", waits,
			 "resets", resets_json(&dev->resets),
			 "config", config_json(&dev->config),
			 "sensors", sensors_json(dev));
}

/**
 * out_devices_json() - the same for programs, version 1 of the schema
 * @devices: to print, but for those that are no GPUs of ours
 *
 * Return: an object.
 */
json_t *out_devices_json(const struct devices *devices)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < devices->count; i++)
		if (!devices->list[i].plain)
			json_array_append_new(list, device_json(&devices->list[i]));
	return json_pack("{s:i, s:o}", "version", 1, "devices", list);
}

/**
 * out_policy_text() - a policy as it is written in policy.conf
 * @bdf: device
 * @policy: its policy
 * @own: as in out_policy_json()
 */
void out_policy_text(const char *bdf, const struct policy *policy, bool own)
{
	char value[INSTINCT_PEERS_BYTES];
	size_t i;

	printf("[device %s]\n", bdf);
	for (i = 0; i < CONF_KEYS; i++) {
		const struct conf_key *key = &conf_keys[i];

		if (!own && !key->attr)
			continue;
		conf_key_format(key, conf_key_get(key, policy), value,
				sizeof(value));
		printf("%s = %s\n", key->name, value);
	}
}
