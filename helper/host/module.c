// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cmd.h"
#include "module.h"
#include "nl_replay.h"
#include "progress.h"
#include "say.h"
#include "sysfs.h"

/* Then root's EPERM is for a module that is not signed as it should be. */
static bool is_locked_down(void)
{
	FILE *in = fopen("/sys/kernel/security/lockdown", "r");
	char state[64] = "";

	if (!in)
		return false;
	if (!fgets(state, sizeof(state), in))
		*state = '\0';
	fclose(in);
	return !geteuid() && *state && !strstr(state, "[none]");
}

static int signing_complain(void)
{
	say_error("the kernel loads only modules that are signed with a key that it trusts, and %s is not; enrol the key that DKMS signs with (mokutil --import /var/lib/dkms/mok.pub, then reboot), see instinctctl doctor --only module-signing",
		  DRIVER_NAME);
	return EXIT_ERROR;
}

static int load_complain(int error)
{
	struct utsname host;

	uname(&host);
	switch (error) {
	case ENOENT:
		say_error("the module %s is not installed for the running kernel %s; install the package instinct-vfio-dkms and this kernel's headers, or, if DKMS has it: dkms install instinct-vfio/%s -k %s",
			  DRIVER_NAME, host.release, INSTINCT_VERSION,
			  host.release);
		return EXIT_ERROR;
	case EPERM:
		if (is_locked_down())
			return signing_complain();
		say_error("the module %s is not loaded, and loading it needs CAP_SYS_MODULE; run this as root",
			  DRIVER_NAME);
		return EXIT_PERMISSION;
	case EACCES:
		say_error("the module %s is blacklisted in /etc/modprobe.d",
			  DRIVER_NAME);
		return EXIT_ERROR;
	case ENOKEY:
	case EKEYREJECTED:
		return signing_complain();
	case ENOEXEC:
		say_error("the module %s is not built for the running kernel %s; build it again (dkms install --force instinct-vfio/%s -k %s)",
			  DRIVER_NAME, host.release, INSTINCT_VERSION,
			  host.release);
		return EXIT_ERROR;
	default:
		say_error("the module %s does not load: %s (dmesg may say more)",
			  DRIVER_NAME, strerror(error));
		return EXIT_ERROR;
	}
}

/* As modprobe would; an exit code, and then it has said why. */
static int load(void)
{
	int ret = module_load(DRIVER_NAME);

	if (ret == -ELIBACC)
		say_error("the module %s is not loaded, and libkmod.so.2 is not here to load it: modprobe %s",
			  DRIVER_NAME, DRIVER_NAME);
	else if (ret < 0)
		return load_complain(-ret);
	return ret < 0 ? EXIT_ERROR : EXIT_OK;
}

/* After an upgrade the module that is loaded stays for the guests that it has. */
static void warn_of_version(const char *loaded)
{
	struct module_version installed;

	if (!module_installed(DRIVER_NAME, &installed) &&
	    !strcmp(installed.text, INSTINCT_VERSION))
		say_warning("the module %s stays loaded, and guests go on; %s, which is installed, takes over at the next boot, or, when no VM has a GPU, after: "
			    MODULE_TAKES_OVER, loaded, installed.text);
	else
		say_warning("module %s, instinctctl %s: do not match; install both from the same version",
			    loaded, INSTINCT_VERSION);
}

static int compare_versions(struct nl *nl)
{
	struct nl_info info;
	int ret;

	if (nl_version(nl) != INSTINCT_VFIO_FAMILY_VERSION) {
		say_error(*opt_sysroot ?
			  "the captured module speaks version %u of its protocol, instinctctl %s version %d; read it with the instinctctl of its version" :
			  "the module speaks version %u of its protocol and instinctctl %s version %d: do not match; install both from the same version, then reload the module",
			  nl_version(nl), INSTINCT_VERSION,
			  INSTINCT_VFIO_FAMILY_VERSION);
		return EXIT_UNSUPPORTED;
	}
	ret = nl_info_get(nl, &info);
	if (ret)
		return cmd_failed(nl, "ask for", "the module's version", ret);
	/* Of a captured host the version is a fact, and nobody's mistake. */
	if (strcmp(info.version, INSTINCT_VERSION) && !*opt_sysroot)
		warn_of_version(info.version);
	return EXIT_OK;
}

/* Its folder is there before its family is, and still there when that has gone. */
static bool is_loaded(void)
{
	FILE *in = fopen("/sys/module/" DRIVER_NAME "/initstate", "r");
	char state[16] = "";

	if (!in)
		return false;
	if (!fgets(state, sizeof(state), in))
		*state = '\0';
	fclose(in);
	return !strcmp(state, "live\n");
}

static int open_complain(int error)
{
	if (*opt_sysroot) {
		say_error("cannot read the answers of the captured module: %s",
			  error == EBADMSG ? "they are not understood" : strerror(error));
		return exit_code_of(error);
	}
	if (error == ENOENT)
		say_error("the module %s is loaded, but its netlink family is not here: be in the initial network namespace",
			  DRIVER_NAME);
	else if (error == EBADMSG)
		say_error("cannot reach the module: the kernel's answer is not understood");
	else
		say_error("cannot reach the module: %s", strerror(error));
	return exit_code_of(error);
}

/* Nothing can be loaded there. */
static int captured_complain(enum module_when when)
{
	if (when == MODULE_IF_LOADED)
		return EXIT_OK;
	say_error(nl_is_recorded() ? "the module %s was not loaded on the captured host" :
		  "the captured host has no answers of the module %s (instinctctl dump takes them)",
		  DRIVER_NAME);
	return EXIT_ERROR;
}

/**
 * module_is_told_of() - is it known whether the module is loaded?
 *
 * Return: false for a captured host of which nobody has noted that.
 */
bool module_is_told_of(void)
{
	return !*opt_sysroot || nl_is_recorded();
}

/**
 * module_open() - reach the module; of a captured host, its recorded answers
 * @when: what to do if it is not there
 * @exit_code: set; on failure it has said why, but for a missing module with
 *	MODULE_IF_LOADED, where this is EXIT_OK
 *
 * Return: a socket or NULL.
 */
struct nl *module_open(enum module_when when, int *exit_code)
{
	struct nl *nl;
	int error;

	nl = nl_open(&error);
	if (!nl && error == ENOENT && *opt_sysroot) {
		*exit_code = captured_complain(when);
		return NULL;
	}
	/* Whom somebody else is loading at this moment, load() waits for. */
	if (!nl && error == ENOENT) {
		if (!is_loaded()) {
			*exit_code = when == MODULE_LOAD ? load() : EXIT_OK;
			if (when == MODULE_IF_LOADED || *exit_code)
				return NULL;
		}
		nl = nl_open(&error);
	}
	if (!nl) {
		*exit_code = open_complain(error);
		return NULL;
	}
	*exit_code = compare_versions(nl);
	if (!*exit_code) {
		nl_on_wait(nl, progress_is_shown() ? progress_tick : NULL);
		return nl;
	}
	nl_close(nl);
	return NULL;
}
