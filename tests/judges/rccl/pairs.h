/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PAIRS_H
#define PAIRS_H

#include <string>
#include <vector>

/**
 * struct guest - devices of a guest, as the library would find them itself
 * @gpus: bus IDs of the GPUs, by rank
 * @nets: bus IDs of the NICs, by network device number
 * @paths: sysfs paths of the NICs, as the library's network transport reports them
 */
struct guest {
	std::vector<std::string> gpus;
	std::vector<std::string> nets;
	std::vector<std::string> paths;
};

extern struct guest guest;
extern ncclNet_t guest_net;

/* stand_in_NAME.cc defines these for each library. */

extern const char *const library_name;

/**
 * library_fold_path() - change a NIC's path as the library's InfiniBand transport does
 * @path: the NIC's folder in sysfs; changed to the folder that the library looks up
 */
void library_fold_path(std::string &path);

/**
 * library_load() - read the topology file, detect the devices and build the graph, as at init
 * @system: set to the graph, without paths
 *
 * Return: ncclSuccess, or the library's own error.
 */
ncclResult_t library_load(struct ncclTopoSystem **system);

/**
 * library_pick_nets() - ask the library for the NICs that a GPU uses
 * @system: the graph with its paths
 * @rank: the GPU's rank
 * @nets: the function adds the numbers of the NICs, if there are any
 *
 * Return: ncclSuccess, or the library's own error.
 */
ncclResult_t library_pick_nets(struct ncclTopoSystem *system, int rank, std::vector<int> &nets);

/**
 * library_rank() - get the rank of a GPU in the graph
 * @gpu: the GPU's node
 *
 * Return: its first rank, as numbered in guest.gpus.
 */
int library_rank(const struct ncclTopoNode *gpu);

/**
 * library_bandwidth() - get the bandwidth of a path
 * @path: the path
 *
 * Return: the bandwidth, GB/s.
 */
float library_bandwidth(const struct ncclTopoLinkList *path);

#endif
