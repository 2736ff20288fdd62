// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "boot_parameter.h"
#include "say.h"
#include "sysroot.h"
#include "textfile.h"

#define GRUB_FOLDER	"/etc/default/grub.d"
#define GRUB_DROP_IN	GRUB_FOLDER "/instinct-vfio-acs.cfg"
#define LOADER_VARIABLE(name)	"/sys/firmware/efi/efivars/" name "-4a67b082-0a4c-41cf-b6c7-440b29bb8c4f"
#define COMMAND_LINE	"/etc/kernel/cmdline"
#define PROXMOX_BOOT	"/etc/kernel/proxmox-boot-uuids"
#define BYTES_MAX	4096

enum loader {
	LOADER_NONE,
	LOADER_GRUB,		/* Debian's: it reads drop-ins */
	LOADER_GRUB_PLAIN,	/* without drop-ins */
	LOADER_SYSTEMD,
};

static bool is_one_there(const char *const paths[], size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (!access(paths[i], F_OK))
			return true;
	return false;
}

#define IS_ONE_THERE(...)							\
	is_one_there((const char *const []) { __VA_ARGS__ },			\
		     sizeof((const char *const []) { __VA_ARGS__ }) / sizeof(char *))

/* Read a variable of systemd-boot, which is UTF-16 after four bytes. */
static void read_variable(const char *path, char *text, size_t size)
{
	char data[1024];
	ssize_t n = sysroot_read(path, data, sizeof(data));
	size_t at = 0;
	ssize_t i;

	for (i = 4; i < n && at + 1 < size; i += 2)
		text[at++] = data[i];
	text[at] = '\0';
}

static bool has_systemd_boot_started(void)
{
	char name[128];

	read_variable(LOADER_VARIABLE("LoaderInfo"), name, sizeof(name));
	return !strncmp(name, "systemd-boot", strlen("systemd-boot"));
}

static enum loader find_loader(void)
{
	if (has_systemd_boot_started())
		return LOADER_SYSTEMD;
	if (IS_ONE_THERE(GRUB_FOLDER, "/usr/sbin/update-grub"))
		return LOADER_GRUB;
	if (IS_ONE_THERE("/etc/default/grub", "/usr/sbin/grubby"))
		return LOADER_GRUB_PLAIN;
	if (IS_ONE_THERE("/boot/loader/loader.conf", "/efi/loader/loader.conf",
			 "/boot/efi/loader/loader.conf"))
		return LOADER_SYSTEMD;
	return LOADER_NONE;
}

static int complain(const char *path, int ret)
{
	say_error(error_code_of(-ret, ERROR_IO), "cannot write %s: %s%s", path, strerror(-ret),
		  exit_code_of(-ret) == EXIT_PERMISSION ? "; run this as root" : "");
	return exit_code_of(-ret);
}

static int write_whole(const char *path, const char *text)
{
	int ret = textfile_store(path, text);

	return ret ? complain(path, ret) : EXIT_OK;
}

/* GRUB's own language ends a command at a semicolon, so the parameter needs a second quotation. */
static int write_grub(const char *parameter, struct boot_change *change)
{
	char *text;
	int code;

	snprintf(change->path, sizeof(change->path), GRUB_DROP_IN);
	snprintf(change->run, sizeof(change->run), "update-grub");
	if (!parameter)
		return unlink(GRUB_DROP_IN) && errno != ENOENT ? complain(GRUB_DROP_IN, -errno) :
		       EXIT_OK;
	if (asprintf(&text, "# instinctctl isolation --config-acs --write made this file, and replaces it.\nGRUB_CMDLINE_LINUX=\"$GRUB_CMDLINE_LINUX " BOOT_ACS "\\\"%s\\\"\"\n",
		     parameter + strlen(BOOT_ACS)) < 0)
		return complain(GRUB_DROP_IN, -ENOMEM);
	code = write_whole(GRUB_DROP_IN, text);
	free(text);
	return code;
}

static int refuse_plain(const char *parameter)
{
	if (!parameter)
		parameter = "";
	if (IS_ONE_THERE("/usr/sbin/grubby"))
		say_error(ERROR_UNSUPPORTED, "this host's GRUB reads no drop-ins; run: grubby --update-kernel=ALL --args='%s'",
			  parameter);
	else
		say_error(ERROR_UNSUPPORTED, "this host's GRUB reads no drop-ins; add %s, in quotes, to GRUB_CMDLINE_LINUX in /etc/default/grub, and run grub-mkconfig",
			  parameter);
	return EXIT_UNSUPPORTED;
}

