// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>

#include "conf_key.h"
#include "out.h"
#include "out_findings.h"
#include "say.h"

/**
 * out_change() - a policy that is not as wanted, a line for each key
 * @change: it
 */
void out_change(const struct change *change)
{
	char found[INSTINCT_PEERS_BYTES], wanted[INSTINCT_PEERS_BYTES];
	size_t i;

	for (i = 0; i < CONF_KEYS; i++) {
		const struct conf_key *key = &conf_keys[i];
		uint32_t a = conf_key_get(key, &change->found);
		uint32_t b = conf_key_get(key, &change->wanted);

		if (a == b || !key->attr)
			continue;
		conf_key_format(key, a, found, sizeof(found));
		conf_key_format(key, b, wanted, sizeof(wanted));
		printf("%s: %s: %s -> %s\n", change->bdf, key->name, found,
		       wanted);
	}
}

static void verdict(bool ok)
{
	if (opt_color)
		printf("%s%-4s\033[0m ", ok ? "\033[32m" : "\033[31m", ok ? "OK" : "FAIL");
	else
		printf("%-4s ", ok ? "OK" : "FAIL");
}

static bool port_ok(const struct port_finding *port)
{
	return !port->unreadable && port->found == port->wanted;
}

static void print_port(const struct findings *findings, const struct port_finding *port)
{
	const struct host_function *function = &findings->host.function[port->function];
	char found[TEXT_BYTES], wanted[TEXT_BYTES];

	verdict(port_ok(port));
	printf("%-13s %-16s ", function->bdf, name_of(&acs_role_names, port->role));
	if (port->unreadable) {
		printf("ACS cannot be read (are you root?)\n");
		return;
	}
	acs_format(port->found, found, sizeof(found));
	acs_format(port->wanted, wanted, sizeof(wanted));
	if (port_ok(port))
		printf("ACS 0x%02x %s\n", port->found, found);
	else
		printf("ACS 0x%02x %s, wanted 0x%02x %s\n", port->found, found,
		       port->wanted, wanted);
	if (port->loss) {
		acs_format(port->loss, found, sizeof(found));
		printf("     IOMMU groups below rely on %s: refused without allow_isolation_loss = yes\n",
		       found);
	}
}

/**
 * out_registers() - the registers that would change, before and after
 * @findings: they
 */
void out_registers(const struct findings *findings)
{
	char found[TEXT_BYTES], wanted[TEXT_BYTES];
	size_t i;

	for (i = 0; i < findings->ports; i++) {
		const struct port_finding *port = &findings->port[i];

		if (port->unreadable || port_ok(port))
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
	       name_of(&ats_names, ats->policy));
	if (ats->unmet)
		printf("     %s\n", ats->unmet);
}

/**
 * out_findings_text() - for people
 * @findings: they
 * @only_differences: leave out what is as it should be
 */
void out_findings_text(const struct findings *findings, bool only_differences)
{
	size_t i;

	for (i = 0; i < findings->policies.count; i++)
		out_change(&findings->policies.list[i]);
	for (i = 0; i < findings->ports; i++)
		if (!only_differences || !port_ok(&findings->port[i]))
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

static json_t *port_json(const struct findings *findings, const struct port_finding *port)
{
	return json_pack("{s:s, s:s, s:b, s:o, s:o, s:o, s:o}",
			 "bdf", findings->host.function[port->function].bdf,
			 "role", name_of(&acs_role_names, port->role),
			 "ok", port_ok(port),
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
			 "policy", name_of(&ats_names, ats->policy),
			 "state", name_of(&ats_state_names, ats->state),
			 "ok", !ats->unmet,
			 "reason", ats->unmet ? json_string(ats->unmet) : json_null());
}

/**
 * out_findings_json() - for programs, version 1 of the schema
 * @findings: they
 *
 * Return: an object.
 */
json_t *out_findings_json(const struct findings *findings)
{
	json_t *policies = json_array(), *ports = json_array(), *ats = json_array(),
	       *warnings = json_array();
	size_t i;

	for (i = 0; i < findings->policies.count; i++)
		json_array_append_new(policies, json_pack("{s:s, s:o, s:o}",
			"bdf", findings->policies.list[i].bdf,
			"found", out_policy_json(&findings->policies.list[i].found),
			"wanted", out_policy_json(&findings->policies.list[i].wanted)));
	for (i = 0; i < findings->ports; i++)
		json_array_append_new(ports, port_json(findings, &findings->port[i]));
	for (i = 0; i < findings->atses; i++)
		if (findings->ats[i].policy)
			json_array_append_new(ats, ats_json(findings, &findings->ats[i]));
	for (i = 0; i < findings->warnings; i++)
		json_array_append_new(warnings, json_string(findings->warning[i].text));
	return json_pack("{s:i, s:b, s:o, s:o, s:o, s:o}", "version", 1,
			 "compliant", !findings->drift, "policies", policies,
			 "ports", ports, "ats", ats, "warnings", warnings);
}
