// SPDX-License-Identifier: GPL-2.0-only
/* Masking removes all that identifies a host; equal originals get equal pseudonyms. */
#include <endian.h>
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <stdlib.h>
#include <time.h>

#include "mask.h"
#include "model.h"
#include "nl_parse.h"
#include "nl_replay.h"
#include "unit.h"

#define SERIAL	0x946dae0300123456ull

/* Returns @text as mask_text() leaves it. */
static const char *masked(struct mask *mask, const char *text)
{
	static char result[1024];
	struct bytes bytes = { 0 };

	bytes_add(&bytes, text, strlen(text));
	mask_text(mask, &bytes);
	snprintf(result, sizeof(result), "%s", bytes.data);
	bytes_free(&bytes);
	return result;
}

static struct bytes *put_file(struct tree *tree, const char *path, const char *text)
{
	struct bytes *data = &tree_add(tree, path, TREE_FILE)->data;

	bytes_add(data, text, strlen(text));
	return data;
}

static void test_serials_in_texts(void)
{
	struct mask mask = { 0 };

	CHECK_STR(masked(&mask, "[device serial=946dae0300123456]"),
		  "[device serial=5e71a10000000001]");
	CHECK_STR(masked(&mask, "serial 00C030B089104000\n"), "serial 5e71a10000000002\n");
	CHECK_STR(masked(&mask, "\"serial\": \"0x946DAE0300123456\","),
		  "\"serial\": \"0x5e71a10000000001\",");
	/* Masking finds a known serial number without a label too, also in lspci's form. */
	CHECK_STR(masked(&mask, "x 946dae0300123456."), "x 5e71a10000000001.");
	CHECK_STR(masked(&mask, "Device Serial Number 94-6d-ae-03-00-12-34-56"),
		  "Device Serial Number 5e-71-a1-00-00-00-00-01");
	CHECK_STR(masked(&mask, "11-22-33-44-55-66-77-88"), "5e-71-a1-00-00-00-00-03");
	/* Other numbers with 16 digits are no serial numbers. */
	CHECK_STR(masked(&mask, "0x0000380000000000 0x00003801ffffffff 0x000000000014220c"),
		  "0x0000380000000000 0x00003801ffffffff 0x000000000014220c");
	/* A pseudonym stays as it is. */
	CHECK_STR(masked(&mask, "serial=5e71a10000000001"), "serial=5e71a10000000001");
	mask_free(&mask);
}

/* Addresses of the kernel tell where KASLR has put it. */
static void test_kernel(void)
{
	struct mask mask = { 0 };
	struct tree tree = { 0 };

	CHECK_STR(masked(&mask, "RSP: 0018:ffffc90000a3fd40 RAX 0xffff888100a1b2c3, RIP ffffffff9a2b3c4d."),
		  "RSP: 0018:ffff000000000000 RAX 0xffff000000000000, RIP ffff000000000000.");
	CHECK_STR(masked(&mask, "Kernel Offset: 0x1b000000 from 0xffffffff81000000"),
		  "Kernel Offset: 0x0 from 0xffff000000000000");
	/* A processor with five levels of page tables has the kernel's memory elsewhere. */
	CHECK_STR(masked(&mask, "R12: ff11000123ab4c00 CR2 0xff11000123AB4C00, ffa000000a3fd40f ffd4000004891200 ffe8c40a3fd40000"),
		  "R12: ffff000000000000 CR2 0xffff000000000000, ffff000000000000 ffff000000000000 ffff000000000000");
	CHECK_STR(masked(&mask, "ff00ff00ff00ff00 ff00000000000000 ffe0000000000000 fffe000000000000 ff7fffffffffffff"),
		  "ff00ff00ff00ff00 ff00000000000000 ffe0000000000000 fffe000000000000 ff7fffffffffffff");
	/* Masks and bounds are none. */
	CHECK_STR(masked(&mask, "ffffffffffffffff 0xffffffff00000000 ffff000000000000 0xffffff8000"),
		  "ffffffffffffffff 0xffffffff00000000 ffff000000000000 0xffffff8000");
	put_file(&tree, "proc/iomem", "00001000-0009ffff : System RAM\n"
		 "100000000-203fffffff : System RAM\n  12a000000-12b2025b9 : Kernel code\n"
		 "  12b400000-12bdfffff : Kernel rodata\n380000000000-38ffffffffff : PCI Bus 0000:80");
	put_file(&tree, "proc/modules", "nvme 61440 5 - Live 0xffffffffc0a1b000 (OE)\n"
		 "vfio 16384 0 - Live 0xffffffffc0abb000\nkvm 1 2 a, Live");
	mask_tree(&mask, &tree);
	CHECK_STR(tree.list[0].data.data, "00001000-0009ffff : System RAM\n"
		  "100000000-203fffffff : System RAM\n  000000000-000000000 : Kernel code\n"
		  "  000000000-000000000 : Kernel rodata\n380000000000-38ffffffffff : PCI Bus 0000:80");
	CHECK_STR(tree.list[1].data.data, "nvme 61440 5 - Live 0x0000000000000000 (OE)\n"
		  "vfio 16384 0 - Live 0x0000000000000000\nkvm 1 2 a, Live");
	tree_free(&tree);
	mask_free(&mask);
}

