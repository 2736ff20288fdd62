/* SPDX-License-Identifier: GPL-2.0-only */
/* Requests to the netlink family, valid by its specification or with random changes. */
#ifndef NETLINK_REQUEST_H
#define NETLINK_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../lab/netlink/family.h"

enum form_kind { FORM_NUMBER, FORM_LONG, FORM_TEXT, FORM_FLAG, FORM_PEERS, FORM_NEST };

struct form_set;

/**
 * struct form - an attribute by the specification
 * @number: netlink type of the attribute
 * @name: name in the specification
 * @kind: type of the value
 * @low: smallest number
 * @high: largest number; 0: the specification has none
 * @nested: attributes in a nest, else NULL
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
 * struct operation - a request by the specification
 * @command: number of the command
 * @name: name in the specification
 * @dump: the request is a dump
 * @admin: the request needs CAP_SYS_ADMIN
 * @set: attributes of the command
 * @asks: BIT() of each attribute that the request can have
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
 * struct fuzzer - a process of the fuzzer
 * @family: family and socket
 * @state: state of the random numbers
 * @seq: sequence number of the last message
 * @alone: no other process changes anything
 * @may: the process has CAP_SYS_ADMIN
 * @buffer: room for messages and answers
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
