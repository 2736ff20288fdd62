/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How functions hang together: which ports lie between an endpoint and its peers,
 * and what they are to them. Decides only, on plain structs.
 */
#ifndef _INSTINCT_TOPOLOGY_H
#define _INSTINCT_TOPOLOGY_H

#include "pure.h"

#define INSTINCT_NODE_NONE	(-1)
/* Longer than any path; a loop of parents ends here. */
#define INSTINCT_PATH_MAX	64
#define INSTINCT_PEERS_MAX	16
#define INSTINCT_PEERS_BYTES	256

/**
 * enum instinct_node_kind - what a PCI function is on a path
 * @INSTINCT_NODE_ENDPOINT: no port at all
 * @INSTINCT_NODE_ROOT_PORT: root port
 * @INSTINCT_NODE_UPSTREAM: upstream port of a switch
 * @INSTINCT_NODE_DOWNSTREAM: downstream port of a switch
 * @INSTINCT_NODE_BRIDGE: any other bridge
 */
enum instinct_node_kind {
	INSTINCT_NODE_ENDPOINT,
	INSTINCT_NODE_ROOT_PORT,
	INSTINCT_NODE_UPSTREAM,
	INSTINCT_NODE_DOWNSTREAM,
	INSTINCT_NODE_BRIDGE,
};

/**
 * struct instinct_node - a PCI function
 * @parent: index of the port above, INSTINCT_NODE_NONE: the root complex
 * @bdf: domain << 16 | bus << 8 | devfn; a domain may be wider than the four digits
 *	that policies know
 * @vendor: Vendor ID
 * @device: Device ID
 * @class: base class, sub-class, interface
 * @kind: what it is on a path
 * @package: it is a port inside a GPU's package
 * @serial: PCIe Device Serial Number, 0 if unknown
 */
struct instinct_node {
	int parent;
	u64 bdf;
	u16 vendor;
	u16 device;
	u32 class;
	enum instinct_node_kind kind;
	bool package;
	u64 serial;
};

/**
 * struct instinct_topology - all functions
 * @node: they, in any order
 * @count: how many
 */
struct instinct_topology {
	const struct instinct_node *node;
	int count;
};

/**
 * struct instinct_peers - which functions are paired with an endpoint
 * @automatic: the network functions below the same switch
 * @count: of @item
 * @item: BDF, or vendor << 16 | device where @by_id
 */
struct instinct_peers {
	bool automatic;
	unsigned int count;
	struct {
		bool by_id;
		u32 value;
	} item[INSTINCT_PEERS_MAX];
};

enum instinct_node_kind instinct_node_kind(bool port, int type);
int instinct_peers_parse(struct instinct_peers *peers, const char *text,
			 const char **why);
void instinct_peers_format(const struct instinct_peers *peers, char *text,
			   size_t size);
int instinct_topology_path(const struct instinct_topology *topology, int node,
			   int *path);
int instinct_topology_meet(const struct instinct_topology *topology, int a, int b);
int instinct_topology_toward(const struct instinct_topology *topology, int above,
			     int node);
int instinct_topology_switch(const struct instinct_topology *topology, int node);
bool instinct_topology_same_chip(const struct instinct_topology *topology, int a,
				 int b);
bool instinct_topology_is_peer(const struct instinct_topology *topology,
			       int endpoint, int node,
			       const struct instinct_peers *peers);
int instinct_topology_role(const struct instinct_topology *topology, int endpoint,
			   const bool *peer, int port);

#endif /* _INSTINCT_TOPOLOGY_H */
