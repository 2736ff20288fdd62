/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PAIRS_H
#define PAIRS_H

#include <string>
#include <vector>

/**
 * struct guest - what the library would find in a guest by itself
 * @gpus: bus IDs of the GPUs, by rank
 * @nets: bus IDs of the NICs, by network device number
 * @paths: each NIC's sysfs path, as its network transport passes it on
 */
struct guest {
	std::vector<std::string> gpus;
	std::vector<std::string> nets;
	std::vector<std::string> paths;
};

extern struct guest guest;
extern ncclNet_t guest_net;

/* What differs between the libraries; stand_in_NAME.cc has it. */

extern const char *const library_name;

/**
 * library_fold_path() - a NIC's path as the library's InfiniBand transport tells it
 * @path: the NIC's folder in sysfs; changed to the one that is looked up
 */
void library_fold_path(std::string &path);

/**
 * library_load() - what the library does at init: file, detection, graph
 * @system: the graph, without paths
 *
 * Return: ncclSuccess, or the library's own error.
 */
ncclResult_t library_load(struct ncclTopoSystem **system);

/**
 * library_pick_nets() - the NICs that a GPU uses
 * @system: the graph with its paths
 * @rank: of the GPU
 * @nets: the numbers of the NICs are added here, none if there is none
 *
 * Return: ncclSuccess, or the library's own error.
 */
ncclResult_t library_pick_nets(struct ncclTopoSystem *system, int rank, std::vector<int> &nets);

/**
 * library_rank() - the rank of a GPU in the graph
 * @gpu: the GPU's node
 *
 * Return: its first rank, as numbered in guest.gpus.
 */
int library_rank(const struct ncclTopoNode *gpu);

/**
 * library_bandwidth() - of a path
 * @path: the path
 *
 * Return: GB/s.
 */
float library_bandwidth(const struct ncclTopoLinkList *path);

#endif
