/* SPDX-License-Identifier: GPL-2.0-only */
/* The GPUs this driver knows, and the hardware facts of each family. */
#ifndef _INSTINCT_PROFILE_H
#define _INSTINCT_PROFILE_H

#include "core/pure.h"

#define INSTINCT_VENDOR_AMD_GPU		0x1002	/* ATI */
#define INSTINCT_VENDOR_AMD		0x1022

/*
 * A PEX890xx switch in Synthetic Mode answers config reads with these IDs in place of a device
 * that it cannot reach (linux-pci, June 2026).
 */
#define INSTINCT_PLACEHOLDER_VENDOR	0x1000	/* Broadcom, once LSI */
#define INSTINCT_PLACEHOLDER_DEVICE	0x02b2
#define INSTINCT_PLACEHOLDER_NAME	"placeholder 1000:02b2"
/* A format: it takes the names of the function and of the switch. */
#define INSTINCT_PLACEHOLDER_TEXT	INSTINCT_PLACEHOLDER_NAME \
					" for %s: switch %s is in Synthetic Mode"

/*
 * PCI device IDs of the physical functions. The module leaves virtual functions (74b5, 74b6, 74b9,
 * 74bc, 74bd, 75b0, 75b3) to stock drivers: AMD's GIM resets them. Sources: Linux's amdgpu_drv.c,
 * pci.ids, AMD's MxGPU-Virtualization.
 */
#define INSTINCT_DEVICES(X)					\
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
	INSTINCT_FAMILY_MI300X,
	INSTINCT_FAMILY_MI308X,
	INSTINCT_FAMILY_MI325X,
	INSTINCT_FAMILY_MI350X,
	INSTINCT_FAMILY_MI355X,
	INSTINCT_FAMILY_MI350P,
	INSTINCT_FAMILY_COUNT,
};

/**
 * struct instinct_mp1 - registers that a reset needs of the SMU's processor MP1 and of the security
 *	processor MP0, as dword offsets from the start of their block
 * @message: MP1: the message; the write that posts it, so it comes last
 * @argument: MP1: argument of the message
 * @response: MP1: 0 while the SMU serves the message, then the SMU's answer
 * @ready: MP0: bit 31 and no other bit once the bootloader takes commands
 * @bootloader: MP0: bit 31 and no other bit once the bootloader has come up
 * @boot_status: MP0: boot status of the firmware
 * @boot_error: MP0: failed parts of the boot, one bit each
 * @sos: MP0: sign of life of the secure OS; 0 until a driver has loaded it
 */
struct instinct_mp1 {
	u32 message;
	u32 argument;
	u32 response;
	u32 ready;
	u32 bootloader;
	u32 boot_status;
	u32 boot_error;
	u32 sos;
};

/**
 * struct instinct_family - hardware facts of the GPUs of one family
 * @name: name as policy.conf has it
 * @register_bar: number of the BAR with the registers
 * @register_bytes: size of the part of that BAR that holds every register used here
 * @vram_bar: number of the BAR with the video memory
 * @memory_size: byte offset in @register_bar of the register with the size of the video memory
 *	in MiB; it reads all ones when the device is dead
 * @discovery_from_end: distance of the IP discovery table from the end of the video memory, in
 *	bytes
 * @scratch: byte offset of three registers about an IP discovery table elsewhere: the low and the
 *	high half of its address, and its size, which is 0 if there is none
 * @posted: byte offset of the register whose bit 9 tells a driver that the VBIOS has been posted
 * @mp0_base: first dword of MP0 in @register_bar
 * @xgmi: dword offset, from the graphics engine, of the register about the hive
 * @partition_memory: dword offset, from the bus interface, of the memory partition's status
 * @partition_compute: dword offset, from the bus interface, of the compute partition's status
 * @mp1: registers of MP1 and MP0
 * @solitary: no GPU of the family is in a hive
 * @mode1_by_name: AUTO does not try mode-1, only an operator who names it
 */
struct instinct_family {
	const char *name;
	u8 register_bar;
	u32 register_bytes;
	u8 vram_bar;
	u32 memory_size;
	u32 discovery_from_end;
	u32 scratch;
	u32 posted;
	u32 mp0_base;
	u32 xgmi;
	u32 partition_memory;
	u32 partition_compute;
	struct instinct_mp1 mp1;
	bool solitary;
	bool mode1_by_name;
};

/**
 * struct instinct_profile - one known device
 * @device: PCI device ID; the vendor ID is 1002
 * @model: marketing name
 * @family: hardware facts
 */
struct instinct_profile {
	u16 device;
	const char *model;
	const struct instinct_family *family;
};

const struct instinct_profile *instinct_profile_find(u16 vendor, u16 device);

/**
 * enum instinct_package_port - part of a port in a GPU's package
 * @INSTINCT_PACKAGE_NONE: the port is in none
 * @INSTINCT_PACKAGE_SWUS: upstream port of the package's switch
 * @INSTINCT_PACKAGE_SWDS: downstream port of that switch, right above the GPU
 */
enum instinct_package_port {
	INSTINCT_PACKAGE_NONE,
	INSTINCT_PACKAGE_SWUS,
	INSTINCT_PACKAGE_SWDS,
};

enum instinct_package_port instinct_profile_port(u16 vendor, u16 device, int type);

#endif /* _INSTINCT_PROFILE_H */
