// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "candidates.h"
#include "checks.h"
#include "conf_help.h"
#include "kind.h"
#include "guest_flavor.h"
#include "methods.h"
#include "missing.h"
#include "pci_ids.h"
#include "core/profile.h"
#include "sysfs.h"
#include "vmm.h"

#define CLASS_BRIDGE		0x06
#define DOMAIN			"0000:"		/* users may leave it out of an address */

static bool is_given(const struct candidates *for_whom, const char *word)
{
	int i;

	for (i = 0; i < for_whom->count; i++)
		if (!strcmp(for_whom->given[i], word))
			return true;
	return false;
}

/* A shell would interpret any other character. */
static bool is_plain(const char *word)
{
	while (*word && (isalnum((unsigned char)*word) || strchr("._:/=[]-", *word)))
		word++;
	return !*word;
}

/**
 * candidate() - offer a word, if it begins with the typed text
 * @for_whom: the request of the shell
 * @word: the word
 * @help: its explanation, or NULL
 */
void candidate(const struct candidates *for_whom, const char *word, const char *help)
{
	if (strncmp(word, for_whom->word, strlen(for_whom->word)) ||
	    is_given(for_whom, word) || !is_plain(word))
		return;
	printf("%s%s%s%s\n", for_whom->before, word, help ? "\t" : "", help ? help : "");
}

/* Offer an address, without its domain if the user types it so. */
static void address(const struct candidates *for_whom, const char *bdf, const char *help)
{
	size_t domain = strlen(DOMAIN);
	const char *brief = bdf + domain;

	if (is_given(for_whom, bdf))
		return;
	if (*for_whom->word && !strncmp(bdf, DOMAIN, domain) && !is_given(for_whom, brief) &&
	    strncmp(DOMAIN, for_whom->word, strlen(for_whom->word)) &&
	    strncmp(for_whom->word, DOMAIN, domain))
		candidate(for_whom, brief, help);
	else
		candidate(for_whom, bdf, help);
}

static void gpus(const struct candidates *for_whom, enum word word)
{
	struct devices devices = { 0 };
	char help[2 * TEXT_BYTES + 16];
	size_t i;

	if (sysfs_gpus(&devices))
		return;
	for (i = 0; i < devices.count; i++) {
		const struct device *dev = &devices.list[i];
		bool ours = sysfs_is_ours(dev->driver);

		if (word == WORD_MANAGED ? !ours : word != WORD_KNOWN && ours)
			continue;
		snprintf(help, sizeof(help), "%s, %s%s", dev->model,
			 *dev->driver ? "driver " : "no driver", dev->driver);
		address(for_whom, dev->bdf, help);
	}
	devices_free(&devices);
}

/* Describe a function by model, or by IDs and driver. */
static void describe(const char *bdf, char *help, size_t size)
{
	const struct instinct_profile *gpu;
	long long vendor = 0, device = 0;
	char driver[64] = "", name[PCI_IDS_NAME];

	sysfs_read_number(bdf, "vendor", &vendor);
	sysfs_read_number(bdf, "device", &device);
	sysfs_read_link(bdf, "driver", driver, sizeof(driver));
	gpu = instinct_profile_find(vendor, device);
	pci_ids_name(vendor, device, name, sizeof(name));
	if (gpu)
		snprintf(help, size, "%s", gpu->model);
	else
		snprintf(help, size, "[%04llx:%04llx]%s%s%s%s", vendor, device, *name ? " " : "",
			 name, *driver ? " " : "", driver);
}

static void missing(const struct candidates *for_whom)
{
	struct devices devices = { 0 };
	size_t i;

	missing_add(&devices);
	for (i = 0; i < devices.count; i++)
		address(for_whom, devices.list[i].bdf, devices.list[i].model);
	devices_free(&devices);
}

static bool is_function(const char *bdf)
{
	long long class;

	return sysfs_read_number(bdf, "class", &class) && class >> 16 != CLASS_BRIDGE;
}

