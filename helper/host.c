// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <limits.h>
#include <linux/pci_regs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acs.h"
#include "host.h"
#include "profile.h"
#include "say.h"
#include "sysfs.h"
#include "sysroot.h"

#define CONFIG_BYTES	4096
#define HEADER_BYTES	64
#define CAPS_MAX	48	/* as many as fit */
#define EXT_CAPS_MAX	960
#define SERIAL_HIGH	8

static uint16_t word_at(const unsigned char *config, unsigned int at)
{
	return config[at] | config[at + 1] << 8;
}

static uint32_t dword_at(const unsigned char *config, unsigned int at)
{
	return word_at(config, at) | (uint32_t)word_at(config, at + 2) << 16;
}

static unsigned int capability(const unsigned char *config, unsigned int id)
{
	unsigned int at = config[PCI_CAPABILITY_LIST] & ~3u, tries = CAPS_MAX;

	if (!(config[PCI_STATUS] & PCI_STATUS_CAP_LIST))
		return 0;
	for (; at >= HEADER_BYTES && tries--; at = config[at + PCI_CAP_LIST_NEXT] & ~3u)
		if (config[at] == id)
			return at;
	return 0;
}

static unsigned int extended_capability(const unsigned char *config, unsigned int id)
{
	unsigned int at = PCI_CFG_SPACE_SIZE, tries = EXT_CAPS_MAX;

	while (at >= PCI_CFG_SPACE_SIZE && at <= CONFIG_BYTES - 16 && tries--) {
		uint32_t header = dword_at(config, at);

		if (!header || header == UINT32_MAX)
			break;
		if (PCI_EXT_CAP_ID(header) == id)
			return at;
		at = PCI_EXT_CAP_NEXT(header);
	}
	return 0;
}

static enum instinct_node_kind kind_of(const unsigned char *config, bool capabilities)
{
	unsigned int exp = capabilities ? capability(config, PCI_CAP_ID_EXP) : 0;
	int type = exp ? (config[exp + PCI_EXP_FLAGS] & PCI_EXP_FLAGS_TYPE) >> 4 : -1;

	return instinct_node_kind((config[PCI_HEADER_TYPE] & 0x7f) ==
				  PCI_HEADER_TYPE_BRIDGE, type);
}

static void add_window(struct host_function *function, uint64_t start, uint64_t end)
{
	if (start > end)
		return;
	function->window[function->windows].start = start;
	function->window[function->windows++].end = end;
}

static void read_windows(struct host_function *function, const unsigned char *config)
{
	uint64_t base, limit;

	base = (uint64_t)(word_at(config, PCI_MEMORY_BASE) & 0xfff0) << 16;
	limit = (uint64_t)(word_at(config, PCI_MEMORY_LIMIT) & 0xfff0) << 16 | 0xfffff;
	add_window(function, base, limit);
	base = (uint64_t)(word_at(config, PCI_PREF_MEMORY_BASE) & 0xfff0) << 16 |
	       (uint64_t)dword_at(config, PCI_PREF_BASE_UPPER32) << 32;
	limit = (uint64_t)(word_at(config, PCI_PREF_MEMORY_LIMIT) & 0xfff0) << 16 |
		(uint64_t)dword_at(config, PCI_PREF_LIMIT_UPPER32) << 32 | 0xfffff;
	add_window(function, base, limit);
}

static void read_extended(struct host_function *function, struct instinct_node *node,
			  const unsigned char *config)
{
	unsigned int acs = extended_capability(config, PCI_EXT_CAP_ID_ACS);
	unsigned int ats = extended_capability(config, PCI_EXT_CAP_ID_ATS);
	unsigned int serial = extended_capability(config, PCI_EXT_CAP_ID_DSN);

	function->readable = true;
	function->has_acs = acs;
	if (acs) {
		function->acs_capable = instinct_acs_capable(word_at(config,
								     acs + PCI_ACS_CAP));
		function->acs = word_at(config, acs + PCI_ACS_CTRL);
	}
	function->has_ats = ats;
	if (ats)
		function->ats = word_at(config, ats + PCI_ATS_CTRL);
	if (serial)
		node->serial = dword_at(config, serial + 4) |
			       (uint64_t)dword_at(config, serial + SERIAL_HIGH) << 32;
}

static void read_config(struct host_function *function, struct instinct_node *node)
{
	unsigned char config[CONFIG_BYTES];
	char path[PATH_MAX];
	ssize_t n;

	memset(config, 0, sizeof(config));
	sysfs_device_path(function->bdf, "config", path, sizeof(path));
	n = sysfs_read(path, config, sizeof(config));
	if (n < HEADER_BYTES || word_at(config, PCI_VENDOR_ID) == UINT16_MAX) {
		node->kind = node->class >> 8 == 0x0604 ? INSTINCT_NODE_BRIDGE :
			     INSTINCT_NODE_ENDPOINT;
		return;
	}
	node->kind = kind_of(config, n >= PCI_CFG_SPACE_SIZE);
	if (node->kind != INSTINCT_NODE_ENDPOINT)
		read_windows(function, config);
	if (n == CONFIG_BYTES)
		read_extended(function, node, config);
	/* A function without PCIe has none of it, and that is all there is. */
	else if (n == PCI_CFG_SPACE_SIZE)
		function->readable = true;
}

