// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <limits.h>
#include <linux/pci_regs.h>
#include <string.h>

#include "say.h"
#include "sysfs.h"
#include "sysroot.h"
#include "vmm.h"

/* QEMU's bus numbers are shared out to the guest's NUMA nodes from BUSES_FIRST on. */
#define BUSES		0x100
#define BUSES_FIRST	0x20
#define BUSES_EACH	0x30
/*
 * The lower indexes belong to the domain's own controllers, about 15. libvirt fills gaps in
 * the indexes with root ports, and a guest has I/O space for only a few of these.
 */
#define CONTROLLERS_FIRST	16
/* A bus has 32 device numbers; the first bus also has the guest's own devices, such as a disk. */
#define NODE_DEVICES_MAX	28
#define MIB		(1u << 20)
/* The kernel keeps the low bits of a BAR in its resource's flags. */
#define LARGE		(PCI_BASE_ADDRESS_MEM_TYPE_64 | PCI_BASE_ADDRESS_MEM_PREFETCH)

static const char *const names[VMMS] = {
	[VMM_QEMU] = "qemu",
	[VMM_LIBVIRT] = "libvirt",
	[VMM_CLOUD_HYPERVISOR] = "cloud-hypervisor",
};

const struct names vmm_names = { names, VMMS };

const char *const vmm_titles[VMMS] = {
	[VMM_QEMU] = "QEMU",
	[VMM_LIBVIRT] = "libvirt",
	[VMM_CLOUD_HYPERVISOR] = "Cloud Hypervisor",
};

/**
 * vmm_installed() - find the VMM that the host most likely uses
 *
 * Return: libvirt if the host has it, else QEMU or Cloud Hypervisor; QEMU if it has none, as a
 * captured host, which holds no programs.
 */
enum vmm vmm_installed(void)
{
	static const struct {
		const char *path;
		enum vmm vmm;
	} programs[] = {
		{ "/usr/sbin/virtqemud", VMM_LIBVIRT }, { "/usr/sbin/libvirtd", VMM_LIBVIRT },
		{ "/usr/bin/qemu-system-x86_64", VMM_QEMU }, { "/usr/libexec/qemu-kvm", VMM_QEMU },
		{ "/usr/bin/kvm", VMM_QEMU }, { "/usr/bin/cloud-hypervisor", VMM_CLOUD_HYPERVISOR },
		{ "/usr/local/bin/cloud-hypervisor", VMM_CLOUD_HYPERVISOR },
	};
	char path[PATH_MAX];
	struct stat st;
	size_t i;

	for (i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		snprintf(path, sizeof(path), "%s%s", opt_sysroot, programs[i].path);
		if (!sysroot_stat(path, true, &st))
			return programs[i].vmm;
	}
	return VMM_QEMU;
}

/**
 * vmm_nodes() - list the host's NUMA nodes that the devices of a choice belong to
 * @topo: host
 * @choice: the choice
 * @node: of NUMA_NODES_MAX, set to the nodes in ascending order; a single -1 if the node of
 *	every device is unknown
 *
 * Return: the number of nodes; the guest numbers them from 0.
 */
int vmm_nodes(const struct topo *topo, const struct choice *choice, int *node)
{
	bool has[NUMA_NODES_MAX] = { false };
	int kind, count = 0, i;
	size_t k;

	for (kind = 0; kind < TOPO_KINDS; kind++)
		for (k = 0; k < choice->best[kind].count; k++) {
			int numa = topo->host.function[choice->best[kind].list[k].index].numa;

			if (numa >= 0 && numa < NUMA_NODES_MAX)
				has[numa] = true;
		}
	for (i = 0; i < NUMA_NODES_MAX; i++)
		if (has[i])
			node[count++] = i;
	if (!count)
		node[count++] = -1;
	return count;
}

static bool is_in(const struct topo *topo, int index, int node, bool first)
{
	int numa = topo->host.function[index].numa;

	return numa == node || (numa < 0 && first);
}

/**
 * vmm_check_room() - check that the devices of each NUMA node fit on one bus of the guest
 * @topo: host
 * @choice: made by choice_make()
 *
 * Return: 0, or EXIT_UNSUPPORTED after printing the reason.
 */
