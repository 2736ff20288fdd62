// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "cmd.h"
#include "inventory.h"
#include "missing.h"
#include "module.h"
#include "out.h"
#include "out_explain.h"
#include "say.h"
#include "sysfs.h"
#include "users.h"

#define CLASS_BRIDGE	0x06
#define NOIOMMU_PATH	"/sys/module/vfio/parameters/enable_unsafe_noiommu_mode"

/**
 * struct host_facts - the facts about all GPUs of the host
 * @devices: GPUs, and other endpoints under policy
 * @isolation: ports and functions under policy
 * @conf: the installed policy
 * @verdict: whether that policy is in force
 * @info: the module's settings; empty without the module
 * @loaded: the module is loaded
 */
struct host_facts {
	struct devices devices;
	struct isolation isolation;
	struct conf conf;
	struct policy_verdict verdict;
	struct nl_info info;
	bool loaded;
};

static int ask_module(struct host_facts *host)
{
	struct nl *nl;
	int code, ret;

	nl = module_open(MODULE_IF_LOADED, &code);
	if (!nl && code)
		return code;
	host->loaded = nl;
	host->verdict.no_module = !nl;
	ret = nl ? nl_info_get(nl, &host->info) : 0;
	if (!ret)
		ret = inventory_get(nl, &host->devices);
	if (!ret && nl)
		ret = nl_isolation_get(nl, &host->isolation);
	if (ret && nl)
		code = nl_refused(nl, "list", "devices", ret);
	else
		code = exit_code_of(-ret);
	if (nl)
		nl_close(nl);
	return code;
}

/* check prints the errors of the files. */
static void read_policy(struct host_facts *host)
{
	bool hushed = say_is_hushed();

	if (!conf_files_exist()) {
		host->verdict.state = POLICY_STATE_NO_FILE;
		return;
	}
	say_hush(true);
	if (conf_open(&host->conf, NULL))
		host->verdict.state = POLICY_STATE_WRONG;
	else
		policy_state_judge(&host->verdict, &host->conf, &host->devices, &host->isolation);
	say_hush(hushed);
}

static bool needs_group(void)
{
	char path[PATH_MAX], text[4] = "";

	snprintf(path, sizeof(path), "%s" NOIOMMU_PATH, opt_sysroot);
	sysfs_read(path, text, sizeof(text) - 1);
	return *text != 'Y';
}

/* Find a function of the GPU's IOMMU group that a driver of the host has. */
static void find_mate(struct explain_facts *facts)
{
	char own[NAME_MAX + 1], group[NAME_MAX + 1], driver[sizeof(facts->mate_driver)];
	struct dirent **entries;
	long long class;
	int count, i;

	if (!sysfs_read_link(facts->gpu->bdf, "iommu_group", own, sizeof(own)))
		return;
	count = sysfs_list(&entries);
	for (i = 0; i < count; i++) {
		const char *bdf = entries[i]->d_name;

		if (!*facts->mate && strcmp(bdf, facts->gpu->bdf) &&
		    sysfs_read_link(bdf, "iommu_group", group, sizeof(group)) && !strcmp(group, own) &&
		    sysfs_read_number(bdf, "class", &class) && class >> 16 != CLASS_BRIDGE &&
		    sysfs_read_link(bdf, "driver", driver, sizeof(driver)) && !strstr(driver, "vfio")) {
			snprintf(facts->mate, sizeof(facts->mate), "%.*s", BDF_BYTES - 1, bdf);
			memcpy(facts->mate_driver, driver, sizeof(driver));
		}
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
}

static void gather_facts(struct explain_facts *facts, const struct host_facts *host)
{
	const struct device *gpu = facts->gpu;
	struct module_version installed;

	facts->devices = &host->devices;
	facts->isolation = &host->isolation;
	facts->conf = &host->conf;
	facts->policy = host->verdict.state;
	facts->captured = *opt_sysroot;
	facts->told = host->loaded;
	facts->policy_required = host->info.policy_required;
	facts->uninstalled = !*opt_sysroot && !host->loaded &&
			     module_installed(DRIVER_NAME, &installed) == -ENOENT;
	facts->vfs = sysfs_exists(gpu->bdf, "virtfn0");
	facts->stock = !strcmp(gpu->driver, DROPIN_NAME) && !sysfs_is_ours(gpu->driver);
	facts->no_group = gpu->iommu_group == GROUP_NONE && needs_group();
	find_mate(facts);
}

static int run(const char *bdf, struct host_facts *host)
{
	bool told = module_is_told_of();
	struct explanation explanation = { 0 };
	struct explain_facts facts = { 0 };
	struct device *gpu;
	int code;

	if (told)
		code = ask_module(host);
	else
		code = sysfs_gpus(&host->devices);
	if (code)
		return code;
	if (!*opt_sysroot)
		users_add(&host->devices, &(struct guest_map) { 0 });
	if (told)
		read_policy(host);
	/* Policy is for the GPUs that are there. */
	missing_add(&host->devices);
	gpu = devices_find_gpu(&host->devices, bdf);
	if (!gpu) {
		say_error(ERROR_NO_DEVICE, "%s: no such GPU that instinct-vfio knows", bdf);
		return EXIT_ERROR;
	}
	/* In the other states nobody may touch it, or its silence is known. */
	if (gpu->state >= 0 && gpu->state != INSTINCT_VFIO_STATE_RESETTING &&
	    gpu->state != INSTINCT_VFIO_STATE_LOST && !*opt_sysroot)
		sysfs_listen(gpu);
	facts.gpu = gpu;
	gather_facts(&facts, host);
	explain(&facts, &explanation);
	if (opt_json)
		out_json(out_explain_json(gpu, &explanation), JSON_INDENT(2));
	else
		out_explain_text(gpu, &explanation);
	code = explanation.count ? EXIT_DRIFT : EXIT_OK;
	explanation_free(&explanation);
	return code;
}

/**
 * cmd_explain() - run instinctctl explain
 * @argc: number of words, with the name of the command
 * @argv: the words
 *
 * Return: exit code.
 */
int cmd_explain(int argc, char *argv[])
{
	struct host_facts host = { 0 };
	struct targets targets;
	int code;

	if (args_option(argc, argv) != ARGS_END)
		return EXIT_USAGE;
	if (targets_parse(&targets, argc - optind, argv + optind, false))
		return EXIT_USAGE;
	if (targets.count > 1)
		code = cmd_usage("takes one GPU, found \"%s\" too", targets.bdf[1]);
	else
		code = run(targets.bdf[0], &host);
	conf_free(&host.conf);
	isolation_free(&host.isolation);
	users_drop(&host.devices);
	devices_free(&host.devices);
	targets_free(&targets);
	return code;
}
