// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/pci_regs.h>
#include <stddef.h>

#include "kind.h"
#include "quirk.h"

#define ROOT_PORTS	(1u << INSTINCT_NODE_ROOT_PORT)
#define DOWNSTREAM	(1u << INSTINCT_NODE_DOWNSTREAM)
#define ENDPOINTS	(1u << INSTINCT_NODE_ENDPOINT)
/* PCIe r6.0 sec 7.5.3.2 */
#define TYPE_INTEGRATED	9
/* Root ports of NVIDIA's Vera, see quirk_off(). */
#define DEVICE_VERA_FIRST	0x2f95
#define DEVICE_VERA_LAST	0x2f96

/**
 * struct quirk - Device IDs of functions with a quirk
 * @vendor: Vendor ID
 * @first: first Device ID
 * @last: last Device ID
 * @kinds: kinds of functions, bit n for enum instinct_node_kind n
 */
struct quirk {
	uint16_t vendor;
	uint16_t first;
	uint16_t last;
	unsigned int kinds;
};

/*
 * Linux 7.3, drivers/pci/quirks.c, pci_dev_acs_enabled. Ports first; then devices of several functions,
 * whose makers say that these do not reach each other.
 */
static const struct quirk isolating[] = {
	{ 0x8086, 0x3b42, 0x3b51, ROOT_PORTS },	/* Intel's PCHs, up to Wellsburg */
	{ 0x8086, 0x1c10, 0x1c1f, ROOT_PORTS },
	{ 0x8086, 0x1d10, 0x1d1e, ROOT_PORTS },
	{ 0x8086, 0x1e10, 0x1e1f, ROOT_PORTS },
	{ 0x8086, 0x8c10, 0x8c1f, ROOT_PORTS },
	{ 0x8086, 0x8c90, 0x8c9e, ROOT_PORTS },
	{ 0x8086, 0x8d10, 0x8d1e, ROOT_PORTS },
	{ 0x8086, 0x9c10, 0x9c1b, ROOT_PORTS },
	{ 0x8086, 0x9c90, 0x9c9b, ROOT_PORTS },
	{ 0x17cb, 0x0400, 0x0401, ROOT_PORTS },	/* Qualcomm */
	{ 0x17cb, 0x0111, 0x0111, ROOT_PORTS },
	{ 0x17cb, 0x0115, 0x0115, ROOT_PORTS },
	{ 0x17cb, 0x0120, 0x0120, ROOT_PORTS },
	{ 0x1dbf, 0x0401, 0x0401, ROOT_PORTS },	/* HXT */
	{ 0x177d, 0xa000, 0xa7ff, ROOT_PORTS },	/* Cavium ThunderX */
	{ 0x177d, 0xaf84, 0xaf84, ROOT_PORTS },
	{ 0x177d, 0xb884, 0xb884, ROOT_PORTS },
	{ 0x10e8, 0xe004, 0xe004, ROOT_PORTS },	/* APM X-Gene */
	{ 0x1def, 0xe005, 0xe00c, ROOT_PORTS },	/* Ampere */
	{ 0x14e4, 0xd714, 0xd714, ROOT_PORTS },	/* Broadcom */
	{ 0x1c36, 0x0031, 0x0031, ROOT_PORTS },	/* Annapurna Labs */
	{ 0x1957, 0x8d80, 0x8d83, ROOT_PORTS },	/* NXP */
	{ 0x1957, 0x8d88, 0x8d8b, ROOT_PORTS },
	{ 0x1957, 0x8d90, 0x8d93, ROOT_PORTS },
	{ 0x1957, 0x8d98, 0x8d9b, ROOT_PORTS },
	{ 0x1957, 0x8da0, 0x8da1, ROOT_PORTS },
	{ 0x1957, 0x8da8, 0x8da9, ROOT_PORTS },
	{ 0x1957, 0x8db0, 0x8db1, ROOT_PORTS },
	{ 0x1957, 0x8db8, 0x8db9, ROOT_PORTS },
	{ 0x0014, 0x3c09, 0x3c09, ROOT_PORTS },	/* Loongson */
	{ 0x0014, 0x3c19, 0x3c19, ROOT_PORTS },
	{ 0x0014, 0x3c29, 0x3c29, ROOT_PORTS },
	{ 0x0014, 0x7a09, 0x7a69, ROOT_PORTS },
	{ 0x1d17, 0x0710, 0x071e, ROOT_PORTS | DOWNSTREAM },	/* Zhaoxin */
	{ 0x1d17, 0x0721, 0x0721, ROOT_PORTS | DOWNSTREAM },
	{ 0x1d17, 0x0723, 0x0752, ROOT_PORTS | DOWNSTREAM },
	{ 0x1924, 0x0903, 0x0903, ENDPOINTS },	/* Solarflare */
	{ 0x1924, 0x0923, 0x0923, ENDPOINTS },
	{ 0x1924, 0x0a03, 0x0a03, ENDPOINTS },
	{ 0x8086, 0x105e, 0x1060, ENDPOINTS },	/* Intel's network cards */
	{ 0x8086, 0x10a7, 0x10a7, ENDPOINTS },
	{ 0x8086, 0x10a9, 0x10a9, ENDPOINTS },
	{ 0x8086, 0x10c6, 0x10c6, ENDPOINTS },
	{ 0x8086, 0x10c9, 0x10c9, ENDPOINTS },
	{ 0x8086, 0x10d6, 0x10d6, ENDPOINTS },
	{ 0x8086, 0x10d9, 0x10d9, ENDPOINTS },
	{ 0x8086, 0x10db, 0x10db, ENDPOINTS },
	{ 0x8086, 0x10dd, 0x10dd, ENDPOINTS },
	{ 0x8086, 0x10e1, 0x10e1, ENDPOINTS },
	{ 0x8086, 0x10e6, 0x10e8, ENDPOINTS },
	{ 0x8086, 0x10f1, 0x10f1, ENDPOINTS },
	{ 0x8086, 0x10f7, 0x10fc, ENDPOINTS },
	{ 0x8086, 0x1507, 0x1507, ENDPOINTS },
	{ 0x8086, 0x1509, 0x150a, ENDPOINTS },
	{ 0x8086, 0x150d, 0x1511, ENDPOINTS },
	{ 0x8086, 0x1514, 0x1514, ENDPOINTS },
	{ 0x8086, 0x1516, 0x1516, ENDPOINTS },
	{ 0x8086, 0x1518, 0x1518, ENDPOINTS },
	{ 0x8086, 0x151c, 0x151c, ENDPOINTS },
	{ 0x8086, 0x1521, 0x1524, ENDPOINTS },
	{ 0x8086, 0x1526, 0x1527, ENDPOINTS },
	{ 0x8086, 0x1529, 0x152a, ENDPOINTS },
	{ 0x8086, 0x154d, 0x154d, ENDPOINTS },
	{ 0x8086, 0x154f, 0x154f, ENDPOINTS },
	{ 0x8086, 0x1551, 0x1551, ENDPOINTS },
	{ 0x8086, 0x1558, 0x1558, ENDPOINTS },
	{ 0x8086, 0x15b7, 0x15b8, ENDPOINTS },
	{ 0x19a2, 0x0710, 0x0710, ENDPOINTS },	/* Emulex */
	{ 0x10df, 0x0720, 0x0720, ENDPOINTS },
	{ 0x177d, 0xa026, 0xa026, ENDPOINTS },	/* Cavium */
	{ 0x177d, 0xa059, 0xa059, ENDPOINTS },
	{ 0x177d, 0xa060, 0xa060, ENDPOINTS },
	{ 0x14e4, 0x16d7, 0x16d7, ENDPOINTS },	/* Broadcom */
	{ 0x14e4, 0x1750, 0x1752, ENDPOINTS },
	{ 0x14e4, 0x1760, 0x1763, ENDPOINTS },
	{ 0x1d17, 0x3038, 0x3038, ENDPOINTS },	/* Zhaoxin */
	{ 0x1d17, 0x3104, 0x3104, ENDPOINTS },
	{ 0x1d17, 0x9083, 0x9083, ENDPOINTS },
	{ 0x8088, 0x0100, 0x010f, ENDPOINTS },	/* Wangxun */
	{ 0x8088, 0x1001, 0x1001, ENDPOINTS },
	{ 0x8088, 0x2001, 0x2001, ENDPOINTS },
	{ 0x8088, 0x5010, 0x5010, ENDPOINTS },
	{ 0x8088, 0x5025, 0x5025, ENDPOINTS },
	{ 0x8088, 0x5040, 0x5040, ENDPOINTS },
	{ 0x8088, 0x5110, 0x5110, ENDPOINTS },
	{ 0x8088, 0x5125, 0x5125, ENDPOINTS },
	{ 0x8088, 0x5140, 0x5140, ENDPOINTS },
};