int vmm_check_room(const struct topo *topo, const struct choice *choice)
{
	int node[NUMA_NODES_MAX], nodes = vmm_nodes(topo, choice, node), kind, i;
	size_t count, k;

	for (i = 0; i < nodes; i++) {
		for (count = 0, kind = 0; kind < TOPO_KINDS; kind++)
			for (k = 0; k < choice->best[kind].count; k++)
				count += is_in(topo, choice->best[kind].list[k].index, node[i], !i);
		if (count <= NODE_DEVICES_MAX)
			continue;
		say_error(ERROR_UNSUPPORTED, "%zu devices would be in one NUMA node of the guest, which has room for %d",
			  count, NODE_DEVICES_MAX);
		return EXIT_UNSUPPORTED;
	}
	return EXIT_OK;
}

/* VMMs accept these names, and "topo xml" recognises the devices by them. */
static void name_of_device(const struct topo *topo, int index, char mark, char *text, size_t size)
{
	size_t i;

	snprintf(text, size, "%s-%s", topo_kind_names[topo->kind[index]],
		 topo->host.function[index].bdf);
	for (i = 0; text[i]; i++)
		if (text[i] == ':' || text[i] == '.')
			text[i] = mark;
}

/* Returns the bytes of a GPU's large BARs; false if the host, or its capture, has no BARs of it. */
static bool bar_bytes(const char *bdf, uint64_t *bytes)
{
	char path[PATH_MAX], text[2048], *line, *rest;
	uint64_t start, end, flags;
	ssize_t n;

	*bytes = 0;
	sysfs_device_path(bdf, "resource", path, sizeof(path));
	n = sysfs_read(path, text, sizeof(text) - 1);
	text[n < 0 ? 0 : n] = '\0';
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		if (sscanf(line, "%" SCNx64 " %" SCNx64 " %" SCNx64, &start, &end, &flags) == 3 &&
		    end > start && end - start < 1ull << 48 && (flags & LARGE) == LARGE)
			*bytes += end - start + 1;
	return n > 0;
}

/**
 * vmm_without_bars() - find a GPU whose BARs are unknown, so that vmm_write() leaves the window out
 * @topo: host
 * @choice: made by choice_make()
 *
 * Return: index of the first such GPU, or -1.
 */
int vmm_without_bars(const struct topo *topo, const struct choice *choice)
{
	uint64_t bytes;
	size_t i;

	for (i = 0; i < choice->best[TOPO_GPU].count; i++) {
		int index = choice->best[TOPO_GPU].list[i].index;

		if (!bar_bytes(topo->host.function[index].bdf, &bytes))
			return index;
	}
	return -1;
}

/* Returns the address space that the guest needs above 4 GiB, a power of two; 0 if it is unknown. */
static uint64_t window_bytes(const struct topo *topo, const struct choice *choice)
{
	uint64_t bytes, sum = 0, window = 1;
	size_t i;

	for (i = 0; i < choice->best[TOPO_GPU].count; i++) {
		if (!bar_bytes(topo->host.function[choice->best[TOPO_GPU].list[i].index].bdf, &bytes))
			return 0;
		sum += bytes;
	}
	while (window < 2 * sum)
		window <<= 1;
	return sum ? window : 0;
}

/**
 * struct writer - an output being written
 * @out: stream to write to
 * @topo: host
 * @choice: the choice
 * @node: nodes of the host, indexed by node of the guest
 * @nodes: number of entries in @node
 * @number: number of the next device
 */
struct writer {
	FILE *out;
	const struct topo *topo;
	const struct choice *choice;
	int node[NUMA_NODES_MAX];
	int nodes;
	int number;
};

/* Visits all devices of one of the guest's nodes, by kind. */
static void each(struct writer *writer, int guest,
		 void (*visit)(struct writer *writer, int guest, int index))
{
	int kind;
	size_t i;

	for (kind = 0; kind < TOPO_KINDS; kind++)
		for (i = 0; i < writer->choice->best[kind].count; i++) {
			int index = writer->choice->best[kind].list[i].index;

			if (is_in(writer->topo, index, writer->node[guest], !guest))
				visit(writer, guest, index);
		}
}

