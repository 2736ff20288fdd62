// SPDX-License-Identifier: GPL-2.0-only
/*
 * The nested guest's only process checks each passed-through device as a driver would,
 * prints one line about it, then reads a line from the console and reboots or powers off
 * accordingly.
 *
 * The kernel passes "devices=" of its command line on in the environment:
 * VENDOR:DEVICE:CLASS of each device, in the order of their root ports, separated by
 * commas. A line reads
 *
 *	GUEST bdf=0000:01:00.0 id=1002:74a1 class=120000 identity=ok bars=ok \
 *	vram=ok regs=ok msix=ok scrubbed=yes
 *
 * where a failed check has its finding in place of "ok". "GUEST end" follows the last
 * device.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/pci_regs.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define SYSFS_DEVICES	"/sys/bus/pci/devices"

/* Class of an Instinct GPU, "processing accelerator". */
#define CLASS_GPU	0x120000

/* An Instinct GPU's BARs, and the register with the size of VRAM in MiB. */
#define GPU_BAR_VRAM	0
#define GPU_BAR_REGS	5
#define GPU_MEMORY_SIZE	0x378c

#define MIB		(1024UL * 1024)

/* The last part of VRAM holds the IP discovery table. */
#define VRAM_KEEP	(128 * 1024UL)

/* Each boot leaves this mark for the next, in the part of VRAM that the model scrubs at a
 * reset.
 */
#define WATERMARK_AT	(128 * 1024UL)
#define WATERMARK	0x6b72616d72657461ULL

struct bar {
	volatile uint8_t *map;
	size_t size;
};

struct device {
	char name[32];
	uint32_t vendor, device, class;
	int config;
	struct bar bar[PCI_STD_NUM_BARS];
	int vram;		/* index of the largest BAR, the VRAM */
};

/* The result of a check: "ok" or the defect, without blanks. */
struct verdict {
	char text[96];
};

static void verdict_fail(struct verdict *verdict, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(verdict->text, sizeof(verdict->text), format, args);
	va_end(args);
}

static int device_open(const struct device *dev, const char *file, int flags)
{
	char path[128];

	snprintf(path, sizeof(path), SYSFS_DEVICES "/%s/%s", dev->name, file);
	return open(path, flags | O_CLOEXEC);
}

static uint32_t config_read(const struct device *dev, off_t where, size_t size)
{
	uint32_t value = 0;

	if (pread(dev->config, &value, size, where) != (ssize_t)size)
		return UINT32_MAX;
	return value;
}

/* Return: the offset of a capability, 0 if the device does not have it. */
static unsigned int config_find(const struct device *dev, uint8_t capability)
{
	unsigned int where = config_read(dev, PCI_CAPABILITY_LIST, 1);
	int left = 48;

	while (where >= PCI_STD_HEADER_SIZEOF && where != 0xff && left--) {
		if (config_read(dev, where + PCI_CAP_LIST_ID, 1) == capability)
			return where;
		where = config_read(dev, where + PCI_CAP_LIST_NEXT, 1);
	}
	return 0;
}

static void check_identity(const struct device *dev, const char *expected,
			   struct verdict *verdict)
{
	uint32_t header = config_read(dev, PCI_HEADER_TYPE, 1) & 0x7f;
	char found[32];

	snprintf(found, sizeof(found), "%04x:%04x:%06x", dev->vendor,
		 dev->device, dev->class);
	if (!expected || strcmp(found, expected))
		verdict_fail(verdict, "found=%s,expected=%s", found,
			     expected ? expected : "nothing");
	else if (header != PCI_HEADER_TYPE_NORMAL)
		verdict_fail(verdict, "header:found=%x,expected=0", header);
}

