// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "numa.h"
#include "say.h"
#include "sysfs.h"
#include "sysroot.h"

#define KIB	1024u

static void node_path(int number, const char *file, char *path, size_t size)
{
	snprintf(path, size, "%s/sys/devices/system/node/node%d/%s", opt_sysroot, number, file);
}

/* Read a short file of a node; "" if it cannot be read. */
static void read_text(int number, const char *file, char *text, size_t size)
{
	char path[PATH_MAX];
	ssize_t n;

	node_path(number, file, path, sizeof(path));
	n = sysfs_read(path, text, size - 1);
	text[n < 0 ? 0 : n] = '\0';
}

static int socket_of(const char *cpus)
{
	char path[PATH_MAX];
	long long socket;

	if (!*cpus)
		return NUMA_NONE;
	snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/cpu%d/topology/physical_package_id",
		 opt_sysroot, atoi(cpus));
	return sysfs_number(path, 10, &socket) && socket >= 0 && socket < INT_MAX ? socket :
	       NUMA_NONE;
}

/* Parse a line such as "Node 0 MemTotal:       131072 kB". */
static uint64_t memory_of(const char *meminfo, const char *what)
{
	const char *at = strstr(meminfo, what);
	uint64_t kib;

	return at && sscanf(at + strlen(what), " %" SCNu64, &kib) == 1 ? kib * KIB : 0;
}

static void read_node(struct numa_node *node)
{
	char text[2048], *at = text, *end;
	int i;

	read_text(node->number, "cpulist", node->cpus, sizeof(node->cpus));
	node->cpus[strcspn(node->cpus, "\n")] = '\0';
	sysfs_make_plain(node->cpus);
	node->socket = socket_of(node->cpus);
	read_text(node->number, "meminfo", text, sizeof(text));
	node->memory = memory_of(text, "MemTotal:");
	node->free = memory_of(text, "MemFree:");
	read_text(node->number, "distance", text, sizeof(text));
	for (i = 0; i < NUMA_NODES_MAX; i++, at = end) {
		unsigned long distance = strtoul(at, &end, 10);

		if (end == at)
			break;
		node->distance[i] = distance <= 255 ? distance : 0;
	}
}

static int is_node(const struct dirent *entry)
{
	int number, length = 0;

	return sscanf(entry->d_name, "node%d%n", &number, &length) == 1 && number >= 0 &&
	       !entry->d_name[length];
}

static int by_number(const struct dirent **a, const struct dirent **b)
{
	return atoi((*a)->d_name + strlen("node")) - atoi((*b)->d_name + strlen("node"));
}

/**
 * numa_read() - read the NUMA nodes of this host, or of the captured one (--sysroot)
 * @numa: receives the nodes
 */
void numa_read(struct numa *numa)
{
	struct dirent **entries;
	char path[PATH_MAX];
	int count, i;

	*numa = (struct numa) { 0 };
	snprintf(path, sizeof(path), "%s/sys/devices/system/node", opt_sysroot);
	count = sysroot_scandir(path, &entries, is_node, by_number);
	for (i = 0; i < count; i++) {
		if (numa->count < NUMA_NODES_MAX) {
			numa->node[numa->count].number = atoi(entries[i]->d_name +
							      strlen("node"));
			read_node(&numa->node[numa->count++]);
		}
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
}

/**
 * numa_add() - add a node without facts, unless the list has it
 * @numa: all nodes
 * @number: number of the node
 */
void numa_add(struct numa *numa, int number)
{
	if (!numa_find(numa, number) && numa->count < NUMA_NODES_MAX)
		numa->node[numa->count++] = (struct numa_node) {
			.number = number, .socket = NUMA_NONE,
		};
}

/**
 * numa_find() - look up a node by its number
 * @numa: all nodes
 * @number: number of the node
 *
 * Return: the node or NULL.
 */
const struct numa_node *numa_find(const struct numa *numa, int number)
{
	int i;

	/* Almost every host numbers its nodes from 0, without a gap. */
	if (number >= 0 && number < numa->count && numa->node[number].number == number)
		return &numa->node[number];
	for (i = 0; i < numa->count; i++)
		if (numa->node[i].number == number)
			return &numa->node[i];
	return NULL;
}

/**
 * numa_distance() - get the distance of one node from another
 * @numa: all nodes
 * @from: number of the first node
 * @to: number of the second node
 *
 * Return: the distance in the firmware's SLIT; 10 for the same node, 0 if unknown.
 */
unsigned int numa_distance(const struct numa *numa, int from, int to)
{
	const struct numa_node *a = numa_find(numa, from), *b = numa_find(numa, to);

	return a && b ? a->distance[b - numa->node] : 0;
}

/**
 * numa_list_has() - check whether a list has a number
 * @list: list such as "0-3,8"; "^" before a number is not understood
 * @number: number
 *
 * Return: true if it has.
 */
bool numa_list_has(const char *list, int number)
{
	int first, last, length;

	for (; sscanf(list, "%d%n", &first, &length) == 1 && first >= 0; list++) {
		list += length;
		last = first;
		if (sscanf(list, "-%d%n", &last, &length) == 1)
			list += length;
		if (first <= number && number <= last)
			return true;
		if (*list != ',')
			break;
	}
	return false;
}

/**
 * numa_list_ends() - get the least and the greatest number of a list
 * @list: list such as "0-3,8"
 * @first: set to the least number
 * @last: set to the greatest number
 *
 * Return: false if the list is empty or not understood.
 */
bool numa_list_ends(const char *list, int *first, int *last)
{
	int low, high, length;

	*first = INT_MAX;
	*last = -1;
	for (; sscanf(list, "%d%n", &low, &length) == 1 && low >= 0; list++) {
		list += length;
		high = low;
		if (sscanf(list, "-%d%n", &high, &length) == 1)
			list += length;
		if (low < *first)
			*first = low;
		if (high > *last)
			*last = high;
		if (*list != ',')
			break;
	}
	return *last >= 0 && *last < INT_MAX && !*list;
}

/**
 * numa_of_cpu() - find the node of a CPU
 * @numa: all nodes
 * @cpu: number of the CPU
 *
 * Return: number of the node, or -1.
 */
int numa_of_cpu(const struct numa *numa, int cpu)
{
	int i;

	for (i = 0; i < numa->count; i++)
		if (numa_list_has(numa->node[i].cpus, cpu))
			return numa->node[i].number;
	return -1;
}
