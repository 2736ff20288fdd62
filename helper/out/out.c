// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "conf_key.h"
#include "host_clock.h"
#include "isolation/plan.h"
#include "now.h"
#include "out.h"
#include "peers.h"
#include "say.h"
#include "sysfs.h"
#include "wrap.h"

#define NS_PER_MS	1000000u
#define MINUTE_S	60
#define HOUR_S		(60 * MINUTE_S)
#define DAY_S		(24 * HOUR_S)
#define REMEDY_DEVICES	64	/* at most, in the remedy of one state */

static bool printed_json;

static const char *state_name(const struct device *dev)
{
	return state_word(dev->state);
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
	case STATE_MISSING:
		return "\033[31m";
	default:
		return "\033[33m";
	}
}

/* A device without blocked writes has nothing to report. */
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

/* State that a tenant may have left and no reset undoes; the usual state is not printed. */
static void print_hardware(const struct device *dev)
{
	if (dev->partition_next || dev->partition > INSTINCT_VFIO_PARTITION_NPS1)
		printf("  memory %s, compute dies %s%s\n", conf_key_word(CONF_PARTITION, dev->partition),
		       name_of(&compute_names, dev->compute),
		       dev->partition_next ? ", another partition is requested" : "");
	if (!dev->open && dev->hive_nodes && dev->secure_os == INSTINCT_VFIO_SECURE_OS_RUNNING)
		puts("  secure OS running: a guest without the rest of its hive stays in minimal init");
}

static void print_user(const struct user *user)
{
	char text[3 * TEXT_BYTES];
	int at;

	at = snprintf(text, sizeof(text), "%s by %s (process %d)",
		      user->maybe ? "open, maybe" : "open", user->comm, user->pid);
	if (*user->manager)
		at += snprintf(text + at, sizeof(text) - at, ", %s%s%s", user->manager,
			       *user->vm ? " VM " : "", user->vm);
	if (*user->guest)
		snprintf(text + at, sizeof(text) - at, ", at %s in the guest", user->guest);
	fputs("  ", stdout);
	wrap_print(stdout, 2, 4, text);
}

static void print_users(const struct device *dev)
{
	size_t i;

	for (i = 0; i < dev->users.count; i++)
		print_user(&dev->users.list[i]);
	if (dev->users_known && dev->state >= 0 && dev->open && !dev->users.count)
		puts("  open by a process that cannot be seen from here");
	if (dev->persist)
		printf("  bound at each boot (%s)\n", name_of(&persist_names, dev->persist));
}

/* The program of a VM that is not known is better than nothing. */
static const char *vm_of(const struct device *dev)
{
	size_t i;

	for (i = 0; i < dev->users.count; i++)
		if (*dev->users.list[i].vm)
			return dev->users.list[i].vm;
	return dev->users.count ? dev->users.list[0].comm : "-";
}

static const char *hot_spot(const struct device *dev, char *text, size_t size)
{
	unsigned int i;

	for (i = 0; i < dev->sensors; i++) {
		const struct sensor *sensor = &dev->sensor[i];

		if (sensor->kind != INSTINCT_VFIO_SENSOR_HOTSPOT || !sensor->known || sensor->stale)
			continue;
		snprintf(text, size, "%.1f C", sensor->temperature / 1000.0);
		return text;
	}
	return "-";
}

static const char *last_reset(const struct device *dev, char *text, size_t size)
{
	uint64_t now = host_clock_now().boottime;
	uint64_t s = now > dev->reset_at ? (now - dev->reset_at) / NS_PER_S : 0;
	const char *how = dev->reset_failed ? "failed" : name_of(&method_names, dev->reset_method);

	if (!dev->reset_at)
		return "-";
	if (s < 2 * MINUTE_S)
		snprintf(text, size, "%s %" PRIu64 " s ago", how, s);
	else if (s < 2 * HOUR_S)
		snprintf(text, size, "%s %" PRIu64 " min ago", how, s / MINUTE_S);
	else if (s < 2 * DAY_S)
		snprintf(text, size, "%s %" PRIu64 " h ago", how, s / HOUR_S);
	else
		snprintf(text, size, "%s %" PRIu64 " d ago", how, s / DAY_S);
	return text;
}

