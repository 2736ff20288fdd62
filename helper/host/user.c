// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "sysfs.h"
#include "user.h"

#define NODES_MAX	16
#define BARS_MAX	7		/* with the ROM */
#define COMMAND_MAX	(256 * 1024)	/* bytes of a VMM's command line */
#define DEVICE_LINK	"anon_inode:[vfio-device]"
#define NODE_LINK	"/dev/vfio/"
#define INITIAL_PIDS	"pid:[4026531836]"	/* PROC_PID_INIT_INO of the kernel */

/*
 * Device nodes through which processes use one device. A container may have them under other
 * paths, so the device number decides. Comparing names first spares a stat() of every open file
 * of the host.
 */
struct nodes {
	struct {
		char name[NAME_MAX + 1];
		dev_t number;
	} node[NODES_MAX];
	unsigned int count;
};

/* In sysfs, @folder/@name/dev holds the device number of the node @name. */
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

/* Add all nodes in a subfolder of a device. */
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

/**
 * struct search - a search for a device's users
 * @asked: the device; receives the users
 * @nodes: device nodes of the device
 * @bar: addresses of its BARs, from the first to the last, 0 without one
 * @bars: number of BARs
 * @sure: the process that is looked at has the device open
 * @maybe: that process maps a BAR of the device or of another one
 */
struct search {
	struct user_search *asked;
	struct nodes nodes;
	struct {
		uint64_t first;
		uint64_t last;
	} bar[BARS_MAX];
	unsigned int bars;
	bool sure;
	bool maybe;
};

/**
 * struct searches - searches that share one pass over all processes
 * @list: searches
 * @count: number of searches
 * @devices: number of device descriptors, open in the process that is looked at, that tell no device
 * @nodes: number of open nodes of groups and devices, which tell their device
 */
struct searches {
	struct search *list;
	size_t count;
	unsigned int devices;
	unsigned int nodes;
};

static bool is_node(const char *path, const char *target, const struct nodes *nodes)
{
	const char *name = strrchr(target, '/');
	struct stat st;
	unsigned int i;

	for (i = 0; name && i < nodes->count; i++)
		if (!strcmp(name + 1, nodes->node[i].name) &&
		    !stat(path, &st) && S_ISCHR(st.st_mode) &&
		    st.st_rdev == nodes->node[i].number)
			return true;
	return false;
}

/* From Linux 6.18 on, fdinfo names the device of a descriptor. Returns false if it does not. */
static bool names_device(const char *pid, const char *fd, char *bdf)
{
	static const char label[] = "vfio-device-syspath:";
	char path[96], text[1024], *at;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%.32s/fdinfo/%.32s", pid, fd);
	n = sysfs_read(path, text, sizeof(text) - 1);
	text[n < 0 ? 0 : n] = '\0';
	at = strstr(text, label);
	if (!at)
		return false;
	at[strcspn(at, "\n")] = '\0';
	at = strrchr(at, '/');
	snprintf(bdf, BDF_BYTES, "%.*s", BDF_BYTES - 1, at ? at + 1 : "");
	return true;
}

/* A node of one device says nothing of the others. */
static void look_at_fd(const char *pid, const char *fd, struct searches *searches)
{
	char path[PATH_MAX], target[PATH_MAX], bdf[BDF_BYTES];
	bool device, named;
	ssize_t n;
	size_t i;

	snprintf(path, sizeof(path), "/proc/%.32s/fd/%.32s", pid, fd);
	n = readlink(path, target, sizeof(target) - 1);
	if (n < 0)
		return;
	target[n] = '\0';
	device = !strcmp(target, DEVICE_LINK);
	named = device && names_device(pid, fd, bdf);
	for (i = 0; i < searches->count; i++)
		searches->list[i].sure |= device ? named && !strcmp(bdf, searches->list[i].asked->bdf) :
						   is_node(path, target, &searches->list[i].nodes);
	searches->devices += device && !named;
	searches->nodes += !strncmp(target, NODE_LINK, strlen(NODE_LINK)) &&
			   strcmp(target, NODE_LINK "vfio");
}

