// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gather.h"
#include "inventory.h"
#include "missing.h"
#include "module.h"
#include "say.h"
#include "sysfs.h"

/* List the devices with the policies in force; without the module all GPUs are pending. */
static int ask_module(struct devices *devices, struct isolation *isolation, bool *no_module)
{
	struct nl *nl;
	int code, ret;

	nl = module_open(MODULE_IF_LOADED, &code);
	if (!nl && code)
		return code;
	*no_module = !nl;
	ret = inventory_get(nl, devices);
	if (!ret && nl)
		ret = nl_isolation_get(nl, isolation);
	if (ret && nl)
		code = nl_refused(nl, "list", "devices", ret);
	else if (ret)
		code = exit_code_of(-ret);
	if (nl)
		nl_close(nl);
	return code;
}

/**
 * gather_registers() - compare the ACS and ATS registers of this host with policies
 * @findings: receives the findings; the caller must call findings_free() in any case
 * @devices: endpoints
 * @wanted: wanted policy of each of @devices
 *
 * Return: 0, or an exit code after printing the error.
 */
int gather_registers(struct findings *findings, const struct devices *devices,
		     const struct policy *wanted)
{
	int code = host_read(&findings->host, devices);

	if (!code)
		findings_isolation(findings, devices, wanted, NULL);
	return code;
}

static int read_conf(struct conf *conf, const char *file, const struct devices *devices)
{
	int code = conf_open(conf, file);
	char total[TEXT_BYTES];

	conf_check(conf, devices);
	if (!conf->errors)
		return EXIT_OK;
	conf_total(conf, total, sizeof(total));
	say_error(ERROR_INPUT, "%s", total);
	return code ?: EXIT_ERROR;
}

/* List the GPUs of a capture without the module's answers; their driver tells which it had. */
static int ask_sysfs(struct devices *devices)
{
	int code = sysfs_gpus(devices);
	size_t i;

	inventory_identify(devices);
	for (i = 0; i < devices->count; i++)
		devices->list[i].pending = !sysfs_is_ours(devices->list[i].driver) &&
					   devices->list[i].state != STATE_UNKNOWN;
	return code;
}

static int by_file(struct findings *findings, const char *file, struct devices *devices,
		   const struct isolation *isolation, bool asked)
{
	struct conf *conf = &findings->conf;
	struct policy *wanted;
	int code = read_conf(conf, file, devices);
	size_t i;

	if (code)
		return code;
	conf_add_unmanaged(conf, devices);
	findings_unsure(findings, devices);
	wanted = array_new(devices->count, sizeof(*wanted));
	for (i = 0; i < devices->count; i++)
		conf_merge(conf, &devices->list[i], &wanted[i]);
	if (asked)
		findings_policies(findings, devices, wanted);
	findings_isolation(findings, devices, wanted, isolation);
	free(wanted);
	return EXIT_OK;
}

static void by_force(struct findings *findings, const struct devices *devices,
		     const struct isolation *isolation)
{
	struct policy *wanted = array_new(devices->count, sizeof(*wanted));
	size_t i;

	for (i = 0; i < devices->count; i++)
		wanted[i] = devices->list[i].policy;
	findings_isolation(findings, devices, wanted, isolation);
	free(wanted);
}

/**
 * gather() - compare a host with policies
 * @findings: receives the findings; the caller must call findings_free() in any case
 * @by: compare with the policies in force, or with policy files
 * @file: policy file, NULL for the installed policy
 * @guest_memory: memory of the largest guest, bytes; 0 to skip the check of windows
 *
 * Return: 0, or an exit code after printing the error.
 */
int gather(struct findings *findings, enum gather_by by, const char *file,
	   uint64_t guest_memory)
{
	struct isolation isolation = { 0 };
	struct devices devices = { 0 }, all = { 0 };
	bool asked = module_is_told_of();
	int code;

	code = asked ? ask_module(&devices, &isolation, &findings->no_module) : ask_sysfs(&devices);
	/* Policy is for the GPUs that are there. */
	devices_append(&all, &devices);
	missing_add(&all);
	findings_gpus(findings, &all);
	devices_free(&all);
	if (!code)
		code = host_read(&findings->host, &devices);
	if (!code && by == GATHER_BY_FILE)
		code = by_file(findings, file, &devices, &isolation, asked);
	else if (!code)
		by_force(findings, &devices, &isolation);
	if (!code)
		findings_warn(findings, guest_memory);
	isolation_free(&isolation);
	devices_free(&devices);
	return code;
}
