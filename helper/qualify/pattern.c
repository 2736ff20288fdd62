// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <linux/pci_regs.h>
#include <linux/vfio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "model.h"
#include "now.h"
#include "pattern.h"
#include "vfio_open.h"

#define LINE_BYTES	(PATTERN_WORDS * sizeof(uint64_t))
#define MIB		(1ull << 20)
#define TELL_MS		2000
/*
 * Bytes behind each line, and their distance from it. The Infinity Cache, 256 MiB in front of the
 * memory (AMD's CDNA 3 white paper), could hold all lines, and lose them in a reset that leaves the
 * memory. In 192 GiB these bytes are three times as much, and push the lines out.
 */
#define FILL_BYTES	8192
#define FILL_AT		4096

enum pass {
	PASS_WRITE,	/* write all lines */
	PASS_FILL,	/* write the bytes behind them */
	PASS_HELD,	/* note which lines read back as written */
	PASS_LEFT,	/* count the lines that are left */
};

/*
 * SplitMix64's finalizer: neighbours differ in half of their bits, so no other line and no value
 * of the firmware matches by chance.
 */
static uint64_t mix(uint64_t word)
{
	word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9ull;
	word = (word ^ word >> 27) * 0x94d049bb133111ebull;
	return word ^ word >> 31;
}

/**
 * pattern_line() - compute a line of the pattern
 * @seed: random number of the pattern
 * @address: offset of the line in the memory, bytes
 * @line: receives the line
 */
void pattern_line(uint64_t seed, uint64_t address, uint64_t line[PATTERN_WORDS])
{
	unsigned int i;

	for (i = 0; i < PATTERN_WORDS; i++)
		line[i] = mix(seed ^ (address + i * sizeof(*line)));
}

/**
 * pattern_is_left() - check whether memory still holds a part of a line
 * @seed: random number of the pattern
 * @address: offset of the line in the memory, bytes
 * @line: present contents
 *
 * One word is enough: memory that nobody refreshed during the reset may have lost others.
 *
 * Return: true if a word is as written.
 */
bool pattern_is_left(uint64_t seed, uint64_t address, const uint64_t line[PATTERN_WORDS])
{
	uint64_t written[PATTERN_WORDS];
	unsigned int i;

	pattern_line(seed, address, written);
	for (i = 0; i < PATTERN_WORDS; i++)
		if (line[i] == written[i])
			return true;
	return false;
}

static bool failed(const char *what, char *why, size_t size)
{
	snprintf(why, size, "%s: %s", what, strerror(errno));
	return false;
}

static bool find_region(int device, unsigned int index, struct vfio_region_info *info)
{
	*info = (struct vfio_region_info) { .argsz = sizeof(*info), .index = index };
	return !ioctl(device, VFIO_DEVICE_GET_REGION_INFO, info);
}

/* The BAR can be larger than the memory, and nothing answers behind its end. */
static bool measure(int device, struct pattern *pattern, uint64_t *base, char *why, size_t size)
{
	struct vfio_region_info config, registers, vram;
	uint16_t command;
	uint32_t mib;

	if (!find_region(device, VFIO_PCI_CONFIG_REGION_INDEX, &config) ||
	    !find_region(device, VFIO_PCI_BAR5_REGION_INDEX, &registers) ||
	    !find_region(device, VFIO_PCI_BAR0_REGION_INDEX, &vram) ||
	    pread(device, &command, 2, config.offset + PCI_COMMAND) != 2)
		return failed("finding the BARs", why, size);
	command |= PCI_COMMAND_MEMORY;
	if (pwrite(device, &command, 2, config.offset + PCI_COMMAND) != 2)
		return failed("switching memory decoding on", why, size);
	if (pread(device, &mib, 4, registers.offset + pattern->size_at) != 4)
		return failed("reading the size of the memory", why, size);
	if (!mib || mib == ~0u) {
		snprintf(why, size, "the GPU does not tell the size of its memory (0x%x)", mib);
		return false;
	}
	pattern->memory = mib * MIB;
	pattern->bytes = pattern->memory < vram.size ? pattern->memory : vram.size;
	*base = vram.offset;
	return true;
}

