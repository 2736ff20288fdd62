// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "sysfs.h"
#include "user.h"

#define NODES_MAX	16

/*
 * The device nodes through which one device is used. A process in a container
 * sees them under other paths, so it is their number that counts; the name
 * only spares a look at each of the host's open files.
 */
struct nodes {
	struct {
		char name[NAME_MAX + 1];
		dev_t number;
	} node[NODES_MAX];
	unsigned int count;
};

/* @folder is one of sysfs, with a file "dev" for the node of the same name. */
static void add(struct nodes *nodes, const char *folder, const char *name)
{
	unsigned int major, minor;
	char path[PATH_MAX + NAME_MAX], text[32];
	ssize_t n;

	snprintf(path, sizeof(path), "%s/%s/dev", folder, name);
	n = sysfs_read(path, text, sizeof(text) - 1);
	if (n <= 0 || nodes->count == NODES_MAX)
		return;
	text[n] = '\0';
	if (sscanf(text, "%u:%u", &major, &minor) != 2)
		return;
	snprintf(nodes->node[nodes->count].name, NAME_MAX + 1, "%s", name);
	nodes->node[nodes->count++].number = makedev(major, minor);
}

/* All nodes in a folder of a device. */
static void add_all(struct nodes *nodes, const char *bdf, const char *folder)
{
	char path[PATH_MAX];
	struct dirent *entry;
	DIR *dir;

	sysfs_device_path(bdf, folder, path, sizeof(path));
	dir = opendir(path);
	if (!dir)
		return;
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			add(nodes, path, entry->d_name);
	closedir(dir);
}

static void add_device(struct nodes *nodes, const char *bdf)
{
	char name[NAME_MAX + 1], noiommu[NAME_MAX + 16];

	if (sysfs_read_link(bdf, "iommu_group", name, sizeof(name))) {
		snprintf(noiommu, sizeof(noiommu), "noiommu-%s", name);
		add(nodes, "/sys/class/vfio", name);
		add(nodes, "/sys/class/vfio", noiommu);
	}
	add_all(nodes, bdf, "vfio-dev");
	add_all(nodes, bdf, "drm");
	if (sysfs_read_link(bdf, "driver", name, sizeof(name)) &&
	    !strcmp(name, "amdgpu"))
		add(nodes, "/sys/class/kfd", "kfd");
}

static bool uses(const char *pid, const char *fd, const struct nodes *nodes)
{
	char path[PATH_MAX], target[PATH_MAX];
	const char *name;
	struct stat st;
	unsigned int i;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%.32s/fd/%.32s", pid, fd);
	n = readlink(path, target, sizeof(target) - 1);
	if (n < 0)
		return false;
	target[n] = '\0';
	name = strrchr(target, '/');
	if (!name)
		return false;
	for (i = 0; i < nodes->count; i++)
		if (!strcmp(name + 1, nodes->node[i].name) &&
		    !stat(path, &st) && S_ISCHR(st.st_mode) &&
		    st.st_rdev == nodes->node[i].number)
			return true;
	return false;
}

static bool process_uses(const char *pid, const struct nodes *nodes)
{
	char path[64];
	struct dirent *entry;
	bool found = false;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%.32s/fd", pid);
	dir = opendir(path);
	if (!dir)
		return false;
	while (!found && (entry = readdir(dir)))
		found = uses(pid, entry->d_name, nodes);
	closedir(dir);
	return found;
}

static void name_process(const char *pid, struct user *user)
{
	char path[64];
	ssize_t n;

	user->pid = atoi(pid);
	snprintf(path, sizeof(path), "/proc/%.32s/comm", pid);
	n = sysfs_read(path, user->comm, sizeof(user->comm) - 1);
	if (n <= 0) {
		snprintf(user->comm, sizeof(user->comm), "?");
		return;
	}
	user->comm[n] = '\0';
	user->comm[strcspn(user->comm, "\n")] = '\0';
	sysfs_make_plain(user->comm);
}

/**
 * user_find() - who has a device open?
 * @bdf: device
 * @user: set to the first found
 *
 * Looks for VFIO's group and device nodes and, of a device of amdgpu, for its
 * DRM nodes and the KFD's, which all of amdgpu's devices share.
 *
 * Return: false if nobody, as far as this process may see.
 */
bool user_find(const char *bdf, struct user *user)
{
	struct nodes nodes = { .count = 0 };
	struct dirent *entry;
	bool found = false;
	DIR *proc;

	add_device(&nodes, bdf);
	proc = opendir("/proc");
	if (!proc)
		return false;
	while (!found && (entry = readdir(proc))) {
		if (!isdigit((unsigned char)entry->d_name[0]) ||
		    !process_uses(entry->d_name, &nodes))
			continue;
		name_process(entry->d_name, user);
		found = true;
	}
	closedir(proc);
	return found;
}
