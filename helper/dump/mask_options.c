// SPDX-License-Identifier: GPL-2.0-or-later
#include <fnmatch.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "mask.h"
#include "take.h"

#define NAME_CHARACTERS	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"
#define BLANK		" \t\n\r\v\f"
#define COUNT(list)	(sizeof(list) / sizeof((list)[0]))

/* Parameters that matter here and are no secret: names before "=", or their beginning and "*". */
static const char *const parameters[] = {
	"acpi*", "amd_iommu*", "amd_pstate", "amdgpu*", "apic", "console", "crashkernel",
	"default_hugepagesz", "disable_acs_redir", "earlycon", "efi", "hugepages*", "hugetlb*",
	"idle", "instinct*", "intel_idle*", "intel_iommu", "intel_pstate", "intremap", "iomem",
	"iommu*", "irqaffinity", "isolcpus", "kvm*", "lockdown", "loglevel", "mce", "mem",
	"memmap", "mitigations", "mlx5*", "modprobe*", "module*", "nohz*", "nokaslr", "numa*",
	"panic*", "pci*", "processor*", "rcu_nocbs", "rd.driver*", "security", "swiotlb",
	"systemd.unit", "transparent_hugepage", "vfio*",
};

/* Known parameters without a value; any other such word may be a name or a password. */
static const char *const flags[] = {
	"debug", "earlycon", "earlyprintk", "emergency", "ignore_loglevel", "keep_bootcon",
	"no_console_suspend", "no_timer_check", "noapic", "noefi", "nogbpages", "nohugeiomap",
	"nohugevmalloc", "nointremap", "nokaslr", "nolapic", "nomce", "nomodeset", "nomodule",
	"nopat", "nopti", "noresume", "nosmp", "nosmt", "nosoftlockup", "nospectre_v1",
	"nospectre_v2", "nowatchdog", "nox2apic", "quiet", "rescue", "rhgb", "ro", "rootwait",
	"rw", "single", "splash", "threadirqs",
};

static bool is_in(const char *const list[], size_t count, const char *word, size_t length)
{
	size_t i;

	for (i = 0; i < count; i++) {
		size_t own = strcspn(list[i], "*");

		if (own <= length && !strncmp(word, list[i], own) &&
		    (list[i][own] || own == length))
			return true;
	}
	return false;
}

/* Length of the next word, including quoted blanks; 0 at the end. */
static size_t next_word(const char **at)
{
	bool quoted = false;
	size_t length;

	*at += strspn(*at, BLANK);
	for (length = 0; (*at)[length] && (quoted || !strchr(BLANK, (*at)[length])); length++)
		quoted ^= (*at)[length] == '"';
	return length;
}

static void put(struct bytes *line, const char *word, size_t length)
{
	bytes_print(line, "%s%.*s", line->size ? " " : "", (int)length, word);
}

/* Append "NAME=masked"; a word without "=" is masked whole. */
static void put_masked(struct bytes *line, const char *word, size_t length)
{
	size_t name = strspn(word, NAME_CHARACTERS);

	if (name && name < length && word[name] == '=') {
		put(line, word, name);
		bytes_print(line, "=");
	} else if (line->size) {
		bytes_print(line, " ");
	}
	bytes_print(line, "masked");
}

static bool is_harmless(const char *word, size_t length)
{
	size_t name = strcspn(word, "=");

	return name < length ? is_in(parameters, COUNT(parameters), word, name) :
			       is_in(flags, COUNT(flags), word, length);
}

static void replace(struct bytes *text, const struct bytes *with)
{
	bytes_free(text);
	*text = *with;
	bytes_add(text, "", 0);
}

/**
 * mask_cmdline() - mask a kernel's command line except for known parameters
 * @text: command line; changed
 *
 * Unknown parameters keep their names, unknown words without a value go, and so does all behind
 * "--", which belongs to the init process.
 */
void mask_cmdline(struct bytes *text)
{
	struct bytes line = { 0 };
	bool ended = false;
	const char *at;
	size_t length;

	bytes_add(text, "", 0);
	for (at = text->data; !ended && (length = next_word(&at)); at += length) {
		ended = length == 2 && !strncmp(at, "--", 2);
		if (ended || is_harmless(at, length))
			put(&line, at, length);
		else
			put_masked(&line, at, length);
	}
	if (ended && next_word(&at))
		put_masked(&line, "", 0);
	replace(text, &line);
}

static bool is_one_of(const char *word, const char *const list[], size_t count)
{
	return is_in(list, count, word, strlen(word));
}

/* The number of words that a line of modprobe.d keeps. */
static size_t modprobe_words(const char *line)
{
	static const char *const harmless[] = { "alias", "blacklist", "softdep", "weakdep" };
	static const char *const commands[] = { "install", "remove" };
	char word[32] = "", module[64] = "";

	if (sscanf(line, "%31s %63s", word, module) < 1)
		return 0;
	if (is_one_of(word, harmless, COUNT(harmless)))
		return SIZE_MAX;
	if (is_one_of(word, commands, COUNT(commands)))
		return 2;
	if (strcmp(word, "options"))
		return 0;
	return take_concerns(module) ? SIZE_MAX : 2;
}

/* The same for a list of modules to load: "MODULE OPTION=VALUE..." */
static size_t list_words(const char *line)
{
	char module[64];

	return sscanf(line, "%63s", module) == 1 && take_concerns(module) ? SIZE_MAX : 1;
}

static void mask_words(const char *line, size_t kept, struct bytes *out)
{
	struct bytes masked = { 0 };
	size_t length, word = 0;

	for (; (length = next_word(&line)); line += length)
		if (word++ < kept)
			put(&masked, line, length);
		else
			put_masked(&masked, line, length);
	bytes_add(out, masked.data, masked.size);
	bytes_free(&masked);
}

/* Comments may name people and hosts. */
static void cut_comment(char *line)
{
	char *at;

	for (at = line; *at; at++)
		if (strchr("#;", *at) && (at == line || strchr(BLANK, at[-1])))
			break;
	*at = '\0';
}

static void join_lines(char *text)
{
	while ((text = strstr(text, "\\\n")))
		memcpy(text, "  ", 2);
}

static bool is_list(const char *path)
{
	return !strcmp(path, "etc/modules") || !strcmp(path, "etc/initramfs-tools/modules") ||
	       strstr(path, "/modules-load.d/");
}

/**
 * mask_is_settings() - check whether a file holds settings
 * @path: path of the file below the root
 *
 * Return: true for *.conf files and for lists of modules to load.
 */
bool mask_is_settings(const char *path)
{
	return !fnmatch("*.conf", path, 0) || is_list(path);
}

/**
 * mask_settings() - remove comments from settings, and mask options of unrelated modules
 * @path: path of the file below the root
 * @text: contents of the file; changed
 *
 * Lines keep their numbers, except for joined continuation lines of modprobe.d.
 */
void mask_settings(const char *path, struct bytes *text)
{
	bool modprobe = strstr(path, "modprobe.d/"), list = is_list(path);
	char *line, *rest;
	struct bytes out = { 0 };

	bytes_add(text, "", 0);
	if (modprobe)
		join_lines(text->data);
	for (rest = text->data; (line = strsep(&rest, "\n")); ) {
		cut_comment(line);
		if (modprobe || list)
			mask_words(line, modprobe ? modprobe_words(line) : list_words(line), &out);
		else
			bytes_print(&out, "%s", line);
		if (rest)
			bytes_print(&out, "\n");
	}
	replace(text, &out);
}
