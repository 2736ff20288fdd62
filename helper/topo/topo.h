/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A host's hardware as a guest's owner sees it: what can be given away, and where it is. */
#ifndef TOPO_H
#define TOPO_H

#include "host.h"
#include "host_link.h"
#include "numa.h"

/* What a function is to who gives devices to guests. */
enum topo_kind {
	TOPO_OTHER,
	TOPO_PORT,
	TOPO_GPU,
	TOPO_NIC,
	TOPO_NVME,
	TOPO_NVSWITCH,
	TOPO_KINDS,
};

/**
 * struct topo - all of it
 * @host: its functions
 * @managed: GPUs that the module has; none of a captured host
 * @numa: its NUMA nodes
 * @kind: of each function
 * @physfn: of each function that is a VF the index of its PF, else -1
 * @name: of each device what the kernel calls it, NULL until somebody asks
 * @child: of each function the first one below it, -1 without one
 * @sibling: of each function the next one below the same port, -1 after the last; of those
 *	with no port above the next such
 * @top: the first with no port above, -1 without one
 */
struct topo {
	struct host host;
	struct devices managed;
	struct numa numa;
	enum topo_kind *kind;
	int *physfn;
	char **name;
	int *child;
	int *sibling;
	int top;
};

extern const char *const topo_kind_names[TOPO_KINDS];

int topo_read(struct topo *topo);
void topo_free(struct topo *topo);
bool topo_is_device(enum topo_kind kind);
int topo_vfs(const struct topo *topo, int pf, int *vf, int count);
int topo_switch(const struct topo *topo, int index);
struct host_link topo_link(const struct topo *topo, int index);
const char *topo_names(const struct topo *topo, int index);

#endif /* TOPO_H */
