// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <string.h>

#include "conf_key.h"
#include "digest.h"
#include "now.h"
#include "out.h"
#include "plan.h"
#include "report.h"

/**
 * report_text() - convert a text that may be empty to JSON
 * @text: text, or ""
 *
 * Return: a JSON string, or null for "".
 */
json_t *report_text(const char *text)
{
	return *text ? json_string(text) : json_null();
}

static json_t *port_of(const struct kind *kind)
{
	return kind->method == INSTINCT_VFIO_METHOD_BUS ?
	       json_string(conf_key_word(CONF_BUS_PORT, kind->bus_port)) : json_null();
}

static json_t *differences(const struct comparison *config)
{
	json_t *list = json_array();
	unsigned int i;

	for (i = 0; i < config->count && i < COMPARE_MAX; i++) {
		const struct difference *one = &config->list[i];

		json_array_append_new(list, json_pack("{s:i, s:s, s:o, s:o}",
			"offset", (int)one->where, "register", one->name,
			"before", json_sprintf("0x%08" PRIx32, one->before),
			"after", json_sprintf("0x%08" PRIx32, one->after)));
	}
	return list;
}

/* Null if the config spaces were not compared. */
static json_t *config_json(const struct comparison *config)
{
	if (!config->bits)
		return json_null();
	return json_pack("{s:i, s:i, s:o, s:i}", "bits", (int)config->bits,
			 "differing", (int)config->count, "differences", differences(config),
			 "others", (int)config->others);
}

static json_t *phases_json(const struct event *event)
{
	json_t *phases = json_object();
	unsigned int i;

	for (i = 0; i < event->phases; i++)
		json_object_set_new(phases, name_of(&phase_names, event->phase[i].name),
				    json_integer(event->phase[i].duration));
	return phases;
}

static json_t *round_json(const struct round *round)
{
	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:s, s:o, s:b, s:o}",
			 "outcome", name_of(&outcome_names, round->outcome),
			 "why", report_text(round->why),
			 "state", round->state < 0 ? json_null() :
				  json_string(name_of(&state_names, round->state)),
			 "duration_ns", round->event.duration ?
				json_integer(round->event.duration) : json_null(),
			 "phases_ns", phases_json(&round->event),
			 "secure_os_before", name_of(&secure_os_names, round->secure_os_before),
			 "secure_os", round->event.has_secure_os ?
				json_string(name_of(&secure_os_names, round->event.secure_os)) :
				json_null(),
			 "placeholder", round->placeholder,
			 "config", config_json(&round->config));
}

static json_t *rounds_json(const struct trial *trial)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < trial->rounds; i++)
		json_array_append_new(list, round_json(&trial->round[i]));
	return list;
}

static json_t *spread_json(const struct trial *trial, int phase)
{
	struct spread spread;

	if (!trial_spread(trial, phase, &spread))
		return NULL;
	return json_pack("{s:I, s:I, s:I}", "min_ns", (json_int_t)spread.min,
			 "median_ns", (json_int_t)spread.median,
			 "max_ns", (json_int_t)spread.max);
}

static json_t *times_json(const struct trial *trial)
{
	json_t *total = spread_json(trial, -1), *phases, *one;
	unsigned int i;

	if (!total)
		return json_null();
	phases = json_object();
	for (i = 0; i < phase_names.count; i++) {
		one = spread_json(trial, i);
		if (one)
			json_object_set_new(phases, name_of(&phase_names, i), one);
	}
	return json_pack("{s:o, s:o}", "total", total, "phases", phases);
}

static json_t *log_json(const struct trial *trial)
{
	json_t *lines;
	size_t i;

	if (!trial->rounds)
		return json_null();
	lines = json_array();
	for (i = 0; i < trial->log.count; i++)
		json_array_append_new(lines, json_string(trial->log.line[i]));
	return json_pack("{s:b, s:b, s:o}", "readable", trial->log.fd >= 0,
			 "complete", !trial->log.dropped, "lines", lines);
}

