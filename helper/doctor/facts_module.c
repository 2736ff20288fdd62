// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command_line.h"
#include "facts.h"
#include "say.h"
#include "sysfs.h"
#include "sysroot.h"

#define PACKAGE		"instinct-vfio"
#define DKMS_TREE	"/var/lib/dkms/" PACKAGE
#define DKMS_DROPIN	DKMS_TREE "-dropin"
#define FILE_LIMIT	(64 << 10)

static int is_version(const struct dirent *entry)
{
	return entry->d_name[0] >= '0' && entry->d_name[0] <= '9';
}

/* Finds the newest version that DKMS has of a module. Returns 0 or an errno. */
static int read_dkms(const char *tree, char version[WORD_BYTES])
{
	struct dirent **entries;
	char path[PATH_MAX];
	int count, error, i;

	snprintf(path, sizeof(path), "%s%s", opt_sysroot, tree);
	count = sysroot_scandir(path, &entries, is_version, versionsort);
	error = count < 0 ? errno : 0;
	for (i = 0; i < count; i++) {
		snprintf(version, WORD_BYTES, "%.*s", WORD_BYTES - 1, entries[i]->d_name);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	sysfs_make_plain(version);
	return error;
}

/* `make install`, DKMS and distributions install a module in these folders. */
static void find_installed(const char *name, char path[PATH_MAX], const char *release)
{
	static const char *const folders[] = { "updates", "updates/dkms", "extra" };
	static const char *const ends[] = { "", ".xz", ".zst", ".gz" };
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(folders); i++)
		for (j = 0; j < ARRAY_SIZE(ends); j++) {
			snprintf(path, PATH_MAX, "/lib/modules/%s/%s/%s.ko%s",
				 release, folders[i], name, ends[j]);
			if (facts_exist("%s", path))
				return;
		}
	*path = '\0';
}

static bool is_enabled(void)
{
	static const char *const wants[] = {
		"multi-user.target.wants", "default.target.wants", "graphical.target.wants",
		"instinct-vfio.target.wants",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(wants); i++)
		if (facts_exist("/etc/systemd/system/%s/instinct-vfio-apply.service",
				wants[i]))
			return true;
	return false;
}

/* modprobe treats "-" and "_" as equal. */
static bool is_module(const char *name, const char *module)
{
	for (; *name && *module; name++, module++)
		if (*name != *module && !(strchr("-_", *name) && strchr("-_", *module)))
			return false;
	return !*name && !*module;
}

/* The last value of a parameter counts, wherever it stands. */
static void add_given(struct module_facts *module, const char *driver, const char *ids, const char *text,
		      const char *file)
{
	struct given_ids *given = NULL;
	size_t i;

	for (i = 0; i < module->givens; i++)
		if (is_module(module->given[i].driver, driver) && !strcmp(module->given[i].file, file))
			given = &module->given[i];
	if (!given)
		given = list_add((void **)&module->given, &module->givens, sizeof(*given));
	snprintf(given->driver, sizeof(given->driver), "%s", driver);
	snprintf(given->ids, sizeof(given->ids), "%s", ids);
	snprintf(given->text, sizeof(given->text), "%s", text);
	snprintf(given->file, sizeof(given->file), "%s", file);
	for (i = 0; given->driver[i]; i++)
		if (given->driver[i] == '-')
			given->driver[i] = '_';
	sysfs_make_plain(given->driver);
	sysfs_make_plain(given->text);
	sysfs_make_plain(given->file);
}

/* "vfio-pci.ids=1002:74a1": drivers such as vfio-pci and pci-stub call this parameter "ids". */
static void read_command_ids(struct module_facts *module, const char *command)
{
	static const char key[] = ".ids=";
	char word[512], driver[WORD_BYTES], *at;

	while (command_line_next(&command, word, sizeof(word))) {
		at = strstr(word, key);
		if (!at || at == word || strchr(word, '=') < at)
			continue;
		snprintf(driver, sizeof(driver), "%.*s", (int)(at - word), word);
		add_given(module, driver, at + strlen(key), word, "");
	}
}

/* Reads "ids=1002:74a1" among the options of a driver. */
static void read_ids(struct module_facts *module, const char *driver, char *options, const char *file)
{
	const char *at = options;
	char word[512], text[1024];

	while (command_line_next(&at, word, sizeof(word))) {
		if (strncmp(word, "ids=", 4))
			continue;
		snprintf(text, sizeof(text), "%s %s", driver, word);
		add_given(module, driver, word + 4, text, file);
	}
}

/* "softdep amdgpu pre: instinct_vfio_pci", "blacklist amdgpu", "options vfio-pci ids=1002:74a1" */
static void read_modprobe_line(struct module_facts *module, char *line, const char *file)
{
	char *word, *rest, *what = strtok_r(line, " \t", &rest);
	const char *name = strtok_r(NULL, " \t", &rest);
	bool before = false;

	if (!what || !name)
		return;
	if (!strcmp(what, "blacklist") && is_module(name, "amdgpu"))
		module->no_amdgpu = true;
	if (!strcmp(what, "options"))
		read_ids(module, name, rest, file);
	if (strcmp(what, "softdep"))
		return;
	while ((word = strtok_r(NULL, " \t", &rest))) {
		if (!strcmp(word, "pre:") || !strcmp(word, "post:"))
			before = word[1] == 'r';
		if (!before || !is_module(word, DRIVER_NAME))
			continue;
		module->first |= is_module(name, "amdgpu");
		module->first_vfio |= is_module(name, "vfio_pci");
	}
}