static void test_addresses(void)
{
	struct mask mask = { 0 };

	CHECK_STR(masked(&mask, "MAC 94:6d:ae:12:34:56, again 94-6D-AE-12-34-56"),
		  "MAC 02:00:00:00:00:01, again 02-00-00-00-00-01");
	CHECK_STR(masked(&mask, "enx946dae123456: renamed from eth0"),
		  "enx020000000001: renamed from eth0");
	CHECK_STR(masked(&mask, "guid 946d:ae03:0012:3456"), "guid 0200:0000:0000:0002");
	CHECK_STR(masked(&mask, "mac=aa:bb:cc:dd:ee:ff"), "mac=02:00:00:00:00:03");
	CHECK_STR(masked(&mask, "ip:10.1.2.3 10.1.2.3:53 (192.168.7.9)"),
		  "ip:198.18.0.1 198.18.0.1:53 (198.18.0.2)");
	/* Two addresses with a separator between them. */
	CHECK_STR(masked(&mask, "10.1.2.3-192.168.7.9, ip=10.1.2.3:192.168.7.9::"),
		  "198.18.0.1-198.18.0.2, ip=198.18.0.1:198.18.0.2::");
	CHECK_STR(masked(&mask, "127.0.0.1-10.1.2.3 vpn-10.1.2.3"),
		  "127.0.0.1-198.18.0.1 vpn-198.18.0.1");
	CHECK_STR(masked(&mask, "94:6d:ae:12:34:56-94:6d:ae:12:34:56"),
		  "02:00:00:00:00:01-02:00:00:00:00:01");
	CHECK_STR(masked(&mask, "fe80::966d:aeff:fe12:3456-fe80::966d:aeff:fe12:3456"),
		  "2001:db8::3-2001:db8::3");
	CHECK_STR(masked(&mask, "listen = 127.0.0.1:9100 [::1]:9100"),
		  "listen = 127.0.0.1:9100 [::1]:9100");
	CHECK_STR(masked(&mask, "[fe80::966d:aeff:fe12:3456]:22 2a00:1450::8a"),
		  "[2001:db8::3]:22 2001:db8::4");
	CHECK_STR(masked(&mask, "root=UUID=0b7e2c1d-3b6a-4a53-9f27-5f3f2f1a0c9e"),
		  "root=UUID=00000000-0000-4000-8000-000000000001");
	CHECK_STR(masked(&mask, "/boot/efi/0123456789abcdef0123456789abcdef/linux"),
		  "/boot/efi/00000000000040008000000000000002/linux");
	mask_free(&mask);
}

/* PCI addresses, versions, times and numbers identify nobody, so they stay. */
static void test_what_stays(void)
{
	static const char *const texts[] = {
		"0000:c1:00.0: [1002:74a1] type 00 class 0x120000",
		"pci_bus 0000:c0: root bus resource [mem 0x90000000-0x9fffffff window]",
		"instinct_vfio_pci 0000:26:00.0: reset by mode1 in 1021 ms",
		"Linux version 6.1.0-56-amd64 (debian-kernel@lists.debian.org) (gcc-12 (Debian 12.2.0-14))",
		"2026-02-14 09:30:15.123 10:01:21",
		"pci:v00001002d000074A1sv00001002sd000074A1bc12sc00i00",
		"acs_peer_downstream = 0x5d\npeer = 15b3:1021\nready_timeout = 30s\n",
		"0000:20:01.0>0000:21:00.0",
		"std::string a.b.c-d:e",
		"NUMA node0 CPU(s): 0-47,96-143",
		"AMD-Vi: Extended features (0x841f77e022094ace, 0x0)",
	};
	struct mask mask = { 0 };
	size_t i;

	mask_add_host(&mask, "gpu-17.example.com");
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		CHECK_STR(masked(&mask, texts[i]), texts[i]);
	mask_free(&mask);
}