static int first_bus(const struct writer *writer, int guest)
{
	int each = (BUSES - BUSES_FIRST) / writer->nodes;

	return BUSES_FIRST + guest * (each < BUSES_EACH ? each : BUSES_EACH);
}

static void qemu_device(struct writer *writer, int guest, int index)
{
	char name[64], bus[32] = "pcie.0";
	int number = writer->number++;

	if (writer->nodes > 1)
		snprintf(bus, sizeof(bus), "node%d", guest);
	name_of_device(writer->topo, index, '-', name, sizeof(name));
	/* The guest may believe this link; 16 GT/s is the most that QEMU 7.2 can show. */
	fprintf(writer->out, "-device pcie-root-port,id=port%d,bus=%s,chassis=%d,x-speed=16,x-width=16\n",
		number, bus, number + 1);
	fprintf(writer->out, "-device vfio-pci,host=%s,id=%s,bus=port%d\n",
		writer->topo->host.function[index].bdf, name, number);
}

static void write_qemu(struct writer *writer)
{
	uint64_t window = window_bytes(writer->topo, writer->choice);
	int guest;

	fprintf(writer->out, "-machine q35,kernel-irqchip=split -accel kvm -cpu host,host-phys-bits=on\n");
	if (window)
		fprintf(writer->out, "-fw_cfg name=opt/ovmf/X-PciMmio64Mb,string=%" PRIu64 "\n",
			(uint64_t)(window / MIB));
	for (guest = 0; guest < writer->nodes; guest++) {
		if (writer->nodes > 1)
			fprintf(writer->out, "-device pxb-pcie,id=node%d,bus=pcie.0,bus_nr=0x%02x,numa_node=%d\n",
				guest, first_bus(writer, guest), guest);
		each(writer, guest, qemu_device);
	}
}

/*
 * May libvirt bind the device? It would bind a GPU that instinct-vfio supports to vfio-pci,
 * which cannot reset that GPU.
 */
static bool is_for_libvirt_to_bind(const struct topo *topo, int index)
{
	return !host_has_vfio(&topo->host.function[index]) && !host_is_known(&topo->host, index);
}

static void libvirt_device(struct writer *writer, int guest, int index)
{
	const struct host_function *function = &writer->topo->host.function[index];
	unsigned int domain = 0, bus = 0, slot = 0, number = 0;
	int controller = CONTROLLERS_FIRST + writer->nodes + writer->number;
	char name[64];

	name_of_device(writer->topo, index, '-', name, sizeof(name));
	if (sscanf(function->bdf, "%x:%x:%x.%u", &domain, &bus, &slot, &number) != 4)
		return;
	if (writer->nodes > 1)
		fprintf(writer->out, "<controller type='pci' index='%d' model='pcie-root-port'>\n"
			"  <address type='pci' domain='0x0000' bus='0x%02x' slot='0x%02x' function='0x0'/>\n"
			"</controller>\n", controller, CONTROLLERS_FIRST + guest,
			writer->number % 32);
	fprintf(writer->out, "<hostdev mode='subsystem' type='pci' managed='%s'>\n"
		"  <source>\n"
		"    <address domain='0x%04x' bus='0x%02x' slot='0x%02x' function='0x%x'/>\n"
		"  </source>\n"
		"  <alias name='ua-%s'/>\n",
		is_for_libvirt_to_bind(writer->topo, index) ? "yes" : "no", domain, bus, slot, number,
		name);
	if (writer->nodes > 1)
		fprintf(writer->out, "  <address type='pci' domain='0x0000' bus='0x%02x' slot='0x00' function='0x0'/>\n",
			controller);
	fprintf(writer->out, "</hostdev>\n");
	writer->number++;
}

/*
 * These words belong outside of <devices>, so they are a comment. libvirt reserves names that begin
 * with opt/ovmf/ for itself, so <sysinfo type='fwcfg'> cannot give the window.
 */
