// SPDX-License-Identifier: GPL-2.0-only
/* VMs by the command lines of their processes, mappings of devices, and rules of udev. */
#include <stdlib.h>

#include "helper_util.h"
#include "persist.h"
#include "user.h"

static void check_vm(const char *command, size_t size, const char *manager, const char *vm)
{
	struct user user = { 0 };

	/* As in /proc/PID/cmdline, the last word has a NUL too. */
	user_name_vm(command, size - 1, &user);
	CHECK_STR(user.manager, manager);
	CHECK_STR(user.vm, vm);
}

#define CHECK_VM(command, manager, vm)	check_vm(command, sizeof(command), manager, vm)

static void test_vms(void)
{
	CHECK_VM("/usr/bin/qemu-system-x86_64\0-name\0guest=vm1,debug-threads=on\0-object\0"
		 "{\"file\":\"/var/lib/libvirt/qemu/domain-1-vm1/master-key.aes\"}", "libvirt", "vm1");
	CHECK_VM("/usr/bin/kvm\0-id\0" "104\0-name\0train,debug-threads=on\0-chardev\0"
		 "socket,path=/var/run/qemu-server/104.qmp", "proxmox", "104 (train)");
	CHECK_VM("/usr/bin/kvm\0-id\0" "104\0-chardev\0socket,path=/var/run/qemu-server/104.qmp",
		 "proxmox", "104");
	CHECK_VM("/usr/libexec/qemu-kvm\0-name\0guest=tenant-a_llm_7,debug-threads=on\0-chardev\0"
		 "socket,path=/var/run/kubevirt-private/1/virt-serial0", "kubevirt", "tenant-a/llm_7");
	CHECK_VM("qemu-system-x86_64\0-m\0" "64G\0-name\0a,,b,process=x", "qemu", "a,b");
	CHECK_VM("qemu-system-x86_64\0-m\0" "64G", "qemu", "");
	CHECK_VM("qemu-system-x86_64\0-name", "qemu", "");
	CHECK_VM("/opt/cloud-hypervisor\0--api-socket\0path=/run/ch/vm2.sock,x=y", "cloud-hypervisor",
		 "/run/ch/vm2.sock");
	CHECK_VM("cloud-hypervisor-static\0--api-socket=/run/ch/3", "cloud-hypervisor", "/run/ch/3");
	CHECK_VM("python3\0-name\0vm1", "", "");
	CHECK_VM("", "", "");
	CHECK_VM("qemu-system-x86_64\0-name\0x\033[2Jy", "qemu", "x?[2Jy");
}

static void test_description(void)
{
	struct user user = { .pid = 42, .comm = "qemu-system-x86" };
	char text[128];

	user_describe(&user, text, sizeof(text));
	CHECK_STR(text, "qemu-system-x86 (process 42)");
	snprintf(user.vm, sizeof(user.vm), "vm1");
	user_describe(&user, text, sizeof(text));
	CHECK_STR(text, "qemu-system-x86 (process 42, VM vm1)");
}

static void test_mappings(void)
{
	uint64_t offset = 0;

	CHECK(user_mapping_of("7f2a00000000-7f2a00001000 rw-s 38000000000 00:0e 1057    anon_inode:[vfio-device]\n",
			      &offset));
	CHECK_INT(offset, 0x38000000000);
	CHECK(!user_mapping_of("7f2a00000000-7f2a00001000 rw-s 00000000 00:0e 1057    anon_inode:[eventfd]\n",
			       &offset));
	CHECK(!user_mapping_of("nonsense anon_inode:[vfio-device]\n", &offset));
	CHECK(!user_mapping_of("", &offset));
}

static void test_rules(void)
{
	char one[512], two[512], both[1024], *left;

	persist_rule("0000:c1:00.0", 0x1002, 0x74a1, "instinct_vfio_pci", one, sizeof(one));
	persist_rule("0000:c6:00.0", 0x1002, 0x74a1, "vfio-pci", two, sizeof(two));
	CHECK(strstr(one, "ATTR{device}==\"0x74a1\""));
	CHECK(one[strlen(one) - 1] == '\n');
	snprintf(both, sizeof(both), "# mine\n%s%s", one, two);
	left = persist_rules_without(both, "0000:c1:00.0");
	CHECK(!strncmp(left, "# mine\n", 7));
	CHECK_STR(left + 7, two);
	free(left);
	left = persist_rules_without(both, "0000:c1:00.1");
	CHECK_STR(left, both);
	free(left);
	left = persist_rules_without("", "0000:c1:00.1");
	CHECK_STR(left, "");
	free(left);
}

int main(void)
{
	RUN(test_vms);
	RUN(test_description);
	RUN(test_mappings);
	RUN(test_rules);
	return unit_end();
}
