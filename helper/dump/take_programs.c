// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "program.h"
#include "progress.h"
#include "say.h"
#include "take.h"

#define UNITS_FILE	"instinct-vfio/units.txt"
#define VERSIONS_FILE	"instinct-vfio/versions.txt"
#define TIMEOUT_MS	5000
#define OUTPUT_BYTES	65536

static char *const units[] = {
	"/usr/bin/systemctl", "show", "--no-pager",
	"--property=Id,LoadState,ActiveState,SubState,UnitFileState,Result,FragmentPath,DropInPaths,ExecMainStatus,ExecMainStartTimestamp,ExecMainExitTimestamp,ActiveEnterTimestamp,NRestarts,MemoryCurrent,Before,RequiredBy,WantedBy",
	"instinct-vfio-apply.service", "instinct-vfio-monitor.service", "instinct-vfio.target",
	"instinct-vfio-apply-again.service", "instinct-vfio-bind.service", "instinct-vfio-bind@*.service",
	"libvirtd.service", "virtqemud.service", NULL,
};

/* Only installed programs are run. */
static char *const versions[][5] = {
	{ "/usr/sbin/modinfo", "instinct_vfio_pci", NULL },
	{ "/usr/sbin/dkms", "status", "instinct-vfio", NULL },
	{ "/usr/bin/mokutil", "--sb-state", NULL },
	{ "/usr/bin/qemu-system-x86_64", "--version", NULL },
	{ "/usr/libexec/qemu-kvm", "--version", NULL },
	{ "/usr/local/bin/qemu-system-x86_64", "--version", NULL },
	{ "/usr/sbin/libvirtd", "--version", NULL },
	{ "/usr/sbin/virtqemud", "--version", NULL },
	{ "/usr/bin/cloud-hypervisor", "--version", NULL },
	{ "/usr/local/bin/cloud-hypervisor", "--version", NULL },
	{ "/usr/bin/systemctl", "--version", NULL },
};

static void print_command(struct bytes *text, char *const argv[])
{
	bytes_print(text, "$");
	for (; *argv; argv++)
		bytes_print(text, " %s", *argv);
	bytes_print(text, "\n");
}

static void ask(struct bytes *text, char *const argv[])
{
	int ret;

	if (access(argv[0], X_OK))
		return;
	progress_tick(true);
	print_command(text, argv);
	ret = program_run(argv, TIMEOUT_MS, OUTPUT_BYTES, text);
	if (ret > 0)
		bytes_print(text, "exit status %d\n", ret);
	else if (ret)
		bytes_print(text, "\n%s\n", strerror(-ret));
	bytes_print(text, "\n");
}

/**
 * take_programs() - add versions of programs and the state of systemd units to a capture
 * @tree: files of the capture; extended
 *
 * Programs run only to print their version, with a timeout.
 */
void take_programs(struct tree *tree)
{
	struct bytes text = { 0 };
	struct utsname host;
	size_t i;

	uname(&host);
	bytes_print(&text, "instinctctl " INSTINCT_VERSION "\n%s %s %s\n\n", host.sysname,
		    host.release, host.machine);
	for (i = 0; i < sizeof(versions) / sizeof(versions[0]); i++)
		ask(&text, versions[i]);
	tree_add(tree, VERSIONS_FILE, TREE_FILE)->data = text;
	text = (struct bytes) { 0 };
	if (access("/run/systemd/system", F_OK)) {
		tree_miss(tree, UNITS_FILE, "systemd is not running");
		return;
	}
	ask(&text, units);
	tree_add(tree, UNITS_FILE, TREE_FILE)->data = text;
}