static void print_wide(const struct device *dev)
{
	char numa[16] = "-", hive[32] = "-", heat[16], reset[48];

	if (dev->numa_node >= 0)
		snprintf(numa, sizeof(numa), "%d", dev->numa_node);
	if (dev->hive_nodes > 1)
		snprintf(hive, sizeof(hive), "%" PRIu32 "/%" PRIu32, dev->hive_node, dev->hive_nodes);
	printf("  %-16.16s %4s %5s %7s  %s", vm_of(dev), numa, hive,
	       hot_spot(dev, heat, sizeof(heat)), last_reset(dev, reset, sizeof(reset)));
}

static void print_device(const struct device *dev, bool wide)
{
	char reason[TEXT_BYTES];

	printf("%-13s %-10s %s%-12s%s %-18.18s", dev->bdf, dev->model,
	       state_color(dev), state_name(dev), opt_color ? "\033[0m" : "",
	       *dev->driver ? dev->driver : "-");
	if (dev->state < 0)
		printf(" %4s %6s %8s", "-", "-", "-");
	else
		printf(" %4s %6" PRIu64 " %8" PRIu64, dev->open ? "yes" : "no",
		       dev->resets.hardware + dev->resets.quiesced,
		       dev->resets.failed);
	if (wide)
		print_wide(dev);
	putchar('\n');
	/* A ready GPU has a reason if its reset after a close has to wait. */
	if (*dev->reason)
		printf("  %s%s\n", dev->state == INSTINCT_VFIO_STATE_READY ?
		       "reset postponed: " : "", out_reason(dev->reason, reason));
	if (dev->listened && dev->silent) {
		fputs("  ", stdout);
		wrap_print(stdout, 2, 4, "does not answer config reads: something has reset it behind the module's back; stop its user, then run instinctctl reset BDF");
	}
	print_users(dev);
	print_hardware(dev);
	print_config(&dev->config);
	print_sensors(dev);
}

/* The states that an operator has to act on. */
static const int remedied[] = {
	INSTINCT_VFIO_STATE_LOST, INSTINCT_VFIO_STATE_QUARANTINED, STATE_MISSING,
};

/* Once for all GPUs in @state. */
static void print_remedy(const struct devices *devices, int state)
{
	char bdfs[REMEDY_DEVICES * BDF_BYTES], text[2 * TEXT_BYTES + 2 * sizeof(bdfs)];
	size_t used = 0, i;

	for (i = 0; i < devices->count && used + BDF_BYTES < sizeof(bdfs); i++)
		if (!devices->list[i].unmanaged && devices->list[i].state == state)
			used += snprintf(bdfs + used, sizeof(bdfs) - used, "%s%s", used ? " " : "",
					 devices->list[i].bdf);
	if (!used)
		return;
	printf("%s: ", state_word(state));
	remedy_fill(state_remedy(state), bdfs, text, sizeof(text));
	wrap_print(stdout, strlen(state_word(state)) + 2, 2, text);
}

/* The first GPU that a guest cannot have stands for all of them, a missing one only for its like. */
static void print_explain(const struct devices *devices)
{
	const struct device *first = NULL;
	char text[TEXT_BYTES];
	size_t i;

	for (i = 0; i < devices->count && (!first || first->state == STATE_MISSING); i++) {
		const struct device *dev = &devices->list[i];

		if (dev->unmanaged || (dev->state == INSTINCT_VFIO_STATE_READY && !dev->silent))
			continue;
		if (!first || dev->state != STATE_MISSING)
			first = dev;
	}
	if (!first)
		return;
	snprintf(text, sizeof(text), "instinctctl explain %s tells what is in its way, and what helps",
		 first->bdf);
	wrap_print(stdout, 0, 2, text);
}

