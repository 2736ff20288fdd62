// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <limits.h>
#include <linux/pci_regs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aside.h"
#include "bdf.h"
#include "host.h"
#include "isolation/plan.h"
#include "nl_replay.h"
#include "pci_config.h"
#include "core/profile.h"
#include "quirk.h"
#include "say.h"
#include "sysfs.h"
#include "sysfs_folder.h"
#include "sysroot.h"

#define ACS_CTRL_WIDE	8	/* see quirk_has_wide_acs() */

/* Codes of Supported Link Speeds and Current Link Speed, PCIe r6.0 sec 7.5.3.6 and 7.5.3.8. */
static unsigned int speed_of(unsigned int code)
{
	static const unsigned int speeds[] = { 0, 2500, 5000, 8000, 16000, 32000, 64000 };

	return code < sizeof(speeds) / sizeof(speeds[0]) ? speeds[code] : 0;
}

static void read_link(struct host_link *link, const struct pci_config *config, unsigned int exp)
{
	uint32_t can = pci_config_dword(config, exp + PCI_EXP_LNKCAP);
	uint32_t more = pci_config_dword(config, exp + PCI_EXP_LNKCAP2) & 0xfe;
	uint16_t now = pci_config_word(config, exp + PCI_EXP_LNKSTA);

	if (!can || can == UINT32_MAX)
		return;
	/* The Supported Link Speeds Vector has speeds that the older field cannot express. */
	link->max_speed = speed_of(more ? 31u - __builtin_clz(more) : can & PCI_EXP_LNKCAP_SLS);
	link->max_width = (can & PCI_EXP_LNKCAP_MLW) >> 4;
	link->speed = speed_of(now & PCI_EXP_LNKSTA_CLS);
	link->width = (now & PCI_EXP_LNKSTA_NLW) >> PCI_EXP_LNKSTA_NLW_SHIFT;
}

/* Sets the kind of a function. Returns the Device/Port Type of PCI Express, -1 without one. */
static int read_express(struct host_link *link, struct instinct_node *node,
			const struct pci_config *config)
{
	unsigned int exp = pci_config_capability(config, PCI_CAP_ID_EXP);
	int type = exp ? (pci_config_word(config, exp + PCI_EXP_FLAGS) & PCI_EXP_FLAGS_TYPE) >> 4 :
		   -1;

	if (exp)
		read_link(link, config, exp);
	node->kind = instinct_node_kind((pci_config_byte(config, PCI_HEADER_TYPE) & 0x7f) ==
					PCI_HEADER_TYPE_BRIDGE, type);
	return type;
}

static void add_window(struct host_function *function, uint64_t start, uint64_t end)
{
	if (start > end)
		return;
	function->window[function->windows].start = start;
	function->window[function->windows++].end = end;
}

static void read_windows(struct host_function *function, const struct pci_config *config)
{
	uint64_t base, limit;

	base = (uint64_t)(pci_config_word(config, PCI_MEMORY_BASE) & 0xfff0) << 16;
	limit = (uint64_t)(pci_config_word(config, PCI_MEMORY_LIMIT) & 0xfff0) << 16 |
		0xfffff;
	add_window(function, base, limit);
	base = (uint64_t)(pci_config_word(config, PCI_PREF_MEMORY_BASE) & 0xfff0) << 16 |
	       (uint64_t)pci_config_dword(config, PCI_PREF_BASE_UPPER32) << 32;
	limit = (uint64_t)(pci_config_word(config, PCI_PREF_MEMORY_LIMIT) & 0xfff0) << 16 |
		(uint64_t)pci_config_dword(config, PCI_PREF_LIMIT_UPPER32) << 32 | 0xfffff;
	add_window(function, base, limit);
}

static void read_extended(struct host_function *function, struct instinct_node *node,
			  const struct pci_config *config)
{
	unsigned int acs = pci_config_extended(config, PCI_EXT_CAP_ID_ACS);
	unsigned int ats = pci_config_extended(config, PCI_EXT_CAP_ID_ATS);

	function->readable = true;
	function->has_acs = acs;
	if (acs) {
		function->acs_capable =
			instinct_acs_capable(pci_config_word(config, acs + PCI_ACS_CAP));
		function->acs = pci_config_word(config, acs + (quirk_has_wide_acs(node) ?
							       ACS_CTRL_WIDE : PCI_ACS_CTRL));
	}
	function->has_ats = ats;
	if (ats)
		function->ats = pci_config_word(config, ats + PCI_ATS_CTRL);
	node->serial = pci_config_serial(config);
}

