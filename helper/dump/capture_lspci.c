// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <linux/pci_regs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bdf.h"
#include "capture_text.h"
#include "listed.h"
#include "text_kind.h"

/* Linux, include/linux/ioport.h, and the low bits of a BAR below them. */
#define RESOURCE_MEMORY		0x00040200
#define RESOURCE_PREFETCH	(0x00002000 | PCI_BASE_ADDRESS_MEM_PREFETCH)
#define RESOURCE_64_BIT		(0x00100000 | PCI_BASE_ADDRESS_MEM_TYPE_64)
#define RESOURCE_UNSET		0x20000000

/* Takes the last "10de:2335" of a line: -nn writes it in brackets, -n alone. */
static void take_ids(struct listed *listed, const char *line)
{
	const char *at = line;
	unsigned int vendor, device;
	char word[11];
	int length;

	for (; *at; at++) {
		length = 0;
		if (!isxdigit((unsigned char)*at) || (at > line && isxdigit((unsigned char)at[-1])))
			continue;
		/* sscanf() would measure the rest of the line. */
		snprintf(word, sizeof(word), "%.10s", at);
		if (sscanf(word, "%4x:%4x%n", &vendor, &device, &length) != 2 || length != 9 ||
		    isxdigit((unsigned char)word[length]))
			continue;
		listed->has_ids = true;
		listed->vendor = vendor;
		listed->device = device;
	}
}

/* A copy may show a function twice, in brief and in full. */
static struct listed *take_function(struct listing *listing, const char *line)
{
	char bdf[BDF_BYTES];
	const char *class = text_lspci_function(line, bdf);
	struct listed *listed;
	size_t i;

	if (!class)
		return NULL;
	for (i = 0; i < listing->count; i++)
		if (listing->list[i].number == bdf_number(bdf))
			return &listing->list[i];
	listed = listed_add(listing, bdf);
	take_ids(listed, class);
	return listed;
}

static uint64_t size_of(const char *text)
{
	static const char units[] = "KMGT";
	char *end;
	uint64_t size = strtoull(text, &end, 10);
	const char *unit = *end ? strchr(units, *end) : NULL;

	return unit ? size << 10 * (unit - units + 1) : size;
}

/* "Region 0: Memory at 380000000000 (64-bit, prefetchable) [size=256G]" */
static void take_region(struct listed *listed, const char *line)
{
	unsigned int number;
	const char *memory = strstr(line, "Memory at "), *size = strstr(line, "[size=");
	struct listed_bar *bar;

	if (sscanf(line, "Region %1u:", &number) != 1 || number >= LISTED_BARS || !memory || !size)
		return;
	listed->bars = true;
	bar = &listed->bar[number];
	memory += strlen("Memory at ");
	bar->bytes = size_of(size + strlen("[size="));
	bar->flags = RESOURCE_MEMORY;
	if (strstr(memory, "64-bit"))
		bar->flags |= RESOURCE_64_BIT;
	if (strstr(memory, "prefetchable") && !strstr(memory, "non-prefetchable"))
		bar->flags |= RESOURCE_PREFETCH;
	if (isxdigit((unsigned char)*memory))
		bar->start = strtoull(memory, NULL, 16);
	else
		bar->flags |= RESOURCE_UNSET;
}

/* "10: 0c 00 00 00 ...", the next 16 bytes. */
static bool take_hex(struct listed *listed, const char *line)
{
	unsigned int offset, byte;
	int length = 0, i;
	char value;

	line = text_lspci_hex(line, &offset);
	if (!line || offset != listed->config.size || offset >= PCI_CFG_SPACE_EXP_SIZE)
		return line;
	for (i = 0; i < 16 && sscanf(line, " %2x%n", &byte, &length) == 1; i++, line += length) {
		value = byte;
		bytes_add(&listed->config, &value, 1);
	}
	return true;
}

static void take_driver(struct listed *listed, const char *name)
{
	char word[32];

	snprintf(word, sizeof(word), "%.*s", (int)strcspn(name, " "), name);
	if (listed_is_word(word))
		memcpy(listed->driver, word, sizeof(listed->driver));
}

static void take_line(struct listed *listed, const char *line)
{
	static const char driver[] = "Kernel driver in use: ", region[] = "Region ", node[] = "NUMA node: ",
			  group[] = "IOMMU group: ";
	const char *at;

	if (take_hex(listed, line))
		return;
	at = strstr(line, region);
	if (at)
		take_region(listed, at);
	at = strstr(line, node);
	if (at)
		sscanf(at, "NUMA node: %4d", &listed->numa);
	at = strstr(line, group);
	if (at)
		sscanf(at, "IOMMU group: %9d", &listed->group);
	at = strstr(line, driver);
	if (at)
		take_driver(listed, at + strlen(driver));
}

