// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "facts.h"
#include "say.h"
#include "sysfs.h"
#include "sysroot.h"

#define CONFIG_LIMIT	(1024 * 1024)
#define INTERRUPTS	32	/* interrupts of the I/O APIC come first */
/* UEFI 2.10 sec 3.3: four bytes of attributes, then 1 if Secure Boot is on. */
#define SECURE_BOOT	"/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"

static const char *const option_names[OPTIONS] = {
	[OPTION_VFIO_PCI] = "CONFIG_VFIO_PCI",
	[OPTION_VFIO_TYPE1] = "CONFIG_VFIO_IOMMU_TYPE1",
	[OPTION_IOMMUFD] = "CONFIG_IOMMUFD",
	[OPTION_IOMMU] = "CONFIG_IOMMU_API",
	[OPTION_PCI_ATS] = "CONFIG_PCI_ATS",
	[OPTION_PCIEAER] = "CONFIG_PCIEAER",
	[OPTION_PCI_P2PDMA] = "CONFIG_PCI_P2PDMA",
	[OPTION_DMABUF_MOVE_NOTIFY] = "CONFIG_DMABUF_MOVE_NOTIFY",
};

static void read_option(struct kernel_facts *kernel, const char *line)
{
	size_t i, n;

	for (i = 0; i < OPTIONS; i++) {
		n = strlen(option_names[i]);
		if (!strncmp(line, option_names[i], n) && line[n] == '=')
			kernel->option[i] = line[n + 1];
	}
}

/* Distributions install the kernel's configuration in one of these places. */
static char *open_options(struct kernel_facts *kernel)
{
	static const char *const places[] = {
		"/boot/config-%s", "/lib/modules/%s/config", "/lib/modules/%s/build/.config",
	};
	char path[PATH_MAX], *text;
	int error, first = ENOENT;
	size_t i;

	for (i = 0; ; i++) {
		snprintf(path, sizeof(path), places[i], kernel->release.text);
		text = facts_read_file(path, CONFIG_LIMIT, NULL, &error);
		/* A permission error says more to the user than a missing file. */
		if (first == ENOENT)
			first = error;
		kernel->options_error = error ? first : 0;
		if (!error || i + 1 == ARRAY_SIZE(places))
			return text;
		free(text);
	}
}

static void read_options(struct kernel_facts *kernel)
{
	char *text = open_options(kernel), *line, *rest;

	memset(kernel->option, 'n', sizeof(kernel->option));
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		if (!strncmp(line, "CONFIG_", strlen("CONFIG_")))
			read_option(kernel, line);
	free(text);
}

static void read_command(struct kernel_facts *kernel)
{
	char *text = facts_read_file("/proc/cmdline", sizeof(kernel->command) - 1, NULL,
				     &kernel->command_error);

	snprintf(kernel->command, sizeof(kernel->command), "%s", text);
	kernel->command[strcspn(kernel->command, "\n")] = '\0';
	sysfs_make_plain(kernel->command);
	free(text);
}

static bool read_secure_boot(void)
{
	char path[PATH_MAX];
	unsigned char data[5];

	snprintf(path, sizeof(path), "%s" SECURE_BOOT, opt_sysroot);
	return sysfs_read(path, data, sizeof(data)) == sizeof(data) && data[4] == 1;
}

/* With interrupt remapping the chip's name changes, for example to "IR-IO-APIC". */
static void read_interrupts(struct fact *chip)
{
	int i;

	for (i = 0; i < INTERRUPTS; i++) {
		fact_read(chip, "/sys/kernel/irq/%d/chip_name", i);
		if (!chip->error && (strstr(chip->text, "APIC") || strstr(chip->text, "PCI")))
			return;
	}
	*chip = (struct fact) { .error = ENOENT };
}

/**
 * facts_read_kernel() - read release, command line, configuration and options of the kernel
 * @kernel: receives the facts
 */
