/* SPDX-License-Identifier: GPL-2.0-only */
/* Requests to the netlink family: as its specification has them, and changed. */
#ifndef NETLINK_REQUEST_H
#define NETLINK_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../netlink/family.h"

enum form_kind { FORM_NUMBER, FORM_LONG, FORM_TEXT, FORM_FLAG, FORM_NEST };

struct form_set;

/**
 * struct form - an attribute by the specification
 * @number: its type
 * @name: as the specification has it
 * @kind: what it holds
 * @low: smallest number
 * @high: largest number; 0: not said
 * @nested: what is in a nest, else NULL
 */
struct form {
	uint16_t number;
	const char *name;
	enum form_kind kind;
	uint32_t low;
	uint32_t high;
	const struct form_set *nested;
};

struct form_set {
	const struct form *rows;
	unsigned int count;
};

/**
 * struct operation - one that can be asked for
 * @command: its number
 * @name: as the specification has it
 * @dump: asked for as a dump
 * @admin: needs CAP_SYS_ADMIN
 * @set: attributes of its kind
 * @asks: BIT() of each that a request can have, by the specification
 */
struct operation {
	uint8_t command;
	const char *name;
	bool dump;
	bool admin;
	const struct form_set *set;
	uint64_t asks;
};

extern const struct operation operations[];
extern const size_t operation_count;

/**
 * struct fuzzer - one process of it
 * @family: its socket
 * @state: of its dice
 * @seq: number of its last message
 * @alone: nobody else changes anything
 * @may: it has the privilege
 * @buffer: for messages and answers
 */
struct fuzzer {
	struct family family;
	uint64_t state;
	uint32_t seq;
	bool alone;
	bool may;
	uint8_t buffer[FAMILY_BYTES] __attribute__((aligned(NLMSG_ALIGNTO)));
};

void request_about(char **bdfs, unsigned int count);
struct nlmsghdr *request_build(struct fuzzer *f, const struct operation *operation);

#endif