static void test_host(void)
{
	struct mask mask = { 0 };

	mask_add_host(&mask, "gpu-17.example.com");
	mask_add_host(&mask, "localhost");
	CHECK_STR(masked(&mask, "Hostname GPU-17, gpu-17.dc3.example.com. gpu-171 agpu-17"),
		  "Hostname host, host. gpu-171 agpu-17");
	CHECK_STR(masked(&mask, "localhost"), "localhost");
	mask_free(&mask);
}

/* Returns @text as mask_cmdline() leaves it. */
static const char *masked_cmdline(const char *text)
{
	static char result[1024];
	struct bytes bytes = { 0 };

	bytes_add(&bytes, text, strlen(text));
	mask_cmdline(&bytes);
	snprintf(result, sizeof(result), "%s", bytes.data);
	bytes_free(&bytes);
	return result;
}

static void test_cmdline(void)
{
	CHECK_STR(masked_cmdline("BOOT_IMAGE=/vmlinuz-6.1 root=UUID=0b7e quiet ro intel_iommu=on iommu=pt vfio-pci.ids=1002:74a1 rd.luks.key=secret pci=realloc some.password=x hunter2! console=ttyS0\n"),
		  "BOOT_IMAGE=masked root=masked quiet ro intel_iommu=on iommu=pt vfio-pci.ids=1002:74a1 rd.luks.key=masked pci=realloc some.password=masked masked console=ttyS0");
	/* A word without a value may itself be secret: only known words stay. */
	CHECK_STR(masked_cmdline("nointremap nox2apic gpu-17.corp tenant-acme user:pw@10.9.8.7 user:pw@x=1 kvm-acme"),
		  "nointremap nox2apic masked masked masked masked masked");
	CHECK_STR(masked_cmdline("pci=noats -- --token S3cret ro iommu=pt\n"), "pci=noats -- masked");
	CHECK_STR(masked_cmdline("ro --\n"), "ro --");
	/* A blank within quotation marks does not end a word. */
	CHECK_STR(masked_cmdline("a=\"secret ro quiet\" \"b=c ro\" vfio.dyndbg=\"file a.c +p\" rw"),
		  "a=masked masked vfio.dyndbg=\"file a.c +p\" rw");
	CHECK_STR(masked_cmdline("\n"), "");
}

static void test_logged_cmdline(void)
{
	struct mask mask = { 0 };

	CHECK_STR(masked(&mask, "<6>[ 0.1] Kernel command line: quiet key=secret -- --token secret\n<6>[ 0.2] next\n"),
		  "<6>[ 0.1] Kernel command line: quiet key=masked -- masked\n<6>[ 0.2] next\n");
	CHECK_STR(masked(&mask, "<5>Unknown kernel command line parameters \"splash acme key=secret\", will be passed to user space.\nnext"),
		  "<5>Unknown kernel command line parameters \"splash masked key=masked\nnext");
	CHECK_STR(masked(&mask, "dracut-cmdline[321]: Using kernel command line parameters:  key=secret ro\n"),
		  "dracut-cmdline[321]: Using kernel command line parameters: key=masked ro\n");
	mask_free(&mask);
}

/* Returns @text as mask_settings() leaves it. */
static const char *masked_settings(const char *path, const char *text)
{
	static char result[1024];
	struct bytes bytes = { 0 };

	bytes_add(&bytes, text, strlen(text));
	mask_settings(path, &bytes);
	snprintf(result, sizeof(result), "%s", bytes.data);
	bytes_free(&bytes);
	return result;
}

