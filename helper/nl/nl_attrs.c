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
 * nl_attrs_of_message() - collect the attributes of a generic netlink message
 * @nlh: message
 * @attrs: receives the attributes
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
 * nl_attrs_of_nest() - collect the attributes of a nest
 * @nest: nest
 * @attrs: receives the attributes
 *
 * Return: 0 or -EBADMSG.
 */
int nl_attrs_of_nest(const struct nlattr *nest, struct nl_attrs *attrs)
{
	*attrs = (struct nl_attrs) { 0 };
	return mnl_attr_parse_nested(nest, collect, attrs) < 0 ? -EBADMSG : 0;
}

/**
 * nl_get_u16() - get a number of 16 bits
 * @attrs: attributes
 * @type: type of the attribute
 * @val: receives the value, unchanged without the attribute
 *
 * Return: false if the attribute is absent or malformed.
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
 * nl_get_u32() - get a number of 32 bits
 * @attrs: attributes
 * @type: type of the attribute
 * @val: receives the value, unchanged without the attribute
 *
 * Return: false if the attribute is absent or malformed.
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
 * nl_get_u64() - get a number of 64 bits
 * @attrs: attributes
 * @type: type of the attribute
 * @val: receives the value, unchanged without the attribute
 *
 * Return: false if the attribute is absent or malformed.
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
 * nl_copy_text() - copy a string and make it safe for terminals and JSON
 * @attr: attribute with a string
 * @text: receives the string, with '?' for all but printable ASCII characters
 * @size: size of @text in bytes
 */
void nl_copy_text(const struct nlattr *attr, char *text, size_t size)
{
	snprintf(text, size, "%s", mnl_attr_get_str(attr));
	for (; *text; text++)
		if (*text < ' ' || *text > '~')
			*text = '?';
}

/**
 * nl_get_text() - get a string, made safe by nl_copy_text()
 * @attrs: attributes
 * @type: type of the attribute
 * @text: receives the string, unchanged without the attribute
 * @size: size of @text in bytes
 *
 * Return: false if the attribute is absent or malformed.
 */
bool nl_get_text(const struct nl_attrs *attrs, int type, char *text, size_t size)
{
	const struct nlattr *attr = attrs->of[type];

	if (!attr || mnl_attr_validate(attr, MNL_TYPE_NUL_STRING) < 0)
		return false;
	nl_copy_text(attr, text, size);
	return true;
}