static uint32_t bdf_number(const char *bdf)
{
	unsigned int domain = 0, bus = 0, slot = 0, function = 0;

	if (sscanf(bdf, "%x:%x:%x.%u", &domain, &bus, &slot, &function) != 4)
		return 0;
	return domain << 16 | bus << 8 | slot << 3 | function;
}

static void add_function(struct host *host, const char *bdf)
{
	struct host_function *function = &host->function[host->count];
	struct instinct_node *node = &host->node[host->count];
	long long vendor, device, class, number;
	char group[32];

	if (!sysfs_read_number(bdf, "vendor", &vendor) ||
	    !sysfs_read_number(bdf, "device", &device) ||
	    !sysfs_read_number(bdf, "class", &class))
		return;
	*function = (struct host_function) { .group = GROUP_NONE, .numa_node = -1 };
	snprintf(function->bdf, sizeof(function->bdf), "%.*s", BDF_BYTES - 1, bdf);
	*node = (struct instinct_node) {
		.parent = INSTINCT_NODE_NONE,
		.bdf = bdf_number(bdf),
		.vendor = vendor,
		.device = device,
		.class = class,
		.package = instinct_profile_is_swus(vendor, device) ||
			   instinct_profile_is_swds(vendor, device),
	};
	sysfs_read_link(bdf, "driver", function->driver, sizeof(function->driver));
	if (sysfs_read_link(bdf, "iommu_group", group, sizeof(group)))
		function->group = atoi(group);
	function->virtual = sysfs_exists(bdf, "physfn");
	if (sysfs_read_number(bdf, "sriov_numvfs", &number) && number > 0)
		function->vfs = number;
	if (sysfs_read_number(bdf, "numa_node", &number))
		function->numa_node = number;
	read_config(function, node);
	host->count++;
}

/* The last port on the way that sysfs keeps it at; a VF is beside its PF. */
static void find_parent(struct host *host, int i)
{
	char path[PATH_MAX], real[PATH_MAX], bdf[BDF_BYTES];
	char *part, *rest;
	int at;

	sysfs_device_path(host->function[i].bdf, "", path, sizeof(path));
	if (!sysroot_realpath(path, real))
		return;
	for (part = strtok_r(real, "/", &rest); part; part = strtok_r(NULL, "/", &rest)) {
		if (!bdf_parse(part, bdf) || !strcmp(bdf, host->function[i].bdf))
			continue;
		at = host_find(host, bdf);
		if (at >= 0 && host->node[at].kind != INSTINCT_NODE_ENDPOINT)
			host->node[i].parent = at;
	}
}

/**
 * host_find() - look a function up
 * @host: host
 * @bdf: its address in full
 *
 * Return: its index or -1.
 */
int host_find(const struct host *host, const char *bdf)
{
	int i;

	for (i = 0; i < host->count; i++)
		if (!strcmp(host->function[i].bdf, bdf))
			return i;
	return -1;
}

static void allocate(struct host *host, size_t count)
{
	host->node = calloc(count + 1, sizeof(*host->node));
	host->function = calloc(count + 1, sizeof(*host->function));
	host->port = calloc(count + 1, sizeof(*host->port));
	if (!host->node || !host->function || !host->port) {
		perror("instinctctl");
		exit(EXIT_ERROR);
	}
}

/**
 * host_read() - read a host, this one or that of --sysroot
 * @host: set; host_free() is owed in any case
 *
 * Return: 0, or an exit code, and then it has said why.
 */
int host_read(struct host *host)
{
	struct dirent **entries;
	int count = sysfs_list(&entries), i;

	*host = (struct host) { 0 };
	if (count < 0)
		return exit_code_of(-count);
	allocate(host, count);
	for (i = 0; i < count; i++) {
		add_function(host, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	for (i = 0; i < host->count; i++) {
		find_parent(host, i);
		host->port[i] = (struct reach_port) {
			.has_acs = host->function[i].has_acs,
			.control = host->function[i].acs,
		};
	}
	host->topology = (struct instinct_topology) { host->node, host->count };
	return EXIT_OK;
}

/**
 * host_free() - let go of it
 * @host: host
 */
void host_free(struct host *host)
{
	free(host->node);
	free(host->function);
	free(host->port);
	*host = (struct host) { 0 };
}
