// SPDX-License-Identifier: GPL-2.0-only
/*
 * A guest that consists of firmware only. It enumerates the passed-through devices as a
 * BIOS does (bus numbers, BAR sizing, windows, decoding), uses them as a driver would
 * (power states, MSI-X, MMIO), prints the same lines as check.c, then reads a line: "poweroff"
 * and "reboot" do that, "scan" enumerates again, and "eject" first gives up the devices that the
 * VMM asks for. The power button does as "poweroff" does. The guest accesses the GPU within
 * milliseconds of a reboot. Its first line is "GUEST begin".
 *
 * The image has 64 KiB that end at 4 GiB and runs in place; only the stack is writable.
 */
#include <stdbool.h>
#include <stdint.h>

#include <linux/pci_regs.h>

#define SERIAL		0x3f8
#define PCI_ADDRESS	0xcf8
#define PCI_DATA	0xcfc
#define RESET_CONTROL	0xcf9
#define PM_BASE		0x600
#define PM_BUTTON	0x100

/* Registers of QEMU's ACPI PCI hot-plug (docs/specs/acpi_pci_hotplug), on a q35. */
#define HOTPLUG_DOWN	0xcc4
#define HOTPLUG_EJECT	0xcc8
#define HOTPLUG_BUS	0xcd0

/* BARs go above memory and below the I/O APIC, or far above if they are larger than this. */
#define MEMORY_FROM	0xc0000000u
#define WINDOW_ALIGN	0x00100000u
#define NEAR_BYTES	0x04000000u
#define FAR_FROM	0x400000000ull

/* A page directory of 4 MiB pages; each address means itself, but VRAM_WINDOW any part of VRAM. */
#define PAGES		((volatile uint32_t *)0x10000)
#define PAGE_BYTES	0x00400000u
#define PAGE_FLAGS	0x83	/* present, writable, 4 MiB */
#define VRAM_WINDOW	0x80000000u

#define BUS_BDF(bus)	((bus) << 8)
#define LPC		(0x1f << 3)

/* The same values as in check.c. */
#define CLASS_GPU	0x120000u
#define GPU_BAR_VRAM	0
#define GPU_BAR_REGS	5
#define GPU_MEMORY_SIZE	0x378c
#define WATERMARK_AT	(128 * 1024u)
#define WATERMARK	0x6b72616d
/* A VFIO user's mark at the beginning of VRAM (vfio/client.c). */
#define USER_MARK	0x1badb002

__asm__(".section .entry, \"ax\"\n"
	".code16\n"
	"	cli\n"
	"	cld\n"
	"	lgdtl	%cs:0xff80\n"
	"	movl	%cr0, %eax\n"
	"	orb	$1, %al\n"
	"	movl	%eax, %cr0\n"
	"	ljmpl	$8, $protected\n"
	".org	0x80\n"
	"	.word	23\n"
	"	.long	0xffffff88\n"
	"	.word	0\n"
	".org	0x88\n"
	"	.quad	0, 0x00cf9b000000ffff, 0x00cf93000000ffff\n"
	".section .reset, \"ax\"\n"
	".code16\n"
	"	.byte	0xe9\n"
	"	.word	0xff00 - 0xfff3\n"
	".org	0x10\n"
	".text\n"
	".code32\n"
	"protected:\n"
	"	movw	$16, %ax\n"
	"	movw	%ax, %ds\n"
	"	movw	%ax, %es\n"
	"	movw	%ax, %ss\n"
	"	movl	$0x8000, %esp\n"
	"	call	firmware\n"
	"1:	hlt\n"
	"	jmp	1b\n");

struct bar {
	uint64_t base;
	uint64_t size;
};

/* The next free addresses for BARs. */
struct room {
	uint64_t near;
	uint64_t far;
};

/* A device behind a root port. */
struct device {
	uint32_t bdf;
	uint32_t id;
	uint32_t class;
	struct bar bar[PCI_STD_NUM_BARS];
};

static void out8(uint16_t port, uint8_t val)
{
	__asm__ volatile("outb %0, %1" : : "a"(val), "Nd"(port));
}

static uint8_t in8(uint16_t port)
{
	uint8_t val;

	__asm__ volatile("inb %1, %0" : "=a"(val) : "Nd"(port));
	return val;
}

static void out16(uint16_t port, uint16_t val)
{
	__asm__ volatile("outw %0, %1" : : "a"(val), "Nd"(port));
}

