/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Attributes of netlink messages; every length and type is checked. */
#ifndef NL_ATTRS_H
#define NL_ATTRS_H

#include <libmnl/libmnl.h>
#include <stdbool.h>

#define NL_TYPES_MAX	64

/**
 * struct nl_attrs - the attributes of a message or a nest
 * @of: attribute of each type, NULL if it is absent
 *
 * Attributes newer than this helper are ignored. A malformed attribute counts as absent, so
 * the caller's check for mandatory attributes finds it.
 */
struct nl_attrs {
	const struct nlattr *of[NL_TYPES_MAX];
};

/*
 * libmnl's own loops over a message round its length up, and so may read beyond its end.
 */
#define nl_for_each_attr(_attr, _nlh, _skip)				\
	for ((_attr) = (const void *)((const char *)			\
		       mnl_nlmsg_get_payload(_nlh) + (_skip));		\
	     mnl_attr_ok(_attr, (const char *)(_nlh) + (_nlh)->nlmsg_len - \
			 (const char *)(_attr));			\
	     (_attr) = mnl_attr_next(_attr))

int nl_attrs_of_message(const struct nlmsghdr *nlh, struct nl_attrs *attrs);
int nl_attrs_of_nest(const struct nlattr *nest, struct nl_attrs *attrs);
bool nl_get_u16(const struct nl_attrs *attrs, int type, uint16_t *val);
bool nl_get_u32(const struct nl_attrs *attrs, int type, uint32_t *val);
bool nl_get_u64(const struct nl_attrs *attrs, int type, uint64_t *val);
bool nl_get_text(const struct nl_attrs *attrs, int type, char *text, size_t size);
void nl_copy_text(const struct nlattr *attr, char *text, size_t size);

#endif /* NL_ATTRS_H */
