// SPDX-License-Identifier: GPL-2.0-only
/*
 * Preloaded into a VMM, this library appends the accesses to the config space of its VFIO devices
 * to the file CONFIG_TRACE, in the form of tests/bench/guest-boot:
 *
 *	r OFFSET BYTES
 *	w OFFSET BYTES VALUE
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/vfio.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* vfio-pci-core places a region at its index, shifted by this many bits. */
#define REGION_SHIFT	40

typedef ssize_t (*read_fn)(int fd, void *buf, size_t count, off64_t offset);
typedef ssize_t (*write_fn)(int fd, const void *buf, size_t count, off64_t offset);

static void record(char kind, const void *buf, size_t count, off64_t offset)
{
	static FILE *file;
	uint64_t val = 0;

	if (offset >> REGION_SHIFT != VFIO_PCI_CONFIG_REGION_INDEX || count > sizeof(val))
		return;
	if (!file)
		file = fopen(getenv("CONFIG_TRACE"), "ae");
	if (!file)
		return;
	memcpy(&val, buf, count);
	fprintf(file, kind == 'w' ? "w 0x%llx %zu 0x%llx\n" : "r 0x%llx %zu\n",
		(unsigned long long)offset & 0xfff, count, (unsigned long long)val);
	fflush(file);
}

ssize_t pread64(int fd, void *buf, size_t count, off64_t offset)
{
	static read_fn real;

	if (!real)
		real = (read_fn)dlsym(RTLD_NEXT, "pread64");
	record('r', buf, count, offset);
	return real(fd, buf, count, offset);
}

ssize_t pwrite64(int fd, const void *buf, size_t count, off64_t offset)
{
	static write_fn real;

	if (!real)
		real = (write_fn)dlsym(RTLD_NEXT, "pwrite64");
	record('w', buf, count, offset);
	return real(fd, buf, count, offset);
}

/* _FORTIFY_SOURCE turns pread64() into this call. */
ssize_t __pread64_chk(int fd, void *buf, size_t count, off64_t offset, size_t room)
{
	if (count > room)
		abort();
	return pread64(fd, buf, count, offset);
}