static void check_bars(struct device *dev, struct verdict *verdict)
{
	int enable = device_open(dev, "enable", O_WRONLY);
	size_t largest = 0;

	if (enable < 0 || write(enable, "1", 1) != 1) {
		verdict_fail(verdict, "enable:%s", strerror(errno));
		return;
	}
	close(enable);
	if (!(config_read(dev, PCI_COMMAND, 2) & PCI_COMMAND_MEMORY)) {
		verdict_fail(verdict, "command:found=%x,expected=memory",
			     config_read(dev, PCI_COMMAND, 2));
		return;
	}

	for (int i = 0; i < PCI_STD_NUM_BARS; i++) {
		struct bar *bar = &dev->bar[i];
		struct stat stat;
		char name[16];
		int file;

		snprintf(name, sizeof(name), "resource%d", i);
		file = device_open(dev, name, O_RDWR);
		if (file < 0)
			continue; /* no such BAR, or the upper half of one */
		fstat(file, &stat);
		bar->size = stat.st_size;
		bar->map = mmap(NULL, bar->size, PROT_READ | PROT_WRITE,
				MAP_SHARED, file, 0);
		close(file);
		if (bar->map == MAP_FAILED) {
			verdict_fail(verdict, "bar%d:mmap:%s", i, strerror(errno));
			return;
		}
		if (bar->size > largest) {
			largest = bar->size;
			dev->vram = i;
		}
	}
	if (!largest)
		verdict_fail(verdict, "none");
	else if (dev->class == CLASS_GPU && dev->vram != GPU_BAR_VRAM)
		verdict_fail(verdict, "largest:found=bar%d,expected=bar%d",
			     dev->vram, GPU_BAR_VRAM);
}

static volatile uint64_t *vram_at(const struct device *dev, size_t offset)
{
	return (volatile uint64_t *)(dev->bar[dev->vram].map + offset);
}

/* Write and read patterns of this boot, from the first MiB to the last. */
static void check_vram(const struct device *dev, struct verdict *verdict)
{
	size_t size = dev->bar[dev->vram].size;
	const size_t places[] = {
		0, 4096, WATERMARK_AT + 4096, size / 4, size / 2 - 8, size / 2,
		size / 4 * 3, size - MIB, size - VRAM_KEEP - 8,
	};
	uint64_t salt = (uint64_t)time(NULL) << 32 ^ (uint64_t)clock();

	if (size < 4 * MIB) {
		verdict_fail(verdict, "size:found=%zu,expected=4MiB-or-more", size);
		return;
	}
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		*vram_at(dev, places[i]) = salt ^ places[i];
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		uint64_t found = *vram_at(dev, places[i]);

		if (found != (salt ^ places[i])) {
			verdict_fail(verdict, "%#zx:found=%#llx,expected=%#llx",
				     places[i], (unsigned long long)found,
				     (unsigned long long)(salt ^ places[i]));
			return;
		}
	}
}

static void check_regs(const struct device *dev, struct verdict *verdict)
{
	const struct bar *regs = &dev->bar[GPU_BAR_REGS];
	uint32_t found;

	if (dev->class != CLASS_GPU)
		return;
	if (regs->size <= GPU_MEMORY_SIZE) {
		verdict_fail(verdict, "bar%d:found=%zu-bytes,expected=2MiB",
			     GPU_BAR_REGS, regs->size);
		return;
	}
	found = *(volatile uint32_t *)(regs->map + GPU_MEMORY_SIZE);
	if (!found || found == UINT32_MAX)
		verdict_fail(verdict, "%#x:found=%#x,expected=MiB-of-VRAM",
			     GPU_MEMORY_SIZE, found);
}