/* The fingerprint of the IP discovery table is all that tells of the firmware without a driver. */
static json_t *memory_json(const struct qualify *qualify, const struct memory *memory)
{
	json_t *hardware = out_hardware_json(&qualify->before);
	json_t *json = json_pack("{s:s, s:o, s:i, s:i, s:I, s:I, s:O}",
				 "verdict", name_of(&memory_names, memory->verdict),
				 "why", report_text(memory->why),
				 "lines", (int)memory->lines, "kept", (int)memory->kept,
				 "bytes", (json_int_t)memory->bytes,
				 "memory_bytes", (json_int_t)memory->memory,
				 "firmware", json_object_get(hardware, "discovery"));

	json_decref(hardware);
	return json;
}

static json_t *trial_json(const struct qualify *qualify, const struct trial *trial)
{
	const struct kind *kind = trial->kind;

	return json_pack("{s:s, s:s, s:o, s:s, s:s, s:b, s:b, s:s, s:o, s:o, s:{s:i, s:i}, s:o, s:o, s:o, s:o, s:o}",
			 "name", kind->name, "method", name_of(&method_names, kind->method),
			 "bus_port", port_of(kind), "risk", name_of(&risk_names, kind->risk),
			 "what", kind->what, "hive_wide", trial->wide,
			 "tried", trial->rounds > 0,
			 "outcome", name_of(&outcome_names, trial->outcome),
			 "why", report_text(trial->why),
			 "rounds", rounds_json(trial),
			 "no_secure_os", "rounds", (int)trial_bare_rounds(trial, false),
			 "survived", (int)trial_bare_rounds(trial, true),
			 "times", times_json(trial),
			 "opened", trial->opened < 0 ? json_null() : json_boolean(trial->opened),
			 "opened_why", report_text(trial->open_why),
			 "memory", memory_json(qualify, &trial->memory),
			 "kernel_log", log_json(trial));
}

static json_t *trials_json(const struct qualify *qualify)
{
	json_t *list = json_array();
	unsigned int i;

	for (i = 0; i < KINDS; i++)
		json_array_append_new(list, trial_json(qualify, &qualify->trial[i]));
	return list;
}

/* Null for a run that has tried methods. */
static json_t *under_load_json(const struct qualify *qualify)
{
	const struct trial *load = &qualify->load;
	json_t *rounds, *one;
	int survived = 0;
	size_t i;

	if (!qualify->under_load)
		return json_null();
	rounds = json_array();
	for (i = 0; i < load->rounds; i++) {
		const struct event *event = &load->round[i].event;

		one = round_json(&load->round[i]);
		json_object_set_new(one, "method", event->seq ?
				    json_string(name_of(&method_names, event->method)) : json_null());
		json_object_set_new(one, "cause", event->seq ?
				    json_string(name_of(&cause_names, event->cause)) : json_null());
		json_array_append_new(rounds, one);
		survived += load->round[i].outcome == OUTCOME_SURVIVED;
	}
	return json_pack("{s:o, s:o, s:i, s:o, s:o}", "load", report_text(qualify->note),
			 "rounds", rounds, "survived", survived, "times", times_json(load),
			 "kernel_log", log_json(load));
}

static json_t *recovery_json(const struct recovery *recovery)
{
	json_t *steps = json_array();
	size_t i;

	for (i = 0; i < recovery->steps; i++)
		json_array_append_new(steps, json_pack("{s:s, s:b, s:o}",
			"step", name_of(&remedy_names, recovery->step[i].remedy),
			"ready", recovery->step[i].ok,
			"why", report_text(recovery->step[i].why)));
	return json_pack("{s:s, s:s, s:o, s:o}", "bdf", recovery->bdf, "after",
			 recovery->of->name, "steps", steps, "by",
			 recovery->by ? json_string(name_of(&remedy_names, recovery->by)) :
					json_null());
}

