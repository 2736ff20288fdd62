/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses a topology file for RCCL or NCCL the way these libraries do. */
#ifndef GUEST_FILE_H
#define GUEST_FILE_H

#include "host_link.h"
#include "model.h"

/**
 * struct guest_file_part - an element of a topology file
 * @parent: index of the element above, -1 without one
 * @is_node: the element is a NUMA node
 * @has_numa: the node has a number
 * @numa: the number as written, valid or not; NUMA_NONE without one
 * @busid: bus ID as written
 * @class: class as written, "" without one
 * @vendor: Vendor ID, 0 without one
 * @link: max_speed and max_width as written, 0 if absent or not understood by the libraries
 * @speed: link speed as written, "" without one
 * @line: line in the file
 */
struct guest_file_part {
	int parent;
	bool is_node;
	bool has_numa;
	int numa;
	char busid[BDF_BYTES];
	char class[16];
	unsigned int vendor;
	struct host_link link;
	char speed[32];
	int line;
};

/**
 * struct guest_file_link - a link between two partitions of a switch chip
 * @part: index of one switch
 * @target: bus ID of the other as written
 */
struct guest_file_link {
	int part;
	char target[BDF_BYTES];
};

/**
 * struct guest_file - a topology file
 * @name: name of the file
 * @version: version of the file, 0 without one
 * @list: nodes, switches and devices, each after the one above it
 * @count: number of entries in @list
 * @link: links between switches (pcilink)
 * @links: number of entries in @link
 * @elements: number of elements that the libraries store, including those not in @list
 * @widest: highest number of elements directly below one
 * @widest_line: line of the element above those
 * @form: first construct that the libraries' parser rejects, NULL if none
 * @form_line: line of that construct
 */
struct guest_file {
	const char *name;
	unsigned int version;
	struct guest_file_part *list;
	size_t count;
	struct guest_file_link *link;
	size_t links;
	size_t elements;
	size_t widest;
	int widest_line;
	const char *form;
	int form_line;
};

int guest_file_parse(struct guest_file *file, const char *name, const char *text, size_t size);
int guest_file_read(struct guest_file *file, const char *name);
int guest_file_find(const struct guest_file *file, const char *busid);
void guest_file_add_link(struct guest_file *file, int part, const char *target);
void guest_file_free(struct guest_file *file);

#endif /* GUEST_FILE_H */