static void test_settings(void)
{
	static const char modprobe[] = "etc/modprobe.d/site.conf";

	CHECK(mask_is_settings(modprobe) && mask_is_settings("etc/modules"));
	CHECK(!mask_is_settings("lib/modules/6.1.0/config") && !mask_is_settings("proc/cpuinfo"));
	CHECK_STR(masked_settings(modprobe, "# for acme\noptions foo key=SECRET a SECRET\noptions vfio-pci ids=1002:74a1 disable_idle_d3=1\n"),
		  "\noptions foo key=masked masked masked\noptions vfio-pci ids=1002:74a1 disable_idle_d3=1\n");
	CHECK_STR(masked_settings(modprobe, "options foo \\\n  key=SECRET\nblacklist nouveau\nsoftdep amdgpu pre: instinct_vfio_pci"),
		  "options foo key=masked\nblacklist nouveau\nsoftdep amdgpu pre: instinct_vfio_pci");
	CHECK_STR(masked_settings(modprobe, "install foo /bin/login --token SECRET\nsecret line\n\nalias a b\n"),
		  "install foo masked masked masked\nmasked masked\n\nalias a b\n");
	CHECK_STR(masked_settings("etc/initramfs-tools/modules", "foo key=SECRET\n; acme\nvfio_pci ids=1002:74a1\n"),
		  "foo key=masked\n\nvfio_pci ids=1002:74a1\n");
	CHECK_STR(masked_settings("etc/instinct-vfio/policy.conf", "# acme\n[default]\nacs  =  vm-p2p ; acme # acme\npeer = a#b\n"),
		  "\n[default]\nacs  =  vm-p2p \npeer = a#b\n");
}

static void put_capability(char *space, unsigned int at, uint32_t id, unsigned int next)
{
	uint32_t head = htole32(id | 1 << 16 | next << 20);

	memcpy(space + at, &head, sizeof(head));
}

static void test_config(void)
{
	static char space[4096];
	uint64_t found, serial = htole64(SERIAL), turned = htobe64(SERIAL);
	struct bytes config = { 0 };
	struct mask mask = { 0 };

	put_capability(space, 0x100, 0x0b, 0x140);
	put_capability(space, 0x140, 0x03, 0x200);
	memcpy(space + 0x144, &serial, sizeof(serial));
	/* A copy that no capability points to, in the other byte order. */
	memcpy(space + 0x301, &turned, sizeof(turned));
	bytes_add(&config, space, sizeof(space));
	mask_config(&mask, &config);
	memcpy(&found, config.data + 0x144, sizeof(found));
	CHECK(le64toh(found) == 0x5e71a10000000001);
	CHECK(memmem(config.data, config.size, &turned, sizeof(turned)));
	mask_sweep(&mask, &config);
	CHECK(!memmem(config.data, config.size, &turned, sizeof(turned)));
	CHECK(!memmem(config.data, config.size, &serial, sizeof(serial)));
	CHECK_INT(config.size, sizeof(space));
	bytes_free(&config);
	/* A capability list with a loop, and a truncated one. */
	put_capability(space, 0x100, 0x0b, 0x100);
	bytes_add(&config, space, sizeof(space));
	mask_config(&mask, &config);
	config.size = 0x104;
	put_capability(config.data, 0x100, 0x03, 0);
	mask_config(&mask, &config);
	bytes_free(&config);
	mask_free(&mask);
}

/* The sweep skips serial numbers that are mostly zeros: unrelated bytes could equal them. */
static void test_sweep_spares(void)
{
	struct bytes binary = { 0 };
	struct mask mask = { 0 };
	uint64_t low = htole64(0x26);

	mask_serial(&mask, 0x26);
	bytes_add(&binary, &low, sizeof(low));
	mask_sweep(&mask, &binary);
	CHECK(!memcmp(binary.data, &low, sizeof(low)));
	bytes_free(&binary);
	mask_free(&mask);
}

static void put_event(struct bytes *messages, uint64_t serial, const char *reason)
{
	static _Alignas(8) char buffer[1024];
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(memset(buffer, 0, sizeof(buffer)));
	struct genlmsghdr *genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));

	nlh->nlmsg_type = 0x20;
	genl->cmd = INSTINCT_VFIO_CMD_EVENT;
	mnl_attr_put_u64(nlh, INSTINCT_VFIO_A_EVENT_SEQ, 7);
	mnl_attr_put_u64(nlh, INSTINCT_VFIO_A_EVENT_EPOCH, 1);
	mnl_attr_put_u64(nlh, INSTINCT_VFIO_A_EVENT_TIME, 1);
	mnl_attr_put_u32(nlh, INSTINCT_VFIO_A_EVENT_KIND, INSTINCT_VFIO_EVENT_DEVICE_LOST);
	mnl_attr_put_strz(nlh, INSTINCT_VFIO_A_EVENT_BDF, "0000:c1:00.0");
	mnl_attr_put_u64(nlh, INSTINCT_VFIO_A_EVENT_SERIAL, serial);
	mnl_attr_put_u32(nlh, INSTINCT_VFIO_A_EVENT_STATE, INSTINCT_VFIO_STATE_LOST);
	mnl_attr_put_u32(nlh, INSTINCT_VFIO_A_EVENT_CAUSE, 0);
	mnl_attr_put_u32(nlh, INSTINCT_VFIO_A_EVENT_METHOD, 0);
	mnl_attr_put_u64(nlh, INSTINCT_VFIO_A_EVENT_DURATION, 0);
	mnl_attr_put_strz(nlh, INSTINCT_VFIO_A_EVENT_REASON, reason);
	bytes_add(messages, nlh, nlh->nlmsg_len);
	bytes_add(messages, "\0\0\0", MNL_ALIGN(nlh->nlmsg_len) - nlh->nlmsg_len);
}

