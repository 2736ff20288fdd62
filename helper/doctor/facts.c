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
#include "profile.h"
#include "say.h"
#include "sysfs.h"
#include "sysroot.h"

/**
 * fact_read() - the first line of a file
 * @fact: set
 * @format: the file's path on the host, as for printf()
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
 * fact_take() - the first line of what has been read
 * @fact: with its text; set
 * @n: bytes of it, or a negative errno
 */
void fact_take(struct fact *fact, ssize_t n)
{
	fact->error = n < 0 ? -n : 0;
	fact->text[n < 0 ? 0 : n] = '\0';
	fact->text[strcspn(fact->text, "\n")] = '\0';
	sysfs_make_plain(fact->text);
}

/**
 * fact_is() - does a file say that?
 * @fact: it
 * @text: what
 *
 * Return: true if so; what could not be read says nothing.
 */
bool fact_is(const struct fact *fact, const char *text)
{
	return !fact->error && !strcmp(fact->text, text);
}

/**
 * fact_choice_is() - is that chosen? As in "[always] madvise never"
 * @fact: it
 * @choice: what
 *
 * Return: true if so; what could not be read says nothing.
 */
bool fact_choice_is(const struct fact *fact, const char *choice)
{
	char word[WORD_BYTES];

	snprintf(word, sizeof(word), "[%s]", choice);
	return !fact->error && strstr(fact->text, word);
}

/**
 * fact_why() - why something could not be read
 * @error: errno
 *
 * Return: the words after "not looked at, because …".
 */
const char *fact_why(int error)
{
	switch (error) {
	case ENOENT:
	case ENOTDIR:
	case ENXIO:
		return *opt_sysroot ? "is not in the capture" : "is not there";
	case EPERM:
	case EACCES:
		return "may be read by root only";
	default:
		return "cannot be read";
	}
}

/**
 * facts_is_conf() - is it a drop-in, NAME.conf? For sysroot_scandir()
 * @entry: of the folder
 *
 * Return: 1 if so, else 0.
 */
int facts_is_conf(const struct dirent *entry)
{
	size_t n = strlen(entry->d_name);

	return n > 5 && !strcmp(entry->d_name + n - 5, ".conf");
}

/**
 * facts_exist() - is there such a file or folder?
 * @format: its path on the host, as for printf()
 *
 * Return: true if there is.
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
	/* A link in /etc to a unit is there though what it leads to is not captured. */
	return !sysroot_stat(path, false, &st);
}

/**
 * facts_read_file() - all of a file
 * @path: its path on the host
 * @limit: bytes to read at most
 * @bytes: set to how many were read, or NULL
 * @error: set to 0 or to an errno
 *
 * Return: its text with a NUL behind it, to be freed; "" where it could not be read.
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
 * facts_kernel_before() - is the kernel older than that?
 * @facts: facts
 * @major: of a version
 * @minor: of it
 *
 * Return: true if so; of one that is unknown it is not.
 */
bool facts_kernel_before(const struct facts *facts, int major, int minor)
{
	const int *version = facts->kernel.version;

	return version[0] && (version[0] < major ||
			      (version[0] == major && version[1] < minor));
}

/**
 * facts_kernel_is_locked() - is lockdown on?
 * @facts: facts
 *
 * Return: true if so: then modules must be signed, and nobody writes config spaces by sysfs.
 */
bool facts_kernel_is_locked(const struct facts *facts)
{
	return fact_choice_is(&facts->kernel.lockdown, "integrity") ||
	       fact_choice_is(&facts->kernel.lockdown, "confidentiality");
}

/**
 * facts_is_known() - is a function a GPU that the module drives?
 * @facts: facts
 * @function: index in the host
 *
 * Return: true if so.
 */
bool facts_is_known(const struct facts *facts, int function)
{
	return host_is_known(&facts->findings.host, function);
}

/**
 * facts_are_amd() - are the GPUs AMD's?
 * @facts: facts
 *
 * Return: true if the first is.
 */
bool facts_are_amd(const struct facts *facts)
{
	return facts->gpus &&
	       facts->findings.host.node[facts->gpu[0]].vendor == INSTINCT_VENDOR_AMD_GPU;
}

/**
 * facts_function() - a function of the host
 * @facts: facts
 * @function: index in the host
 *
 * Return: it.
 */
const struct host_function *facts_function(const struct facts *facts, int function)
{
	return &facts->findings.host.function[function];
}

/**
 * facts_parent() - the port above a function
 * @facts: facts
 * @function: index in the host
 *
 * Return: its index, INSTINCT_NODE_NONE for the root complex.
 */
int facts_parent(const struct facts *facts, int function)
{
	return facts->findings.host.node[function].parent;
}
