/* SPDX-License-Identifier: GPL-2.0-only */
/* The GPUs this driver knows, and the hardware facts of each family. */
#ifndef _INSTINCT_PROFILE_H
#define _INSTINCT_PROFILE_H

#include "pure.h"

#define INSTINCT_VENDOR_AMD_GPU		0x1002	/* ATI */
#define INSTINCT_VENDOR_AMD		0x1022

/*
 * The PCI function IDs of physical functions. Virtual functions (74b5, 74b6,
 * 74b9, 74bc, 74bd, 75b0, 75b3) are left to stock drivers: AMD's GIM resets
 * them. Sources: Linux amdgpu_drv.c, pci.ids, AMD's MxGPU-Virtualization.
 */
#define INSTINCT_DEVICES(X)					\
	X(0x74a0, "MI300A", INSTINCT_FAMILY_MI300A)		\
	X(0x74a1, "MI300X", INSTINCT_FAMILY_MI300X)		\
	X(0x74a9, "MI300X-HF", INSTINCT_FAMILY_MI300X)		\
	X(0x74a2, "MI308X", INSTINCT_FAMILY_MI308X)		\
	X(0x74a8, "MI308X-HF", INSTINCT_FAMILY_MI308X)		\
	X(0x74a5, "MI325X", INSTINCT_FAMILY_MI325X)		\
	X(0x75a0, "MI350X", INSTINCT_FAMILY_MI350X)		\
	X(0x75a1, "MI350X", INSTINCT_FAMILY_MI350X)		\
	X(0x75a3, "MI355X", INSTINCT_FAMILY_MI355X)		\
	X(0x75a8, "MI350P", INSTINCT_FAMILY_MI350P)

enum instinct_family_id {
	INSTINCT_FAMILY_MI300A,
	INSTINCT_FAMILY_MI300X,
	INSTINCT_FAMILY_MI308X,
	INSTINCT_FAMILY_MI325X,
	INSTINCT_FAMILY_MI350X,
	INSTINCT_FAMILY_MI355X,
	INSTINCT_FAMILY_MI350P,
	INSTINCT_FAMILY_COUNT,
};

#define INSTINCT_LADDER_MAX	4

/**
 * struct instinct_ladder - reset methods in the order they are tried
 * @method: the methods; a method that AUTO may not use is not in it
 * @count: how many
 */
struct instinct_ladder {
	enum instinct_vfio_method method[INSTINCT_LADDER_MAX];
	unsigned int count;
};

/**
 * struct instinct_mp1 - registers of the SMU's processor MP1 and of MP0 that
 *	a reset needs, as dword offsets from the start of their block
 * @message: write a message here, last
 * @argument: its argument
 * @response: 0 while it is being served, then enum instinct_smu_response
 * @bootloader: MP0's bootloader state, bit 31 once steady
 */
struct instinct_mp1 {
	u32 message;
	u32 argument;
	u32 response;
	u32 bootloader;
};

/**
 * struct instinct_family - what GPUs of one family have in common
 * @name: as written in policy
 * @register_bar: BAR with the registers
 * @register_bytes: size of that BAR's part which holds what is used here
 * @vram_bar: BAR with the video memory
 * @memory_size: byte offset in @register_bar of the size of the video memory
 *	in MiB; all ones when the device is dead
 * @discovery_from_end: distance of the IP discovery table from the end of the
 *	video memory, in bytes
 * @mp0_base: first dword of MP0 in @register_bar
 * @mp1: registers
 * @ladder: what AUTO tries
 */
struct instinct_family {
	const char *name;
	u8 register_bar;
	u32 register_bytes;
	u8 vram_bar;
	u32 memory_size;
	u32 discovery_from_end;
	u32 mp0_base;
	struct instinct_mp1 mp1;
	struct instinct_ladder ladder;
};

/**
 * struct instinct_profile - one known device
 * @device: PCI device ID, the vendor is 1002
 * @model: marketing name
 * @family: facts
 */
struct instinct_profile {
	u16 device;
	const char *model;
	const struct instinct_family *family;
};

const struct instinct_profile *instinct_profile_find(u16 vendor, u16 device);
bool instinct_profile_family(const char *name);
bool instinct_profile_is_swus(u16 vendor, u16 device);
bool instinct_profile_is_swds(u16 vendor, u16 device);
enum instinct_vfio_role instinct_profile_role(u16 vendor, u16 device, int type);

#endif /* _INSTINCT_PROFILE_H */
