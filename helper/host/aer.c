// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "aer.h"
#include "sysfs_folder.h"

#define TOTAL	"TOTAL_ERR_"

static void add_kind(struct aer *aer, const char *name, uint64_t count)
{
	unsigned int i;

	for (i = 0; i < aer->kinds; i++)
		if (!strcmp(aer->kind[i].name, name))
			return;
	if (i == AER_KINDS_MAX)
		return;
	snprintf(aer->kind[i].name, sizeof(aer->kind[i].name), "%s", name);
	aer->kind[i].count = count;
	aer->kinds++;
}

/* Each line of the file has a kind and a count; the last one has the total. */
static bool read_file(int folder, const char *file, uint64_t *total, struct aer *kinds)
{
	char text[2048], *line, *rest, name[AER_KIND_BYTES];
	uint64_t count;
	bool found = false;
	ssize_t n;

	n = sysfs_folder_read(folder, file, text, sizeof(text) - 1);
	text[n < 0 ? 0 : n] = '\0';
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		if (sscanf(line, "%23s %" SCNu64, name, &count) != 2)
			continue;
		if (!strncmp(name, TOTAL, strlen(TOTAL))) {
			*total = count;
			found = true;
		} else if (kinds) {
			add_kind(kinds, name, count);
		}
	}
	return found;
}

/**
 * aer_read() - read the AER counters of a function
 * @aer: receives the counters; not known where sysfs has none, since the firmware has kept AER
 *	for itself, the kernel was booted with pci=noaer, or the function has no AER
 * @folder: folder from sysfs_folder_open()
 *
 * The kernel answers from its memory: it reads no register of the function, so the counters may
 * be read while the function is in reset or lost.
 */
void aer_read(struct aer *aer, int folder)
{
	*aer = (struct aer) { 0 };
	aer->known = read_file(folder, "aer_dev_correctable", &aer->correctable, aer);
	if (!aer->known)
		return;
	read_file(folder, "aer_dev_nonfatal", &aer->nonfatal, NULL);
	read_file(folder, "aer_dev_fatal", &aer->fatal, NULL);
}