static size_t read_lines(struct module_facts *module, const char *path,
			 void (*take)(struct module_facts *module, char *line, const char *file))
{
	char *text, *line, *rest;
	int error;

	text = facts_read_file(path, FILE_LIMIT, NULL, &error);
	/* A backslash continues a line. */
	for (line = text; (line = strstr(line, "\\\n"));)
		memset(line, ' ', 2);
	for (line = text; *line; line++)
		*line = *line == '\t' || *line == '\r' ? ' ' : *line;
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		take(module, line, path);
	free(text);
	return !error;
}

/* Find names of modules in a line. */
static void read_names(struct module_facts *module, char *line)
{
	char *word, *rest;

	for (word = strtok_r(line, " \t\"'=+", &rest); word && *word != '#';
	     word = strtok_r(NULL, " \t\"'=+", &rest)) {
		module->early |= is_module(word, "amdgpu") || is_module(word, "vfio_pci");
		module->early_ours |= is_module(word, DRIVER_NAME);
	}
}

/* "vfio_pci ids=1002:74a1": options may follow a name in /etc/initramfs-tools/modules and /etc/modules. */
static void read_modules_line(struct module_facts *module, char *line, const char *file)
{
	char driver[WORD_BYTES];
	size_t length;

	line += strspn(line, " ");
	length = strcspn(line, " ");
	if (*line == '#' || length >= sizeof(driver))
		return;
	snprintf(driver, sizeof(driver), "%.*s", (int)length, line);
	read_ids(module, driver, line + length, file);
}

static void read_initramfs_line(struct module_facts *module, char *line, const char *file)
{
	read_modules_line(module, line, file);
	read_names(module, line);
}

/* force_drivers+=" vfio-pci " */
static void read_dracut_line(struct module_facts *module, char *line, const char *file)
{
	static const char *const keys[] = { "add_drivers", "force_drivers" };
	size_t i, n;

	(void)file;
	line += strspn(line, " \t");
	n = strcspn(line, " \t+=");
	for (i = 0; i < ARRAY_SIZE(keys); i++)
		if (strlen(keys[i]) == n && !strncmp(line, keys[i], n))
			read_names(module, line + n);
}

/* A file of the same name in an earlier folder overrides this one. */
static bool is_masked(const char *const folders[], size_t before, const char *name)
{
	size_t i;

	for (i = 0; i < before; i++)
		if (facts_exist("%s/%s", folders[i], name))
			return true;
	return false;
}

/* Read the files of all folders, the most important one first; return the number of files. */
static size_t read_folders(struct module_facts *module, const char *const folders[],
			   size_t count,
			   void (*take)(struct module_facts *module, char *line, const char *file))
{
	struct dirent **entries;
	char path[PATH_MAX];
	size_t i, files = 0;
	int found, j;

	for (i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s%s", opt_sysroot, folders[i]);
		found = sysroot_scandir(path, &entries, facts_is_conf, alphasort);
		for (j = 0; j < found; j++) {
			snprintf(path, sizeof(path), "%s/%s", folders[i], entries[j]->d_name);
			if (!is_masked(folders, i, entries[j]->d_name))
				files += read_lines(module, path, take);
			free(entries[j]);
		}
		if (found >= 0)
			free(entries);
	}
	return files;
}

static void read_order(struct module_facts *module)
{
	static const char *const modprobe[] = {
		"/etc/modprobe.d", "/run/modprobe.d", "/usr/local/lib/modprobe.d",
		"/usr/lib/modprobe.d", "/lib/modprobe.d",
	};
	static const char *const dracut[] = { "/etc/dracut.conf.d", "/usr/lib/dracut/dracut.conf.d" };

	module->modprobe_files = read_folders(module, modprobe, ARRAY_SIZE(modprobe),
					      read_modprobe_line);
	read_folders(module, dracut, ARRAY_SIZE(dracut), read_dracut_line);
	read_lines(module, "/etc/dracut.conf", read_dracut_line);
	read_lines(module, "/etc/initramfs-tools/modules", read_initramfs_line);
	read_lines(module, "/etc/modules", read_modules_line);
}

/**
 * facts_read_module() - read facts about the loaded and the installed module
 * @facts: facts with the kernel's release; extended
 */
void facts_read_module(struct facts *facts)
{
	struct module_facts *module = &facts->module;
	const char *release = facts->kernel.release.text;
	char dropin[PATH_MAX];

	fact_read(&module->state, "/sys/module/" DRIVER_NAME "/initstate");
	fact_read(&module->version, "/sys/module/" DRIVER_NAME "/version");
	fact_read(&module->taint, "/sys/module/" DRIVER_NAME "/taint");
	fact_read(&module->require_policy,
		  "/sys/module/" DRIVER_NAME "/parameters/require_policy");
	module->dkms_error = read_dkms(DKMS_TREE, module->dkms);
	module->dkms_built = facts_exist(DKMS_TREE "/" INSTINCT_VERSION "/%s", release);
	find_installed("instinct-vfio-pci", module->installed, release);
	read_dkms(DKMS_DROPIN, module->dropin);
	find_installed(DROPIN_NAME, dropin, release);
	module->dropin_built = *dropin || facts_exist(DKMS_DROPIN "/%s/%s", module->dropin, release);
	facts_read_signing(&module->signing, module->installed);
	module->modules = facts_exist("/lib/modules/%s", release);
	module->systemd = facts_exist("/etc/systemd/system");
	module->enabled = is_enabled();
	module->amdgpu = facts_exist("/sys/module/amdgpu");
	module->no_amdgpu =
		command_line_says(facts->kernel.command, "modprobe.blacklist", "amdgpu") ||
		command_line_says(facts->kernel.command, "module_blacklist", "amdgpu");
	read_command_ids(module, facts->kernel.command);
	read_order(module);
}
