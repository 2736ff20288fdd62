/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A host's PCI devices, from the view of passthrough: their kinds, places and links. */
#ifndef TOPO_H
#define TOPO_H

#include "host.h"
#include "host_link.h"
#include "numa.h"

/*
 * The role of a function in passthrough. A data-direct function is a NIC's second way to memory,
 * often beside a GPU: NCCL takes its place for the NIC's.
 */
enum topo_kind {
	TOPO_OTHER,
	TOPO_PORT,
	TOPO_GPU,
	TOPO_NIC,
	TOPO_NVME,
	TOPO_NVSWITCH,
	TOPO_DATA_DIRECT,
	TOPO_KINDS,
};

/**
 * struct topo_nic - what a NIC is worth, apart from its place
 * @rdma: it has RDMA, or is known to have RDMA with the right driver
 * @speed: speed of its link, GB/s in each direction without the overhead of packets; 0 if unknown
 */
struct topo_nic {
	bool rdma;
	double speed;
};

/**
 * struct topo - a host's hardware
 * @host: functions of the host
 * @managed: GPUs that the module manages; none on a captured host
 * @numa: NUMA nodes of the host
 * @kind: kind of each function
 * @physfn: for each VF the index of its PF, for any other function -1
 * @vf: for each PF its first VF, for each VF the next one of its PF; -1 after the last
 * @partner: for each data-direct function its NIC, for each NIC its data-direct function; else -1
 * @chip: for each switch's upstream port the first such port of the same chip, else -1
 * @nic: what each NIC is worth, zeroed for other functions
 * @name: the kernel's names of each device, NULL before the first call of topo_names()
 * @child: for each function the first one below it, -1 without one
 * @sibling: for each function the next one below the same port, -1 after the last; functions
 *	below no port form one such list
 * @top: the first function below no port, -1 without one
 */
struct topo {
	struct host host;
	struct devices managed;
	struct numa numa;
	enum topo_kind *kind;
	int *physfn;
	int *vf;
	int *partner;
	int *chip;
	struct topo_nic *nic;
	char **name;
	int *child;
	int *sibling;
	int top;
};

extern const char *const topo_kind_names[TOPO_KINDS];

int topo_read(struct topo *topo);
void topo_free(struct topo *topo);
bool topo_is_device(enum topo_kind kind);
bool topo_is_nic(enum topo_kind kind);
int topo_vfs(const struct topo *topo, int pf, int *vf, int count);
int topo_switch(const struct topo *topo, int index);
bool topo_same_chip(const struct topo *topo, int a, int b);
struct host_link topo_link(const struct topo *topo, int index);
const char *topo_names(const struct topo *topo, int index);

#endif /* TOPO_H */
