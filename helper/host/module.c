// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "module.h"
#include "nl_replay.h"
#include "progress.h"
#include "say.h"
#include "sysfs.h"

/* Under lockdown, EPERM for root means that the module lacks a valid signature. */
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
	say_error(ERROR_NO_MODULE, "the kernel loads only modules that are signed with a key that it trusts, and %s is not; enrol the key that DKMS signs with (mokutil --import /var/lib/dkms/mok.pub, then reboot), see instinctctl doctor --only module-signing",
		  DRIVER_NAME);
	return EXIT_ERROR;
}

static int load_complain(int error)
{
	struct utsname host;

	uname(&host);
	switch (error) {
	case ENOENT:
		say_error(ERROR_NO_MODULE, "the module %s is not installed for the running kernel %s; install the package instinct-vfio-dkms and this kernel's headers, or, if DKMS has it: dkms install instinct-vfio/%s -k %s",
			  DRIVER_NAME, host.release, INSTINCT_VERSION,
			  host.release);
		return EXIT_ERROR;
	case EPERM:
		if (is_locked_down())
			return signing_complain();
		say_error(ERROR_PERMISSION, "the module %s is not loaded, and loading it needs CAP_SYS_MODULE; run this as root",
			  DRIVER_NAME);
		return EXIT_PERMISSION;
	case EACCES:
		say_error(ERROR_NO_MODULE, "the module %s is blacklisted in /etc/modprobe.d",
			  DRIVER_NAME);
		return EXIT_ERROR;
	case ENOKEY:
	case EKEYREJECTED:
		return signing_complain();
	case ENOEXEC:
		say_error(ERROR_NO_MODULE, "the module %s is not built for the running kernel %s; build it again (dkms install --force instinct-vfio/%s -k %s)",
			  DRIVER_NAME, host.release, INSTINCT_VERSION,
			  host.release);
		return EXIT_ERROR;
	default:
		say_error(ERROR_NO_MODULE, "the module %s does not load: %s (dmesg may say more)",
			  DRIVER_NAME, strerror(error));
		return EXIT_ERROR;
	}
}

/* Load the module as modprobe would; return 0, or an exit code after printing the error. */
static int load(void)
{
	int ret = module_load(DRIVER_NAME);

	if (ret == -ELIBACC)
		say_error(ERROR_NO_MODULE, "the module %s is not loaded, and libkmod.so.2 is not here to load it: modprobe %s",
			  DRIVER_NAME, DRIVER_NAME);
	else if (ret < 0)
		return load_complain(-ret);
	return ret < 0 ? EXIT_ERROR : EXIT_OK;
}

/* An upgrade of the package keeps the old module loaded, since guests use it. */
static void warn_of_version(const char *loaded)
{
	struct module_version installed;

	if (!module_installed(DRIVER_NAME, &installed) &&
	    !strcmp(installed.text, INSTINCT_VERSION))
		say_warning("the module %s stays loaded, and guests go on; %s, which is installed, takes over at the next boot, or, when no VM has %s",
			    loaded, installed.text, sysfs_has_dropin() ?
			    "a device of vfio-pci, after: " MODULE_TAKES_OVER("vfio_pci ", " && modprobe vfio-pci") :
			    "a GPU, after: " MODULE_TAKES_OVER("", ""));
	else
		say_warning("module %s, instinctctl %s: do not match; install both from the same version",
			    loaded, INSTINCT_VERSION);
}

static int compare_versions(struct nl *nl)
{
	struct nl_info info;
	int ret;

	if (nl_version(nl) != INSTINCT_VFIO_FAMILY_VERSION) {
		say_error(ERROR_MISMATCH, *opt_sysroot ?
			  "the captured module speaks version %u of its protocol, instinctctl %s version %d; read it with the instinctctl of its version" :
			  "the module speaks version %u of its protocol and instinctctl %s version %d: do not match; install both from the same version, then reload the module",
			  nl_version(nl), INSTINCT_VERSION,
			  INSTINCT_VFIO_FAMILY_VERSION);
		return EXIT_UNSUPPORTED;
	}
	ret = nl_info_get(nl, &info);
	if (ret)
		return nl_refused(nl, "ask for", "the module's version", ret);
	/* The version of a captured host's module cannot be corrected, so it is no problem. */
	if (strcmp(info.version, INSTINCT_VERSION) && !*opt_sysroot)
		warn_of_version(info.version);
	return EXIT_OK;
}

/* /sys/module has the module before it registers its family, and after it removes that. */
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
		say_error(ERROR_INPUT, "cannot read the answers of the captured module: %s",
			  error == EBADMSG ? "they are not understood" : strerror(error));
		return exit_code_of(error);
	}
	if (error == ENOENT)
		say_error(ERROR_NO_MODULE, "the module %s is loaded, but its netlink family is not here: be in the initial network namespace",
			  DRIVER_NAME);
	else if (error == EBADMSG)
		say_error(ERROR_MISMATCH, "cannot reach the module: the kernel's answer is not understood");
	else
		say_error(error_code_of(error, ERROR_IO), "cannot reach the module: %s", strerror(error));
	return exit_code_of(error);
}

/* A captured host cannot load a module. */
static int captured_complain(enum module_when when)
{
	if (when == MODULE_IF_LOADED)
		return EXIT_OK;
	say_error(ERROR_NO_MODULE, nl_is_recorded() ? "the module %s was not loaded on the captured host" :
		  "the captured host has no answers of the module %s (instinctctl dump takes them)",
		  DRIVER_NAME);
	return EXIT_ERROR;
}

/**
 * module_is_told_of() - tell whether the state of the module is known
 *
 * Return: false for a capture that does not record whether the module was loaded.
 */
bool module_is_told_of(void)
{
	return !*opt_sysroot || nl_is_recorded();
}

/**
 * module_open() - connect to the module, or to the recorded answers of a captured host
 * @when: load the module if it is not loaded, or go on without it
 * @exit_code: receives the exit code; an error has been printed, but with MODULE_IF_LOADED a
 *	module that is not loaded gives EXIT_OK
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
	/* If another process is loading the module right now, load() waits for it. */
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
