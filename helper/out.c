// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "conf.h"
#include "out.h"
#include "say.h"

#define NS_PER_MS	1000000.0
#define NS_PER_S	1000000000ul

/**
 * out_state() - a device's state in a word
 * @dev: device
 *
 * Return: its name.
 */
const char *out_state(const struct device *dev)
{
	return dev->state == STATE_UNMANAGED ? "unmanaged" :
	       name_of(&state_names, dev->state);
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

/**
 * out_devices_text() - a table for people, 80 columns wide
 * @devices: to print
 */
void out_devices_text(const struct devices *devices)
{
	size_t i;

	if (!devices->count) {
		puts("no AMD Instinct GPU that instinct-vfio knows on this host");
		return;
	}
	printf("%-13s %-10s %-12s %-18s %4s %6s %8s\n", "GPU", "MODEL", "STATE",
	       "DRIVER", "OPEN", "RESETS", "FAILED");
	for (i = 0; i < devices->count; i++) {
		const struct device *dev = &devices->list[i];

		printf("%-13s %-10s %s%-12s%s %-18.18s %4s %6" PRIu64 " %8" PRIu64 "\n",
		       dev->bdf, dev->model, state_color(dev), out_state(dev),
		       opt_color ? "\033[0m" : "", *dev->driver ? dev->driver : "-",
		       dev->open ? "yes" : "no",
		       dev->resets.hardware + dev->resets.quiesced,
		       dev->resets.failed);
		if (*dev->reason)
			printf("  %s\n", dev->reason);
	}
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
 * out_policy_json() - a policy for programs
 * @policy: it
 *
 * Return: an object.
 */
json_t *out_policy_json(const struct policy *policy)
{
	return json_pack("{s:s, s:s, s:s, s:I, s:I}",
			 "method", name_of(&method_names, policy->method),
			 "tenancy", name_of(&tenancy_names, policy->tenancy),
			 "bus_port", name_of(&bus_port_names, policy->bus_port),
			 "ready_timeout_ms", (json_int_t)policy->ready_timeout,
			 "mailbox", (json_int_t)policy->mailbox);
}

static json_t *hex(uint64_t value, int digits)
{
	return json_sprintf("0x%0*" PRIx64, digits, value);
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

static json_t *lost_by_json(const struct device *dev)
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
	return json_pack("{s:I, s:I, s:I, s:I, s:I}",
			 "hardware", (json_int_t)resets->hardware,
			 "coalesced", (json_int_t)resets->coalesced,
			 "quiesced", (json_int_t)resets->quiesced,
			 "failed", (json_int_t)resets->failed,
			 "flr_held", (json_int_t)resets->flr_held);
}

static json_t *device_json(const struct device *dev)
{
	bool managed = dev->state != STATE_UNMANAGED;

	return json_pack("{s:s, s:o, s:o, s:s, s:s, s:s, s:s, s:o, s:i, s:o, s:o, s:i, s:o, s:o, s:o, s:o}",
			 "bdf", dev->bdf,
			 "vendor", hex(dev->vendor, 4),
			 "device", hex(dev->device, 4),
			 "model", dev->model,
			 "family", dev->family,
			 "state", out_state(dev),
			 "reason", dev->reason,
			 "driver", *dev->driver ? json_string(dev->driver) : json_null(),
			 "numa_node", dev->numa_node,
			 "iommu_group", dev->iommu_group == GROUP_NONE ?
				json_null() : json_integer(dev->iommu_group),
			 "serial", dev->serial ? hex(dev->serial, 16) : json_null(),
			 "open", (int)dev->open,
			 "path", ports_json(dev),
			 "lost_by", lost_by_json(dev),
			 "policy", managed ? out_policy_json(&dev->policy) : json_null(),
			 "resets", resets_json(&dev->resets));
}

/**
 * out_devices_json() - the same for programs, version 1 of the schema
 * @devices: to print
 */
void out_devices_json(const struct devices *devices)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < devices->count; i++)
		json_array_append_new(list, device_json(&devices->list[i]));
	out_json(json_pack("{s:i, s:o}", "version", 1, "devices", list),
		 JSON_INDENT(2));
}

/**
 * out_policy_text() - a policy as it is written in policy.conf
 * @bdf: device
 * @policy: its policy
 */
void out_policy_text(const char *bdf, const struct policy *policy)
{
	char value[TEXT_BYTES];
	unsigned int key;

	printf("[device %s]\n", bdf);
	for (key = 0; key < CONF_KEYS; key++) {
		conf_key_format(key, conf_key_get(policy, key), value,
				sizeof(value));
		printf("%s = %s\n", conf_key_name(key), value);
	}
}

static void event_detail(const struct event *event)
{
	const char *separator = " (";
	unsigned int i;

	switch (event->kind) {
	case INSTINCT_VFIO_EVENT_RESET_BEGUN:
	case INSTINCT_VFIO_EVENT_RESET_DONE:
	case INSTINCT_VFIO_EVENT_RESET_FAILED:
		printf(" by %s for %s", name_of(&method_names, event->method),
		       name_of(&cause_names, event->cause));
		break;
	}
	if (event->duration)
		printf(" in %.0f ms", event->duration / NS_PER_MS);
	if (event->error)
		printf(": %s", strerror(event->error));
	if (*event->reason)
		printf(": %s", event->reason);
	for (i = 0; i < event->phases && event->duration; i++) {
		if (event->phase[i].duration < NS_PER_MS)
			continue;
		printf("%s%s %.0f", separator,
		       name_of(&phase_names, event->phase[i].name),
		       event->phase[i].duration / NS_PER_MS);
		separator = ", ";
	}
	if (*separator == ',')
		putchar(')');
}

/**
 * out_event_text() - an event in a line, for people
 * @event: it
 */
void out_event_text(const struct event *event)
{
	printf("#%" PRIu64 " %" PRIu64 ".%03" PRIu64 " %s %s", event->seq,
	       event->time / NS_PER_S, event->time % NS_PER_S / 1000000,
	       event->bdf, name_of(&event_names, event->kind));
	event_detail(event);
	putchar('\n');
	fflush(stdout);
}

/**
 * out_event_json() - an event in a line, for programs
 * @event: it
 */
void out_event_json(const struct event *event)
{
	json_t *phases = json_array();
	unsigned int i;

	for (i = 0; i < event->phases; i++)
		json_array_append_new(phases, json_pack("{s:s, s:I}",
			"phase", name_of(&phase_names, event->phase[i].name),
			"duration_ns", (json_int_t)event->phase[i].duration));
	out_json(json_pack("{s:I, s:I, s:I, s:s, s:s, s:o, s:s, s:s, s:s, s:i, s:I, s:o, s:s}",
			   "seq", (json_int_t)event->seq,
			   "epoch", (json_int_t)event->epoch,
			   "time_ns", (json_int_t)event->time,
			   "kind", name_of(&event_names, event->kind),
			   "bdf", event->bdf,
			   "serial", event->serial ? hex(event->serial, 16) : json_null(),
			   "state", name_of(&state_names, event->state),
			   "cause", name_of(&cause_names, event->cause),
			   "method", name_of(&method_names, event->method),
			   "error", (int)event->error,
			   "duration_ns", (json_int_t)event->duration,
			   "phases", phases,
			   "reason", event->reason), JSON_COMPACT);
}