/* The same file, pci_quirk_intel_spt_pch_acs_match(). */
static const struct quirk wide[] = {
	{ 0x8086, 0x9d10, 0x9d1b, ROOT_PORTS },
	{ 0x8086, 0xa110, 0xa11f, ROOT_PORTS },
	{ 0x8086, 0xa167, 0xa16a, ROOT_PORTS },
	{ 0x8086, 0xa290, 0xa29f, ROOT_PORTS },
	{ 0x8086, 0xa2e7, 0xa2ee, ROOT_PORTS },
};

static bool is_listed(const struct quirk *quirks, size_t count, const struct instinct_node *node)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (quirks[i].vendor == node->vendor && quirks[i].first <= node->device &&
		    node->device <= quirks[i].last && quirks[i].kinds >> node->kind & 1)
			return true;
	return false;
}

/**
 * quirk_isolates() - tell whether Linux takes a function for one that isolates without ACS
 * @node: the function
 * @type: Device/Port Type of its PCI Express capability, -1 if unknown
 *
 * A port redirects or refuses peer-to-peer requests by means of its own; the functions of one device
 * do not reach each other; and functions inside Intel's CPUs reach others by translated addresses alone.
 *
 * Return: true if a quirk of Linux names the function.
 */
bool quirk_isolates(const struct instinct_node *node, int type)
{
	return is_listed(isolating, sizeof(isolating) / sizeof(isolating[0]), node) ||
	       (node->vendor == KIND_VENDOR_INTEL && type == TYPE_INTEGRATED);
}

