// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <limits.h>
#include <linux/pci_regs.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "out.h"
#include "pci_config.h"
#include "report.h"
#include "sysfs.h"

#define BARS	6
#define LINE_BYTES	128

/* The first line of a file without control characters, or null. */
static json_t *line_of(const char *path)
{
	char text[LINE_BYTES];

	sysfs_line(path, text, sizeof(text));
	return report_text(text);
}

static json_t *dmi(const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "/sys/class/dmi/id/%s", name);
	return line_of(path);
}

static json_t *attribute(const char *bdf, const char *name)
{
	char path[PATH_MAX];

	sysfs_device_path(bdf, name, path, sizeof(path));
	return line_of(path);
}

static json_t *id(uint32_t value)
{
	return json_sprintf("0x%04" PRIx32, value);
}

/**
 * report_host() - describe the host of a run
 * @qualify: run
 *
 * The description has neither the hostname nor the serial number of the machine.
 *
 * Return: a JSON object.
 */
json_t *report_host(const struct qualify *qualify)
{
	struct utsname host;

	uname(&host);
	return json_pack("{s:s, s:s, s:s, s:o, s:s, s:o, s:o, s:o, s:o}",
			 "kernel", host.release, "kernel_version", host.version,
			 "machine", host.machine,
			 "module", report_text(qualify->module),
			 "instinctctl", INSTINCT_VERSION,
			 "vendor", dmi("sys_vendor"), "product", dmi("product_name"),
			 "board", dmi("board_name"), "bios", dmi("bios_version"));
}

static const char *next_line(const char *line)
{
	line = strchr(line, '\n');
	return line ? line + 1 : NULL;
}

/* "resource" has a line "START END FLAGS" for each BAR. */
static json_t *bars_of(const char *bdf)
{
	char path[PATH_MAX], text[2048];
	const char *line = text;
	json_t *list = json_array();
	uint64_t start, last;
	ssize_t n;
	int i;

	sysfs_device_path(bdf, "resource", path, sizeof(path));
	n = sysfs_read(path, text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = '\0';
	for (i = 0; i < BARS && line; i++, line = next_line(line)) {
		if (sscanf(line, "%" SCNx64 " %" SCNx64, &start, &last) != 2 || last <= start)
			continue;
		json_array_append_new(list, json_pack("{s:i, s:I}", "bar", i, "bytes",
						      (json_int_t)(last - start + 1)));
	}
	return list;
}

/* Is ASPM L1 enabled? Null for a function without readable PCI Express registers. */
static json_t *aspm_l1(const char *bdf)
{
	struct pci_config config;
	unsigned int exp;
	json_t *json;

	pci_config_open(&config, bdf);
	exp = pci_config_is_silent(&config) ? 0 : pci_config_capability(&config, PCI_CAP_ID_EXP);
	json = !exp ? json_null() :
	       json_boolean(pci_config_word(&config, exp + PCI_EXP_LNKCTL) & PCI_EXP_LNKCTL_ASPM_L1);
	pci_config_close(&config);
	return json;
}

/**
 * report_gpu() - describe the GPU of a run
 * @qualify: run
 *
 * Return: a JSON object.
 */
json_t *report_gpu(const struct qualify *qualify)
{
	const struct device *dev = &qualify->before;

	return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:i, s:o, s:o, s:o}",
			 "bdf", dev->bdf, "model", dev->model, "family", dev->family,
			 "vendor", id(dev->vendor), "device", id(dev->device),
			 "revision", attribute(dev->bdf, "revision"),
			 "subsystem_vendor", attribute(dev->bdf, "subsystem_vendor"),
			 "subsystem_device", attribute(dev->bdf, "subsystem_device"),
			 "serial", qualify->serials ? out_serial_json(dev->serial) : json_null(),
			 "numa_node", dev->numa_node,
			 "aspm_l1", aspm_l1(dev->bdf), "hardware", out_hardware_json(dev),
			 "bars", bars_of(dev->bdf));
}

/**
 * report_path() - describe the ports above the GPU of a run
 * @qualify: run
 *
 * Return: a JSON list, the root port first.
 */
json_t *report_path(const struct qualify *qualify)
{
	json_t *list = json_array();
	unsigned int i;

	for (i = 0; i < qualify->before.ports; i++) {
		const struct port *port = &qualify->before.port[i];

		json_array_append_new(list, json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
			"bdf", port->bdf, "role", name_of(&role_names, port->role),
			"vendor", id(port->vendor), "device", id(port->device),
			"revision", attribute(port->bdf, "revision"),
			"subsystem_vendor", attribute(port->bdf, "subsystem_vendor"),
			"subsystem_device", attribute(port->bdf, "subsystem_device"),
			"link_speed", attribute(port->bdf, "current_link_speed"),
			"link_width", attribute(port->bdf, "current_link_width"),
			"aspm_l1", aspm_l1(port->bdf)));
	}
	return list;
}
