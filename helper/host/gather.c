// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "gather.h"
#include "inventory.h"
#include "module.h"
#include "say.h"
#include "sysfs.h"

/* The devices, and what they have in force; without the module that is nothing. */
static int ask_module(struct devices *devices, struct isolation *isolation)
{
	struct nl *nl;
	int code, ret;

	nl = module_open(MODULE_IF_LOADED, &code);
	if (!nl && code)
		return code;
	ret = inventory_get(nl, devices);
	if (!ret && nl)
		ret = nl_isolation_get(nl, isolation);
	if (ret && nl)
		code = cmd_failed(nl, "list", "devices", ret);
	else if (ret)
		code = exit_code_of(-ret);
	if (nl)
		nl_close(nl);
	return code;
}

/**
 * gather_registers() - ACS and ATS against policies
 * @findings: set; findings_free() is owed in any case
 * @devices: endpoints
 * @wanted: policy of each
 *
 * Return: 0, or an exit code, and then it has said why.
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

	conf_check(conf, devices);
	if (!conf->errors)
		return EXIT_OK;
	say_error("%s: %d error%s", conf->name, conf->errors, conf->errors > 1 ? "s" : "");
	return code ?: EXIT_ERROR;
}

/* All known GPUs; of what the module would have, the driver tells. */
static int ask_sysfs(struct devices *devices)
{
	int code = sysfs_gpus(devices);
	size_t i;

	inventory_identify(devices);
	for (i = 0; i < devices->count; i++)
		devices->list[i].waiting = strcmp(devices->list[i].driver, DRIVER_NAME);
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
	conf_add_plain(conf, devices);
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
 * gather() - all that is found, against all that is wanted
 * @findings: set; findings_free() is owed in any case
 * @by: wanted is what is in force, or what a file says
 * @file: that one, NULL for the installed policy
 * @guest_memory: of the largest guest, bytes; 0: not looked at
 *
 * Return: 0, or an exit code, and then it has said why.
 */
int gather(struct findings *findings, enum gather_by by, const char *file,
	   uint64_t guest_memory)
{
	struct isolation isolation = { 0 };
	struct devices devices = { 0 };
	bool asked = module_is_told_of();
	size_t i;
	int code;

	code = asked ? ask_module(&devices, &isolation) : ask_sysfs(&devices);
	for (i = 0; i < devices.count; i++)
		findings->gpus += !devices.list[i].plain;
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