/**
 * out_devices_text() - print a table of GPUs, 80 columns wide
 * @devices: devices, of which unmanaged ones are left out
 * @wide: print more columns than fit in 80
 */
void out_devices_text(const struct devices *devices, bool wide)
{
	const struct device *dev;
	size_t gpus = 0, stock = 0, bound = 0, i;

	for (i = 0; i < devices->count; i++) {
		dev = &devices->list[i];
		gpus += !dev->unmanaged;
		bound += !dev->unmanaged && dev->state != STATE_UNMANAGED && dev->state != STATE_MISSING;
		stock += !dev->unmanaged && dev->state < 0 && !strcmp(dev->driver, DROPIN_NAME) &&
			 !sysfs_is_ours(dev->driver);
	}
	if (!gpus) {
		puts("no AMD Instinct GPU that instinct-vfio knows on this host");
		return;
	}
	printf("%-13s %-10s %-12s %-18s %4s %6s %8s", "GPU", "MODEL", "STATE",
	       "DRIVER", "OPEN", "RESETS", "FAILED");
	if (wide)
		printf("  %-16s %4s %5s %7s  %s", "VM", "NUMA", "HIVE", "HOTSPOT", "LAST RESET");
	putchar('\n');
	for (i = 0; i < devices->count; i++)
		if (!devices->list[i].unmanaged)
			print_device(&devices->list[i], wide);
	for (i = 0; i < sizeof(remedied) / sizeof(remedied[0]); i++)
		print_remedy(devices, remedied[i]);
	/* On a host that guests already use, a GPU of another driver may be meant to have it. */
	if (!bound && !stock)
		print_remedy(devices, STATE_UNMANAGED);
	if (stock)
		wrap_print(stdout, 0, 2, "Nothing scrubs a GPU that the kernel's " DROPIN_NAME " has between its users: instinctctl unbind BDF, then instinctctl bind BDF.");
	print_explain(devices);
}

/**
 * out_json() - print a JSON value and drop its reference
 * @json: value
 * @flags: flags of json_dumpf()
 */
void out_json(json_t *json, size_t flags)
{
	json_dumpf(json, stdout, flags);
	putchar('\n');
	fflush(stdout);
	json_decref(json);
	say_reported();
	printed_json = true;
}

/**
 * out_end() - print a last JSON line, if --json asks for it and a line is missing
 * @quiet: a command that has nothing to say prints nothing
 *
 * The line lists the errors that no other line has reported. It is the only one of a command that
 * has failed early, or that had nothing to do.
 */
void out_end(bool quiet)
{
	size_t count;

	say_unreported(&count);
	if (opt_json && (count || (!printed_json && !quiet)))
		out_json(json_pack("{s:i, s:o}", "version", 1, "errors", out_said_json()),
			 JSON_COMPACT);
	/* The fuzzers run more than one command in a process. */
	say_reported();
	printed_json = false;
}

/**
 * out_said_json() - list the errors that no JSON value has reported yet
 *
 * Return: an array.
 */
json_t *out_said_json(void)
{
	json_t *list = json_array();
	const struct said *said;
	size_t count, i;

	said = say_unreported(&count);
	for (i = 0; i < count; i++)
		json_array_append_new(list, json_pack("{s:s, s:n, s:n, s:s}",
						      "code", error_code_name(said[i].code),
						      "file", "line", "text", said[i].text));
	return list;
}

/**
 * out_persist_json() - convert the store that binds a GPU at each boot to JSON
 * @persist: the store
 *
 * Return: a string, or null for none.
 */
json_t *out_persist_json(enum persist persist)
{
	return persist == PERSIST_NONE ? json_null() : json_string(name_of(&persist_names, persist));
}

/**
 * out_done() - print the JSON line for a request that succeeded
 * @bdf: address of the device
 * @more: object with further members; its reference is dropped
 */
void out_done(const char *bdf, json_t *more)
{
	json_t *line = json_pack("{s:s, s:b}", "bdf", bdf, "ok", true);

	json_object_update(line, more);
	json_decref(more);
	out_json(line, JSON_COMPACT);
}

