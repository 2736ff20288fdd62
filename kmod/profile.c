// SPDX-License-Identifier: GPL-2.0-only
#include <linux/pci_regs.h>

#include "profile.h"

/*
 * Registers of the families built on SMU 13.0.6 (MI300) as Linux's amdgpu
 * has them: mp_13_0_6_offset.h, smu_v13_0_6_ppt.c, amdgpu_discovery.c,
 * mmRCC_CONFIG_MEMSIZE in amdgpu_device.c. That the MI350 families share them
 * is inferred, and all of it is unverified on hardware: before the mailbox is
 * used, the discovery table and a test message must confirm it.
 */
#define FAMILY_SMU_13_0_6(_name)					\
	{								\
		.name = _name,						\
		.register_bar = 5,					\
		.register_bytes = 0x80000,				\
		.vram_bar = 0,						\
		.memory_size = 0x378c,					\
		.discovery_from_end = 64 << 10,				\
		.mp0_base = 0x16000,					\
		.mp1 = {						\
			.message = 0x282,	/* C2PMSG_66 */		\
			.argument = 0x292,	/* C2PMSG_82 */		\
			.response = 0x29a,	/* C2PMSG_90 */		\
			.bootloader = 0x63,	/* MP0 C2PMSG_35 */	\
		},							\
		.ladder = {						\
			/* What cannot lose the device, as far as known. */ \
			.method = {					\
				INSTINCT_VFIO_METHOD_MODE1,		\
				INSTINCT_VFIO_METHOD_QUIESCE,		\
			},						\
			.count = 2,					\
		},							\
	}

static const struct instinct_family families[INSTINCT_FAMILY_COUNT] = {
	[INSTINCT_FAMILY_MI300A] = FAMILY_SMU_13_0_6("mi300a"),
	[INSTINCT_FAMILY_MI300X] = FAMILY_SMU_13_0_6("mi300x"),
	[INSTINCT_FAMILY_MI308X] = FAMILY_SMU_13_0_6("mi308x"),
	[INSTINCT_FAMILY_MI325X] = FAMILY_SMU_13_0_6("mi325x"),
	[INSTINCT_FAMILY_MI350X] = FAMILY_SMU_13_0_6("mi350x"),
	[INSTINCT_FAMILY_MI355X] = FAMILY_SMU_13_0_6("mi355x"),
	[INSTINCT_FAMILY_MI350P] = FAMILY_SMU_13_0_6("mi350p"),
};

#define PROFILE(_device, _model, _family)	\
	{ .device = _device, .model = _model, .family = &families[_family] },

static const struct instinct_profile profiles[] = {INSTINCT_DEVICES(PROFILE)};

/**
 * instinct_profile_find() - look a PCI function up
 * @vendor: PCI vendor ID
 * @device: PCI device ID
 *
 * Return: its profile, or NULL for a device this driver does not know.
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
 * instinct_profile_family() - is there a family of this name?
 * @name: as written in policy
 *
 * Return: true if there is.
 */
bool instinct_profile_family(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(families); i++)
		if (!strcmp(families[i].name, name))
			return true;
	return false;
}

/**
 * instinct_profile_is_swus() - is this the upstream port of a GPU's package?
 * @vendor: PCI vendor ID
 * @device: PCI device ID
 *
 * Linux's amdgpu finds the port by the same ID
 * (amdgpu_device_cache_switch_state()).
 *
 * Return: true if it is.
 */
bool instinct_profile_is_swus(u16 vendor, u16 device)
{
	return vendor == INSTINCT_VENDOR_AMD && device == 0x1500;
}

/**
 * instinct_profile_is_swds() - is this the downstream port of a package?
 * @vendor: PCI vendor ID
 * @device: PCI device ID
 *
 * Both vendor IDs have been seen on MI300X and MI350X hosts.
 *
 * Return: true if it is.
 */
bool instinct_profile_is_swds(u16 vendor, u16 device)
{
	return (vendor == INSTINCT_VENDOR_AMD_GPU ||
		vendor == INSTINCT_VENDOR_AMD) && device == 0x1501;
}

/**
 * instinct_profile_role() - what a port is in the path to a GPU
 * @vendor: PCI vendor ID
 * @device: PCI device ID
 * @type: PCI Express port type (PCI_EXP_TYPE_*), negative if not known
 *
 * Return: the role.
 */
enum instinct_vfio_role instinct_profile_role(u16 vendor, u16 device, int type)
{
	if (instinct_profile_is_swus(vendor, device))
		return INSTINCT_VFIO_ROLE_SWUS;
	if (instinct_profile_is_swds(vendor, device))
		return INSTINCT_VFIO_ROLE_SWDS;
	switch (type) {
	case PCI_EXP_TYPE_ROOT_PORT:
		return INSTINCT_VFIO_ROLE_ROOT_PORT;
	case PCI_EXP_TYPE_UPSTREAM:
		return INSTINCT_VFIO_ROLE_SWITCH_UPSTREAM;
	case PCI_EXP_TYPE_DOWNSTREAM:
		return INSTINCT_VFIO_ROLE_SWITCH_DOWNSTREAM;
	default:
		return INSTINCT_VFIO_ROLE_OTHER;
	}
}