static void functions(const struct candidates *for_whom, bool (*fits)(const char *bdf))
{
	struct dirent **entries;
	char help[TEXT_BYTES];
	int count, i;

	count = sysfs_list(&entries);
	for (i = 0; i < count; i++) {
		const char *bdf = entries[i]->d_name;

		if (fits(bdf)) {
			describe(bdf, help, sizeof(help));
			address(for_whom, bdf, help);
		}
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
}

static void names(const struct candidates *for_whom, const struct names *of)
{
	unsigned int i;

	for (i = 0; i < of->count; i++)
		candidate(for_whom, of->name[i], NULL);
}

/* Take the first sentence of a key's help, without its backquotes. */
static void describe_key(const struct conf_key *key, char *help, size_t size)
{
	const char *from = conf_help(key);
	size_t at = 0;

	for (; *from && strcmp(from, ".") && strncmp(from, ". ", 2) && at + 1 < size; from++)
		if (*from != '`')
			help[at++] = *from;
	help[at] = '\0';
}

static void keys(const struct candidates *for_whom)
{
	char help[TEXT_BYTES];
	size_t i;

	for (i = 0; i < CONF_KEYS; i++) {
		describe_key(&conf_keys[i], help, sizeof(help));
		candidate(for_whom, conf_keys[i].name, help);
	}
}

/* The value follows the equal sign at once, so the shell must add no blank. */
static void samples(const struct candidates *for_whom)
{
	char word[32];
	unsigned int i;

	puts(":nospace");
	for (i = 0; i < sensor_names.count; i++) {
		snprintf(word, sizeof(word), "%s=", sensor_names.name[i]);
		candidate(for_whom, word, "degrees Celsius");
	}
}

static void vmms(const struct candidates *for_whom)
{
	unsigned int i;

	for (i = 0; i < VMMS; i++)
		candidate(for_whom, name_of(&vmm_names, i), vmm_titles[i]);
	candidate(for_whom, VMM_ALL_NAME, "all of them");
}

static void doctor_checks(const struct candidates *for_whom)
{
	bool guest = is_given(for_whom, "--guest");
	size_t i;

	for (i = 0; i < checks_count; i++)
		if (checks[i].guest == guest)
			candidate(for_whom, checks[i].name, checks[i].what);
}

static void addresses(const struct candidates *for_whom)
{
	puts(":nospace");
	candidate(for_whom, "127.0.0.1:", "a port of this host, IPv4");
	candidate(for_whom, "[::1]:", "a port of this host, IPv6");
	candidate(for_whom, "unix:/run/", "a socket");
}

static bool is_wanted(const struct candidates *for_whom, const struct command *command)
{
	return !for_whom->offline || command->offline ||
	       (command->hostless && !*command->hostless);
}

/**
 * candidates_commands() - offer the names of commands
 * @for_whom: the request of the shell
 * @group: the first word, to complete the second one; NULL to complete the first
 */
void candidates_commands(const struct candidates *for_whom, const char *group)
{
	const char *last = NULL;
	char word[64], help[128];
	size_t i;

	for (i = 0; i < commands_count; i++) {
		const char *name = commands[i].name;
		const char *second = strchr(name, ' ');

		if (!is_wanted(for_whom, &commands[i]))
			continue;
		snprintf(word, sizeof(word), "%.*s", (int)strcspn(name, " "), name);
		if (group && second && !strcmp(word, group)) {
			candidate(for_whom, second + 1, commands[i].help);
		} else if (!group && !second) {
			candidate(for_whom, name, commands[i].help);
		} else if (!group && (!last || strncmp(last, name, strlen(word) + 1))) {
			snprintf(help, sizeof(help), "commands: ");
			command_list_group(word, help + strlen(help),
					   sizeof(help) - strlen(help));
			candidate(for_whom, word, help);
			last = name;
		}
	}
}

/**
 * candidates_of() - offer all words of a kind that begin with the typed text
 * @for_whom: the request of the shell
 * @word: the kind; the shell completes files and folders itself
 */
void candidates_of(const struct candidates *for_whom, enum word word)
{
	switch (word) {
	case WORD_FILE:
	case WORD_CAPTURE:
		puts(":files");
		break;
	case WORD_ADDRESS:
		addresses(for_whom);
		break;
	case WORD_METHOD:
		names(for_whom, &method_names);
		break;
	case WORD_DRIVER:
		candidate(for_whom, DRIVER_NAME, "the module's own driver");
		if (sysfs_has_dropin())
			candidate(for_whom, DROPIN_NAME, "the drop-in, in place of the kernel's");
		break;
	case WORD_STOCK:
		candidate(for_whom, "amdgpu", "AMD's driver, for the host");
		candidate(for_whom, "vfio-pci", "the kernel's, whose resets can lose a GPU");
		break;
	case WORD_RISK:
		names(for_whom, &risk_names);
		break;
	case WORD_UNBOUND:
	case WORD_MANAGED:
	case WORD_KNOWN:
		gpus(for_whom, word);
		break;
	case WORD_MISSING:
		missing(for_whom);
		break;
	case WORD_FUNCTION:
		functions(for_whom, is_function);
		break;
	case WORD_GPU:
		functions(for_whom, kind_is_gpu_at);
		break;
	case WORD_VMM:
		vmms(for_whom);
		break;
	case WORD_FLAVOR:
		names(for_whom, &guest_flavor_names);
		break;
	case WORD_KEY:
		keys(for_whom);
		break;
	case WORD_FORM:
		candidate(for_whom, "wide", "more columns");
		break;
	case WORD_KIND:
		names(for_whom, &event_names);
		break;
	case WORD_CHECK:
		doctor_checks(for_whom);
		break;
	case WORD_SAMPLE:
		samples(for_whom);
		break;
	case WORD_COMMAND:
		candidates_commands(for_whom, NULL);
		break;
	case WORD_NONE:
	case WORD_TEXT:
	case WORD_NUMBER:
	case WORD_TIME:
	case WORD_SIZE:
		break;
	}
}
