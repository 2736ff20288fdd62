/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The NUMA nodes of a host: their CPUs, memory and distances. */
#ifndef NUMA_H
#define NUMA_H

#include <stdbool.h>
#include <stdint.h>

#define NUMA_NODES_MAX	64
#define NUMA_NONE	(-1)

/**
 * struct numa_node - a node
 * @number: the kernel's number of the node
 * @cpus: CPU list, such as "0-47,96-143"; "" for a node without CPUs
 * @socket: physical package of its first CPU, NUMA_NONE if unknown
 * @memory: memory of the node, bytes; 0 if unknown
 * @free: free memory of the node, bytes; 0 if unknown
 * @distance: distance to each node of the list; 10 to itself, 0 if unknown
 */
struct numa_node {
	int number;
	char cpus[256];
	int socket;
	uint64_t memory;
	uint64_t free;
	unsigned int distance[NUMA_NODES_MAX];
};

/**
 * struct numa - all nodes
 * @node: nodes in order of their numbers
 * @count: number of nodes; 0 if the host does not list them
 */
struct numa {
	struct numa_node node[NUMA_NODES_MAX];
	int count;
};

void numa_read(struct numa *numa);
void numa_add(struct numa *numa, int number);
const struct numa_node *numa_find(const struct numa *numa, int number);
int numa_of_cpu(const struct numa *numa, int cpu);
bool numa_list_has(const char *list, int number);
bool numa_list_ends(const char *list, int *first, int *last);
unsigned int numa_distance(const struct numa *numa, int from, int to);

#endif /* NUMA_H */