static void read_all(struct host_function *function, struct instinct_node *node,
		     const struct pci_config *config)
{
	int type;

	function->guessed = config->bytes < PCI_CFG_SPACE_SIZE;
	if (!config->bytes) {
		node->kind = node->class >> 8 == 0x0604 ? INSTINCT_NODE_BRIDGE :
			     INSTINCT_NODE_ENDPOINT;
		return;
	}
	type = read_express(&function->link, node, config);
	function->isolates = quirk_isolates(node, type);
	node->package = instinct_profile_port(node->vendor, node->device, node->kind);
	if (node->kind != INSTINCT_NODE_ENDPOINT)
		read_windows(function, config);
	if (config->bytes == PCI_CFG_SPACE_EXP_SIZE)
		read_extended(function, node, config);
	/* A conventional PCI function has no extended config space, so all of it was read. */
	else if (config->bytes == PCI_CFG_SPACE_SIZE)
		function->readable = true;
}

static void read_config(struct host_function *function, struct instinct_node *node, int folder)
{
	struct pci_config config;

	pci_config_open_in(&config, folder);
	read_all(function, node, &config);
	pci_config_close(&config);
}

/**
 * struct look - data of look()
 * @function: facts about the function, changed
 * @node: place of the function in the topology, changed
 * @folder: folder of the function in sysfs
 */
struct look {
	struct host_function function;
	struct instinct_node node;
	int folder;
};

/* A read of sriov_numvfs takes the device lock, which an unbind may hold for days. */
static int count_vfs(int folder)
{
	char name[32], bdf[BDF_BYTES];
	long long number;
	int vfs = 0;

	if (*opt_sysroot)
		return sysfs_folder_number(folder, "sriov_numvfs", &number) && number > 0 ? number : 0;
	do
		snprintf(name, sizeof(name), "virtfn%d", vfs);
	while (sysfs_folder_link(folder, name, bdf, sizeof(bdf)) && ++vfs);
	return vfs;
}

static void look(void *data)
{
	struct look *look = data;

	look->function.vfs = count_vfs(look->folder);
	read_config(&look->function, &look->node, look->folder);
}

/* A reset blocks the config space. Return false if the kernel blocks. */
static bool look_at(struct host_function *function, struct instinct_node *node, int folder)
{
	struct look it = { .function = *function, .node = *node, .folder = folder };

	if (!instinct_profile_find(node->vendor, node->device))
		look(&it);
	else if (!aside_call(function->bdf, look, &it, sizeof(it)))
		return false;
	*function = it.function;
	*node = it.node;
	return true;
}

/* A read of the config space of a GPU in reset would wait for the end of the reset. */
static bool is_resetting(const struct devices *gpus, const char *bdf)
{
	size_t i;

	for (i = 0; gpus && i < gpus->count; i++)
		if (gpus->list[i].state == INSTINCT_VFIO_STATE_RESETTING &&
		    !strcmp(gpus->list[i].bdf, bdf))
			return true;
	return false;
}

static void leave_out(struct host *host, const char *bdf)
{
	char *unread = list_add((void **)&host->unread, &host->unreads, sizeof(*host->unread));

	snprintf(unread, BDF_BYTES, "%.*s", BDF_BYTES - 1, bdf);
	sysfs_make_plain(unread);
}

static void read_function(struct host *host, const char *bdf, const struct devices *gpus,
			  int folder)
{
	struct host_function *function = &host->function[host->count];
	struct instinct_node *node = &host->node[host->count];
	long long vendor, device, class, number;
	char group[32];

	if (!sysfs_folder_number(folder, "vendor", &vendor) ||
	    !sysfs_folder_number(folder, "device", &device) ||
	    !sysfs_folder_number(folder, "class", &class)) {
		leave_out(host, bdf);
		return;
	}
	*function = (struct host_function) { .group = GROUP_NONE, .numa = -1, .bridge = -1 };
	snprintf(function->bdf, sizeof(function->bdf), "%.*s", BDF_BYTES - 1, bdf);
	*node = (struct instinct_node) {
		.parent = INSTINCT_NODE_NONE,
		.bdf = bdf_number(bdf),
		.vendor = vendor,
		.device = device,
		.class = class,
		.package = instinct_profile_port(vendor, device, -1),
	};
	sysfs_folder_link(folder, "driver", function->driver, sizeof(function->driver));
	if (sysfs_folder_link(folder, "iommu_group", group, sizeof(group)))
		function->group = atoi(group);
	if (sysfs_folder_number(folder, "numa_node", &number) && number >= 0 && number < INT_MAX)
		function->numa = number;
	function->resetting = (instinct_profile_find(vendor, device) && is_resetting(gpus, bdf)) ||
			      !look_at(function, node, folder);
	host->count++;
}

