// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/genetlink.h>
#include <stddef.h>

#include "nl_table.h"

#define ATTR(_attr, _name, ...)	\
	[INSTINCT_VFIO_A_##_attr] = { .name = (_name), __VA_ARGS__ }
#define PLAIN(_attr, _name, _kind)	ATTR(_attr, _name, .kind = NL_##_kind)
#define HEX(_attr, _name, _kind)	ATTR(_attr, _name, .kind = NL_##_kind, .hex = true)
#define ENUM(_attr, _name, _enum)	\
	ATTR(_attr, _name, .kind = NL_U32, .names = &_enum##_names)
/* The attribute has the values of a policy key. */
#define WORD(_attr, _name, _key)	\
	ATTR(_attr, _name, .kind = NL_U32, .key = &instinct_policy_keys[INSTINCT_KEY_##_key])
#define MASK(_attr, _name, _enum)	\
	ATTR(_attr, _name, .kind = NL_U32, .names = &_enum##_names, .mask = true)
#define NEST(_attr, _name, _of)	ATTR(_attr, _name, .kind = NL_NEST, .nest = &_of##_set)
#define SET(_of, ...)								\
	static const struct nl_attr_info _of##_attrs[] = { __VA_ARGS__ };	\
	static const struct nl_attr_set _of##_set = {				\
		.name = #_of, .attr = _of##_attrs,				\
		.count = sizeof(_of##_attrs) / sizeof(_of##_attrs[0]),		\
	}
#define COMMAND(_command, _of)	\
	[INSTINCT_VFIO_CMD_##_command] = { #_command, &_of##_set }

#include "nl_spec.h"

const size_t nl_commands_count = sizeof(nl_commands) / sizeof(nl_commands[0]);

/* Attributes of the generic netlink controller's answer to CTRL_CMD_GETFAMILY. */
static const struct nl_attr_info group_attrs[] = {
	[CTRL_ATTR_MCAST_GRP_NAME] = { .name = "name", .kind = NL_STRING },
	[CTRL_ATTR_MCAST_GRP_ID] = { .name = "id", .kind = NL_U32 },
};

static const struct nl_attr_set group_set = {
	.name = "group", .attr = group_attrs,
	.count = sizeof(group_attrs) / sizeof(group_attrs[0]),
};

static const struct nl_attr_info control_attrs[] = {
	[CTRL_ATTR_FAMILY_ID] = { .name = "family-id", .kind = NL_U16 },
	[CTRL_ATTR_FAMILY_NAME] = { .name = "family-name", .kind = NL_STRING },
	[CTRL_ATTR_VERSION] = { .name = "version", .kind = NL_U32 },
	[CTRL_ATTR_HDRSIZE] = { .name = "header-size", .kind = NL_U32 },
	[CTRL_ATTR_MAXATTR] = { .name = "max-attr", .kind = NL_U32 },
	[CTRL_ATTR_OPS] = { .name = "operations", .kind = NL_BINARY },
	[CTRL_ATTR_MCAST_GROUPS] = { .name = "groups", .kind = NL_ARRAY, .nest = &group_set },
};

const struct nl_attr_set nl_control_set = {
	.name = "control", .attr = control_attrs,
	.count = sizeof(control_attrs) / sizeof(control_attrs[0]),
};
