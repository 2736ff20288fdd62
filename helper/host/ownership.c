// SPDX-License-Identifier: GPL-2.0-or-later
#include <limits.h>
#include <linux/pci_regs.h>
#include <stdio.h>
#include <string.h>

#include "bdf.h"
#include "command_line.h"
#include "ownership.h"
#include "pci_config.h"
#include "say.h"
#include "sysfs.h"
#include "sysroot.h"

/* Linux, drivers/pci/pcie/portdrv.h: the services of a port. */
#define SERVICE_AER	0x2
#define SERVICE_HP	0x4
#define SERVICE_DPC	0x8

#define SERVICES	"/sys/bus/pci_express/devices"

static const char *const owners[] = {
	[OWNER_UNKNOWN] = "unknown", [OWNER_NONE] = "none", [OWNER_LINUX] = "linux",
	[OWNER_FIRMWARE] = "firmware", [OWNER_OFF] = "off", [OWNER_NOBODY] = "nobody",
};

const struct names owner_names = { owners, sizeof(owners) / sizeof(owners[0]) };

/* Does the kernel's command line have NAME=…,VALUE,…? */
static bool is_booted_with(const char *name, const char *value)
{
	char path[PATH_MAX], line[4096];

	snprintf(path, sizeof(path), "%s/proc/cmdline", opt_sysroot);
	sysfs_line(path, line, sizeof(line));
	return command_line_says(line, name, value);
}

/* A port's service has a device of its own: ADDRESS:pcieTSS, port type minus 4 and service. */
static bool has_service(const char *bdf, int type, unsigned int service)
{
	char path[PATH_MAX];
	struct stat st;

	snprintf(path, sizeof(path), "%s" SERVICES "/%s:pcie%03x", opt_sysroot, bdf,
		 (unsigned int)(type - PCI_EXP_TYPE_ROOT_PORT) << 8 | service);
	return !sysroot_stat(path, true, &st);
}

static bool has_services(void)
{
	char path[PATH_MAX];
	struct stat st;

	snprintf(path, sizeof(path), "%s" SERVICES, opt_sysroot);
	return !sysroot_stat(path, true, &st);
}

/* The first function in the sysfs path of a port is its root port, perhaps the port itself. */
static bool find_root(const char *bdf, char *root)
{
	char path[PATH_MAX], real[PATH_MAX], *part, *rest;

	sysfs_device_path(bdf, "", path, sizeof(path));
	if (!sysroot_realpath(path, real))
		return false;
	for (part = strtok_r(real, "/", &rest); part; part = strtok_r(NULL, "/", &rest))
		if (bdf_parse(part, root))
			return true;
	return false;
}

/* The owner of a feature of a root port that has no service for it. */
static enum owner owner_without(bool is_off)
{
	if (!has_services())
		return OWNER_UNKNOWN;
	return is_off || is_booted_with("pcie_ports", "compat") ? OWNER_OFF : OWNER_FIRMWARE;
}

/* Linux offers no AER without MSI (pci_aer_available()). */
static bool is_aer_off(void)
{
	return is_booted_with("pci", "noaer") || is_booted_with("pci", "nomsi");
}

static enum owner aer_of(const char *bdf, const struct pci_config *config, int type)
{
	if (has_service(bdf, type, SERVICE_AER))
		return OWNER_LINUX;
	if (!pci_config_is_whole(config))
		return OWNER_UNKNOWN;
	if (!pci_config_extended(config, PCI_EXT_CAP_ID_ERR))
		return OWNER_NONE;
	return owner_without(is_aer_off());
}

/* The firmware grants AER for a whole host bridge, so the root port tells for the ports below. */
static enum owner aer_of_root(const char *bdf)
{
	char root[BDF_BYTES];
	struct pci_config config;
	enum owner owner;

	if (!find_root(bdf, root))
		return OWNER_UNKNOWN;
	pci_config_open(&config, root);
	owner = aer_of(root, &config, pci_config_port_type(&config));
	pci_config_close(&config);
	return owner;
}

/* Linux takes DPC with AER; from 6.2 on it drives that of a switch's port only if told to. */
static enum owner dpc_of(const char *bdf, const struct pci_config *config, int type, enum owner aer)
{
	if (has_service(bdf, type, SERVICE_DPC))
		return OWNER_LINUX;
	if (!pci_config_is_whole(config))
		return OWNER_UNKNOWN;
	if (!pci_config_extended(config, PCI_EXT_CAP_ID_DPC))
		return OWNER_NONE;
	return aer == OWNER_LINUX ? OWNER_NOBODY : owner_without(is_aer_off());
}

static enum owner hotplug_of(const char *bdf, const struct pci_config *config, int type)
{
	unsigned int exp = pci_config_capability(config, PCI_CAP_ID_EXP);

	if (has_service(bdf, type, SERVICE_HP))
		return OWNER_LINUX;
	if (!exp)
		return OWNER_UNKNOWN;
	if (!(pci_config_word(config, exp + PCI_EXP_FLAGS) & PCI_EXP_FLAGS_SLOT) ||
	    !(pci_config_dword(config, exp + PCI_EXP_SLTCAP) & PCI_EXP_SLTCAP_HPC))
		return OWNER_NONE;
	return owner_without(false);
}

/**
 * ownership_read() - find the owner of the errors and the hot-plug events of a port
 * @own: receives the owners; all unknown for a function that is no port, or does not answer
 * @bdf: address of a root port or of a port of a switch
 *
 * The kernel makes a device in /sys/bus/pci_express for each service of a port that the firmware
 * has left to it. A kernel without CONFIG_PCIEAER makes none for AER, and looks as if the firmware
 * owned it. Only root can read the capabilities of a port without such a device.
 *
 * Context: reads the config space of the port and of its root port, which wakes a sleeping port.
 */
void ownership_read(struct ownership *own, const char *bdf)
{
	struct pci_config config;
	int type;

	*own = (struct ownership) { 0 };
	pci_config_open(&config, bdf);
	type = pci_config_port_type(&config);
	if (type >= PCI_EXP_TYPE_ROOT_PORT && type <= PCI_EXP_TYPE_DOWNSTREAM) {
		own->aer = aer_of(bdf, &config, type);
		if (type != PCI_EXP_TYPE_ROOT_PORT && own->aer != OWNER_NONE && own->aer != OWNER_LINUX)
			own->aer = aer_of_root(bdf);
		own->dpc = dpc_of(bdf, &config, type, own->aer);
		own->hotplug = hotplug_of(bdf, &config, type);
	}
	pci_config_close(&config);
}
