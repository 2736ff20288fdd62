/* SPDX-License-Identifier: GPL-2.0-or-later */
/* NUMA nodes of a host: their CPUs, memory, and how far they are from each other. */
#ifndef NUMA_H
#define NUMA_H

#include <stdint.h>

#define NUMA_NODES_MAX	64
#define NUMA_NONE	(-1)

/**
 * struct numa_node - a node
 * @number: of it, as the kernel has it
 * @cpus: "0-47,96-143"; "" for a node without CPUs
 * @socket: physical package of its first CPU, NUMA_NONE where that is unknown
 * @memory: bytes, 0 where that is unknown
 * @free: of them free, 0 where that is unknown
 * @distance: to each node of the list, 10: itself; 0: unknown
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
 * @node: they, in order of number
 * @count: how many; none where the host does not tell
 */
struct numa {
	struct numa_node node[NUMA_NODES_MAX];
	int count;
};

void numa_read(struct numa *numa);
void numa_add(struct numa *numa, int number);
const struct numa_node *numa_find(const struct numa *numa, int number);
unsigned int numa_distance(const struct numa *numa, int from, int to);

#endif /* NUMA_H */
