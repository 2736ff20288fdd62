/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A topology file that somebody gives to RCCL or NCCL, as these understand it. */
#ifndef GUEST_FILE_H
#define GUEST_FILE_H

#include "host_link.h"
#include "model.h"

/**
 * struct guest_file_part - an element of it
 * @parent: index of the one above, -1 without one
 * @is_node: it is a NUMA node
 * @has_numa: it says a number of that
 * @numa: the number, whatever it says; NUMA_NONE if it says none
 * @busid: as it is written
 * @class: likewise, "" without one
 * @vendor: Vendor ID, 0 without one
 * @link: max_speed and max_width that it says, 0: it does not, or nobody understands it
 * @speed: as it is written, "" without
 * @line: in the file
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
 * struct guest_file - all of it
 * @name: of the file
 * @version: that it says, 0 without one
 * @list: nodes, switches and devices, each after the one above it
 * @count: how many
 * @elements: that the libraries store, with those that are of no interest here
 * @widest: the most of them that are right below one
 * @widest_line: where that is
 * @form: what the libraries' parser would stumble over, NULL if nothing
 * @form_line: where that is
 */
struct guest_file {
	const char *name;
	unsigned int version;
	struct guest_file_part *list;
	size_t count;
	size_t elements;
	size_t widest;
	int widest_line;
	const char *form;
	int form_line;
};

int guest_file_parse(struct guest_file *file, const char *name, const char *text, size_t size);
int guest_file_read(struct guest_file *file, const char *name);
int guest_file_find(const struct guest_file *file, const char *busid);
void guest_file_free(struct guest_file *file);

#endif /* GUEST_FILE_H */
