// SPDX-License-Identifier: GPL-2.0-only
/*
 * libFuzzer makes a sixth of the changes of an input. The others add or remove one change of
 * the host, or alter its file, its kind or its payload.
 */
#include <string.h>

#include "fuzz.h"
#include "host_base.h"
#include "host_change.h"
#include "host_disk.h"
#include "core/pure.h"

#define HEAD_BYTES	2
#define CHANGE_BYTES	5	/* header of a change, before its payload */
#define TEXT_BYTES	600

/* Contents of files: usual values, and values at the limits. */
static const char *const texts[] = {
	"", "\n", "0", "1", "-1", "Y", "N", "0x1002", "0x74a1", "0x74a5", "0x75a0", "0x15b3",
	"0x060400", "0x120000", "0x020000", "0x", "255", "65536", "2147483648", "4294967296",
	"9223372036854775808", "-9223372036854775809", "18446744073709551616", "1e9",
	"0-95,192-287", "0-4294967295", "5-1", "0,,1", "10 20", "10,32", "32.0 GT/s PCIe",
	"2.5 GT/s", "Unknown", "flr bus", "pm", "x86_64", "DMA-FQ", "identity", "none",
	"0x0000004000000000 0x0000007fffffffff 0x000000000014220c", "deadbeef 00000000 7 -1",
	"[none] integrity confidentiality", "\xc3\xa4\xc3", "\x1b[2J", "\x80\xff", "\xc2\x9bH",
	"%s%n", "{\"a\": 1}", "a\tb\rc", "<x>&amp;", "MemTotal:       18446744073709551615 kB",
	"HugePages_Total:   -5", "processor\t: 0", "vendor_id\t: AuthenticAMD",
	"iommu=pt pci=realloc=off amd_iommu=on \"", "options vfio-pci ids=1002:74a1",
	"realtime 18446744073709551615\nboottime 1", "00000000-ffffffff : PCI Bus 0000:20",
	"Status: install ok installed", "CONFIG_PCI_P2PDMA=", "NCCL_TOPO_FILE=",
};

static const char *const targets[] = {
	".", "..", "/", "//", "/.", "/sys", "/sys/devices", "../../..", "a", "a/b", "self",
	"/sys/bus/pci/devices/0000:26:00.0", "../0000:26:00.0", "../../../bus/pci/drivers/x",
	"/sys/kernel/iommu_groups/0", "\x1b]0;x\a", "0000:26:00.0/..", "/dev/null",
};

/* Paths to add. In an input, a NUL and a text follow each. */
static const char *const paths[] = {
	"sys/bus/pci/devices/0000:ff:1f.7", "sys/bus/pci/devices/0000:26:00.0",
	"sys/class/net/eth1", "sys/class/hwmon/hwmon9/name", "sys/class/iommu/ivhd0",
	"sys/class/block/nvme1n1/holders/dm-0", "sys/devices/system/node/node63/cpulist",
	"etc/instinct-vfio/policy.d/60-site.conf", "etc/instinct-vfio/policy.conf",
	"run/instinct-vfio/policy.d/50-one.conf", "usr/lib/instinct-vfio/policy.conf",
	"etc/modprobe.d/a.conf", "run/modprobe.d/b.conf", "etc/dracut.conf.d/c.conf",
	"etc/dkms/framework.conf.d/d.conf", "proc/self/limits", "proc/mounts", "proc/swaps",
	"var/run/nvidia-topologyd/virtualTopology.xml", "instinct-vfio/netlink/DEV_GET",
	"sys/module/vfio_pci", "sys/memory_peers/amdkfd/version",
};

static const char *const names[] = {
	"0000:27:00.0", "ffff:ff:1f.7", "a\nb", "\x1b[1m", "..a", " ", "node99999999999",
	"hwmon-1", "nvme0n1", "eth\xff", "50-x.conf", ".conf", "-", "virtfn1", "6.1.0",
};

#define ANY(seed, array)	((array)[dice(seed, ARRAY_SIZE(array))])

static size_t bytes_at(const struct input *input, size_t at)
{
	size_t left = input->size - at - CHANGE_BYTES;
	size_t bytes = input->data[at + 3] | input->data[at + 4] << 8;

	return bytes < left ? bytes : left;
}

/* Offset of a random change, or the end. */
static size_t any_change(struct input *input)
{
	size_t at, count = 0, chosen = input->size;

	for (at = HEAD_BYTES; at + CHANGE_BYTES <= input->size;
	     at += CHANGE_BYTES + bytes_at(input, at))
		if (!dice(&input->seed, ++count))
			chosen = at;
	return chosen;
}