static uint16_t in16(uint16_t port)
{
	uint16_t val;

	__asm__ volatile("inw %1, %0" : "=a"(val) : "Nd"(port));
	return val;
}

static void out32(uint16_t port, uint32_t val)
{
	__asm__ volatile("outl %0, %1" : : "a"(val), "Nd"(port));
}

static uint32_t in32(uint16_t port)
{
	uint32_t val;

	__asm__ volatile("inl %1, %0" : "=a"(val) : "Nd"(port));
	return val;
}

/* Each access takes a microsecond or more. */
static void pause(unsigned int accesses)
{
	while (accesses--)
		in8(0x80);
}

static void print(const char *text)
{
	for (; *text; text++) {
		while (!(in8(SERIAL + 5) & 0x20))
			;
		out8(SERIAL, *text);
	}
}

static void print_hex(uint32_t val, int digits)
{
	char text[2] = { 0 };

	while (digits--) {
		text[0] = "0123456789abcdef"[val >> (4 * digits) & 0xf];
		print(text);
	}
}

static void print_verdict(const char *what, uint32_t found, bool good)
{
	print(what);
	if (good) {
		print("ok");
	} else {
		print("found=0x");
		print_hex(found, 8);
	}
}

static uint32_t config_read(uint32_t bdf, uint32_t where)
{
	out32(PCI_ADDRESS, 0x80000000u | bdf << 8 | (where & 0xfc));
	return in32(PCI_DATA);
}

static uint16_t config_read16(uint32_t bdf, uint32_t where)
{
	return config_read(bdf, where) >> (8 * (where & 2));
}

static void config_write(uint32_t bdf, uint32_t where, uint32_t val)
{
	out32(PCI_ADDRESS, 0x80000000u | bdf << 8 | (where & 0xfc));
	out32(PCI_DATA, val);
}

static void config_write16(uint32_t bdf, uint32_t where, uint16_t val)
{
	out32(PCI_ADDRESS, 0x80000000u | bdf << 8 | (where & 0xfc));
	out16(PCI_DATA + (where & 2), val);
}

static uint32_t config_find(uint32_t bdf, uint8_t capability)
{
	uint32_t where = config_read(bdf, PCI_CAPABILITY_LIST) & 0xfc;
	int left = 48;

	while (where && left--) {
		uint32_t header = config_read(bdf, where);

		if ((header & 0xff) == capability)
			return where;
		where = header >> 8 & 0xfc;
	}
	return 0;
}

static void map(uint32_t at, uint64_t to)
{
	/* PSE-36: an entry has bits 32 and up of the address from its bit 13 on. */
	PAGES[at / PAGE_BYTES] = (uint32_t)to & -PAGE_BYTES | (uint32_t)(to >> 32) << 13 | PAGE_FLAGS;
	__asm__ volatile("invlpg (%0)" : : "r"(at) : "memory");
}

static void paging_begin(void)
{
	uint32_t directory = (uint32_t)PAGES;

	for (uint32_t i = 0; i < 1024; i++)
		map(i * PAGE_BYTES, i * PAGE_BYTES);
	/* Bit 4 of CR4 is PSE, bit 31 of CR0 is PG. */
	__asm__ volatile("mov %0, %%cr3; mov %%cr4, %0; or $0x10, %0; mov %0, %%cr4;"
			 "mov %%cr0, %0; or $0x80000000, %0; mov %0, %%cr0"
			 : "+r"(directory) : : "memory");
}

static uint32_t mmio_read(uint32_t at)
{
	return *(volatile uint32_t *)at;
}

/* Size a BAR and place it in @room. Return: true if it has 64 bits. */
static bool place_bar(struct device *dev, int i, struct room *room)
{
	uint32_t where = PCI_BASE_ADDRESS_0 + 4 * i, mask, high = ~0u;
	struct bar *bar = &dev->bar[i];
	uint64_t *next;
	bool wide;

	config_write(dev->bdf, where, ~0u);
	mask = config_read(dev->bdf, where);
	wide = (mask & PCI_BASE_ADDRESS_MEM_TYPE_MASK) == PCI_BASE_ADDRESS_MEM_TYPE_64;
	if (!mask || mask & PCI_BASE_ADDRESS_SPACE_IO) {
		config_write(dev->bdf, where, 0);
		return false;
	}
	if (wide) {
		config_write(dev->bdf, where + 4, ~0u);
		high = config_read(dev->bdf, where + 4);
	}
	bar->size = -((uint64_t)high << 32 | mask & (uint32_t)PCI_BASE_ADDRESS_MEM_MASK);
	next = wide && bar->size > NEAR_BYTES ? &room->far : &room->near;
	bar->base = (*next + bar->size - 1) & -bar->size;
	*next = bar->base + bar->size;
	config_write(dev->bdf, where, bar->base);
	if (wide)
		config_write(dev->bdf, where + 4, bar->base >> 32);
	return wide;
}

