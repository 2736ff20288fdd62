// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>

#include "cmd.h"
#include "gather.h"
#include "module.h"
#include "say.h"
#include "sysfs.h"

static struct policy *policies_new(size_t count)
{
	struct policy *list = calloc(count + 1, sizeof(*list));

	if (!list) {
		perror("instinctctl");
		exit(EXIT_ERROR);
	}
	return list;
}

/* What the devices have in force; nothing without the module. */
static int ask_module(struct devices *devices, struct isolation *isolation)
{
	struct nl *nl;
	int code, ret;

	nl = module_open(MODULE_IF_LOADED, &code);
	if (!nl)
		return code;
	ret = nl_devices_get(nl, devices);
	if (!ret)
		ret = nl_policies_get(nl, devices);
	if (!ret)
		ret = nl_isolation_get(nl, isolation);
	code = ret ? cmd_failed(nl, "list", "devices", ret) : EXIT_OK;
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
	int code = host_read(&findings->host);

	if (!code)
		findings_isolation(findings, devices, wanted, NULL);
	return code;
}

static int by_file(struct findings *findings, const char *file, struct devices *devices,
		   const struct isolation *isolation, bool live)
{
	struct policy *wanted;
	struct conf conf;
	int code = conf_open(&conf, file);
	size_t i;

	if (!code) {
		conf_check_present(&conf);
		conf_check_managed(&conf, devices);
		conf_check_values(&conf, devices);
		if (conf.errors) {
			say_error("%s: %d error%s", conf.file, conf.errors,
				  conf.errors > 1 ? "s" : "");
			code = EXIT_ERROR;
		}
	}
	if (code) {
		conf_free(&conf);
		return code;
	}
	conf_add_plain(&conf, devices);
	wanted = policies_new(devices->count);
	for (i = 0; i < devices->count; i++)
		conf_merge(&conf, &devices->list[i], &wanted[i]);
	if (live)
		plan_make(devices, wanted, &findings->policies);
	findings->drift |= findings->policies.count;
	findings_isolation(findings, devices, wanted, isolation);
	free(wanted);
	conf_free(&conf);
	return EXIT_OK;
}

static void by_force(struct findings *findings, const struct devices *devices,
		     const struct isolation *isolation)
{
	struct policy *wanted = policies_new(devices->count);
	size_t i;

	for (i = 0; i < devices->count; i++)
		wanted[i] = devices->list[i].policy;
	findings_isolation(findings, devices, wanted, isolation);
	free(wanted);
}

/**
 * gather() - all that is found, against all that is wanted
 * @findings: set; findings_free() is owed in any case
 * @file: policy, NULL for that in force
 * @guest_memory: of the largest guest, bytes; 0: not looked at
 *
 * Return: 0, or an exit code, and then it has said why.
 */
int gather(struct findings *findings, const char *file, uint64_t guest_memory)
{
	struct isolation isolation = { 0 };
	struct devices devices = { 0 };
	bool live = !*opt_sysroot;
	int code;

	code = live ? ask_module(&devices, &isolation) : sysfs_gpus(&devices);
	if (!code)
		code = host_read(&findings->host);
	if (!code && file)
		code = by_file(findings, file, &devices, &isolation, live);
	else if (!code)
		by_force(findings, &devices, &isolation);
	if (!code)
		findings_warn(findings, guest_memory);
	isolation_free(&isolation);
	devices_free(&devices);
	return code;
}
