// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "facts.h"
#include "core/profile.h"
#include "say.h"
#include "sysfs.h"
#include "sysroot.h"

/**
 * fact_read() - read the first line of a file
 * @fact: receives the line or an error
 * @format: path of the file on the host, as for printf()
 */
void fact_read(struct fact *fact, const char *format, ...)
{
	char path[PATH_MAX];
	va_list args;
	size_t at = snprintf(path, sizeof(path), "%s", opt_sysroot);

	va_start(args, format);
	if (at < sizeof(path))
		vsnprintf(path + at, sizeof(path) - at, format, args);
	va_end(args);
	fact_take(fact, sysfs_read(path, fact->text, sizeof(fact->text) - 1));
}

/**
 * fact_take() - reduce text that was read into a fact to its first line
 * @fact: fact with the text; changed
 * @n: bytes that were read, or a negative errno
 */
void fact_take(struct fact *fact, ssize_t n)
{
	fact->error = n < 0 ? -n : 0;
	fact->text[n < 0 ? 0 : n] = '\0';
	fact->text[strcspn(fact->text, "\n")] = '\0';
	sysfs_make_plain(fact->text);
}

/**
 * fact_is() - compare a fact with a text
 * @fact: fact
 * @text: text to compare with
 *
 * Return: true if both are equal; false if the fact could not be read.
 */
bool fact_is(const struct fact *fact, const char *text)
{
	return !fact->error && !strcmp(fact->text, text);
}

/**
 * fact_choice_is() - check the chosen word of a fact such as "[always] madvise never"
 * @fact: fact
 * @choice: word
 *
 * Return: true if @choice is in brackets; false if the fact could not be read.
 */
bool fact_choice_is(const struct fact *fact, const char *choice)
{
	char word[WORD_BYTES];

	snprintf(word, sizeof(word), "[%s]", choice);
	return !fact->error && strstr(fact->text, word);
}

/**
 * fact_why() - explain why a file could not be read
 * @error: positive errno
 *
 * Return: predicate of a sentence whose subject is the file.
 */
const char *fact_why(int error)
{
	switch (error) {
	case ENOENT:
	case ENOTDIR:
	case ENXIO:
		return *opt_sysroot ? "is not in the capture" : "is missing";
	case EPERM:
	case EACCES:
		return "may be read by root only";
	default:
		return "cannot be read";
	}
}

/**
 * facts_is_conf() - select drop-ins (NAME.conf) for sysroot_scandir()
 * @entry: entry of a folder
 *
 * Return: 1 for a drop-in, else 0.
 */
int facts_is_conf(const struct dirent *entry)
{
	size_t n = strlen(entry->d_name);

	return n > 5 && !strcmp(entry->d_name + n - 5, ".conf");
}

/**
 * facts_exist() - check whether a file or folder exists
 * @format: path on the host, as for printf()
 *
 * Return: true if it exists.
 */
bool facts_exist(const char *format, ...)
{
	char path[PATH_MAX];
	va_list args;
	struct stat st;
	size_t at = snprintf(path, sizeof(path), "%s", opt_sysroot);

	va_start(args, format);
	if (at < sizeof(path))
		vsnprintf(path + at, sizeof(path) - at, format, args);
	va_end(args);
	/* Do not follow links: a capture may hold a link in /etc without the unit behind it. */
	return !sysroot_stat(path, false, &st);
}

/**
 * facts_read_file() - read a whole file
 * @path: path on the host
 * @limit: largest number of bytes to read
 * @bytes: receives the number of bytes that were read, or NULL
 * @error: receives 0 or a positive errno
 *
 * Return: contents with a NUL behind them, "" after an error; the caller must free them.
 */
char *facts_read_file(const char *path, size_t limit, size_t *bytes, int *error)
{
	char full[PATH_MAX], *text = malloc(limit + 1);
	size_t at = 0;
	ssize_t n = 0;
	int fd;

	if (!text) {
		perror("instinctctl");
		exit(EXIT_ERROR);
	}
	snprintf(full, sizeof(full), "%s%s", opt_sysroot, path);
	fd = sysroot_open_file(full);
	*error = fd < 0 ? -fd : 0;
	while (fd >= 0 && at < limit && (n = read(fd, text + at, limit - at)) > 0)
		at += n;
	if (n < 0)
		*error = errno;
	if (fd >= 0)
		close(fd);
	text[at] = '\0';
	if (bytes)
		*bytes = at;
	return text;
}

/**
 * facts_kernel_before() - check whether the kernel is older than a version
 * @facts: facts about the host or guest
 * @major: first number of the version
 * @minor: second number of the version
 *
 * Return: true if the kernel is older; false if its version is unknown.
 */
bool facts_kernel_before(const struct facts *facts, int major, int minor)
{
	const int *version = facts->kernel.version;

	return version[0] && (version[0] < major ||
			      (version[0] == major && version[1] < minor));
}

/**
 * facts_kernel_is_locked() - check whether lockdown is on
 * @facts: facts about the host or guest
 *
 * Return: true if the kernel requires signed modules and rejects config writes by sysfs.
 */