/* Return: the value of a port's base and limit registers for this window. */
static uint32_t window(uint64_t from, uint64_t to)
{
	return (uint32_t)(to - WINDOW_ALIGN) & 0xfff00000 | ((uint32_t)from >> 16 & 0xfff0);
}

static void place(struct device *dev, uint32_t port, struct room *room)
{
	struct room from = *room;

	config_write16(dev->bdf, PCI_COMMAND, 0);
	for (int i = 0; i < PCI_STD_NUM_BARS; i++)
		i += place_bar(dev, i, room);
	room->near = (room->near + WINDOW_ALIGN - 1) & -(uint64_t)WINDOW_ALIGN;
	config_write(port, PCI_MEMORY_BASE, window(from.near, room->near));
	if (room->far > from.far) {
		config_write(port, PCI_PREF_MEMORY_BASE, window(from.far, room->far));
		config_write(port, PCI_PREF_BASE_UPPER32, from.far >> 32);
		config_write(port, PCI_PREF_LIMIT_UPPER32, (room->far - 1) >> 32);
	}
	config_write16(port, PCI_COMMAND, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER);
	config_write16(dev->bdf, PCI_COMMAND, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER);
}

/* Cycle the device through D3hot, as a driver does to save power. */
static void sleep_and_wake(const struct device *dev)
{
	uint32_t pm = config_find(dev->bdf, PCI_CAP_ID_PM);

	if (!pm)
		return;
	config_write16(dev->bdf, pm + PCI_PM_CTRL, 3);
	pause(100);
	config_write16(dev->bdf, pm + PCI_PM_CTRL, 0);
	pause(100);
}

static void check_bars(const struct device *dev)
{
	for (int i = 0; i < PCI_STD_NUM_BARS; i++) {
		uint32_t found = config_read(dev->bdf, PCI_BASE_ADDRESS_0 + 4 * i);

		if (!dev->bar[i].size ||
		    (found & (uint32_t)PCI_BASE_ADDRESS_MEM_MASK) == (uint32_t)dev->bar[i].base)
			continue;
		print_verdict(" bars=", found, false);
		return;
	}
	print_verdict(" bars=", config_read16(dev->bdf, PCI_COMMAND),
		      config_read16(dev->bdf, PCI_COMMAND) & PCI_COMMAND_MEMORY);
}

static volatile uint32_t *vram_at(const struct device *dev, uint64_t offset)
{
	uint64_t at = dev->bar[GPU_BAR_VRAM].base + offset;

	map(VRAM_WINDOW, at);
	return (volatile uint32_t *)(VRAM_WINDOW + ((uint32_t)at & (PAGE_BYTES - 1)));
}

