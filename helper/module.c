// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <libkmod.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "module.h"
#include "say.h"
#include "sysfs.h"

static int insert(struct kmod_ctx *ctx)
{
	struct kmod_list *list = NULL, *at;
	int ret = kmod_module_new_from_lookup(ctx, DRIVER_NAME, &list);

	if (ret < 0)
		return ret;
	if (!list)
		return -ENOENT;
	kmod_list_foreach(at, list) {
		struct kmod_module *module = kmod_module_get_module(at);

		ret = kmod_module_probe_insert_module(module,
				KMOD_PROBE_APPLY_BLACKLIST, NULL, NULL, NULL, NULL);
		kmod_module_unref(module);
		if (ret == KMOD_PROBE_APPLY_BLACKLIST)
			ret = -EACCES;
		if (ret < 0)
			break;
	}
	kmod_module_unref_list(list);
	return ret;
}

/**
 * module_load() - load the module as modprobe would
 *
 * Return: 0, or an exit code, and then it has said why.
 */
int module_load(void)
{
	struct kmod_ctx *ctx = kmod_new(NULL, NULL);
	struct utsname host;
	int ret;

	if (!ctx) {
		say_error("libkmod does not start");
		return EXIT_ERROR;
	}
	kmod_set_log_priority(ctx, 0);
	ret = insert(ctx);
	kmod_unref(ctx);
	if (ret >= 0)
		return 0;

	uname(&host);
	switch (-ret) {
	case ENOENT:
		say_error("the module %s is not installed for the running kernel %s; install it (dkms install instinct-vfio -k %s, or make install)",
			  DRIVER_NAME, host.release, host.release);
		return EXIT_ERROR;
	case EPERM:
		say_error("the module %s is not loaded, and loading it needs CAP_SYS_MODULE; run this as root",
			  DRIVER_NAME);
		return EXIT_PERMISSION;
	case EACCES:
		say_error("the module %s is blacklisted in /etc/modprobe.d",
			  DRIVER_NAME);
		return EXIT_ERROR;
	default:
		say_error("the module %s does not load: %s (dmesg may say more)",
			  DRIVER_NAME, strerror(-ret));
		return EXIT_ERROR;
	}
}

static void compare_versions(struct nl *nl)
{
	struct nl_info info;

	if (nl_info_get(nl, &info))
		return;
	if (strcmp(info.version, INSTINCT_VERSION))
		say_warning("module %s and instinctctl %s do not match; reload the module (unbind all, modprobe -r %s) or install the helper of the same version",
			    info.version, INSTINCT_VERSION, DRIVER_NAME);
}

/**
 * module_open() - reach the module
 * @load: load it if it is not there
 * @exit_code: set on failure, which has been said; EXIT_OK if the module is
 *	just not loaded and @load is false
 *
 * Return: a socket or NULL.
 */
struct nl *module_open(bool load, int *exit_code)
{
	struct nl *nl;
	int error;

	nl = nl_open(&error);
	if (!nl && error == ENOENT) {
		*exit_code = load ? module_load() : EXIT_OK;
		if (!load || *exit_code)
			return NULL;
		nl = nl_open(&error);
	}
	if (nl) {
		compare_versions(nl);
		return nl;
	}
	if (error == EPROTONOSUPPORT) {
		say_error("module and instinctctl %s do not match: they speak different versions of their protocol; install both from the same version",
			  INSTINCT_VERSION);
		*exit_code = EXIT_UNSUPPORTED;
	} else if (error == ENOENT) {
		say_error("the module %s is loaded, but its netlink family is not here: be in the initial network namespace",
			  DRIVER_NAME);
		*exit_code = EXIT_ERROR;
	} else {
		say_error("cannot reach the module: %s", strerror(error));
		*exit_code = exit_code_of(error);
	}
	return NULL;
}
