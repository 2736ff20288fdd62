// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf_key.h"
#include "out.h"
#include "out_change.h"
#include "out_conf.h"
#include "out_findings.h"
#include "peers.h"
#include "say.h"
#include "wrap.h"

#define PORT_WIDTH	21	/* bit names found and wanted, in 80 columns */

static void verdict(bool ok)
{
	if (opt_color)
		printf("%s%-4s\033[0m ", ok ? "\033[32m" : "\033[31m", ok ? "OK" : "FAIL");
	else
		printf("%-4s ", ok ? "OK" : "FAIL");
}

static const char *noun(const struct change *change)
{
	return change->pending ? "pending policy" : "policy";
}

/* Prints a line for each key that differs from the wanted policy. */
static void print_policy(const struct policy_finding *policy)
{
	char found[PEERS_BYTES], wanted[PEERS_BYTES];
	const struct change *change = &policy->change;
	size_t i;

	if (policy->unsure) {
		verdict(false);
		printf("%s %s: its section is unknown: its serial number\n     %s\n",
		       change->bdf, noun(change), host_unread_why());
		return;
	}
	if (policy->silent) {
		verdict(false);
		printf("%s does not answer, so it has no policy and cannot be opened\n", change->bdf);
		return;
	}
	if (policy->ok || (!change->policy_set && !change->unmanaged)) {
		verdict(policy->ok);
		printf("%s %s%s\n", change->bdf, noun(change), policy->ok ? "" :
		       ": none has been applied (instinctctl apply)");
		return;
	}
	for (i = 0; i < CONF_KEYS; i++) {
		const struct conf_key *key = &conf_keys[i];
		uint32_t a = conf_key_get(key, &change->found);
		uint32_t b = conf_key_get(key, &change->wanted);

		if (a == b || !key->attr)
			continue;
		conf_key_format(key, a, found, sizeof(found));
		conf_key_format(key, b, wanted, sizeof(wanted));
		verdict(false);
		printf("%s %s: %s: %s, wanted %s\n", change->bdf, noun(change), key->name,
		       found, wanted);
	}
}

static void print_gpu(const struct gpu_finding *gpu)
{
	char remedy[2 * TEXT_BYTES], reason[TEXT_BYTES];

	verdict(false);
	printf("%s GPU %s%s%s\n     -> ", gpu->bdf, state_word(gpu->state),
	       *gpu->reason ? ": " : "", out_reason(gpu->reason, reason));
	remedy_fill(state_remedy(gpu->state), gpu->bdf, remedy, sizeof(remedy));
	wrap_print(stdout, strlen("     -> "), strlen("     -> "), remedy);
}

/* A policy that expects no number is met by any number but 0. */
static void print_count(const struct count_finding *count)
{
	bool ok = count->found >= count->wanted;

	if (ok && !count->file)
		return;
	verdict(ok);
	if (!count->file) {
		puts("no AMD Instinct GPU that instinct-vfio knows is on this host");
		return;
	}
	printf("%zu GPU%s%s%s", count->found, plural(count->found),
	       count->family ? " of family " : "", count->family ?: "");
	if (!ok)
		printf(", wanted %zu", count->wanted);
	printf("\n     expect_gpus in %s:%d\n", count->file, count->line);
}

/* diff prints changes in the form that apply uses. */
static void print_changes(const struct findings *findings)
{
	struct changes changes = { 0 };
	size_t i;

	for (i = 0; i < findings->policies; i++)
		if (findings->policy[i].unsure || findings->policy[i].silent)
			print_policy(&findings->policy[i]);
		else if (!findings->policy[i].ok)
			*(struct change *)list_add((void **)&changes.list, &changes.count,
						   sizeof(*changes.list)) =
				findings->policy[i].change;
	out_changes(&changes);
	free(changes.list);
}