/* Checks whether a port is above a function. The bound ends a loop of parents. */
static bool is_above(const struct instinct_topology *topology, int port, int node)
{
	int depth;

	for (depth = 0; node != INSTINCT_NODE_NONE && depth < topology->count; depth++) {
		node = topology->node[node].parent;
		if (node == port)
			return true;
	}
	return false;
}

/* Returns the ConnectX's switch above its data-direct function, INSTINCT_NODE_NONE for any other. */
static int direct_switch(const struct instinct_topology *topology, int node)
{
	int above;

	if (!kind_is_data_direct(topology->node[node].vendor, topology->node[node].device))
		return INSTINCT_NODE_NONE;
	above = instinct_topology_switch(topology, node);
	return above != INSTINCT_NODE_NONE &&
	       topology->node[above].vendor == KIND_VENDOR_MELLANOX ? above : INSTINCT_NODE_NONE;
}

/**
 * quirk_is_direct() - tell whether a function is the data-direct function beside an endpoint
 * @topology: all functions
 * @endpoint: index of the endpoint
 * @node: index of the function
 *
 * Return: true for a NIC's data-direct function if the switch above it, in the NIC, is above the
 * endpoint, too. Both belong into one IOMMU group (rdma-core, kernel-boot/rdma_topo).
 */
bool quirk_is_direct(const struct instinct_topology *topology, int endpoint, int node)
{
	int above = direct_switch(topology, node);

	return endpoint != node && above != INSTINCT_NODE_NONE &&
	       direct_switch(topology, endpoint) == INSTINCT_NODE_NONE &&
	       is_above(topology, above, endpoint);
}

static bool has_endpoint(const struct instinct_topology *topology, int above)
{
	int i;

	for (i = 0; i < topology->count; i++)
		if (topology->node[i].kind == INSTINCT_NODE_ENDPOINT &&
		    direct_switch(topology, i) == INSTINCT_NODE_NONE && is_above(topology, above, i))
			return true;
	return false;
}

/**
 * quirk_off() - find the ACS bits that have to stay off at a port
 * @topology: all functions
 * @port: index of the port
 *
 * rdma-core's kernel-boot/rdma_topo names them. Beside a data-direct function they are off from boot
 * on: Source Validation at the root port, so that the GPU and the function are in one IOMMU group,
 * P2P Request Redirect at the function's port, and P2P Completion Redirect at the GPU's. The root
 * ports of NVIDIA's Vera advertise P2P Completion Redirect, and cannot switch it on.
 *
 * Return: bits of ACS Control.
 */
uint16_t quirk_off(const struct instinct_topology *topology, int port)
{
	const struct instinct_node *node = topology->node;
	uint16_t off = 0, bits;
	int i, above;

	if (node[port].kind == INSTINCT_NODE_ROOT_PORT && node[port].vendor == KIND_VENDOR_NVIDIA &&
	    node[port].device >= DEVICE_VERA_FIRST && node[port].device <= DEVICE_VERA_LAST)
		off = PCI_ACS_CR;
	for (i = 0; i < topology->count; i++) {
		above = direct_switch(topology, i);
		if (above == INSTINCT_NODE_NONE)
			continue;
		if (node[port].kind == INSTINCT_NODE_ROOT_PORT && is_above(topology, port, above))
			bits = PCI_ACS_SV;
		else if (node[port].parent == above)
			bits = is_above(topology, port, i) ? PCI_ACS_RR : PCI_ACS_CR;
		else
			continue;
		if (has_endpoint(topology, above))
			off |= bits;
	}
	return off;
}

/**
 * quirk_group_bits() - find the ACS bits of a port that IOMMU groups below it rely on
 * @topology: all functions
 * @port: index of the port
 *
 * Return: bits of ACS Control; 0 if the groups rely on none.
 */
uint16_t quirk_group_bits(const struct instinct_topology *topology, int port)
{
	if (quirk_isolates(&topology->node[port], -1))
		return 0;
	return INSTINCT_ACS_GROUP_BITS & ~quirk_off(topology, port);
}

/**
 * quirk_has_wide_acs() - tell whether the registers of a port's ACS have 32 bits each
 * @node: the port
 *
 * Intel's errata call this form a fault: ACS Control is two bytes further on than it should be.
 *
 * Return: true for such a port.
 */
bool quirk_has_wide_acs(const struct instinct_node *node)
{
	return is_listed(wide, sizeof(wide) / sizeof(wide[0]), node);
}
