// SPDX-License-Identifier: GPL-2.0-or-later
#include "bdf.h"
#include "core/profile.h"
#include "kind.h"
#include "sysfs.h"

/* Base class and sub-class, PCI Code and ID Assignment Specification. */
#define CLASS_VGA		0x0300
#define CLASS_3D		0x0302
#define CLASS_DISPLAY_OTHER	0x0380
#define CLASS_ACCELERATOR	0x1200

/* Vendor IDs of emulated devices: virtio, QEMU's two, VMware. */
#define VENDOR_VIRTIO		0x1af4
#define VENDOR_QEMU		0x1b36
#define VENDOR_QEMU_OLD		0x1234
#define VENDOR_VMWARE		0x15ad

/* Linux, drivers/infiniband/hw/mlx5/data_direct.c */
#define DEVICE_DATA_DIRECT	0x2100
/* Makers of PCIe switches, whose network functions manage the switch. */
#define VENDOR_BROADCOM_LSI	0x1000
#define VENDOR_PLX		0x10b5
#define VENDOR_MICROCHIP	0x11f8

#define CLASS_NETWORK		0x02
#define CLASS_INFINIBAND	0x0207
#define CLASS_FABRIC		0x0208

/* Intel puts the GPU inside a CPU at device 2 of bus 0, and its VFs at functions beside it. */
#define INTEL_INTEGRATED	(2u << 3)
/* Consoles of old BMCs with AMD's vendor ID: ES1000 and Rage XL, in pci.ids. */
#define DEVICE_ES1000	0x515e
#define DEVICE_RAGE_XL	0x4752
/* AMD gives the graphics inside its CPUs and chipsets Device IDs of these two ranges (pci.ids). */
#define AMD_APU_END		0x2000
#define AMD_IGP_FIRST		0x9600
#define AMD_IGP_LAST		0x99ff

/* Intel's GPUs for data centres, Max and Flex, are GPUs at any address. */
static bool is_intel_data_centre(uint32_t device)
{
	return (device & 0xfff0) == 0x0bd0 || (device & 0xfff0) == 0x56c0;
}

static bool is_amd_integrated(uint32_t device)
{
	return device < AMD_APU_END || (device >= AMD_IGP_FIRST && device <= AMD_IGP_LAST);
}

/**
 * kind_is_emulated() - tell whether a VMM emulates devices of a vendor
 * @vendor: Vendor ID
 *
 * Return: true for virtio, QEMU's own devices and VMware's.
 */
bool kind_is_emulated(uint32_t vendor)
{
	return vendor == VENDOR_VIRTIO || vendor == VENDOR_QEMU || vendor == VENDOR_QEMU_OLD ||
	       vendor == VENDOR_VMWARE;
}

/**
 * kind_is_gpu() - decide whether a function is a GPU that a guest may get
 * @vendor: Vendor ID
 * @device: Device ID
 * @class: base class, sub-class, interface
 * @bdf: domain << 16 | bus << 8 | devfn
 *
 * The console of a BMC, a GPU inside Intel's or AMD's CPUs, a display that a VMM emulates, and accelerators of
 * other vendors than AMD are no such GPUs. A display controller without VGA is no console, so it is a
 * GPU of any vendor. The caller excludes ports.
 *
 * Return: true for a GPU or for a VF of one.
 */
bool kind_is_gpu(uint32_t vendor, uint32_t device, uint32_t class, uint64_t bdf)
{
	class >>= 8;
	if (kind_is_emulated(vendor))
		return false;
	if (class == CLASS_3D)
		return true;
	if (class != CLASS_VGA && class != CLASS_DISPLAY_OTHER)
		return class == CLASS_ACCELERATOR && vendor == INSTINCT_VENDOR_AMD_GPU;
	switch (vendor) {
	case INSTINCT_VENDOR_AMD_GPU:
		return device != DEVICE_ES1000 && device != DEVICE_RAGE_XL && !is_amd_integrated(device);
	case KIND_VENDOR_NVIDIA:
		return true;
	case KIND_VENDOR_INTEL:
		return is_intel_data_centre(device) || (bdf & ~7ull) != INTEL_INTEGRATED;
	default:
		return class == CLASS_DISPLAY_OTHER;
	}
}

/**
 * kind_is_nic() - tell whether a function is a network card
 * @vendor: Vendor ID
 * @class: base class, sub-class, interface
 *
 * Return: true for network functions, unless they manage a PCIe switch.
 */
bool kind_is_nic(uint32_t vendor, uint32_t class)
{
	return class >> 16 == CLASS_NETWORK && vendor != VENDOR_BROADCOM_LSI &&
	       vendor != VENDOR_PLX && vendor != VENDOR_MICROCHIP;
}

