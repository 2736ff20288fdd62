// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <linux/genetlink.h>
#include <stdio.h>

#include "nl_attrs.h"

static int collect(const struct nlattr *attr, void *data)
{
	struct nl_attrs *attrs = data;
	unsigned int type = mnl_attr_get_type(attr);

	if (type < NL_TYPES_MAX)
		attrs->of[type] = attr;
	return MNL_CB_OK;
}

/**
 * nl_attrs_of_message() - those of a generic netlink message
 * @nlh: message
 * @attrs: set
 *
 * Return: 0 or -EBADMSG.
 */
int nl_attrs_of_message(const struct nlmsghdr *nlh, struct nl_attrs *attrs)
{
	const struct nlattr *attr;

	*attrs = (struct nl_attrs) { 0 };
	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(struct genlmsghdr))
		return -EBADMSG;
	nl_for_each_attr(attr, nlh, sizeof(struct genlmsghdr))
		collect(attr, attrs);
	return 0;
}

/**
 * nl_attrs_of_nest() - those of a nest
 * @nest: it
 * @attrs: set
 *
 * Return: 0 or -EBADMSG.
 */
int nl_attrs_of_nest(const struct nlattr *nest, struct nl_attrs *attrs)
{
	*attrs = (struct nl_attrs) { 0 };
	return mnl_attr_parse_nested(nest, collect, attrs) < 0 ? -EBADMSG : 0;
}

/**
 * nl_get_u16() - a number
 * @attrs: among these
 * @type: of the attribute
 * @val: set, if it is there
 *
 * Return: false if it is not.
 */
bool nl_get_u16(const struct nl_attrs *attrs, int type, uint16_t *val)
{
	const struct nlattr *attr = attrs->of[type];

	if (!attr || mnl_attr_validate(attr, MNL_TYPE_U16) < 0)
		return false;
	*val = mnl_attr_get_u16(attr);
	return true;
}

/**
 * nl_get_u32() - the same of 32 bits
 * @attrs: among these
 * @type: of the attribute
 * @val: set, if it is there
 *
 * Return: false if it is not.
 */
bool nl_get_u32(const struct nl_attrs *attrs, int type, uint32_t *val)
{
	const struct nlattr *attr = attrs->of[type];

	if (!attr || mnl_attr_validate(attr, MNL_TYPE_U32) < 0)
		return false;
	*val = mnl_attr_get_u32(attr);
	return true;
}

/**
 * nl_get_u64() - the same of 64 bits
 * @attrs: among these
 * @type: of the attribute
 * @val: set, if it is there
 *
 * Return: false if it is not.
 */
bool nl_get_u64(const struct nl_attrs *attrs, int type, uint64_t *val)
{
	const struct nlattr *attr = attrs->of[type];

	if (!attr || mnl_attr_validate(attr, MNL_TYPE_U64) < 0)
		return false;
	*val = mnl_attr_get_u64(attr);
	return true;
}

/**
 * nl_copy_text() - a string, without what a terminal or JSON could stumble over
 * @attr: with a string
 * @text: set
 * @size: of @text in bytes
 */
void nl_copy_text(const struct nlattr *attr, char *text, size_t size)
{
	snprintf(text, size, "%s", mnl_attr_get_str(attr));
	for (; *text; text++)
		if (*text < ' ' || *text > '~')
			*text = '?';
}

/**
 * nl_get_text() - a string, likewise
 * @attrs: among these
 * @type: of the attribute
 * @text: set, if it is there
 * @size: of @text in bytes
 *
 * Return: false if it is not.
 */
bool nl_get_text(const struct nl_attrs *attrs, int type, char *text, size_t size)
{
	const struct nlattr *attr = attrs->of[type];

	if (!attr || mnl_attr_validate(attr, MNL_TYPE_NUL_STRING) < 0)
		return false;
	nl_copy_text(attr, text, size);
	return true;
}