static void add_function(struct host *host, const char *bdf, const struct devices *gpus)
{
	int folder = sysfs_folder_open(bdf);

	if (folder < 0)
		return;
	read_function(host, bdf, gpus, folder);
	close(folder);
}

/*
 * The last port in the sysfs path of a function is its parent, and the first component is its
 * host bridge. The path of a VF is beside that of its PF.
 */
static void find_parent(struct host *host, int i)
{
	char path[PATH_MAX], real[PATH_MAX], bdf[BDF_BYTES];
	unsigned int domain, bus;
	char *part, *rest;
	int at;

	sysfs_device_path(host->function[i].bdf, "", path, sizeof(path));
	if (!sysroot_realpath(path, real))
		return;
	for (part = strtok_r(real, "/", &rest); part; part = strtok_r(NULL, "/", &rest)) {
		if (sscanf(part, "pci%x:%x", &domain, &bus) == 2)
			host->function[i].bridge = domain << 8 | bus;
		if (!bdf_parse(part, bdf) || !strcmp(bdf, host->function[i].bdf))
			continue;
		at = host_find(host, bdf);
		if (at >= 0 && host->node[at].kind != INSTINCT_NODE_ENDPOINT)
			host->node[i].parent = at;
	}
}

#define DEPTH_MAX	64	/* longer than any path */

static enum instinct_node_kind kind_below(const struct host *host, int above, bool has_port)
{
	if (above == INSTINCT_NODE_NONE)
		return INSTINCT_NODE_ROOT_PORT;
	switch (host->node[above].kind) {
	case INSTINCT_NODE_UPSTREAM:
		return INSTINCT_NODE_DOWNSTREAM;
	case INSTINCT_NODE_ROOT_PORT:
	case INSTINCT_NODE_DOWNSTREAM:
		return has_port ? INSTINCT_NODE_UPSTREAM : INSTINCT_NODE_BRIDGE;
	default:
		return INSTINCT_NODE_BRIDGE;
	}
}

/*
 * Users other than root cannot read the capability that gives the kind of a port. The place
 * gives it instead: a switch has an upstream port below a root port or downstream port, and
 * downstream ports below its upstream port.
 */
static void guess_kind(struct host *host, int i, const bool *has_port, int depth)
{
	struct instinct_node *node = &host->node[i];

	if (!host->function[i].guessed || node->kind != INSTINCT_NODE_BRIDGE || !depth)
		return;
	if (node->parent != INSTINCT_NODE_NONE)
		guess_kind(host, node->parent, has_port, depth - 1);
	node->kind = kind_below(host, node->parent, has_port[i]);
	node->package = instinct_profile_port(node->vendor, node->device, node->kind);
}

static void guess_kinds(struct host *host)
{
	bool *has_port = array_new(host->count, sizeof(*has_port));
	int i;

	for (i = 0; i < host->count; i++)
		if (host->node[i].kind != INSTINCT_NODE_ENDPOINT &&
		    host->node[i].parent != INSTINCT_NODE_NONE)
			has_port[host->node[i].parent] = true;
	for (i = 0; i < host->count; i++)
		guess_kind(host, i, has_port, DEPTH_MAX);
	free(has_port);
}

static int by_bdf(const void *bdf, const void *function)
{
	return strcmp(bdf, ((const struct host_function *)function)->bdf);
}

/**
 * host_find() - look up a function by its address
 * @host: host
 * @bdf: address with the domain
 *
 * Return: index of the function, or -1.
 */
int host_find(const struct host *host, const char *bdf)
{
	const struct host_function *found;

	found = bsearch(bdf, host->function, host->count, sizeof(*found), by_bdf);
	return found ? found - host->function : -1;
}

/**
 * host_capture_has() - tell whether the host of --sysroot was captured with a folder
 * @path: folder on the host
 *
 * The text of another program (lspci, lstopo) and a part of a sysfs lack most folders. A folder that
 * such a capture lacks may be on its host.
 *
 * Return: true for this host, for a capture of instinctctl dump, and for a capture with @path.
 */
bool host_capture_has(const char *path)
{
	char full[PATH_MAX];
	struct stat st;

	snprintf(full, sizeof(full), "%s%s", opt_sysroot, path);
	return !*opt_sysroot || nl_is_recorded() || !sysroot_stat(full, true, &st);
}

/**
 * host_tells() - tell whether the host of --sysroot was captured with the links of its functions
 * @link: name of the link in a function's folder, such as "driver"
 * @folder: folder on the host that such links lead to
 *
 * Return: false if a function without @link may have had one on its host.
 */
bool host_tells(const char *link, const char *folder)
{
	bool tells = host_capture_has(folder);
	struct dirent **entries = NULL;
	char name[64];
	int count = tells ? 0 : sysfs_list(&entries), i;

	for (i = 0; i < count; i++) {
		tells |= sysfs_read_link(entries[i]->d_name, link, name, sizeof(name));
		free(entries[i]);
	}
	free(entries);
	return tells;
}

