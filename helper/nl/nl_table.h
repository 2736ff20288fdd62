/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the family's messages hold: one table of commands and attributes. */
#ifndef NL_TABLE_H
#define NL_TABLE_H

#include "model.h"
#include "policy_key.h"

enum nl_kind {
	NL_BINARY,		/* not decoded: what is newer than this helper, too */
	NL_U16,
	NL_U32,
	NL_S32,
	NL_U64,
	NL_STRING,
	NL_FLAG,
	NL_NEST,
	NL_ARRAY,		/* nests in a nest, whose types are numbers */
};

struct nl_attr_set;

/**
 * struct nl_attr_info - an attribute
 * @name: as the YNL spec has it; NULL: there is none of this number
 * @kind: what it holds
 * @hex: better shown so
 * @mask: a bit for each of @names
 * @names: of its values, or NULL
 * @key: of a policy, whose values it has, or NULL
 * @nest: what is in it, or NULL
 */
struct nl_attr_info {
	const char *name;
	enum nl_kind kind;
	bool hex;
	bool mask;
	const struct names *names;
	const struct instinct_policy_key *key;
	const struct nl_attr_set *nest;
};

/**
 * struct nl_attr_set - attributes by their numbers
 * @name: of the set
 * @attr: they
 * @count: one more than the largest number
 * @nests: instead of those, each is a nest of these; or NULL
 */
struct nl_attr_set {
	const char *name;
	const struct nl_attr_info *attr;
	unsigned int count;
	const struct nl_attr_set *nests;
};

/**
 * struct nl_command_info - a command
 * @name: as in INSTINCT_VFIO_CMD_*
 * @set: its attributes
 */
struct nl_command_info {
	const char *name;
	const struct nl_attr_set *set;
};

extern const struct nl_command_info nl_commands[];
extern const size_t nl_commands_count;
extern const struct nl_attr_set nl_control_set;

#endif /* NL_TABLE_H */