static json_t *recoveries_json(const struct qualify *qualify)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < qualify->recoveries; i++)
		json_array_append_new(list, recovery_json(&qualify->recovery[i]));
	return list;
}

static const char *state_of(const struct device *dev)
{
	return dev && dev->state >= 0 ? name_of(&state_names, dev->state) : "unknown";
}

static json_t *hive_json(const struct qualify *qualify)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < qualify->others.count; i++) {
		const struct device *dev = &qualify->others.list[i];

		json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "bdf", dev->bdf,
			"before", state_of(dev),
			"after", state_of(devices_find(&qualify->others_after, dev->bdf))));
	}
	return list;
}

/* The run changes no policy, so policy_as_before is false if another program did. */
static json_t *final_json(const struct qualify *qualify)
{
	const struct device *dev = &qualify->after;

	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o}", "state", state_of(dev),
			 "reason", report_text(dev->reason),
			 "lost_by", out_lost_by_json(dev),
			 "hardware", out_hardware_json(dev),
			 "policy_as_before", dev->state < 0 ? json_null() :
				json_boolean(policy_equal(&dev->policy, &qualify->before.policy)),
			 "config", config_json(&qualify->config));
}

static json_t *advice_json(const struct qualify *qualify)
{
	struct advice_facts facts = {
		.trial = qualify->trial, .family = qualify->before.family,
		.policy = &qualify->before.policy,
	};
	struct advice advice;

	advice_make(&facts, &advice);
	return json_pack("{s:o, s:s, s:s}",
			 "trial", advice.kind ? json_string(advice.kind->name) : json_null(),
			 "why", advice.why, "policy", advice.text);
}

static json_t *signed_json(const struct qualify *qualify)
{
	json_t *json = json_pack("{s:s, s:o}", "operator", qualify->operator,
				 "note", report_text(qualify->note));

	json_object_set_new(json, "began", json_string(out_time(qualify->began * NS_PER_S)));
	json_object_set_new(json, "finished", json_string(out_time(qualify->finished * NS_PER_S)));
	return json;
}

/**
 * report_make() - write the report of a run
 * @qualify: run that has ended, or is under way
 *
 * Return: a JSON object, sealed by a digest of all its members.
 */
json_t *report_make(const struct qualify *qualify)
{
	json_t *report = json_pack("{s:i, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:{s:s, s:i, s:I}, s:s, s:o, s:o, s:o, s:o, s:o}",
		"version", REPORT_VERSION, "report", REPORT_KIND,
		"signed_off", signed_json(qualify), "host", report_host(qualify),
		"gpu", report_gpu(qualify), "path", report_path(qualify),
		"hive", hive_json(qualify), "policy", out_policy_json(&qualify->before.policy, false),
		"asked",
		"max_risk", name_of(&risk_names, qualify->max_risk),
		"rounds", (int)qualify->rounds, "wait_ms", (json_int_t)qualify->wait,
		"ended", name_of(&ended_names, qualify->ended),
		"why", report_text(qualify->why), "trials", trials_json(qualify),
		"recoveries", recoveries_json(qualify), "final", final_json(qualify),
		"recommended", advice_json(qualify));

	json_object_set_new(report, "under_load", under_load_json(qualify));
	digest_add(report);
	return report;
}

/**
 * report_plan() - write the plan of a run
 * @qualify: prepared run
 *
 * Return: a JSON object.
 */
json_t *report_plan(const struct qualify *qualify)
{
	json_t *list = json_array();
	unsigned int i;

	for (i = 0; i < KINDS; i++) {
		const struct trial *trial = &qualify->trial[i];

		json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:b, s:o}",
			"name", trial->kind->name,
			"risk", name_of(&risk_names, trial->kind->risk),
			"what", trial->kind->what, "hive_wide", trial->wide,
			"refusal", report_text(trial->why)));
	}
	return json_pack("{s:i, s:s, s:o}", "version", REPORT_VERSION, "bdf", qualify->bdf,
			 "plan", list);
}
