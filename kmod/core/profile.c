// SPDX-License-Identifier: GPL-2.0-only
#include <linux/pci_regs.h>

#include "core/profile.h"

/*
 * Registers of the families with SMU 13.0.6 (MI300). Source: Linux's amdgpu, in
 * mp_13_0_6_offset.h, smu_v13_0_6_ppt.c, amdgpu_discovery.c, and mmRCC_CONFIG_MEMSIZE in
 * amdgpu_device.c. We infer that the MI350 families share them, and all of it is unverified on
 * hardware: before the module uses the mailbox, the discovery table must confirm its place, and a
 * test message must not disprove it.
 */
#define FAMILY_SMU_13_0_6(_name, ...)					\
	{								\
		.name = _name,						\
		.register_bar = 5,					\
		.register_bytes = 0x80000,				\
		.vram_bar = 0,						\
		.memory_size = 0x378c,					\
		.discovery_from_end = 64 << 10,				\
		.scratch = 0x250,	/* DRIVER_SCRATCH_0 to _2 */	\
		.posted = 0x14c,	/* BIOS_SCRATCH_7 */		\
		.mp0_base = 0x16000,					\
		.xgmi = 0x957,		/* MC_VM_XGMI_LFB_CNTL */	\
		.partition_memory = 0x164, /* BIF_BX_PF0_PARTITION_MEM_STATUS */ \
		.partition_compute = 0x163, /* BIF_BX_PF0_PARTITION_COMPUTE_STATUS */ \
		.mp1 = {						\
			.message = 0x282,	/* C2PMSG_66 */		\
			.argument = 0x292,	/* C2PMSG_82 */		\
			.response = 0x29a,	/* C2PMSG_90 */		\
			.ready = 0x61,		/* MP0 C2PMSG_33 */	\
			.bootloader = 0x63,	/* MP0 C2PMSG_35 */	\
			.boot_status = 0x9c,	/* MP0 C2PMSG_92 */	\
			.boot_error = 0xbe,	/* MP0 C2PMSG_126 */	\
			.sos = 0x91,		/* MP0 C2PMSG_81 */	\
		},							\
		__VA_ARGS__						\
	}

static const struct instinct_family families[INSTINCT_FAMILY_COUNT] = {
	[INSTINCT_FAMILY_MI300X] = FAMILY_SMU_13_0_6("mi300x"),
	[INSTINCT_FAMILY_MI308X] = FAMILY_SMU_13_0_6("mi308x"),
	[INSTINCT_FAMILY_MI325X] = FAMILY_SMU_13_0_6("mi325x"),
	[INSTINCT_FAMILY_MI350X] = FAMILY_SMU_13_0_6("mi350x"),
	[INSTINCT_FAMILY_MI355X] = FAMILY_SMU_13_0_6("mi355x"),
	/*
	 * MI350P is a card without Infinity Fabric links. tinygrad #17693 does not use mode-1 on
	 * it, as destructive, so only an operator who names the method gets it.
	 */
	[INSTINCT_FAMILY_MI350P] = FAMILY_SMU_13_0_6("mi350p", .solitary = true, .mode1_by_name = true),
};

#define PROFILE(_device, _model, _family)	\
	{ .device = _device, .model = _model, .family = &families[_family] },

static const struct instinct_profile profiles[] = {INSTINCT_DEVICES(PROFILE)};

/**
 * instinct_profile_find() - look up the profile of a PCI function
 * @vendor: PCI vendor ID
 * @device: PCI device ID
 *
 * Return: the profile, or NULL for a device that this driver does not know.
 */
const struct instinct_profile *instinct_profile_find(u16 vendor, u16 device)
{
	unsigned int i;

	if (vendor != INSTINCT_VENDOR_AMD_GPU)
		return NULL;
	for (i = 0; i < ARRAY_SIZE(profiles); i++)
		if (profiles[i].device == device)
			return &profiles[i];
	return NULL;
}

/**
 * instinct_profile_port() - tell whether a port is part of a GPU's package
 * @vendor: PCI vendor ID
 * @device: PCI device ID
 * @type: PCI Express port type (PCI_EXP_TYPE_*), negative if not known
 *
 * Linux's amdgpu recognises the switch in a GPU's package by vendor 1002 or 1022 and by the port
 * types right above a GPU (amdgpu_device_cache_switch_state()). AMD (vendor 1022) has made other
 * switches too, so for that vendor this function wants the IDs seen on MI300X and MI350X hosts.
 *
 * Return: the port's part in the package.
 */
enum instinct_package_port instinct_profile_port(u16 vendor, u16 device, int type)
{
	bool gpu = vendor == INSTINCT_VENDOR_AMD_GPU, amd = vendor == INSTINCT_VENDOR_AMD;

	if ((amd && device == 0x1500) || (gpu && type == PCI_EXP_TYPE_UPSTREAM))
		return INSTINCT_PACKAGE_SWUS;
	if (((amd || gpu) && device == 0x1501) || (gpu && type == PCI_EXP_TYPE_DOWNSTREAM))
		return INSTINCT_PACKAGE_SWDS;
	return INSTINCT_PACKAGE_NONE;
}