static void libvirt_addresses(const struct writer *writer)
{
	uint64_t window = window_bytes(writer->topo, writer->choice);

	fprintf(writer->out, "<!-- The domain also needs, beside <devices>:\n"
		"<cpu mode='host-passthrough'><maxphysaddr mode='passthrough'/></cpu>\n");
	if (window)
		fprintf(writer->out, "and with OVMF, in <domain xmlns:qemu='http://libvirt.org/schemas/domain/qemu/1.0'>:\n"
			"<qemu:commandline>\n"
			"  <qemu:arg value='-fw_cfg'/>\n"
			"  <qemu:arg value='name=opt/ovmf/X-PciMmio64Mb,string=%" PRIu64 "'/>\n"
			"</qemu:commandline>\n", (uint64_t)(window / MIB));
	fprintf(writer->out, "-->\n");
}

static void write_libvirt(struct writer *writer)
{
	int guest;

	libvirt_addresses(writer);
	for (guest = 0; guest < writer->nodes && writer->nodes > 1; guest++)
		fprintf(writer->out, "<controller type='pci' index='%d' model='pcie-expander-bus'>\n"
			"  <target busNr='%d'>\n"
			"    <node>%d</node>\n"
			"  </target>\n"
			"</controller>\n", CONTROLLERS_FIRST + guest,
			first_bus(writer, guest), guest);
	for (guest = 0; guest < writer->nodes; guest++)
		each(writer, guest, libvirt_device);
}

static void cloud_device(struct writer *writer, int guest, int index)
{
	char name[64];

	name_of_device(writer->topo, index, '-', name, sizeof(name));
	fprintf(writer->out, "%s path=/sys/bus/pci/devices/%s/,id=%s",
		writer->number++ ? "        " : "--device", writer->topo->host.function[index].bdf, name);
	if (writer->nodes > 1)
		fprintf(writer->out, ",pci_segment=%d", guest);
	fprintf(writer->out, "\n");
}

/* Devices are directly below their segment's root; only the topology file shows switches. */
static void write_cloud(struct writer *writer)
{
	int guest;

	if (writer->nodes > 1)
		fprintf(writer->out, "--platform num_pci_segments=%d\n", writer->nodes);
	for (guest = 0; guest < writer->nodes; guest++)
		each(writer, guest, cloud_device);
	for (guest = 0; guest < writer->nodes && writer->nodes > 1; guest++)
		fprintf(writer->out, "%s guest_numa_id=%d,pci_segments=[%d]\n",
			guest ? "      " : "--numa", guest, guest);
}

/**
 * vmm_write() - write the VMM's options that give a guest the devices of a choice
 * @out: stream to write to
 * @vmm: the VMM
 * @topo: host
 * @choice: made by choice_make()
 *
 * Devices of several NUMA nodes of the host are in several nodes of the guest. The operator
 * configures the guest's nodes, CPUs and memory.
 */
void vmm_write(FILE *out, enum vmm vmm, const struct topo *topo, const struct choice *choice)
{
	struct writer writer = { .out = out, .topo = topo, .choice = choice };

	writer.nodes = vmm_nodes(topo, choice, writer.node);
	if (vmm == VMM_QEMU)
		write_qemu(&writer);
	else if (vmm == VMM_LIBVIRT)
		write_libvirt(&writer);
	else
		write_cloud(&writer);
}

static void map_device(struct writer *writer, int guest, int index)
{
	char name[64];

	name_of_device(writer->topo, index, '-', name, sizeof(name));
	fprintf(writer->out, "%s %s %d\n", writer->topo->host.function[index].bdf, name, guest);
}

/**
 * vmm_write_map() - write lines "HOST ID NODE" for topo xml and topo check
 * @out: stream to write to
 * @topo: host
 * @choice: made by choice_make()
 *
 * The IDs are those of vmm_write() for QEMU and Cloud Hypervisor. The guest's addresses come from the
 * VMM once the guest runs.
 */
void vmm_write_map(FILE *out, const struct topo *topo, const struct choice *choice)
{
	struct writer writer = { .out = out, .topo = topo, .choice = choice };
	int guest;

	writer.nodes = vmm_nodes(topo, choice, writer.node);
	for (guest = 0; guest < writer.nodes; guest++)
		each(&writer, guest, map_device);
}