bool facts_kernel_is_locked(const struct facts *facts)
{
	return fact_choice_is(&facts->kernel.lockdown, "integrity") ||
	       fact_choice_is(&facts->kernel.lockdown, "confidentiality");
}

/**
 * facts_is_known() - check whether a function is a GPU of a model that the module supports
 * @facts: facts about the host or guest
 * @function: index of the function in the host
 *
 * Return: true if the module can drive it.
 */
bool facts_is_known(const struct facts *facts, int function)
{
	return host_is_known(&facts->findings.host, function);
}

/* Linux, pci_match_one_device(): all ones stand for any ID, and a class counts under its mask. */
static bool is_id(const char *id, const unsigned int found[4], unsigned int class)
{
	unsigned int want[6] = { 0, 0, UINT32_MAX, UINT32_MAX, 0, 0 };
	int given = sscanf(id, "%x:%x:%x:%x:%x:%x", &want[0], &want[1], &want[2], &want[3], &want[4],
			   &want[5]), i;

	for (i = 0; i < 4; i++)
		if (want[i] != UINT32_MAX && want[i] != found[i])
			return false;
	return given >= 2 && !((want[4] ^ class) & want[5]);
}

/**
 * facts_are_given() - check whether a parameter gives a function to a driver
 * @facts: facts about the host
 * @given: the parameter
 * @function: index of the function in the host
 *
 * Return: true if the driver takes the function when it is loaded.
 */
bool facts_are_given(const struct facts *facts, const struct given_ids *given, int function)
{
	const struct instinct_node *node = &facts->findings.host.node[function];
	const char *bdf = facts_function(facts, function)->bdf, *id = given->ids;
	long long subvendor = 0, subdevice = 0;
	unsigned int found[4];
	char one[64];
	size_t n;

	sysfs_read_number(bdf, "subsystem_vendor", &subvendor);
	sysfs_read_number(bdf, "subsystem_device", &subdevice);
	found[0] = node->vendor;
	found[1] = node->device;
	found[2] = subvendor;
	found[3] = subdevice;
	for (; *id; id += n + (id[n] == ',')) {
		n = strcspn(id, ",");
		snprintf(one, sizeof(one), "%.*s", (int)n, id);
		if (is_id(one, found, node->class))
			return true;
	}
	return false;
}

/**
 * facts_given_where() - say how to take a parameter that gives IDs to a driver away
 * @given: the parameter
 * @text: receives the words
 * @size: bytes of @text
 */
void facts_given_where(const struct given_ids *given, char *text, size_t size)
{
	/* Other devices may need the other IDs. */
	const char *what = strchr(given->ids, ',') ? "the GPU's ID out of " : "";

	if (*given->file)
		snprintf(text, size, "take %s%s%s %s, make the initramfs anew, and reboot", what, given->text,
			 *what ? " in" : " out of", given->file);
	else
		snprintf(text, size, "take %s%s%s the kernel's command line, and reboot", what, given->text,
			 *what ? " on" : " off");
}

/**
 * facts_are_amd() - check whether the GPUs are AMD's
 * @facts: facts about the host or guest
 *
 * Return: true if the first GPU is.
 */
bool facts_are_amd(const struct facts *facts)
{
	return facts->gpus &&
	       facts->findings.host.node[facts->gpu[0]].vendor == INSTINCT_VENDOR_AMD_GPU;
}

/**
 * facts_function() - look up a function of the host
 * @facts: facts about the host or guest
 * @function: index of the function in the host
 *
 * Return: facts about the function.
 */
const struct host_function *facts_function(const struct facts *facts, int function)
{
	return &facts->findings.host.function[function];
}

/**
 * facts_parent() - look up the port above a function
 * @facts: facts about the host or guest
 * @function: index of the function in the host
 *
 * Return: index of the port, INSTINCT_NODE_NONE if the root complex is above.
 */
int facts_parent(const struct facts *facts, int function)
{
	return facts->findings.host.node[function].parent;
}

static bool is_dead_gpu(const struct facts *facts, int gpu)
{
	const struct device *device = devices_find(&facts->managed,
						   facts_function(facts, gpu)->bdf);

	return facts->function[gpu].silent || facts->function[gpu].placeholder ||
	       (device && device->state == INSTINCT_VFIO_STATE_LOST);
}

/**
 * facts_is_dead() - tell whether a function belongs to a GPU that does not answer
 * @facts: facts about the host
 * @function: index of the function
 *
 * Return: true for such a GPU, and for the ports of its package.
 */
bool facts_is_dead(const struct facts *facts, int function)
{
	const struct instinct_node *node = facts->findings.host.node;
	size_t i;
	int at;

	for (i = 0; i < facts->gpus; i++) {
		at = facts->gpu[i];
		if (!is_dead_gpu(facts, at))
			continue;
		while (at != function && facts_parent(facts, at) != INSTINCT_NODE_NONE &&
		       node[facts_parent(facts, at)].package)
			at = facts_parent(facts, at);
		if (at == function)
			return true;
	}
	return false;
}