static void check_msix(const struct device *dev, struct verdict *verdict)
{
	unsigned int cap = config_find(dev, PCI_CAP_ID_MSIX);
	volatile uint32_t *data;
	uint32_t table, entries, kept, found;
	const struct bar *bar;

	if (!cap) {
		verdict_fail(verdict, "capability:none");
		return;
	}
	entries = (config_read(dev, cap + PCI_MSIX_FLAGS, 2) & PCI_MSIX_FLAGS_QSIZE) + 1;
	table = config_read(dev, cap + PCI_MSIX_TABLE, 4);
	if ((table & PCI_MSIX_TABLE_BIR) >= PCI_STD_NUM_BARS) {
		verdict_fail(verdict, "bir:found=%u,expected=0-5",
			     table & PCI_MSIX_TABLE_BIR);
		return;
	}
	bar = &dev->bar[table & PCI_MSIX_TABLE_BIR];
	table &= PCI_MSIX_TABLE_OFFSET;
	if (!bar->map || table + entries * PCI_MSIX_ENTRY_SIZE > bar->size) {
		verdict_fail(verdict, "table:found=%#x+%u-entries,expected=within-%zu",
			     table, entries, bar->size);
		return;
	}
	data = (volatile uint32_t *)(bar->map + table + PCI_MSIX_ENTRY_DATA);
	kept = *data;
	*data = 0x5a5a;
	found = *data;
	*data = kept;
	if (found != 0x5a5a)
		verdict_fail(verdict, "entry:found=%#x,expected=0x5a5a", found);
}

/* Leave the mark for the next boot. Return: true if an earlier boot's mark is gone. */
static bool vram_scrubbed(const struct device *dev)
{
	volatile uint64_t *mark = vram_at(dev, WATERMARK_AT);
	bool scrubbed = *mark != WATERMARK;

	*mark = WATERMARK;
	return scrubbed;
}

static void device_check(struct device *dev, const char *expected)
{
	struct verdict identity = { "ok" }, bars = { "ok" }, vram = { "ok" },
		       regs = { "ok" }, msix = { "ok" };
	const char *scrubbed = "unknown";

	dev->config = device_open(dev, "config", O_RDONLY);
	dev->vendor = config_read(dev, PCI_VENDOR_ID, 2);
	dev->device = config_read(dev, PCI_DEVICE_ID, 2);
	dev->class = config_read(dev, PCI_CLASS_REVISION, 4) >> 8;

	check_identity(dev, expected, &identity);
	check_bars(dev, &bars);
	if (!strcmp(bars.text, "ok")) {
		check_vram(dev, &vram);
		check_regs(dev, &regs);
		check_msix(dev, &msix);
		scrubbed = vram_scrubbed(dev) ? "yes" : "no";
	} else {
		vram = regs = msix = (struct verdict){ "unreachable" };
	}

	printf("GUEST bdf=%s id=%04x:%04x class=%06x identity=%s bars=%s vram=%s regs=%s msix=%s scrubbed=%s\n",
	       dev->name, dev->vendor, dev->device, dev->class,
	       identity.text, bars.text, vram.text, regs.text, msix.text, scrubbed);
}

/* Passed-through devices sit behind root ports, so not on bus 0. */
static int is_passed_through(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && strncmp(entry->d_name, "0000:00:", 8);
}

int main(void)
{
	char *devices = getenv("devices");
	struct dirent **names;
	char answer[16];
	int count;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (mount("sys", "/sys", "sysfs", 0, NULL))
		printf("GUEST sysfs: %s\n", strerror(errno));

	count = scandir(SYSFS_DEVICES, &names, is_passed_through, alphasort);
	for (int i = 0; i < count; i++) {
		struct device dev = { .vram = -1 };

		snprintf(dev.name, sizeof(dev.name), "%.31s", names[i]->d_name);
		device_check(&dev, strsep(&devices, ","));
	}
	printf("GUEST end devices=%d\n", count);

	tcdrain(STDOUT_FILENO);
	if (!fgets(answer, sizeof(answer), stdin)) {
		printf("GUEST got no answer: %s\n", strerror(errno));
		return 1;
	}
	reboot(strncmp(answer, "poweroff", 8) ? RB_AUTOBOOT : RB_POWER_OFF);
	return 1;
}