/**
 * out_failed() - print the JSON line for a request that failed, if --json asks for it
 * @bdf: address of the device
 * @code: exit code; say_error() has printed the reason
 *
 * Return: @code.
 */
int out_failed(const char *bdf, int code)
{
	if (opt_json)
		out_json(json_pack("{s:s, s:b, s:s, s:s}", "bdf", bdf, "ok", false,
				   "code", error_code_name(say_last_code()),
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

/* Values are strings as in policy files; only the interval is a number. */
static json_t *isolation_json(const struct policy *policy)
{
	json_t *json = json_pack("{s:I}", "check_interval_ms",
				 (json_int_t)policy->check_interval);
	char value[PEERS_BYTES];
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

/* Thresholds and times are numbers, sensors are strings. */
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
	for (i = CONF_HOTSPOT_SENSOR; i <= CONF_BOARD_SENSOR; i++)
		json_object_set_new(json, conf_keys[i].name,
				    json_string(text_of(conf_key_get(&conf_keys[i], policy))));
	return json;
}

/**
 * out_policy_json() - convert a policy to JSON
 * @policy: policy
 * @own: include the helper's own keys, which policies from files have and the module's lack
 *
 * Return: an object.
 */
json_t *out_policy_json(const struct policy *policy, bool own)
{
	char hive[TEXT_BYTES];
	json_t *json;

	conf_key_format(&conf_keys[CONF_HIVE], policy->hive, hive, sizeof(hive));
	json = json_pack("{s:s, s:s, s:s, s:I, s:I, s:s, s:s, s:s, s:s, s:s, s:s, s:s}",
			 "method", name_of(&method_names, policy->method),
			 "tenancy", conf_key_word(CONF_TENANCY, policy->tenancy),
			 "bus_port", conf_key_word(CONF_BUS_PORT, policy->bus_port),
			 "ready_timeout_ms", (json_int_t)policy->ready_timeout,
			 "mailbox", (json_int_t)policy->mailbox,
			 "overlap", conf_key_word(CONF_OVERLAP, policy->overlap),
			 "scope", conf_key_word(CONF_SCOPE, policy->scope),
			 "hive", hive,
			 "partition", conf_key_word(CONF_PARTITION, policy->partition),
			 "first_reset", conf_key_word(CONF_FIRST_RESET, policy->first_reset),
			 "xgmi", conf_key_word(CONF_XGMI, policy->xgmi),
			 "contain", conf_key_word(CONF_CONTAIN, policy->contain));
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
 * out_serial_json() - convert a PCIe Device Serial Number to JSON
 * @serial: serial number, 0 for none
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
 * out_lost_by_json() - list the methods that lost a device
 * @dev: device
 *
 * Return: an array of their names.
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
	return json_pack("{s:I, s:I, s:I, s:I, s:I}",
			 "blocked", (json_int_t)config->blocked,
			 "retried", (json_int_t)config->retried,
			 "verified", (json_int_t)config->verified,
			 "failed", (json_int_t)config->failed,
			 "longest_ns", (json_int_t)config->longest);
}

/* A value of 0 is unknown, and null in JSON. */
static json_t *known_json(uint32_t value, const char *word)
{
	return value ? json_string(word) : json_null();
}

/**
 * out_hardware_json() - convert the facts from a GPU's registers to JSON
 * @dev: GPU
 *
 * Return: an object, with null for facts that the registers do not give.
 */
json_t *out_hardware_json(const struct device *dev)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:b, s:o, s:o, s:o, s:o}",
			 "secure_os", known_json(dev->secure_os, name_of(&secure_os_names, dev->secure_os)),
			 "hive_nodes", dev->hive_nodes ? json_integer(dev->hive_nodes) : json_null(),
			 "hive_node", dev->hive_nodes ? json_integer(dev->hive_node) : json_null(),
			 "partition", known_json(dev->partition, conf_key_word(CONF_PARTITION, dev->partition)),
			 "partition_requested", dev->partition_next,
			 "compute_partition", known_json(dev->compute, name_of(&compute_names, dev->compute)),
			 "discovery", dev->fingerprint ? hex(dev->fingerprint, 8) : json_null(),
			 "c2pmsg_33", dev->has_bootloader ? hex(dev->c2pmsg_33, 8) : json_null(),
			 "c2pmsg_35", dev->has_bootloader ? hex(dev->c2pmsg_35, 8) : json_null());
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

static json_t *text_json(const char *text)
{
	return *text ? json_string(text) : json_null();
}

static json_t *users_json(const struct device *dev)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < dev->users.count; i++) {
		const struct user *user = &dev->users.list[i];

		json_array_append_new(list, json_pack("{s:i, s:s, s:b, s:o, s:o, s:o}",
			"pid", user->pid, "command", user->comm, "certain", !user->maybe,
			"manager", text_json(user->manager), "vm", text_json(user->vm),
			"guest", text_json(user->guest)));
	}
	return list;
}

