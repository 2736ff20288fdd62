// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The GPU's register BAR, through a mapping that cannot write. A register behind an index register
 * is out of reach: the index would have to be written.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/pci_regs.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hardware/discovery.h"
#include "look.h"
#include "say.h"
#include "sysfs.h"

/* regBIF_BX0_BACO_CNTL, dword from base 2 of NBIF (nbio_7_9_0_offset.h). */
#define BACO_CNTL	0x10bu

/**
 * look_untouched() - tell why no register of a GPU may be read
 * @look: census
 * @gpu: GPU with its facts from sysfs
 *
 * A request that nobody answers is an error at a port above. Where the firmware owns AER it may end
 * the host.
 *
 * Return: the reason, or NULL if its registers may be read.
 */
const char *look_untouched(const struct look *look, const struct look_gpu *gpu)
{
	bool firmware = !gpu->dev.ports || (gpu->port[0].own.aer != OWNER_LINUX &&
					    gpu->port[0].own.aer != OWNER_NONE);

	if (*opt_sysroot)
		return "a capture has no registers";
	if (!gpu->family)
		return "the module does not know the device";
	if (!strcmp(gpu->dev.driver, LOOK_GIM))
		return "AMD's GIM has the GPU, so it is not touched";
	if (gpu->vfs)
		return "the GPU has virtual functions, so it is not touched";
	if (gpu->asleep)
		return "the GPU sleeps, so it is not touched";
	if (gpu->dev.state == INSTINCT_VFIO_STATE_RESETTING)
		return "the GPU is in reset, so it is not touched";
	if (gpu->dev.state == INSTINCT_VFIO_STATE_LOST || gpu->dev.silent || gpu->placeholder)
		return "the GPU is lost";
	if (gpu->used)
		return "a user has the GPU open, so it is not touched";
	if (!gpu->config)
		return "the GPU's config space cannot be read (are you root?)";
	if (!gpu->in_d0)
		return "the GPU sleeps, so it is not touched";
	if (!(gpu->command & PCI_COMMAND_MEMORY))
		return "the GPU decodes no memory accesses, and switching that on is a write";
	if (firmware && !look->anyway)
		return "Linux does not own AER, so a request that nobody answers may end the host; --registers reads them anyway";
	return NULL;
}

static const char *map_error(int error)
{
	switch (error) {
	case EPERM:
	case EACCES:
		return "the kernel allows no mapping of a BAR: it is locked down, or this is not run as root";
	case EINVAL:
		return "a driver keeps the BAR to itself";
	default:
		return "the BAR cannot be mapped";
	}
}

/* Map a part of a BAR, right after a look at the GPU; NULL with the reason in @why. */
static const volatile void *map_bar(struct look_gpu *gpu, unsigned int bar, uint64_t at, size_t bytes,
				    const char **why)
{
	char name[32], path[PATH_MAX];
	void *map = MAP_FAILED;
	int fd, error;

	if (!gpu->bar[bar].bytes || at > gpu->bar[bar].bytes || bytes > gpu->bar[bar].bytes - at) {
		*why = "the BAR has no address, or ends before";
		return NULL;
	}
	if (!look_config(gpu)) {
		*why = "the GPU has just stopped answering";
		return NULL;
	}
	snprintf(name, sizeof(name), "resource%u", bar);
	sysfs_device_path(gpu->dev.bdf, name, path, sizeof(path));
	fd = open(path, O_RDONLY | O_CLOEXEC | O_SYNC);
	if (fd >= 0)
		map = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, at);
	error = errno;
	if (fd >= 0)
		close(fd);
	*why = map_error(error);
	return map == MAP_FAILED ? NULL : map;
}

static bool copy_vram(struct look_gpu *gpu, uint64_t at, uint32_t *bin, const char **why)
{
	size_t page = at % sysconf(_SC_PAGESIZE), bytes = page + INSTINCT_DISCOVERY_BYTES, i;
	const volatile void *map;

	*why = "the registers place it at an odd address";
	map = at % 4 ? NULL : map_bar(gpu, gpu->family->vram_bar, at - page, bytes, why);
	if (!map)
		return false;
	for (i = 0; i < INSTINCT_DISCOVERY_BYTES / 4; i++)
		bin[i] = ((const volatile uint32_t *)map)[page / 4 + i];
	munmap((void *)map, bytes);
	return true;
}

