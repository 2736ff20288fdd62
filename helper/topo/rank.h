/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The distance between two devices, and the path that their requests take today. */
#ifndef RANK_H
#define RANK_H

#include "reach.h"
#include "topo.h"

/**
 * enum rank - the place where the paths of two devices meet; lower is nearer
 * @RANK_SWITCH: in one switch
 * @RANK_STACKED: in a switch, with another switch below it on one of the paths
 * @RANK_CHIP: in one switch chip, below two partitions of it
 * @RANK_ROOT_COMPLEX: in a root complex, below one host bridge
 * @RANK_NODE: in a NUMA node
 * @RANK_OTHER_NODE: in another NUMA node of the socket, or the sockets are unknown
 * @RANK_OTHER_SOCKET: between sockets
 * @RANK_UNKNOWN: the NUMA node of one device is unknown
 *
 * NVIDIA's white paper on virtual machines with HGX platforms has this order, without the third, and
 * with the fourth and the fifth as one.
 */
enum rank {
	RANK_SWITCH,
	RANK_STACKED,
	RANK_CHIP,
	RANK_ROOT_COMPLEX,
	RANK_NODE,
	RANK_OTHER_NODE,
	RANK_OTHER_SOCKET,
	RANK_UNKNOWN,
	RANKS,
};

/**
 * enum way - the path that requests from one device to another take today
 * @WAY_DIRECT: directly, with addresses that ATS has translated
 * @WAY_UNCHECKED: directly, bypassing the IOMMU: wrong for a guest, right on bare metal
 * @WAY_REDIRECTED: up to the IOMMU and back, although a switch is above both devices
 * @WAY_ROOT: through the root complex, because no switch is above both devices
 * @WAY_BLOCKED: a port blocks the requests
 * @WAY_UNKNOWN: the config space that decides cannot be read
 */
enum way {
	WAY_DIRECT,
	WAY_UNCHECKED,
	WAY_REDIRECTED,
	WAY_ROOT,
	WAY_BLOCKED,
	WAY_UNKNOWN,
	WAYS,
};

/**
 * struct way_found - a path and its cause
 * @way: the path
 * @ats: the sender has ATS enabled
 * @port: index of the port that decides, INSTINCT_NODE_NONE if none does
 * @bit: bit of the port's ACS Control that decides, 0 if it is that none is set
 */
struct way_found {
	enum way way;
	bool ats;
	int port;
	uint16_t bit;
};

extern const char *const rank_names[RANKS];
extern const char *const rank_texts[RANKS];
extern const char *const rank_words[RANKS];
extern const char *const way_names[WAYS];

enum rank rank_of(const struct topo *topo, int a, int b);
enum rank rank_through(const struct topo *topo, int gpu, int nic, int *through);
struct way_found way_find(const struct topo *topo, int from, int to);

#endif /* RANK_H */