/**
 * kind_has_rdma() - tell whether a network card has RDMA, with any driver or none
 * @vendor: Vendor ID
 * @device: Device ID
 * @class: base class, sub-class, interface
 *
 * Return: true for known cards with RDMA; false also for an unknown card.
 */
bool kind_has_rdma(uint32_t vendor, uint32_t device, uint32_t class)
{
	/* Cards of Linux's drivers/infiniband/hw and of HPE's cxi that are in use; IDs: pci.ids and the drivers. */
	static const struct {
		uint16_t vendor, first, last;
	} known[] = {
		{ KIND_VENDOR_MELLANOX, 0x1002, 0xffff },	/* NVIDIA ConnectX and BlueField */
		{ 0x1d0f, 0xefa0, 0xefaf },	/* Amazon EFA; its ENA has none */
		{ 0x14e4, 0x1604, 0x1606 },	/* Broadcom NetXtreme-E */
		{ 0x14e4, 0x1614, 0x1614 },
		{ 0x14e4, 0x16d6, 0x16d9 },
		{ 0x14e4, 0x16e2, 0x16e3 },
		{ 0x14e4, 0x16eb, 0x16eb },
		{ 0x14e4, 0x16ed, 0x16ed },
		{ 0x14e4, 0x16ef, 0x16ef },
		{ 0x14e4, 0x1750, 0x1763 },
		{ 0x14e4, 0x1800, 0x181b },
		{ 0x1dd8, 0x1002, 0x1003 },	/* AMD Pensando */
		{ 0x17db, 0x0501, 0x0502 },	/* HPE Slingshot */
		{ 0x8086, 0x1591, 0x159b },	/* Intel E810 */
		{ 0x8086, 0x37cd, 0x37d3 },	/* Intel X722 */
		{ 0x1425, 0x4400, 0x44ff },	/* Chelsio T4 to T6: function 4 has the network */
		{ 0x1425, 0x5400, 0x54ff },
		{ 0x1425, 0x6400, 0x64ff },
		{ 0x1077, 0x1634, 0x1636 },	/* Marvell FastLinQ */
		{ 0x1077, 0x1644, 0x1644 },
		{ 0x1077, 0x1654, 0x1656 },
		{ 0x1077, 0x1664, 0x1666 },
		{ 0x1077, 0x8070, 0x8070 },
		{ 0x1077, 0x8090, 0x8090 },
		{ 0x19e5, 0xa222, 0xa228 },	/* HiSilicon HNS */
		{ 0x19e5, 0xa22f, 0xa22f },
		{ 0x1ded, 0x107f, 0x107f },	/* Alibaba ERDMA */
		{ 0x1414, 0x00ba, 0x00ba },	/* Microsoft MANA */
	};
	size_t i;

	if (class >> 8 == CLASS_INFINIBAND || class >> 8 == CLASS_FABRIC)
		return true;
	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].vendor == vendor && known[i].first <= device && device <= known[i].last)
			return true;
	return false;
}

/**
 * kind_is_accelerator() - tell whether a class is that of processing accelerators
 * @class: base class, sub-class, interface
 *
 * Return: true for AMD's GPUs for data centres, for FPGAs and the like.
 */
bool kind_is_accelerator(uint32_t class)
{
	return class >> 8 == CLASS_ACCELERATOR;
}

/**
 * kind_is_amd_accelerator() - tell whether a function is an AMD GPU for data centres, known or not
 * @vendor: Vendor ID
 * @class: base class, sub-class, interface
 *
 * The kernel's vfio-pci may lose such a GPU by a reset, so nothing advises that driver for it.
 *
 * Return: true for accelerators, and for display controllers without VGA (MI50 to MI250X).
 */
bool kind_is_amd_accelerator(uint32_t vendor, uint32_t class)
{
	return vendor == INSTINCT_VENDOR_AMD_GPU &&
	       (kind_is_accelerator(class) || class >> 8 == CLASS_DISPLAY_OTHER);
}

/**
 * kind_is_data_direct() - tell whether a function is the data-direct function of a NIC
 * @vendor: Vendor ID
 * @device: Device ID
 *
 * Such a function is a NIC's second way to memory, often beside a GPU.
 *
 * Return: true for one of NVIDIA's.
 */
bool kind_is_data_direct(uint32_t vendor, uint32_t device)
{
	return vendor == KIND_VENDOR_MELLANOX && device == DEVICE_DATA_DIRECT;
}

/**
 * kind_is_gpu_at() - decide by sysfs whether a function is a GPU that a guest may get
 * @bdf: address with the domain
 *
 * Return: false also if sysfs does not tell.
 */
bool kind_is_gpu_at(const char *bdf)
{
	long long vendor, device, class;

	return sysfs_read_number(bdf, "vendor", &vendor) &&
	       sysfs_read_number(bdf, "device", &device) &&
	       sysfs_read_number(bdf, "class", &class) &&
	       kind_is_gpu(vendor, device, class, bdf_number(bdf));
}