static void print_port(const struct findings *findings, const struct port_finding *port)
{
	const struct host_function *function = &findings->host.function[port->function];
	char found[TEXT_BYTES], wanted[TEXT_BYTES];

	verdict(findings_port_is_right(port));
	printf("%-13s %-16s ", function->bdf, name_of(&acs_role_names, port->role));
	if (port->unreadable) {
		printf("ACS %s\n", host_unread_why());
		return;
	}
	acs_format(port->found, found, sizeof(found));
	acs_format(port->wanted, wanted, sizeof(wanted));
	if (findings_port_is_right(port))
		printf("ACS 0x%02x %s\n", port->found, found);
	else
		printf("ACS 0x%02x %s,%swanted 0x%02x %s\n", port->found, found,
		       strlen(found) + strlen(wanted) > PORT_WIDTH ? "\n     " : " ",
		       port->wanted, wanted);
	if (port->loss) {
		acs_format(port->loss, found, sizeof(found));
		printf("     IOMMU groups below rely on %s:\n     refused without allow_isolation_loss = yes\n",
		       found);
	}
}

/**
 * out_registers() - print the registers that would change, with old and new values
 * @findings: findings
 */
void out_registers(const struct findings *findings)
{
	char found[TEXT_BYTES], wanted[TEXT_BYTES];
	size_t i;

	for (i = 0; i < findings->ports; i++) {
		const struct port_finding *port = &findings->port[i];

		if (port->unreadable || findings_port_is_right(port))
			continue;
		acs_format(port->found, found, sizeof(found));
		acs_format(port->wanted, wanted, sizeof(wanted));
		printf("%s: ACS Control: 0x%02x %s -> 0x%02x %s\n",
		       findings->host.function[port->function].bdf, port->found,
		       found, port->wanted, wanted);
	}
}

static void print_ats(const struct findings *findings, const struct ats_finding *ats)
{
	const struct host_function *function = &findings->host.function[ats->function];

	verdict(!ats->unmet);
	printf("%-13s %-16s ATS %s%s, %s\n", function->bdf,
	       ats->function == ats->of ? "endpoint" : "peer",
	       name_of(&ats_state_names, ats->state),
	       ats->state == INSTINCT_VFIO_ATS_STATE_OFF && !ats->unmet ?
	       " while nobody uses it" : "",
	       conf_key_word(CONF_ATS, ats->policy));
	if (ats->unmet)
		printf("     %s\n", ats->unmet);
}

/**
 * out_findings_text() - print findings as text
 * @findings: findings
 * @only_differences: omit items that are as policy says
 */
void out_findings_text(const struct findings *findings, bool only_differences)
{
	size_t i;

	if (findings->no_policy) {
		verdict(false);
		puts("no policy is installed (" CONF_INSTALLED "):\n     the findings below compare the host with the policy in force");
	}
	for (i = 0; i < findings->counts; i++)
		print_count(&findings->count[i]);
	for (i = 0; i < findings->gpus && (findings->unusable || findings->missing); i++)
		if (findings->gpu[i].unusable)
			print_gpu(&findings->gpu[i]);
	if (only_differences)
		print_changes(findings);
	for (i = 0; i < findings->policies && !only_differences; i++)
		print_policy(&findings->policy[i]);
	for (i = 0; i < findings->ports; i++)
		if (!only_differences || !findings_port_is_right(&findings->port[i]))
			print_port(findings, &findings->port[i]);
	for (i = 0; i < findings->atses; i++)
		if (findings->ats[i].policy &&
		    (!only_differences || findings->ats[i].unmet))
			print_ats(findings, &findings->ats[i]);
	for (i = 0; i < findings->warnings && !only_differences; i++)
		printf("WARN %s\n", findings->warning[i].text);
}

static json_t *bits_json(uint16_t value)
{
	char names[TEXT_BYTES];

	acs_format(value, names, sizeof(names));
	return json_pack("{s:o, s:s}", "hex", json_sprintf("0x%04x", value), "names",
			 value ? names : "");
}

static json_t *policy_json(const struct policy_finding *policy)
{
	json_t *json = out_change_json(&policy->change);

	json_object_set_new(json, "ok", json_boolean(policy->ok));
	if (policy->unsure) {
		json_object_set_new(json, "found", json_null());
		json_object_set_new(json, "wanted", json_null());
	}
	json_object_set_new(json, "serial_unknown", json_boolean(policy->unsure));
	json_object_set_new(json, "policy_set", json_boolean(policy->change.policy_set));
	return json;
}

