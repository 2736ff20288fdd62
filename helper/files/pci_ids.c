// SPDX-License-Identifier: GPL-2.0-or-later
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <systemd/sd-hwdb.h>
#include <unistd.h>

#include "pci_ids.h"
#include "sysfs.h"

/* An empty value means no list; tests need the same names on every machine. */
#define VARIABLE	"INSTINCT_PCI_IDS"
#define LIST_BYTES_MAX	(64u << 20)
#define CACHED		64

static const char *const places[] = {
	"/usr/share/misc/pci.ids", "/usr/share/hwdata/pci.ids", "/usr/share/pci.ids",
};

/* The list of names: pci.ids, or systemd's list without it. */
static struct {
	const char *text;
	size_t size;
	sd_hwdb *hwdb;
	bool opened;
} list;

static struct {
	uint16_t vendor;
	uint16_t device;
	char name[PCI_IDS_NAME];
} cache[CACHED];
static size_t cached;

static bool map_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *text;

	if (fd < 0)
		return false;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0 &&
	    st.st_size <= LIST_BYTES_MAX) {
		text = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (text != MAP_FAILED) {
			list.text = text;
			list.size = st.st_size;
		}
	}
	close(fd);
	return list.text;
}

static void open_list(void)
{
	const char *named = getenv(VARIABLE);
	size_t i;

	list.opened = true;
	if (named) {
		if (*named)
			map_file(named);
		return;
	}
	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (map_file(places[i]))
			return;
	if (sd_hwdb_new(&list.hwdb) < 0)
		list.hwdb = NULL;
}

/* Finds the line that begins with @prefix, from @at on; stops before a line of another vendor. */
static const char *find_line(const char *at, const char *prefix, bool within_vendor)
{
	const char *end = list.text + list.size;
	size_t length = strlen(prefix);

	while (at < end) {
		if ((size_t)(end - at) > length && !memcmp(at, prefix, length))
			return at + length;
		if (within_vendor && *at != '\t' && *at != '#' && *at != '\n')
			return NULL;
		at = memchr(at, '\n', end - at);
		if (!at)
			return NULL;
		at++;
	}
	return NULL;
}

static void copy_line(const char *at, char *text, size_t size)
{
	size_t room = list.text + list.size - at, length = 0;

	while (length < room && at[length] != '\n')
		length++;
	snprintf(text, size, "%.*s", (int)length, at);
}

static void look_up_file(uint16_t vendor, uint16_t device, char *text, size_t size)
{
	char prefix[16];
	const char *at;

	snprintf(prefix, sizeof(prefix), "%04x  ", vendor);
	at = find_line(list.text, prefix, false);
	at = at ? memchr(at, '\n', list.text + list.size - at) : NULL;
	if (!at)
		return;
	snprintf(prefix, sizeof(prefix), "\t%04x  ", device);
	at = find_line(at + 1, prefix, true);
	if (at)
		copy_line(at, text, size);
}

static void look_up_hwdb(uint16_t vendor, uint16_t device, char *text, size_t size)
{
	char modalias[64];
	const char *name;

	snprintf(modalias, sizeof(modalias), "pci:v%08Xd%08Xsv", vendor, device);
	if (sd_hwdb_get(list.hwdb, modalias, "ID_MODEL_FROM_DATABASE", &name) >= 0)
		snprintf(text, size, "%s", name);
}

/* "GH100 [H200 SXM 141GB]" has the name that people use in its brackets, the last ones. */
static void shorten(char *text)
{
	char *from = strrchr(text, '['), *to = from ? strchr(from, ']') : NULL;

	if (!to || to == from + 1)
		return;
	*to = '\0';
	memmove(text, from + 1, to - from);
}

/**
 * pci_ids_name() - get the name of a PCI device
 * @vendor: Vendor ID
 * @device: Device ID
 * @text: receives the name, such as "ConnectX-7", cut to PCI_IDS_NAME bytes; "" without one
 * @size: size of @text in bytes
 *
 * The list is that of the machine that runs this program, also for a captured host.
 */
void pci_ids_name(uint16_t vendor, uint16_t device, char *text, size_t size)
{
	char name[256] = "";
	size_t i;

	for (i = 0; i < cached; i++)
		if (cache[i].vendor == vendor && cache[i].device == device) {
			snprintf(text, size, "%s", cache[i].name);
			return;
		}
	if (!list.opened)
		open_list();
	if (list.text)
		look_up_file(vendor, device, name, sizeof(name));
	else if (list.hwdb)
		look_up_hwdb(vendor, device, name, sizeof(name));
	shorten(name);
	sysfs_make_plain(name);
	name[PCI_IDS_NAME - 1] = '\0';
	snprintf(text, size, "%s", name);
	if (cached == CACHED)
		return;
	cache[cached].vendor = vendor;
	cache[cached].device = device;
	memcpy(cache[cached++].name, name, PCI_IDS_NAME);
}
