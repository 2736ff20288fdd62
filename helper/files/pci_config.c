// SPDX-License-Identifier: GPL-2.0-or-later
#include <limits.h>
#include <linux/pci_regs.h>
#include <unistd.h>

#include "pci_config.h"
#include "sysfs.h"
#include "sysroot.h"

#define CAPS_MAX	48	/* most capabilities that fit; ends loops of damaged lists */
#define EXT_CAPS_MAX	960
#define SERIAL_LOW	4
#define SERIAL_HIGH	8

static bool read_at(const struct pci_config *config, unsigned int at, uint8_t *data,
		    unsigned int size)
{
	return config->fd >= 0 && pread(config->fd, data, size, at) == (ssize_t)size;
}

static bool reaches(const struct pci_config *config, unsigned int bytes)
{
	uint8_t last[4];

	return read_at(config, bytes - sizeof(last), last, sizeof(last));
}

/* A working virtual function has all ones in its ID registers, so Command decides as well. */
static bool answers(const struct pci_config *config)
{
	return pci_config_dword(config, PCI_VENDOR_ID) != UINT32_MAX ||
	       pci_config_dword(config, PCI_COMMAND) != UINT32_MAX;
}

static void open_fd(struct pci_config *config, int fd)
{
	*config = (struct pci_config) { .fd = fd };
	if (!reaches(config, PCI_STD_HEADER_SIZEOF))
		return;
	config->bytes = PCI_STD_HEADER_SIZEOF;
	if (!answers(config))
		config->bytes = 0;
	else if (reaches(config, PCI_CFG_SPACE_EXP_SIZE))
		config->bytes = PCI_CFG_SPACE_EXP_SIZE;
	else if (reaches(config, PCI_CFG_SPACE_SIZE))
		config->bytes = PCI_CFG_SPACE_SIZE;
}

/**
 * pci_config_open() - open the config space of a function
 * @config: receives the config space; the caller must call pci_config_close() in any case
 * @bdf: address of the function
 *
 * The kernel gives users other than root the first 64 bytes only. An absent function has
 * 0 bytes.
 */
void pci_config_open(struct pci_config *config, const char *bdf)
{
	char path[PATH_MAX];

	sysfs_device_path(bdf, "config", path, sizeof(path));
	open_fd(config, sysroot_open_file(path));
}

/**
 * pci_config_open_in() - open the config space of a function whose folder is open
 * @config: receives the config space; the caller must call pci_config_close() in any case
 * @folder: folder from sysfs_folder_open()
 */
void pci_config_open_in(struct pci_config *config, int folder)
{
	open_fd(config, sysroot_open_in(folder, "config"));
}

/**
 * pci_config_close() - close a config space
 * @config: config space, open or not
 */
void pci_config_close(struct pci_config *config)
{
	if (config->fd >= 0)
		close(config->fd);
	*config = (struct pci_config) { .fd = -1 };
}

/**
 * pci_config_dword() - read four bytes
 * @config: open config space
 * @at: offset
 *
 * Return: the value, all ones if it cannot be read.
 */
uint32_t pci_config_dword(const struct pci_config *config, unsigned int at)
{
	uint8_t data[4];

	if (at + sizeof(data) > config->bytes || !read_at(config, at, data, sizeof(data)))
		return UINT32_MAX;
	return data[0] | data[1] << 8 | data[2] << 16 | (uint32_t)data[3] << 24;
}

/**
 * pci_config_word() - read two bytes
 * @config: open config space
 * @at: offset
 *
 * Return: the value, all ones if it cannot be read.
 */
uint16_t pci_config_word(const struct pci_config *config, unsigned int at)
{
	uint8_t data[2];

	if (at + sizeof(data) > config->bytes || !read_at(config, at, data, sizeof(data)))
		return UINT16_MAX;
	return data[0] | data[1] << 8;
}

/**
 * pci_config_byte() - read a byte
 * @config: open config space
 * @at: offset
 *
 * Return: the value, all ones if it cannot be read.
 */