static void look_at_fds(const char *pid, struct searches *searches)
{
	char path[64];
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%.32s/fd", pid);
	dir = opendir(path);
	if (!dir)
		return;
	while ((entry = readdir(dir)))
		look_at_fd(pid, entry->d_name, searches);
	closedir(dir);
}

/**
 * user_mapping_of() - parse a line of /proc/PID/maps
 * @line: line
 * @offset: receives the offset of the mapping in its file
 *
 * Return: false if the line is no mapping of a VFIO device.
 */
bool user_mapping_of(const char *line, uint64_t *offset)
{
	const char *name = strstr(line, " " DEVICE_LINK);

	return name && sscanf(line, "%*x-%*x %*s %" SCNx64 " ", offset) == 1;
}

/* Until Linux 6.9 the offset of a BAR's mapping is the BAR's address; later it names no device. */
static bool offsets_are_addresses(void)
{
	unsigned int major, minor;
	struct utsname host;

	return !uname(&host) && sscanf(host.release, "%u.%u", &major, &minor) == 2 &&
	       (major < 6 || (major == 6 && minor < 10));
}

static bool is_in_bar(const struct search *search, uint64_t offset)
{
	unsigned int i;

	for (i = 0; i < search->bars; i++)
		if (search->bar[i].first && offset >= search->bar[i].first &&
		    offset <= search->bar[i].last)
			return true;
	return false;
}

static void look_at_maps(const char *pid, struct searches *searches)
{
	bool addresses = offsets_are_addresses();
	char path[64], *line = NULL;
	uint64_t offset;
	size_t room = 0, i;
	FILE *in;

	snprintf(path, sizeof(path), "/proc/%.32s/maps", pid);
	in = fopen(path, "re");
	if (!in)
		return;
	while (getline(&line, &room, in) > 0) {
		if (!user_mapping_of(line, &offset))
			continue;
		for (i = 0; i < searches->count; i++) {
			searches->list[i].sure |= addresses && is_in_bar(&searches->list[i], offset);
			searches->list[i].maybe |= !addresses;
		}
	}
	free(line);
	fclose(in);
}

static void name_process(const char *pid, struct user *user)
{
	char path[64], *command;
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
	command = malloc(COMMAND_MAX + 1);
	snprintf(path, sizeof(path), "/proc/%.32s/cmdline", pid);
	n = command ? sysfs_read(path, command, COMMAND_MAX) : -1;
	if (n > 0) {
		command[n] = '\0';
		user_name_vm(command, n, user);
	}
	free(command);
}

static void add_user(struct search *search, const char *pid, bool maybe)
{
	struct users *users = search->asked->users;
	struct user *user = list_add((void **)&users->list, &users->count, sizeof(*user));

	name_process(pid, user);
	user->maybe = maybe;
}

static void look_at_nodes(const char *pid, struct searches *searches)
{
	size_t i;

	look_at_fds(pid, searches);
	for (i = 0; i < searches->count; i++)
		if (searches->list[i].sure)
			add_user(&searches->list[i], pid, false);
}

/*
 * A child may have inherited the descriptor of a device, and have closed the group. A mapping
 * outlasts all descriptors.
 */
static void look_at_rest(const char *pid, struct searches *searches)
{
	size_t i;

	look_at_fds(pid, searches);
	look_at_maps(pid, searches);
	for (i = 0; i < searches->count; i++) {
		struct search *search = &searches->list[i];
		/* The nodes that a process has open explain as many descriptors, and its mappings. */
		bool maybe = searches->devices > searches->nodes ||
			     (search->maybe && !searches->nodes);

		if (search->sure || maybe)
			add_user(search, pid, !search->sure);
	}
}

static void look_at_all(struct searches *searches,
			void (*look)(const char *pid, struct searches *searches))
{
	DIR *proc = searches->count ? opendir("/proc") : NULL;
	struct dirent *entry;
	size_t i;

	while (proc && (entry = readdir(proc))) {
		if (!isdigit((unsigned char)entry->d_name[0]) || atoi(entry->d_name) == getpid())
			continue;
		searches->devices = 0;
		searches->nodes = 0;
		for (i = 0; i < searches->count; i++) {
			searches->list[i].sure = false;
			searches->list[i].maybe = false;
		}
		look(entry->d_name, searches);
	}
	if (proc)
		closedir(proc);
}