/* The places are those of the module's discovery_read(). */
static void read_discovery(struct look_gpu *gpu, const volatile uint32_t *map)
{
	const struct instinct_family *family = gpu->family;
	uint64_t at = ((uint64_t)gpu->regs.memory_size << 20) - family->discovery_from_end;
	uint32_t bin[INSTINCT_DISCOVERY_BYTES / 4] = { 0 };
	struct instinct_discovery found;
	const char *why = "";
	bool copied;

	if (!gpu->regs.memory_size || gpu->regs.memory_size >= LOOK_MEMORY_MAX_MIB) {
		gpu->blocks.why = "its place follows from the memory size, which is unknown";
		return;
	}
	copied = copy_vram(gpu, at, bin, &why);
	if ((!copied || bin[0] != INSTINCT_DISCOVERY_SIGNATURE) && map[family->scratch / 4 + 2])
		copied = copy_vram(gpu, map[family->scratch / 4] | (uint64_t)map[family->scratch / 4 + 1] << 32,
				   bin, &why);
	gpu->blocks.wrong = copied && instinct_discovery_parse((const u8 *)bin, sizeof(bin), &found, &why);
	gpu->blocks.why = why;
	if (!copied || gpu->blocks.wrong)
		return;
	gpu->blocks = (struct look_blocks) {
		.mp1 = found.mp1, .gc = found.gc, .nbif = found.nbif,
		.fingerprint = found.fingerprint, .source = "memory",
	};
}

static uint32_t block_read(const struct look_gpu *gpu, const volatile uint32_t *map, uint32_t base,
			   uint32_t dword)
{
	uint64_t at = (uint64_t)base + dword;

	return base && at < gpu->family->register_bytes / 4 ? map[at] : ~0u;
}

/**
 * look_registers_take() - read the registers of a GPU
 * @gpu: GPU with the places of its blocks; receives the values
 * @map: its register BAR, as long as its family says
 */
void look_registers_take(struct look_gpu *gpu, const volatile uint32_t *map)
{
	const struct instinct_family *family = gpu->family;
	const struct instinct_mp1 *mp1 = &family->mp1;
	struct look_registers *regs = &gpu->regs;

	regs->sos = map[family->mp0_base + mp1->sos];
	regs->ready = map[family->mp0_base + mp1->ready];
	regs->bootloader = map[family->mp0_base + mp1->bootloader];
	regs->boot_status = map[family->mp0_base + mp1->boot_status];
	regs->boot_error = map[family->mp0_base + mp1->boot_error];
	regs->posted = map[family->posted / 4];
	regs->response = block_read(gpu, map, gpu->blocks.mp1, mp1->response);
	regs->xgmi = block_read(gpu, map, gpu->blocks.gc, family->xgmi);
	regs->memory = block_read(gpu, map, gpu->blocks.nbif, family->partition_memory);
	regs->compute = block_read(gpu, map, gpu->blocks.nbif, family->partition_compute);
	regs->baco = block_read(gpu, map, gpu->blocks.nbif, BACO_CNTL);
}

/**
 * look_registers_map() - map the register BAR of a GPU, and read it and the discovery table
 * @gpu: GPU whose registers may be read; receives regs and, unless amdgpu told them, blocks
 */
void look_registers_map(struct look_gpu *gpu)
{
	const volatile uint32_t *map;

	map = map_bar(gpu, gpu->family->register_bar, 0, gpu->family->register_bytes, &gpu->regs.why);
	if (!map)
		return;
	gpu->regs.why = NULL;
	gpu->regs.memory_size = map[gpu->family->memory_size / 4];
	/* A GPU without life answers no further register. */
	if (gpu->regs.memory_size == ~0u) {
		gpu->regs.why = "the registers read all ones: the GPU shows no life";
	} else {
		if (!gpu->blocks.source)
			read_discovery(gpu, map);
		look_registers_take(gpu, map);
	}
	munmap((void *)map, gpu->family->register_bytes);
}

/**
 * look_registers() - read the registers of a GPU where that is safe
 * @look: census
 * @gpu: GPU with its facts from sysfs; receives regs, with the reason if nothing was read
 */
void look_registers(const struct look *look, struct look_gpu *gpu)
{
	gpu->regs.why = look_untouched(look, gpu);
	if (!gpu->regs.why)
		look_registers_map(gpu);
}