static void check_vram(const struct device *dev)
{
	uint64_t places[] = { 0, dev->bar[GPU_BAR_VRAM].size / 2, WATERMARK_AT + 64 };
	uint32_t found = 0, salt;

	__asm__ volatile("rdtsc" : "=a"(salt) : : "edx");
	for (unsigned int i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		*vram_at(dev, places[i]) = salt ^ (uint32_t)places[i];
	for (unsigned int i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		found = *vram_at(dev, places[i]);
		if (found != (salt ^ (uint32_t)places[i])) {
			print_verdict(" vram=", found, false);
			return;
		}
	}
	print_verdict(" vram=", found, true);
}

static void check_regs(const struct device *dev)
{
	uint32_t found = mmio_read(dev->bar[GPU_BAR_REGS].base + GPU_MEMORY_SIZE);

	print_verdict(" regs=", found, found && found != ~0u);
}

/* Write a table entry; enable and disable MSI-X. */
static void check_msix(const struct device *dev)
{
	uint32_t cap = config_find(dev->bdf, PCI_CAP_ID_MSIX), table, entry, found;
	uint16_t control = cap ? config_read16(dev->bdf, cap + PCI_MSIX_FLAGS) : 0;
	bool enabled;

	if (!cap) {
		print_verdict(" msix=", 0, false);
		return;
	}
	table = config_read(dev->bdf, cap + PCI_MSIX_TABLE);
	entry = dev->bar[table & PCI_MSIX_TABLE_BIR].base + (table & PCI_MSIX_TABLE_OFFSET);
	*(volatile uint32_t *)(entry + PCI_MSIX_ENTRY_DATA) = 0x5a5a;
	found = mmio_read(entry + PCI_MSIX_ENTRY_DATA);
	config_write16(dev->bdf, cap + PCI_MSIX_FLAGS,
		       control | PCI_MSIX_FLAGS_ENABLE | PCI_MSIX_FLAGS_MASKALL);
	enabled = config_read16(dev->bdf, cap + PCI_MSIX_FLAGS) & PCI_MSIX_FLAGS_ENABLE;
	config_write16(dev->bdf, cap + PCI_MSIX_FLAGS, control);
	print_verdict(" msix=", found, found == 0x5a5a && enabled);
}

/* The caller checks this before this boot writes to VRAM. */
static bool is_scrubbed(const struct device *dev)
{
	return *vram_at(dev, WATERMARK_AT) != WATERMARK && *vram_at(dev, 0) != USER_MARK;
}

static void check(const struct device *dev)
{
	bool scrubbed;

	print("GUEST bdf=0000:");
	print_hex(dev->bdf >> 8, 2);
	print(":00.0 id=");
	print_hex(dev->id & 0xffff, 4);
	print(":");
	print_hex(dev->id >> 16, 4);
	print(" class=");
	print_hex(dev->class, 6);
	print_verdict(" identity=", dev->id, dev->class == CLASS_GPU);
	check_bars(dev);
	scrubbed = is_scrubbed(dev);
	check_vram(dev);
	check_regs(dev);
	check_msix(dev);
	print(scrubbed ? " scrubbed=yes" : " scrubbed=no");
	*vram_at(dev, WATERMARK_AT) = WATERMARK;
	print("\n");
}

static char read_line(void)
{
	char first = 0, c;

	do {
		while (!(in8(SERIAL + 5) & 1)) {
			if (in16(PM_BASE) & PM_BUTTON)
				return 'p';
			/* Each access takes QEMU's lock, which its other threads need. */
			for (int i = 0; i < 1000; i++)
				__asm__ volatile("pause");
		}
		c = in8(SERIAL);
		if (!first)
			first = c;
	} while (c != '\n' && c != '\r');
	return first;
}

/* Give the power management registers an address, and the power button its status bit. */
static void power_begin(void)
{
	config_write(LPC, 0x40, PM_BASE | 1);
	config_write(LPC, 0x44, config_read(LPC, 0x44) | 0x80);
	out16(PM_BASE + 2, PM_BUTTON);
}

static void power_off(void)
{
	out16(PM_BASE + 4, 0x2000);
}

static void eject(void)
{
	for (uint32_t bus = 0, slots; bus < 32; bus++) {
		out32(HOTPLUG_BUS, bus);
		slots = in32(HOTPLUG_DOWN);
		if (slots)
			out32(HOTPLUG_EJECT, slots & -slots);
	}
}

static void reboot(void)
{
	out8(RESET_CONTROL, 0x02);
	out8(RESET_CONTROL, 0x06);
}

/* QEMU has one device behind each root port. Return: the number of devices. */
static unsigned int enumerate(void)
{
	struct room room = { MEMORY_FROM, FAR_FROM };
	uint32_t bus = 0;
	unsigned int count = 0;

	for (uint32_t port = 0; port < BUS_BDF(1); port++) {
		struct device dev = { 0 };

		if (config_read(port, PCI_CLASS_REVISION) >> 16 != 0x0604)
			continue;
		bus++;
		config_write(port, PCI_PRIMARY_BUS, bus << 16 | bus << 8);
		dev.bdf = BUS_BDF(bus);
		dev.id = config_read(dev.bdf, PCI_VENDOR_ID);
		if (dev.id == ~0u)
			continue;
		dev.class = config_read(dev.bdf, PCI_CLASS_REVISION) >> 8;
		place(&dev, port, &room);
		sleep_and_wake(&dev);
		check(&dev);
		count++;
	}
	return count;
}

void firmware(void);
void firmware(void)
{
	print("GUEST begin\n");
	power_begin();
	paging_begin();
	for (;;) {
		unsigned int count = enumerate();

		print("GUEST end devices=");
		print_hex(count, 1);
		print("\n");
		switch (read_line()) {
		case 's':
			break;
		case 'e':
			eject();
			break;
		case 'p':
			power_off();
			return;
		default:
			reboot();
			return;
		}
	}
}