static void test_netlink(void)
{
	struct bytes messages = { 0 };
	const struct nlmsghdr *nlh;
	struct mask mask = { 0 };
	struct event event;
	uint64_t serial = SERIAL;
	size_t size;

	put_event(&messages, SERIAL, "serial 946dae0300123456 it was");
	put_event(&messages, 0x1122334455667788, "nothing");
	size = messages.size;
	mask_netlink(&mask, &messages);
	CHECK_INT(messages.size, size);
	CHECK(!memmem(messages.data, size, &serial, sizeof(serial)));
	nlh = (void *)messages.data;
	CHECK_INT(nl_parse_event(nlh, &event), 0);
	CHECK(event.serial == 0x5e71a10000000001);
	CHECK_STR(event.bdf, "0000:c1:00.0");
	CHECK_STR(event.reason, "serial 5e71a10000000001 it was");
	nlh = (void *)(messages.data + NLMSG_ALIGN(nlh->nlmsg_len));
	CHECK_INT(nl_parse_event(nlh, &event), 0);
	CHECK(event.serial == 0x5e71a10000000002);
	/* Masking copes with a recording that ends anywhere. */
	for (; messages.size; messages.size--)
		mask_netlink(&mask, &messages);
	bytes_free(&messages);
	mask_free(&mask);
}

/* A serial number gets the same pseudonym in each file, so a masked policy still fits. */
static void test_tree(void)
{
	uint64_t serial = htole64(SERIAL);
	static char space[4096];
	struct mask mask = { 0 };
	struct tree tree = { 0 };

	put_capability(space, 0x100, 0x03, 0);
	memcpy(space + 0x104, &serial, sizeof(serial));
	put_file(&tree, "etc/instinct-vfio/policy.conf",
		 "[device serial=1111111111111111]\n[device serial=946dae0300123456]\n");
	put_file(&tree, "instinct-vfio/kernel.log", "a 946dae0300123456 b\n");
	put_file(&tree, "proc/cmdline", "root=/dev/sda1 quiet\n");
	bytes_add(&tree_add(&tree, "sys/devices/x/config", TREE_FILE)->data, space,
		  sizeof(space));
	tree_add(&tree, "sys/devices/x/net/enx946dae123456", TREE_FOLDER);
	put_file(&tree, "usr/lib/modprobe.d/a.conf", "options foo key=secret\n");
	mask_tree(&mask, &tree);
	CHECK_STR(tree.list[0].data.data,
		  "[device serial=5e71a10000000002]\n[device serial=5e71a10000000001]\n");
	CHECK_STR(tree.list[1].data.data, "a 5e71a10000000001 b\n");
	CHECK_STR(tree.list[2].data.data, "root=masked quiet");
	memcpy(&serial, tree.list[3].data.data + 0x104, sizeof(serial));
	CHECK(le64toh(serial) == 0x5e71a10000000001);
	CHECK_STR(tree.list[4].path, "sys/devices/x/net/enx020000000001");
	CHECK_STR(tree.list[5].data.data, "options foo key=masked\n");
	tree_free(&tree);
	mask_free(&mask);
}

/* Masking a large file takes linear time, also with many addresses. */
static void test_long(void)
{
	struct bytes text = { 0 };
	struct mask mask = { 0 };
	clock_t began = clock();
	unsigned int i;

	bytes_add(&text, "", 0);
	for (i = 0; i < 200000; i++)
		bytes_add(&text, ":", 1);
	for (i = 0; i < 100000; i++)
		bytes_print(&text, " 10.%u.%u.%u", i >> 16, i >> 8 & 255, i & 255);
	mask_text(&mask, &text);
	CHECK_INT(mask.ips.count, 100000);
	CHECK_INT(mask_number(&mask.ips, "10.1.134.159"), 100000);
	CHECK(clock() - began < 5 * CLOCKS_PER_SEC);
	bytes_free(&text);
	mask_free(&mask);
}