/**
 * host_read() - read the functions of this host, or of the captured one (--sysroot)
 * @host: receives the functions; the caller must call host_free() in any case
 * @gpus: GPUs with their state; the config space of those in reset is not read. NULL if the
 *	state is unknown
 *
 * Return: 0, or an exit code after printing the error.
 */
int host_read(struct host *host, const struct devices *gpus)
{
	struct dirent **entries;
	int count = sysfs_list(&entries), i;

	*host = (struct host) { 0 };
	if (count < 0)
		return exit_code_of(-count);
	host->node = array_new(count, sizeof(*host->node));
	host->function = array_new(count, sizeof(*host->function));
	host->port = array_new(count, sizeof(*host->port));
	for (i = 0; i < count; i++) {
		add_function(host, entries[i]->d_name, gpus);
		free(entries[i]);
	}
	free(entries);
	for (i = 0; i < host->count; i++) {
		find_parent(host, i);
		host->port[i] = (struct reach_port) {
			.has_acs = host->function[i].has_acs,
			.control = host->function[i].acs,
			/* PCIe r6.0 sec 6.12.1: what ACS cannot control, the hardware does always. */
			.isolates = host->function[i].isolates ||
				    (host->function[i].has_acs &&
				     !(host->function[i].acs_capable & PCI_ACS_RR)),
		};
	}
	guess_kinds(host);
	host->tells_drivers = host_tells("driver", "/sys/bus/pci/drivers");
	host->tells_groups = host_capture_has("/sys/class/iommu") ||
			     host_tells("iommu_group", "/sys/kernel/iommu_groups");
	host->topology = (struct instinct_topology) { host->node, host->count };
	return EXIT_OK;
}

/**
 * host_has_vfio() - tell whether a function has a VFIO driver
 * @function: function
 *
 * Return: true if the name of its driver contains "vfio".
 */
bool host_has_vfio(const struct host_function *function)
{
	return strstr(function->driver, "vfio");
}

/**
 * host_waits_for_user() - tell whether a function may lack ATS only because it has no user
 * @function: function
 *
 * A function that is bound to a VFIO driver gets its IOMMU domain, and ATS with it, when a user
 * opens it.
 *
 * Return: true for a function with a VFIO driver or without a driver.
 */
bool host_waits_for_user(const struct host_function *function)
{
	return !*function->driver || host_has_vfio(function);
}

#define UNREAD_NAMED	8

/**
 * host_unread_text() - say which functions are left out, since sysfs does not tell what they are
 * @host: host
 * @text: receives a sentence without a full stop, "" if no function is left out
 * @size: size of @text in bytes
 */
void host_unread_text(const struct host *host, char *text, size_t size)
{
	size_t i, at;

	*text = '\0';
	if (!host->unreads)
		return;
	at = snprintf(text, size, "%zu function%s left out, since %s vendor, device or class cannot be read:",
		      host->unreads, host->unreads == 1 ? " is" : "s are",
		      host->unreads == 1 ? "its" : "their");
	for (i = 0; i < host->unreads && i < UNREAD_NAMED && at < size; i++)
		at += snprintf(text + at, size - at, "%s %s", i ? "," : "", host->unread[i]);
	if (i < host->unreads && at < size)
		snprintf(text + at, size - at, " and %zu more", host->unreads - i);
}

/**
 * host_is_known() - tell whether instinct-vfio supports a function
 * @host: host
 * @index: index of the function
 *
 * Return: true for a supported GPU.
 */
bool host_is_known(const struct host *host, int index)
{
	return instinct_profile_find(host->node[index].vendor, host->node[index].device);
}

/**
 * host_unread_why() - tell why all of a config space may not have been read
 *
 * Return: end of a sentence about a register in it.
 */
const char *host_unread_why(void)
{
	if (*opt_sysroot)
		return "is not in the capture";
	if (geteuid())
		return "cannot be read (are you root? is it lost, or in reset?)";
	return "cannot be read (is it lost or in reset, or is CAP_SYS_ADMIN missing?)";
}

/**
 * host_unread_remedy() - tell how all of a config space can be read
 *
 * Return: the operator's next step.
 */
const char *host_unread_remedy(void)
{
	return *opt_sysroot ? "capture the host as root, by instinctctl dump or lspci -vvvxxxx" :
			      "run this as root";
}

/**
 * host_free() - free a host and leave it empty
 * @host: host
 */
void host_free(struct host *host)
{
	free(host->node);
	free(host->function);
	free(host->port);
	free(host->unread);
	*host = (struct host) { 0 };
}