/* Words that the boot loader adds by itself; kernel-install leaves them out too. */
static bool is_loaders(const char *word)
{
	return !strncmp(word, "initrd=", strlen("initrd=")) ||
	       !strncmp(word, "BOOT_IMAGE=", strlen("BOOT_IMAGE="));
}

/* Returns the command line with the parameter in place of an older one, for free(). */
static char *replace(char *old, const char *parameter)
{
	char *text = NULL, *word, *rest = old;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	while (out && (word = strsep(&rest, " \t\n")))
		if (*word && !is_loaders(word) && strncmp(word, BOOT_ACS, strlen(BOOT_ACS)))
			fprintf(out, "%s ", word);
	if (out)
		fprintf(out, "%s\n", parameter ?: "");
	if (out && fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

/* The words of the entry that has booted, which an operator may have edited for this boot alone. */
static bool read_entry(char *words, size_t size)
{
	static const char *const folders[] = {
		"/boot/loader/entries", "/efi/loader/entries", "/boot/efi/loader/entries",
	};
	char name[128], path[256], text[BYTES_MAX + 1], *rest = text, *line;
	size_t at = 0, i;
	ssize_t n = -1;

	read_variable(LOADER_VARIABLE("LoaderEntrySelected"), name, sizeof(name));
	for (i = 0; *name && !strchr(name, '/') && n <= 0 && i < sizeof(folders) / sizeof(folders[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", folders[i], name);
		n = sysroot_read(path, text, BYTES_MAX);
	}
	if (n <= 0)
		return false;
	text[n] = '\0';
	while ((line = strsep(&rest, "\n")) && at < size)
		if (!strncmp(line, "options", 7) && strchr(" \t", line[7]) && line[7])
			at += snprintf(words + at, size - at, "%s ", line + 8);
	return at && at < size;
}

static int refuse_boot_words(void)
{
	char words[BYTES_MAX + 1];
	ssize_t n = sysroot_read("/proc/cmdline", words, BYTES_MAX);
	char *text;

	words[n < 0 ? 0 : n] = '\0';
	text = replace(words, NULL);
	say_error(ERROR_REFUSED, "this host has no " COMMAND_LINE ", and what this boot began with may be meant for this boot alone; write the words that each boot needs to " COMMAND_LINE ", and run this again. This boot has: %.*s",
		  text ? (int)strcspn(text, "\n") : 0, text ?: "");
	free(text);
	return EXIT_ERROR;
}

static int write_systemd(const char *parameter, struct boot_change *change)
{
	char old[BYTES_MAX + 1], *text;
	ssize_t n = sysroot_read(COMMAND_LINE, old, BYTES_MAX);
	struct utsname host;
	int code;

	/* kernel-install looks here next, and then at this boot's command line. */
	if (n <= 0)
		n = sysroot_read("/usr/lib/kernel/cmdline", old, BYTES_MAX);
	old[n < 0 ? 0 : n] = '\0';
	if (n <= 0 && !read_entry(old, sizeof(old)))
		return refuse_boot_words();
	uname(&host);
	snprintf(change->path, sizeof(change->path), COMMAND_LINE);
	if (!access(PROXMOX_BOOT, F_OK))
		snprintf(change->run, sizeof(change->run), "proxmox-boot-tool refresh");
	else
		snprintf(change->run, sizeof(change->run), "kernel-install add %s /boot/vmlinuz-%s",
			 host.release, host.release);
	text = replace(old, parameter);
	code = text ? write_whole(COMMAND_LINE, text) :
	       complain(COMMAND_LINE, -ENOMEM);
	free(text);
	return code;
}

/**
 * boot_parameter_write() - write the parameter to the configuration of this host's boot loader
 * @parameter: pci=config_acs= with its value; NULL to take an earlier one away
 * @change: receives the changed file, and the command that has to follow
 *
 * Return: 0, or an exit code after printing the error.
 */
int boot_parameter_write(const char *parameter, struct boot_change *change)
{
	switch (find_loader()) {
	case LOADER_GRUB:
		return write_grub(parameter, change);
	case LOADER_GRUB_PLAIN:
		return refuse_plain(parameter);
	case LOADER_SYSTEMD:
		return write_systemd(parameter, change);
	default:
		say_error(ERROR_UNSUPPORTED, "neither GRUB nor systemd-boot is here; add the parameter to the kernel's command line by hand");
		return EXIT_UNSUPPORTED;
	}
}