static json_t *device_json(const struct device *dev)
{
	bool managed = dev->state >= 0, waits = dev->pending && dev->policy_set;

	return json_pack("{s:s, s:o, s:o, s:s, s:s, s:s, s:s, s:o, s:o, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:b, s:o, s:o, s:o, s:o}",
			 "bdf", dev->bdf,
			 "vendor", hex(dev->vendor, 4),
			 "device", hex(dev->device, 4),
			 "model", dev->model,
			 "family", dev->family,
			 "state", state_name(dev),
			 "reason", dev->reason,
			 "answers", dev->listened ? json_boolean(!dev->silent) : json_null(),
			 "driver", *dev->driver ? json_string(dev->driver) : json_null(),
			 "numa_node", dev->numa_node,
			 "iommu_group", dev->iommu_group == GROUP_NONE ?
				json_null() : json_integer(dev->iommu_group),
			 "serial", out_serial_json(dev->serial),
			 "open", managed ? json_integer(dev->open) : json_null(),
			 "users", dev->users_known ? users_json(dev) : json_null(),
			 "persist", out_persist_json(dev->persist),
			 "path", ports_json(dev),
			 "lost_by", out_lost_by_json(dev),
			 "policy", managed || waits ? out_policy_json(&dev->policy, false) : json_null(),
			 "policy_set", managed && dev->policy_set,
			 "policy_pending", waits,
			 "resets", resets_json(&dev->resets),
			 "config", config_json(&dev->config),
			 "hardware", out_hardware_json(dev),
			 "sensors", sensors_json(dev));
}

/**
 * out_devices_json() - convert a list of GPUs to JSON, version 1 of the schema
 * @devices: devices, of which unmanaged ones are left out
 *
 * Return: an object.
 */
json_t *out_devices_json(const struct devices *devices)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < devices->count; i++)
		if (!devices->list[i].unmanaged)
			json_array_append_new(list, device_json(&devices->list[i]));
	return json_pack("{s:i, s:o}", "version", 1, "devices", list);
}

/**
 * out_policy_text() - print a policy as a section of policy.conf
 * @section: name of the section, such as "default", or "device" and an address
 * @policy: its policy
 * @base: policy whose values are left out, or NULL to print every key
 * @own: as in out_policy_json()
 */
void out_policy_text(const char *section, const struct policy *policy, const struct policy *base,
		     bool own)
{
	bool device = strcmp(section, "default"), printed = false;
	char value[PEERS_BYTES];
	size_t i;

	printf("[%s]\n", section);
	for (i = 0; i < CONF_KEYS; i++) {
		const struct conf_key *key = &conf_keys[i];

		if ((!own && !key->attr) || (device && key->kind == INSTINCT_KIND_COUNT) ||
		    (base && conf_key_get(key, policy) == conf_key_get(key, base)))
			continue;
		conf_key_format(key, conf_key_get(key, policy), value,
				sizeof(value));
		printf("%s = %s\n", key->name, value);
		printed = true;
	}
	if (!printed)
		puts(device && own ? "# as in [default]" : "# every key has its default");
}
