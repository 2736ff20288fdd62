// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver.h"
#include "persist.h"
#include "say.h"
#include "sysfs.h"
#include "sysroot.h"
#include "textfile.h"

#define RULES_BYTES	(64 * 1024)
#define RULES_HEAD								\
	"# instinctctl bind --persist and unbind --persist write this file.\n"

/* As "driverctl set-override" names the files of its store. */
static void store_path(const char *bdf, char *path, size_t size)
{
	snprintf(path, size, PERSIST_STORE "/pci-%s", bdf);
}

static bool is_driverctl_here(void)
{
	static const char *const paths[] = {
		"/usr/sbin/driverctl", "/usr/bin/driverctl", "/usr/local/sbin/driverctl",
	};
	size_t i;

	for (i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		if (!access(paths[i], X_OK))
			return true;
	return false;
}

/* Returns the text of the rules for free(), "" without the file. */
static char *read_rules(void)
{
	char *text = malloc(RULES_BYTES + 1);
	ssize_t n = text ? sysroot_read(PERSIST_RULES, text, RULES_BYTES) : -1;

	if (text)
		text[n < 0 ? 0 : n] = '\0';
	return text;
}

static void match_of(const char *bdf, char *match, size_t size)
{
	snprintf(match, size, "KERNEL==\"%s\"", bdf);
}

static bool has_rule(const char *bdf)
{
	char match[BDF_BYTES + 16], *rules = read_rules();
	bool has;

	match_of(bdf, match, sizeof(match));
	has = rules && strstr(rules, match);
	free(rules);
	return has;
}

static bool is_stored(const char *bdf)
{
	char path[PATH_MAX], text[64];
	ssize_t n;

	store_path(bdf, path, sizeof(path));
	n = sysroot_read(path, text, sizeof(text) - 1);
	text[n < 0 ? 0 : n] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return sysfs_is_ours(text);
}

/**
 * persist_of() - tell which store binds a GPU at each boot
 * @bdf: address of the GPU
 *
 * Return: the store, or PERSIST_NONE.
 */
enum persist persist_of(const char *bdf)
{
	if (is_stored(bdf))
		return PERSIST_DRIVERCTL;
	return has_rule(bdf) ? PERSIST_UDEV : PERSIST_NONE;
}

/**
 * persist_rules_without() - take a GPU's rule out of the rules
 * @rules: text of the rules
 * @bdf: address of the GPU
 *
 * Return: the other lines, for free(); NULL without memory.
 */
char *persist_rules_without(const char *rules, const char *bdf)
{
	char match[BDF_BYTES + 16], *text = NULL;
	size_t size, length;
	FILE *out = open_memstream(&text, &size);

	match_of(bdf, match, sizeof(match));
	for (; out && *rules; rules += length) {
		length = strcspn(rules, "\n");
		length += rules[length] == '\n';
		if (!memmem(rules, length, match, strlen(match)))
			fwrite(rules, 1, length, out);
	}
	if (out && fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

/**
 * persist_rule() - write the udev rule that binds a GPU
 * @bdf: address of the GPU
 * @vendor: its vendor ID
 * @device: its device ID
 * @driver: name of the driver
 * @rule: receives the line
 * @size: bytes of @rule
 *
 * The override keeps other drivers away from the moment at which udev sees the GPU, at boot as
 * after a rescan; the unit then binds the GPU. After a change of the hardware, another device
 * may have the address, so the rule looks at the IDs too.
 */
void persist_rule(const char *bdf, long long vendor, long long device, const char *driver, char *rule,
		  size_t size)
{
	snprintf(rule, size,
		 "ACTION==\"add\", SUBSYSTEM==\"pci\", KERNEL==\"%s\", ATTR{vendor}==\"0x%04llx\", ATTR{device}==\"0x%04llx\", ATTR{driver_override}=\"%s\", TAG+=\"systemd\", ENV{SYSTEMD_WANTS}+=\"instinct-vfio-bind@%s.service\"\n",
		 bdf, vendor, device, driver, bdf);
}

static int complain(const char *bdf, const char *path, int ret)
{
	say_error(error_code_of(-ret, ERROR_IO), "%s: cannot write %s: %s%s", bdf, path, strerror(-ret),
		  exit_code_of(-ret) == EXIT_PERMISSION ? "; run this as root" : "");
	return exit_code_of(-ret);
}

static int write_whole(const char *bdf, const char *path, const char *text)
{
	int ret = textfile_store(path, text);

	return ret ? complain(bdf, path, ret) : EXIT_OK;
}

/* Writes the rules anew, with @rule or without one for this GPU; an empty file goes away. */
static int write_rules(const char *bdf, const char *rule)
{
	char *old = read_rules(), *rest = old ? persist_rules_without(old, bdf) : NULL;
	char *text = NULL;
	int code;

	if (!rest || asprintf(&text, "%s%s%s", *rest ? "" : RULES_HEAD, rest, rule) < 0)
		text = NULL;
	if (!text)
		code = complain(bdf, PERSIST_RULES, -ENOMEM);
	else if (!*rule && !strcmp(text, old))
		code = EXIT_OK;
	else if (!strcmp(text, RULES_HEAD))
		code = unlink(PERSIST_RULES) && errno != ENOENT ?
		       complain(bdf, PERSIST_RULES, -errno) : EXIT_OK;
	else
		code = write_whole(bdf, PERSIST_RULES, text);
	free(text);
	free(rest);
	free(old);
	return code;
}

static int remove_stored(const char *bdf)
{
	char path[PATH_MAX];

	if (!is_stored(bdf))
		return EXIT_OK;
	store_path(bdf, path, sizeof(path));
	return unlink(path) && errno != ENOENT ? complain(bdf, path, -errno) : EXIT_OK;
}

/**
 * persist_begin() - have a GPU bound at each boot, and whenever it appears
 * @bdf: address of the GPU
 * @driver: name of the driver, which has it now
 * @persist: receives the store that has it now
 *
 * Return: 0, or an exit code after printing the error.
 */
int persist_begin(const char *bdf, const char *driver, enum persist *persist)
{
	long long vendor, device;
	char path[PATH_MAX], rule[512], text[DRIVER_BYTES + 1];
	int code;

	if (is_driverctl_here()) {
		store_path(bdf, path, sizeof(path));
		snprintf(text, sizeof(text), "%s\n", driver);
		code = write_whole(bdf, path, text) ?: write_rules(bdf, "");
	} else if (!sysfs_read_number(bdf, "vendor", &vendor) ||
		   !sysfs_read_number(bdf, "device", &device)) {
		say_error(ERROR_IO, "%s: cannot read its vendor and device ID", bdf);
		code = EXIT_ERROR;
	} else {
		persist_rule(bdf, vendor, device, driver, rule, sizeof(rule));
		code = write_rules(bdf, rule);
	}
	*persist = persist_of(bdf);
	return code;
}

/**
 * persist_end() - have a GPU no longer bound at each boot
 * @bdf: address of the GPU
 * @persist: receives the store that still has it
 *
 * Return: 0, or an exit code after printing the error.
 */
int persist_end(const char *bdf, enum persist *persist)
{
	int code = remove_stored(bdf) ?: write_rules(bdf, "");

	*persist = persist_of(bdf);
	return code;
}
