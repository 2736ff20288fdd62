// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "facts.h"
#include "first_line.h"
#include "ini_file.h"
#include "say.h"
#include "sysfs.h"

#define MIB		(1024 * 1024)
#define STATUS_LIMIT	(32 * MIB)
#define IOMEM_LIMIT	MIB

/**
 * struct package - a program that starts virtual machines
 * @name: name of its Debian package, which has the version of the program
 * @path: usual paths of the program, ending with NULL
 */
struct package {
	const char *name;
	const char *path[5];
};

static const struct package packages[PROGRAMS] = {
	[PROGRAM_QEMU] = {
		"qemu-system-x86",
		{ "/usr/local/bin/qemu-system-x86_64", "/usr/bin/qemu-system-x86_64",
		  "/usr/libexec/qemu-kvm", "/opt/kata/bin/qemu-system-x86_64" },
	},
	[PROGRAM_CLOUD_HYPERVISOR] = {
		"cloud-hypervisor",
		{ "/usr/local/bin/cloud-hypervisor", "/usr/bin/cloud-hypervisor",
		  "/opt/kata/bin/cloud-hypervisor" },
	},
	[PROGRAM_LIBVIRT] = {
		"libvirt-daemon",
		{ "/usr/sbin/libvirtd", "/usr/sbin/virtqemud", "/usr/bin/virsh" },
	},
};

/* "1:9.2.0+ds-5": Debian's epoch before the colon is no part of the version. */
static void set_version(struct fact *version, const char *text)
{
	const char *colon = strchr(text, ':');

	snprintf(version->text, sizeof(version->text), "%s", colon ? colon + 1 : text);
	version->text[strcspn(version->text, " \n")] = '\0';
	sysfs_make_plain(version->text);
	version->error = *version->text ? 0 : ENOENT;
}

/* Parse a line of dpkg's list; @program and @installed keep state within a paragraph. */
static void read_field(struct around_facts *around, const char *line, int *program,
		       bool *installed)
{
	int i;

	if (!strncmp(line, "Package: ", 9)) {
		*program = PROGRAMS;
		*installed = false;
		for (i = 0; i < PROGRAMS; i++)
			if (!strcmp(line + 9, packages[i].name))
				*program = i;
	} else if (*program < PROGRAMS && !strncmp(line, "Status: ", 8)) {
		*installed = strstr(line, " installed");
	} else if (*program < PROGRAMS && *installed && !strncmp(line, "Version: ", 9)) {
		set_version(&around->program[*program], line + 9);
	}
}

static void read_packages(struct around_facts *around)
{
	char *text, *line, *end;
	bool installed = false;
	int program = PROGRAMS, error;

	text = facts_read_file("/var/lib/dpkg/status", STATUS_LIMIT, NULL, &error);
	around->packages = !error;
	for (line = text; *line; line = end) {
		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = '\0';
		if (*line == 'P' || *line == 'S' || *line == 'V')
			read_field(around, line, &program, &installed);
	}
	free(text);
}

/* "QEMU emulator version 9.2.0 (Debian …)", "cloud-hypervisor v53.0", "8.0.0" */
static void ask_program(struct fact *version, const char *path)
{
	char line[256];
	const char *at;

	if (!first_line_of(path, "--version", line, sizeof(line)))
		return;
	for (at = line; *at; at++)
		if (isdigit((unsigned char)*at) &&
		    (at == line || strchr(" v", at[-1]))) {
			set_version(version, at);
			return;
		}
}

static void read_vmms(struct around_facts *around)
{
	int i, j;

	for (i = 0; i < PROGRAMS; i++)
		around->program[i].error = ENOENT;
	read_packages(around);
	for (i = 0; i < PROGRAMS && !*opt_sysroot; i++)
		for (j = 0; packages[i].path[j] && around->program[i].error; j++)
			if (facts_exist("%s", packages[i].path[j]))
				ask_program(&around->program[i], packages[i].path[j]);
}

/**
 * facts_program_version() - find the version of an installed program that starts virtual machines
 * @program: the program
 * @version: receives the version
 * @size: bytes of @version
 *
 * Return: false if the host, or its capture, does not tell.
 */
bool facts_program_version(enum program program, char *version, size_t size)
{
	struct around_facts around = { 0 };

	read_vmms(&around);
	snprintf(version, size, "%s", around.program[program].text);
	return !around.program[program].error;
}

static bool is_framebuffer(const char *name)
{
	static const char *const names[] = {
		"efifb", "simplefb", "simple-framebuffer", "BOOTFB", "vesafb", "vga16fb",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

/* "  a0000000-a02fffff : efifb"; users other than root get zeros for addresses. */
static void read_iomem_line(struct around_facts *around, const char *line, bool *open)
{
	struct range *console = &around->console[around->consoles];
	uint64_t start, end;
	char name[WORD_BYTES];

	if (sscanf(line, " %" SCNx64 "-%" SCNx64 " : %63[^\n]", &start, &end, name) != 3)
		return;
	*open |= end;
	if (!is_framebuffer(name) || !end ||
	    around->consoles == ARRAY_SIZE(around->console))
		return;
	*console = (struct range) { .start = start, .end = end };
	memcpy(console->name, name, sizeof(name));
	around->consoles++;
}

static void read_iomem(struct around_facts *around)
{
	char *text, *line, *rest;
	bool open = false;

	text = facts_read_file("/proc/iomem", IOMEM_LIMIT, NULL, &around->iomem_error);
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		read_iomem_line(around, line, &open);
	free(text);
	if (!around->iomem_error && !open)
		around->iomem_error = EACCES;
}

static void read_ipmi(struct fact *ipmi)
{
	bool there = facts_exist("/sys/class/ipmi/ipmi0") ||
		     (!*opt_sysroot && facts_exist("/dev/ipmi0"));

	*ipmi = (struct fact) { .error = there ? 0 : ENOENT };
	snprintf(ipmi->text, sizeof(ipmi->text), "%s", there ? "ipmi0" : "");
}

static void take_section(int line, const char *name, void *data)
{
	(void)line;
	(void)name;
	(void)data;
}

static void take_setting(int line, const char *name, const char *value, void *data)
{
	bool *redfish = data;

	(void)line;
	if (!strcmp(name, "redfish"))
		*redfish = *value && strcmp(value, "none");
}

/* The service itself reports the errors of its file. */
static void take_wrong(int line, const char *text, void *data)
{
	(void)line;
	(void)text;
	(void)data;
}

static void read_redfish(bool *redfish)
{
	const struct ini_calls calls = {
		.section = take_section, .setting = take_setting, .wrong = take_wrong,
	};
	size_t size;
	int error;
	char *text = facts_read_file("/etc/instinct-vfio/monitor.conf", INI_FILE_MAX, &size, &error);

	if (!error)
		ini_text_read(text, size, &calls, redfish);
	free(text);
}

/**
 * facts_read_around() - read facts about VMMs, the BMC and the firmware's console
 * @around: receives the facts
 */
void facts_read_around(struct around_facts *around)
{
	read_vmms(around);
	read_ipmi(&around->ipmi);
	read_redfish(&around->redfish);
	around->classes = facts_exist("/sys/class");
	read_iomem(around);
}