/* Long files are config spaces and answers of the module: a third of the picks prefer them. */
static uint16_t any_path(unsigned int *seed)
{
	const struct tree *base = host_base();
	const struct tree_entry *entry = &base->list[dice(seed, base->count)];
	unsigned int tries = dice(seed, 3) ? 0 : 40;

	while (tries-- && entry->data.size < 256)
		entry = &base->list[dice(seed, base->count)];
	return host_base_hash(entry->path);
}

static size_t put_text(uint8_t *data, const char *text)
{
	size_t size = strlen(text);

	memcpy(data, text, size + 1);
	return size;
}

static size_t any_text(uint8_t *text, const char *some, unsigned int *seed)
{
	size_t size = put_text(text, some);

	if (dice(seed, 2))
		text[size++] = '\n';
	if (!dice(seed, 4))
		size = LLVMFuzzerMutate(text, size, TEXT_BYTES / 2);
	return size;
}

static size_t put_number(uint8_t *data, uint32_t number)
{
	data[0] = number;
	data[1] = number >> 8;
	return 2;
}

/* Half of the lengths are ones at which a reader may take another branch. */
static uint32_t any_length(unsigned int *seed)
{
	static const uint16_t borders[] = { 0, 1, 2, 4, 16, 63, 64, 255, 256, 257, 4095, 4096 };

	return dice(seed, 2) ? ANY(seed, borders) : dice(seed, 0x10000);
}

static size_t make_payload(uint8_t *data, enum host_change what, unsigned int *seed)
{
	size_t size, i;

	switch (what) {
	case HOST_TEXT:
		return any_text(data, ANY(seed, texts), seed);
	case HOST_PATCH:
		size = put_number(data, dice(seed, 2) ? dice(seed, 0x200) : dice(seed, 0x1000));
		for (i = 1 + dice(seed, 8); i; i--)
			data[size++] = dice(seed, 3) ? dice(seed, 256) : dice(seed, 2) * 255;
		return size;
	case HOST_CUT:
	case HOST_REPEAT:
		return put_number(data, any_length(seed));
	case HOST_POINTER:
		for (size = 0; size < 4; size++)
			data[size] = dice(seed, 256);
		return size;
	case HOST_LINK:
		size = put_text(data, ANY(seed, targets));
		return dice(seed, 4) ? size : LLVMFuzzerMutate(data, size, TEXT_BYTES / 2);
	case HOST_LINK_TO:
		size = put_number(data, any_path(seed));
		data[size++] = dice(seed, 256);
		return size;
	case HOST_NAME:
		return put_text(data, ANY(seed, names));
	case HOST_ADD:
		size = put_text(data, ANY(seed, paths)) + 1;
		return size + any_text(data + size, ANY(seed, texts), seed);
	default:
		data[0] = dice(seed, 256);
		return 1;
	}
}

static void add(struct input *input)
{
	enum host_change what = dice(&input->seed, HOST_CHANGES);
	uint8_t data[CHANGE_BYTES + TEXT_BYTES + 64];
	size_t size;

	/* Most changes alter contents: those are fast, and leave most of the host readable. */
	if (dice(&input->seed, 4) || (what >= HOST_PIPE && dice(&input->seed, 4)))
		what = dice(&input->seed, HOST_LINK);
	data[0] = what;
	put_number(data + 1, any_path(&input->seed));
	size = make_payload(data + CHANGE_BYTES, what, &input->seed);
	put_number(data + 3, size);
	input_splice(input, any_change(input), 0, data, CHANGE_BYTES + size);
}

static void change_payload(struct input *input, size_t at)
{
	size_t bytes = bytes_at(input, at), changed;
	uint8_t data[TEXT_BYTES];

	if (bytes > sizeof(data))
		return;
	memcpy(data, input->data + at + CHANGE_BYTES, bytes);
	changed = LLVMFuzzerMutate(data, bytes, sizeof(data));
	put_number(input->data + at + 3, changed);
	input_splice(input, at + CHANGE_BYTES, bytes, data, changed);
}

static void change(struct input *input)
{
	size_t at = any_change(input);

	if (at == input->size || dice(&input->seed, 8) < 3) {
		add(input);
		return;
	}
	switch (dice(&input->seed, 5)) {
	case 0:
		input_splice(input, at, CHANGE_BYTES + bytes_at(input, at), "", 0);
		break;
	case 1:
		put_number(input->data + at + 1, any_path(&input->seed));
		break;
	case 2:
		input->data[at] = dice(&input->seed, HOST_CHANGES);
		break;
	default:
		change_payload(input, at);
	}
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
	struct input input = { data, size, max, seed };

	if (size < HEAD_BYTES || !dice(&input.seed, 6))
		return LLVMFuzzerMutate(data, size, max);
	if (!dice(&input.seed, 4))
		data[0] = dice(&input.seed, 256);
	if (!dice(&input.seed, 4))
		data[1] = dice(&input.seed, 4) & dice(&input.seed, 4);
	change(&input);
	return input.size;
}
