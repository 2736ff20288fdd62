/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How near two devices are, and by which way their requests go today. */
#ifndef RANK_H
#define RANK_H

#include "reach.h"
#include "topo.h"

/**
 * enum rank - where the paths of two devices meet: the lower the better
 * @RANK_SWITCH: in one switch
 * @RANK_STACKED: in a switch, with another one below it on the way to one of them
 * @RANK_ROOT_COMPLEX: in a root complex, with one host bridge
 * @RANK_NODE: in a NUMA node
 * @RANK_OTHER_NODE: in another NUMA node of the socket, or nobody knows of which
 * @RANK_OTHER_SOCKET: between sockets
 * @RANK_UNKNOWN: of one of them the NUMA node is not known
 *
 * NVIDIA's white paper on virtual machines with HGX platforms has this order, with the
 * third and the fourth as one.
 */
enum rank {
	RANK_SWITCH,
	RANK_STACKED,
	RANK_ROOT_COMPLEX,
	RANK_NODE,
	RANK_OTHER_NODE,
	RANK_OTHER_SOCKET,
	RANK_UNKNOWN,
	RANKS,
};

/**
 * enum way - by which way requests of one device to another go today
 * @WAY_DIRECT: straight, with addresses that ATS has translated
 * @WAY_UNCHECKED: straight, past the IOMMU: wrong for a guest, right on bare metal
 * @WAY_REDIRECTED: up to the IOMMU and back, though a switch is above both
 * @WAY_ROOT: through the root complex, as there is nothing nearer
 * @WAY_BLOCKED: they are stopped
 * @WAY_UNKNOWN: the config space that tells cannot be read
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
 * struct way_found - a way, and what makes it
 * @way: see there
 * @ats: ATS of who sends is on
 * @port: index of the port that decides, INSTINCT_NODE_NONE: nothing does
 * @bit: of its ACS Control, 0: that none is on
 */
struct way_found {
	enum way way;
	bool ats;
	int port;
	uint16_t bit;
};

extern const char *const rank_names[RANKS];
extern const char *const rank_texts[RANKS];
extern const char *const way_names[WAYS];

enum rank rank_of(const struct topo *topo, int a, int b);
struct way_found way_find(const struct topo *topo, int from, int to);

#endif /* RANK_H */