/* lspci -v and -k tell the driver of each function that has one, after lines such as these. */
static bool shows_drivers(const char *line)
{
	static const char *const words[] = {
		"Control: I/O", "Flags: ", "Subsystem: ", "Kernel driver in use: ", "Kernel modules: ",
	};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(line, words[i]))
			return true;
	return false;
}

static uint32_t bytes_at(const struct listed *listed, unsigned int offset, int count)
{
	uint32_t value = 0;

	while (count--)
		value = value << 8 | (unsigned char)listed->config.data[offset + count];
	return value;
}

/* The config space of a VF has no IDs; those in the first line count. */
static void take_header(struct listed *listed)
{
	if (listed->config.size < PCI_STD_HEADER_SIZEOF)
		return;
	if (bytes_at(listed, PCI_VENDOR_ID, 2) != 0xffff) {
		listed->has_ids = true;
		listed->vendor = bytes_at(listed, PCI_VENDOR_ID, 2);
		listed->device = bytes_at(listed, PCI_DEVICE_ID, 2);
	}
	listed->has_class = true;
	listed->class = bytes_at(listed, PCI_CLASS_PROG, 3);
	if ((bytes_at(listed, PCI_HEADER_TYPE, 1) & 0x7f) == PCI_HEADER_TYPE_BRIDGE) {
		listed->secondary = bytes_at(listed, PCI_SECONDARY_BUS, 1);
		listed->subordinate = bytes_at(listed, PCI_SUBORDINATE_BUS, 1);
	} else if (!(bytes_at(listed, PCI_HEADER_TYPE, 1) & 0x7f)) {
		listed->subvendor = bytes_at(listed, PCI_SUBSYSTEM_VENDOR_ID, 2);
		listed->subdevice = bytes_at(listed, PCI_SUBSYSTEM_ID, 2);
	}
}

static unsigned int find_extended(const struct listed *listed, unsigned int id)
{
	unsigned int at = PCI_CFG_SPACE_SIZE, tries = 64;
	uint32_t header;

	for (; tries && at >= PCI_CFG_SPACE_SIZE && at + 64 <= listed->config.size; tries--) {
		header = bytes_at(listed, at, 4);
		if (PCI_EXT_CAP_ID(header) == id)
			return at;
		at = PCI_EXT_CAP_NEXT(header);
	}
	return 0;
}

/* PCIe r6.0 sec 9.2.1.2: the Routing IDs of a PF's VFs. */
static void take_vfs(struct listing *listing, struct listed *pf)
{
	unsigned int at = find_extended(pf, PCI_EXT_CAP_ID_SRIOV), offset, stride;
	size_t i;

	if (!at || !(bytes_at(pf, at + PCI_SRIOV_CTRL, 2) & PCI_SRIOV_CTRL_VFE))
		return;
	pf->vfs = bytes_at(pf, at + PCI_SRIOV_NUM_VF, 2);
	offset = bytes_at(pf, at + PCI_SRIOV_VF_OFFSET, 2);
	stride = bytes_at(pf, at + PCI_SRIOV_VF_STRIDE, 2);
	for (i = 0; i < listing->count; i++) {
		uint64_t after = listing->list[i].number - pf->number - offset;

		if (listing->list[i].number > pf->number && stride && !(after % stride) &&
		    after / stride < pf->vfs)
			memcpy(listing->list[i].physfn, pf->bdf, sizeof(pf->bdf));
	}
}

/**
 * capture_lspci() - read the output of lspci -xxxx, or -xxx, as a captured host
 * @text: the output; modified
 * @tree: receives the files
 *
 * Return: number of functions.
 */
size_t capture_lspci(char *text, struct tree *tree)
{
	struct listing listing = { 0 };
	struct listed *listed = NULL, *next;
	char *line, *rest = text;
	size_t i, count;

	while (listing.count < CAPTURE_FUNCTIONS_MAX && (line = strsep(&rest, "\n"))) {
		next = take_function(&listing, line);
		if (next)
			listed = next;
		else if (listed)
			take_line(listed, line);
		listing.drivers |= listed && shows_drivers(line);
	}
	for (i = 0; i < listing.count; i++)
		take_header(&listing.list[i]);
	for (i = 0; i < listing.count; i++)
		take_vfs(&listing, &listing.list[i]);
	listed_write(&listing, tree);
	count = listing.count;
	listed_free(&listing);
	return count;
}