uint8_t pci_config_byte(const struct pci_config *config, unsigned int at)
{
	uint8_t data;

	if (at >= config->bytes || !read_at(config, at, &data, sizeof(data)))
		return UINT8_MAX;
	return data;
}

/**
 * pci_config_capability() - look up a capability
 * @config: open config space
 * @id: PCI_CAP_ID_*
 *
 * Return: its offset, 0 if the function lacks it or capabilities cannot be read.
 */
unsigned int pci_config_capability(const struct pci_config *config, unsigned int id)
{
	unsigned int tries = CAPS_MAX, at;

	if (config->bytes < PCI_CFG_SPACE_SIZE ||
	    !(pci_config_word(config, PCI_STATUS) & PCI_STATUS_CAP_LIST))
		return 0;
	at = pci_config_byte(config, PCI_CAPABILITY_LIST) & ~3u;
	while (at >= PCI_STD_HEADER_SIZEOF && tries--) {
		uint16_t head = pci_config_word(config, at);

		if ((head & 0xff) == id)
			return at;
		at = head >> 8 & ~3u;
	}
	return 0;
}

/**
 * pci_config_extended() - look up an extended capability
 * @config: open config space
 * @id: PCI_EXT_CAP_ID_*
 *
 * Return: its offset, 0 if the function lacks it or extended capabilities cannot be read.
 */
unsigned int pci_config_extended(const struct pci_config *config, unsigned int id)
{
	unsigned int at = PCI_CFG_SPACE_SIZE, tries = EXT_CAPS_MAX;

	while (at >= PCI_CFG_SPACE_SIZE && at + 16 <= config->bytes && tries--) {
		uint32_t head = pci_config_dword(config, at);

		if (!head || head == UINT32_MAX)
			break;
		if (PCI_EXT_CAP_ID(head) == id)
			return at;
		at = PCI_EXT_CAP_NEXT(head);
	}
	return 0;
}

/**
 * pci_config_port_type() - read the Device/Port Type of a PCI Express function
 * @config: open config space
 *
 * Return: PCI_EXP_TYPE_*, or -1 if the function has no PCI Express capability or it cannot
 * be read.
 */
int pci_config_port_type(const struct pci_config *config)
{
	unsigned int exp = pci_config_capability(config, PCI_CAP_ID_EXP);

	return exp ? (pci_config_word(config, exp + PCI_EXP_FLAGS) & PCI_EXP_FLAGS_TYPE) >> 4 :
		     -1;
}

/**
 * pci_config_is_whole() - tell whether the extended config space can be read
 * @config: open config space
 *
 * Return: false for users other than root, and for an absent function.
 */
bool pci_config_is_whole(const struct pci_config *config)
{
	return config->bytes == PCI_CFG_SPACE_EXP_SIZE && answers(config) &&
	       pci_config_dword(config, PCI_CFG_SPACE_SIZE) != UINT32_MAX;
}

/**
 * pci_config_is_silent() - tell whether a function is absent
 * @config: open config space
 *
 * Return: true if its config space can be read and reads as all ones.
 */
bool pci_config_is_silent(const struct pci_config *config)
{
	uint8_t vendor[2];

	return !config->bytes && read_at(config, PCI_VENDOR_ID, vendor, sizeof(vendor)) &&
	       vendor[0] == UINT8_MAX && vendor[1] == UINT8_MAX;
}

/**
 * pci_config_serial() - read the PCIe Device Serial Number
 * @config: open config space
 *
 * Return: the serial number; 0 if the function has none or it cannot be read.
 */
uint64_t pci_config_serial(const struct pci_config *config)
{
	unsigned int at = pci_config_extended(config, PCI_EXT_CAP_ID_DSN);
	uint64_t serial;

	if (!at)
		return 0;
	serial = pci_config_dword(config, at + SERIAL_LOW) |
		 (uint64_t)pci_config_dword(config, at + SERIAL_HIGH) << 32;
	return serial == UINT64_MAX ? 0 : serial;
}