void facts_read_kernel(struct kernel_facts *kernel)
{
	fact_read(&kernel->release, "/proc/sys/kernel/osrelease");
	/* "6.12.48-1-generic", "6.12-rc1" */
	if (sscanf(kernel->release.text, "%d.%d.%d", &kernel->version[0],
		   &kernel->version[1], &kernel->version[2]) < 2)
		kernel->version[0] = 0;
	read_command(kernel);
	read_options(kernel);
	fact_read(&kernel->aspm, "/sys/module/pcie_aspm/parameters/policy");
	fact_read(&kernel->numa_balancing, "/proc/sys/kernel/numa_balancing");
	fact_read(&kernel->lockdown, "/sys/kernel/security/lockdown");
	fact_read(&kernel->sig_enforce, "/sys/module/module/parameters/sig_enforce");
	kernel->secure_boot = read_secure_boot();
	fact_read(&kernel->unsafe_noiommu,
		  "/sys/module/vfio/parameters/enable_unsafe_noiommu_mode");
	fact_read(&kernel->unsafe_interrupts,
		  "/sys/module/vfio_iommu_type1/parameters/allow_unsafe_interrupts");
	fact_read(&kernel->unsafe_iommufd,
		  "/sys/module/iommufd/parameters/allow_unsafe_interrupts");
	fact_read(&kernel->no_hugepages,
		  "/sys/module/vfio_iommu_type1/parameters/disable_hugepages");
	fact_read(&kernel->dma_entries,
		  "/sys/module/vfio_iommu_type1/parameters/dma_entry_limit");
	fact_read(&kernel->no_idle_d3, "/sys/module/vfio_pci/parameters/disable_idle_d3");
	read_interrupts(&kernel->interrupt_chip);
	fact_read(&kernel->hugepages_1g,
		  "/sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages");
	fact_read(&kernel->hugepages_2m,
		  "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages");
	fact_read(&kernel->transparent, "/sys/kernel/mm/transparent_hugepage/enabled");
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static void list_iommus(struct iommu_facts *iommu)
{
	char path[PATH_MAX];
	struct dirent **entries;
	int i;

	snprintf(path, sizeof(path), "%s/sys/class/iommu", opt_sysroot);
	iommu->count = sysroot_scandir(path, &entries, is_visible, alphasort);
	if (iommu->count < 0) {
		iommu->error = errno;
		iommu->count = 0;
		return;
	}
	for (i = 0; i < iommu->count; i++) {
		if (!i)
			snprintf(iommu->name, sizeof(iommu->name), "%.*s", WORD_BYTES - 1,
				 entries[i]->d_name);
		free(entries[i]);
	}
	sysfs_make_plain(iommu->name);
	free(entries);
}

/* Does a host driver have the endpoint? VFIO uses IOMMU domains of its own. */
static bool is_hosts(const struct host *host, int i)
{
	const struct host_function *function = &host->function[i];

	return host->node[i].kind == INSTINCT_NODE_ENDPOINT && function->group != GROUP_NONE &&
	       *function->driver && !host_has_vfio(function);
}

/* Several functions may share a group; count it at the first one. */
static bool is_first(const struct host *host, int i)
{
	int j;

	for (j = 0; j < i; j++)
		if (host->function[j].group == host->function[i].group && is_hosts(host, j))
			return false;
	return true;
}

static void read_group(struct iommu_facts *iommu, const struct host_function *function)
{
	struct fact type;

	fact_read(&type, "/sys/kernel/iommu_groups/%d/type", function->group);
	iommu->identity += fact_is(&type, "identity");
	iommu->lazy += fact_is(&type, "DMA-FQ");
	iommu->strict += fact_is(&type, "DMA");
}

/**
 * facts_read_iommu() - read IOMMUs, and their mode for devices with host drivers
 * @facts: facts with the host's functions; extended
 */
void facts_read_iommu(struct facts *facts)
{
	const struct host *host = &facts->findings.host;
	int i;

	list_iommus(&facts->iommu);
	for (i = 0; i < host->count; i++)
		if (is_hosts(host, i) && is_first(host, i))
			read_group(&facts->iommu, &host->function[i]);
}