static json_t *port_json(const struct findings *findings, const struct port_finding *port)
{
	return json_pack("{s:s, s:s, s:b, s:o, s:o, s:o, s:o}",
			 "bdf", findings->host.function[port->function].bdf,
			 "role", name_of(&acs_role_names, port->role),
			 "ok", findings_port_is_right(port),
			 "found", port->unreadable ? json_null() : bits_json(port->found),
			 "wanted", port->unreadable ? json_null() : bits_json(port->wanted),
			 "mask", bits_json(port->mask),
			 "loss", bits_json(port->loss));
}

static json_t *ats_json(const struct findings *findings, const struct ats_finding *ats)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:b, s:o}",
			 "bdf", findings->host.function[ats->function].bdf,
			 "of", findings->host.function[ats->of].bdf,
			 "policy", conf_key_word(CONF_ATS, ats->policy),
			 "state", name_of(&ats_state_names, ats->state),
			 "ok", !ats->unmet,
			 "reason", ats->unmet ? json_string(ats->unmet) : json_null());
}

static json_t *gpu_json(const struct gpu_finding *gpu)
{
	const char *remedy = gpu->unusable ? state_remedy(gpu->state) : NULL;
	char text[2 * TEXT_BYTES];

	if (remedy)
		remedy_fill(remedy, gpu->bdf, text, sizeof(text));
	return json_pack("{s:s, s:s, s:s, s:b, s:s, s:o}", "bdf", gpu->bdf,
			 "family", gpu->family, "state", state_word(gpu->state),
			 "ok", !gpu->unusable, "reason", gpu->reason,
			 "remedy", remedy ? json_string(text) : json_null());
}

static json_t *count_json(const struct count_finding *count)
{
	return json_pack("{s:s?, s:i, s:i, s:b, s:s?, s:o}", "family", count->family,
			 "found", (int)count->found, "wanted", (int)count->wanted,
			 "ok", count->found >= count->wanted, "file", count->file,
			 "line", count->file ? json_integer(count->line) : json_null());
}

static json_t *unreachable_json(const struct findings *findings)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < findings->policies; i++)
		if (findings->policy[i].silent || findings->policy[i].unsure)
			json_array_append_new(list,
					      json_string(findings->policy[i].change.bdf));
	return list;
}

/**
 * out_findings_json() - convert findings to JSON, version 1 of the schema
 * @findings: findings
 * @code: exit code
 *
 * Return: an object.
 */
json_t *out_findings_json(const struct findings *findings, int code)
{
	json_t *policies = json_array(), *ports = json_array(), *ats = json_array(),
	       *warnings = json_array(), *gpus = json_array(), *counts = json_array();
	size_t i;

	for (i = 0; i < findings->gpus && findings->counts; i++)
		json_array_append_new(gpus, gpu_json(&findings->gpu[i]));
	for (i = 0; i < findings->counts; i++)
		json_array_append_new(counts, count_json(&findings->count[i]));

	for (i = 0; i < findings->policies; i++)
		json_array_append_new(policies, policy_json(&findings->policy[i]));
	for (i = 0; i < findings->ports; i++)
		json_array_append_new(ports, port_json(findings, &findings->port[i]));
	for (i = 0; i < findings->atses; i++)
		if (findings->ats[i].policy)
			json_array_append_new(ats, ats_json(findings, &findings->ats[i]));
	for (i = 0; i < findings->warnings; i++)
		json_array_append_new(warnings, json_string(findings->warning[i].text));
	return json_pack("{s:i, s:b, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "version", 1,
			 "compliant", !findings->drift && !code,
			 "by", findings->conf.name ? "files" : "force",
			 "gpus", gpus, "counts", counts,
			 "unreachable", unreachable_json(findings),
			 "files", out_files_json(&findings->conf), "policies", policies,
			 "ports", ports, "ats", ats, "warnings", warnings,
			 "errors", out_errors_json(&findings->conf));
}