static bool do_line(int device, struct pattern *pattern, uint64_t base, enum pass pass, size_t i)
{
	uint64_t written[PATTERN_WORDS], line[PATTERN_WORDS], at = i * PATTERN_STEP;
	static const char fill[FILL_BYTES];

	if (pass == PASS_FILL)
		return pwrite(device, fill, FILL_BYTES, base + at + FILL_AT) == FILL_BYTES;
	pattern_line(pattern->seed, at, written);
	if (pass == PASS_WRITE)
		return pwrite(device, written, LINE_BYTES, base + at) == (ssize_t)LINE_BYTES;
	if (pread(device, line, LINE_BYTES, base + at) != (ssize_t)LINE_BYTES)
		return false;
	if (pass == PASS_HELD) {
		pattern->held[i] = !memcmp(line, written, LINE_BYTES);
		pattern->holding += pattern->held[i];
	} else {
		pattern->kept += pattern->held[i] && pattern_is_left(pattern->seed, at, line);
	}
	return true;
}

/* An access by VFIO's read and write fails on a lost GPU, where a mapping would raise SIGBUS. */
static bool go_over(int device, struct pattern *pattern, uint64_t base, enum pass pass, char *why,
		    size_t size)
{
	int64_t told = now_ms();
	char text[TEXT_BYTES];
	size_t i;

	for (i = 0; i < pattern->lines; i++) {
		errno = EIO;
		if (!do_line(device, pattern, base, pass, i))
			return failed(pass == PASS_WRITE || pass == PASS_FILL ?
				      "writing into the memory" : "reading the memory", why, size);
		if (!pattern->tell || now_ms() - told < TELL_MS)
			continue;
		told = now_ms();
		snprintf(text, sizeof(text), "  %zu of %zu lines %s", i + 1, pattern->lines,
			 pass == PASS_WRITE ? "written" : pass == PASS_FILL ?
			 "pushed out of the cache" : "read");
		pattern->tell(text);
	}
	return true;
}

/**
 * pattern_write() - write a pattern over the memory of a GPU that no user has open
 * @pattern: pattern with its GPU and its seed; the caller must call pattern_free()
 * @why: receives the reason of a failure; "" if the lines were written and read back
 * @size: bytes of @why
 *
 * The function reads the lines back before it closes the GPU. The module resets the GPU after
 * the close, in the background.
 *
 * Return: 1 if the GPU was opened, 0 if it could not be, -1 if this host does not allow to try it.
 */
int pattern_write(struct pattern *pattern, char *why, size_t size)
{
	struct vfio_user user;
	uint64_t base;
	int opened = vfio_open_begin(&user, pattern->bdf, why, size);

	if (opened <= 0)
		return opened;
	if (measure(user.device, pattern, &base, why, size)) {
		pattern->lines = pattern->bytes / PATTERN_STEP;
		pattern->held = array_new(pattern->lines, sizeof(*pattern->held));
		if (go_over(user.device, pattern, base, PASS_WRITE, why, size) &&
		    go_over(user.device, pattern, base, PASS_FILL, why, size))
			go_over(user.device, pattern, base, PASS_HELD, why, size);
	}
	vfio_open_end(&user);
	return 1;
}

/**
 * pattern_read() - count the lines of a pattern that a GPU's memory still holds
 * @pattern: pattern that pattern_write() has written
 * @why: receives the reason of a failure; "" if all lines were read
 * @size: bytes of @why
 *
 * Return: as pattern_write() does.
 */
int pattern_read(struct pattern *pattern, char *why, size_t size)
{
	struct pattern now = *pattern;
	struct vfio_user user;
	uint64_t base;
	int opened = vfio_open_begin(&user, pattern->bdf, why, size);

	if (opened <= 0)
		return opened;
	if (measure(user.device, &now, &base, why, size)) {
		if (now.bytes < pattern->bytes)
			snprintf(why, size, "BAR 0 shows less of the memory than before the reset");
		else
			go_over(user.device, pattern, base, PASS_LEFT, why, size);
	}
	vfio_open_end(&user);
	return 1;
}

/**
 * pattern_free() - free the memory of a pattern
 * @pattern: pattern, written or zeroed
 */
void pattern_free(struct pattern *pattern)
{
	free(pattern->held);
	pattern->held = NULL;
}
