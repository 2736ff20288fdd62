// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "say.h"
#include "sysfs.h"
#include "user.h"

#define NODES_MAX	16

/* The device nodes through which one device is used. */
struct nodes {
	char path[NODES_MAX][PATH_MAX];
	unsigned int count;
};

static void add(struct nodes *nodes, const char *folder, const char *name)
{
	if (nodes->count < NODES_MAX)
		snprintf(nodes->path[nodes->count++], PATH_MAX, "%s/%s", folder,
			 name);
}

/* The entries of a device's folder @file, as nodes in @folder. */
static void add_entries(struct nodes *nodes, const char *bdf, const char *file,
			const char *folder)
{
	char path[PATH_MAX];
	struct dirent *entry;
	DIR *dir;

	sysfs_device_path(bdf, file, path, sizeof(path));
	dir = opendir(path);
	if (!dir)
		return;
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			add(nodes, folder, entry->d_name);
	closedir(dir);
}

static bool uses(const char *pid, const char *fd, const struct nodes *nodes)
{
	char path[PATH_MAX], target[PATH_MAX];
	unsigned int i;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%.32s/fd/%.32s", pid, fd);
	n = readlink(path, target, sizeof(target) - 1);
	if (n < 0)
		return false;
	target[n] = '\0';
	for (i = 0; i < nodes->count; i++)
		if (!strcmp(target, nodes->path[i]))
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
	FILE *in;

	user->pid = atoi(pid);
	snprintf(user->comm, sizeof(user->comm), "?");
	snprintf(path, sizeof(path), "/proc/%.32s/comm", pid);
	in = fopen(path, "re");
	if (!in)
		return;
	if (fgets(user->comm, sizeof(user->comm), in))
		user->comm[strcspn(user->comm, "\n")] = '\0';
	fclose(in);
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
	static struct nodes nodes;
	char name[64];
	struct dirent *entry;
	bool found = false;
	DIR *proc;

	nodes.count = 0;
	if (sysfs_read_link(bdf, "iommu_group", name, sizeof(name)))
		add(&nodes, "/dev/vfio", name);
	add_entries(&nodes, bdf, "vfio-dev", "/dev/vfio/devices");
	add_entries(&nodes, bdf, "drm", "/dev/dri");
	if (sysfs_read_link(bdf, "driver", name, sizeof(name)) &&
	    !strcmp(name, "amdgpu"))
		add(&nodes, "/dev", "kfd");

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