static void read_bars(struct search *search)
{
	char path[PATH_MAX], text[4096], *line, *rest = text;
	uint64_t first, last;
	ssize_t n;

	sysfs_device_path(search->asked->bdf, "resource", path, sizeof(path));
	n = sysfs_read(path, text, sizeof(text) - 1);
	text[n < 0 ? 0 : n] = '\0';
	while (search->bars < BARS_MAX && (line = strsep(&rest, "\n"))) {
		if (sscanf(line, "%" SCNx64 " %" SCNx64, &first, &last) != 2)
			continue;
		search->bar[search->bars].first = first;
		search->bar[search->bars++].last = last;
	}
}

/*
 * vfio-pci-core enables the PCI device for as long as a user has it open. The kernel takes the
 * driver's link away before it waits for the user, and, since 6.2, the name of the VFIO device.
 */
static bool is_enabled_by_user(const char *bdf)
{
	char driver[NAME_MAX + 1];
	long long enabled;

	return sysfs_read_number(bdf, "enable", &enabled) && enabled > 0 &&
	       (sysfs_exists(bdf, "vfio-dev") ||
		!sysfs_read_link(bdf, "driver", driver, sizeof(driver)));
}

/* Drop the candidates if one of the users is certain. */
static enum use settle(struct users *users)
{
	size_t kept = 0, i;

	for (i = 0; i < users->count; i++)
		if (!users->list[i].maybe)
			users->list[kept++] = users->list[i];
	if (kept)
		users->count = kept;
	return kept ? USE_SEEN : USE_MAYBE;
}

/* Keep the searches for devices that are open, and of which no process has a node. */
static void keep_open(struct searches *searches)
{
	size_t kept = 0, i;

	for (i = 0; i < searches->count; i++) {
		struct user_search *asked = searches->list[i].asked;

		asked->use = asked->users->count ? USE_SEEN : USE_NONE;
		if (asked->use == USE_NONE && (asked->open == OPEN_UNKNOWN ?
					       is_enabled_by_user(asked->bdf) : asked->open))
			searches->list[kept++] = searches->list[i];
	}
	searches->count = kept;
}

/**
 * user_list() - find the processes that have devices open
 * @list: devices; each receives its users, and how much is known of them
 * @count: number of devices
 *
 * The function looks for the VFIO group and device nodes, the DRM nodes and, for a device of
 * amdgpu, the KFD node, which all devices of amdgpu share. If a device is open, and no process
 * has such a node, it looks for device descriptors and mappings without one. It passes over all
 * processes once or twice, regardless of the number of devices.
 */
void user_list(struct user_search *list, size_t count)
{
	struct searches searches = { .list = array_new(count, sizeof(*searches.list)), .count = count };
	char driver[NAME_MAX + 1];
	size_t i;

	for (i = 0; i < count; i++) {
		searches.list[i].asked = &list[i];
		add_device(&searches.list[i].nodes, list[i].bdf);
	}
	look_at_all(&searches, look_at_nodes);
	keep_open(&searches);
	for (i = 0; i < searches.count; i++)
		read_bars(&searches.list[i]);
	look_at_all(&searches, look_at_rest);
	for (i = 0; i < searches.count; i++) {
		struct user_search *asked = searches.list[i].asked;

		if (asked->users->count)
			asked->use = settle(asked->users);
		/* Without a driver, an operator may have enabled the device by hand. */
		else if (asked->open != OPEN_UNKNOWN ||
			 sysfs_read_link(asked->bdf, "driver", driver, sizeof(driver)))
			asked->use = USE_HIDDEN;
	}
	free(searches.list);
}

/**
 * user_hidden_why() - tell why no process shows that it has an open device
 *
 * Return: part of a sentence.
 */
const char *user_hidden_why(void)
{
	char target[64];
	ssize_t n = readlink("/proc/self/ns/pid", target, sizeof(target) - 1);

	target[n < 0 ? 0 : n] = '\0';
	if (geteuid())
		return "only root sees the open files of other users' processes";
	if (strcmp(target, INITIAL_PIDS))
		return "it is outside of this PID namespace: run this in the host's";
	return "no process has an open descriptor or mapping of it; a descriptor may be on its way in a Unix socket, or in an io_uring";
}