/* The service remembers the numbers of GPUs that are gone, of which no config space tells the serial. */
static void test_gone(void)
{
	struct mask mask = { 0 };
	struct tree tree = { 0 };

	put_file(&tree, "instinct-vfio/kernel.log", "it was 946dae0300123457\n");
	put_file(&tree, "var/lib/instinct-vfio/oam", "0000:05:00.0 7 946dae0300123456\n"
		 "0000:15:00.0 6 0000000000000000\n0000:25:00.0 5 946dae0300123457\nx\n0000:35:00.0 4 17");
	mask_tree(&mask, &tree);
	CHECK_STR(tree.list[0].data.data, "it was 5e71a10000000002\n");
	CHECK_STR(tree.list[1].data.data, "0000:05:00.0 7 5e71a10000000001\n"
		  "0000:15:00.0 6 0000000000000000\n0000:25:00.0 5 5e71a10000000002\nx\n0000:35:00.0 4 17");
	tree_free(&tree);
	mask_free(&mask);
}

static void put_link(struct tree *tree, const char *path, const char *target)
{
	bytes_add(&tree_add(tree, path, TREE_LINK)->data, target, strlen(target));
}

/* A masked link still leads to its target, and neither path names the host. */
static void test_paths(void)
{
	struct mask mask = { 0 };
	struct tree tree = { 0 };

	mask_add_host(&mask, "node1");
	put_file(&tree, "etc/modprobe.d/node1.conf", "");
	put_link(&tree, "etc/modprobe.d/10-node1.conf", "../node1/node1.conf");
	tree_miss(&tree, "etc/node1/secret.conf", "only root can read it");
	tree_add(&tree, "sys/devices/system/node/node1", TREE_FOLDER);
	put_link(&tree, "sys/class/net/enx946dae123456",
		 "../../devices/x/net/enx946dae123456");
	tree_add(&tree, "sys/devices/x/net/enx946dae123456", TREE_FOLDER);
	tree_add(&tree, "sys/class/net/wlx946dae123457", TREE_FOLDER);
	mask_tree(&mask, &tree);
	CHECK_STR(tree.list[0].path, "etc/modprobe.d/host.conf");
	CHECK_STR(tree.list[1].data.data, "../host/host.conf");
	CHECK_STR(tree.list[2].path, "etc/host/secret.conf");
	CHECK_STR(tree.list[3].path, "sys/devices/system/node/node1");
	CHECK_STR(tree.list[4].path, "sys/class/net/enx020000000001");
	CHECK_STR(tree.list[4].data.data, "../../devices/x/net/enx020000000001");
	CHECK_STR(tree.list[5].path, "sys/devices/x/net/enx020000000001");
	CHECK_STR(tree.list[6].path, "sys/class/net/wlx020000000002");
	tree_free(&tree);
	mask_free(&mask);
}

/* A NUL byte does not make a text binary; masking empties compressed files. */
static void test_contents(void)
{
	static const char text[] = "10.0.0.1\0gpu01\0\0", packed[] = "\x1f\x8b\x08\0";
	struct mask mask = { 0 };
	struct tree tree = { 0 };

	mask_add_host(&mask, "gpu01");
	bytes_add(put_file(&tree, "etc/os-release", ""), text, sizeof(text) - 1);
	bytes_add(put_file(&tree, "proc/config.gz", ""), packed, sizeof(packed) - 1);
	mask_tree(&mask, &tree);
	CHECK_INT(tree.list[0].data.size, 17);
	CHECK(!memcmp(tree.list[0].data.data, "198.18.0.1\0host\0\0", 17));
	CHECK_INT(tree.list[1].data.size, 0);
	CHECK_STR(tree.list[1].why, "compressed files cannot be masked");
	tree_free(&tree);
	mask_free(&mask);
}

int main(void)
{
	RUN(test_serials_in_texts);
	RUN(test_addresses);
	RUN(test_kernel);
	RUN(test_what_stays);
	RUN(test_host);
	RUN(test_cmdline);
	RUN(test_logged_cmdline);
	RUN(test_settings);
	RUN(test_config);
	RUN(test_sweep_spares);
	RUN(test_netlink);
	RUN(test_tree);
	RUN(test_gone);
	RUN(test_long);
	RUN(test_paths);
	RUN(test_contents);
	return unit_end();
}
