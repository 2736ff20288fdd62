/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of the family's commands and attributes. */
#ifndef NL_TABLE_H
#define NL_TABLE_H

#include "model.h"
#include "policy/policy.h"

enum nl_kind {
	NL_BINARY,		/* not decoded, except peers; also attributes newer than this helper */
	NL_U16,
	NL_U32,
	NL_S32,
	NL_U64,
	NL_STRING,
	NL_FLAG,
	NL_NEST,
	NL_ARRAY,		/* a nest of nests, whose types are indices */
};

struct nl_attr_set;

/**
 * struct nl_attr_info - an attribute
 * @name: name in the YNL spec, NULL if the set has no attribute of this number
 * @kind: type of its value
 * @hex: the decoder shows the value in hexadecimal
 * @mask: the value is a mask with a bit for each of @names
 * @names: names of its values, or NULL
 * @key: policy key with the same values, or NULL
 * @nest: attributes inside it, or NULL
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
 * struct nl_attr_set - attributes by number
 * @name: name of the set
 * @attr: attributes
 * @count: one more than the largest number
 * @nests: if not NULL, each attribute of the set is a nest of these, and @attr is unused
 */
struct nl_attr_set {
	const char *name;
	const struct nl_attr_info *attr;
	unsigned int count;
	const struct nl_attr_set *nests;
};

/**
 * struct nl_command_info - a command
 * @name: name as in INSTINCT_VFIO_CMD_*
 * @set: attributes of its messages
 */
struct nl_command_info {
	const char *name;
	const struct nl_attr_set *set;
};

extern const struct nl_command_info nl_commands[];
extern const size_t nl_commands_count;
extern const struct nl_attr_set nl_control_set;

#endif /* NL_TABLE_H */
