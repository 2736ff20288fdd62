// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "facts.h"
#include "say.h"
#include "sysroot.h"
#include "sysfs.h"

/* NCCL, topo.h: the default path of the topology file */
#define TOPOLOGY_FILE	"/var/run/nvidia-topologyd/virtualTopology.xml"
#define TOPOLOGY_LIMIT	(1024 * 1024)
#define LIMITS_BYTES	8192

/*
 * Peer memory clients let network cards reach GPU memory without dma-buf. AMD's has no kernel
 * module of its own: amdgpu's DKMS package registers amdkfd with the RDMA stack, and RCCL checks
 * these files.
 */
static void read_peermem(struct guest_facts *guest)
{
	static const char *const amdkfd[] = {
		"/sys/kernel/mm/memory_peers/amdkfd/version",
		"/sys/kernel/memory_peers/amdkfd/version",
		"/sys/memory_peers/amdkfd/version",
	};
	static const char *const modules[] = { "nvidia_peermem", "nv_peer_mem", "ib_peer_mem" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(modules); i++)
		if (facts_exist("/sys/module/%s", modules[i])) {
			snprintf(guest->peermem, sizeof(guest->peermem), "%s", modules[i]);
			return;
		}
	for (i = 0; i < ARRAY_SIZE(amdkfd); i++)
		if (facts_exist("%s", amdkfd[i]))
			snprintf(guest->peermem, sizeof(guest->peermem), "amdkfd");
}

/* "Max locked memory         8388608              8388608              bytes" */
static void read_memlock(struct fact *memlock)
{
	static const char name[] = "Max locked memory";
	char *text, *at;

	text = facts_read_file("/proc/self/limits", LIMITS_BYTES, NULL, &memlock->error);
	at = strstr(text, name);
	if (at && sscanf(at + strlen(name), " %63s", memlock->text) != 1)
		memlock->text[0] = '\0';
	sysfs_make_plain(memlock->text);
	free(text);
}

/* Linux, amdgpu_xgmi.c: each GPU's folder has a link to the folder of its hive. */
static void read_hives(struct facts *facts)
{
	struct guest_facts *guest = &facts->guest;
	size_t i;

	guest->hive = array_new(facts->gpus, sizeof(*guest->hive));
	for (i = 0; i < facts->gpus; i++)
		fact_read(&guest->hive[i],
			  "/sys/bus/pci/devices/%s/xgmi_hive_info/xgmi_hive_id",
			  facts_function(facts, facts->gpu[i])->bdf);
}

static void read_topology(struct guest_facts *guest)
{
	bool hushed = say_is_hushed();
	size_t size;
	char *text;

	text = facts_read_file(guest->topology_path, TOPOLOGY_LIMIT, &size,
			       &guest->topology_error);
	say_hush(true);
	if (!guest->topology_error &&
	    guest_file_parse(&guest->topology, guest->topology_path, text, size))
		snprintf(guest->topology_wrong, sizeof(guest->topology_wrong), "%s",
			 say_last_error());
	say_hush(hushed);
	sysfs_make_plain(guest->topology_wrong);
	free(text);
}

static void find_topology(struct guest_facts *guest)
{
	const struct nccl_setting *setting =
		nccl_environment_find(&guest->environment, "NCCL_TOPO_FILE");

	if (!setting && !facts_exist(TOPOLOGY_FILE))
		return;
	snprintf(guest->topology_path, sizeof(guest->topology_path), "%s",
		 setting ? setting->value : TOPOLOGY_FILE);
	snprintf(guest->topology_origin, sizeof(guest->topology_origin), "%s",
		 setting ? setting->origin : "NCCL's default path");
	read_topology(guest);
}

static int is_interface(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && strcmp(entry->d_name, "lo") != 0;
}

static void read_interfaces(struct guest_facts *guest)
{
	struct dirent **entries;
	char path[PATH_MAX];
	int count, i;

	snprintf(path, sizeof(path), "%s/sys/class/net", opt_sysroot);
	count = sysroot_scandir(path, &entries, is_interface, alphasort);
	for (i = 0; i < count; i++) {
		char *name = list_add((void **)&guest->interface, &guest->interfaces,
				      sizeof(*guest->interface));

		snprintf(name, WORD_BYTES, "%.*s", WORD_BYTES - 1, entries[i]->d_name);
		sysfs_make_plain(name);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
}

/**
 * facts_read_guest() - read the facts that matter only inside a guest
 * @facts: facts with GPUs; extended
 */
void facts_read_guest(struct facts *facts)
{
	nccl_environment_read(&facts->guest.environment);
	find_topology(&facts->guest);
	read_interfaces(&facts->guest);
	read_memlock(&facts->guest.memlock);
	read_peermem(&facts->guest);
	read_hives(facts);
}
