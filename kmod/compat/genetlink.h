/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Generic netlink: the attributes of a dump request, which struct genl_info has since 6.7, and the
 * description of an operation that pre_doit() gets, struct genl_split_ops since 6.2.
 */
#ifndef _INSTINCT_COMPAT_GENETLINK_H
#define _INSTINCT_COMPAT_GENETLINK_H

#include <net/genetlink.h>

#ifdef INSTINCT_HAVE_GENL_SPLIT_OPS
#define instinct_compat_genl_ops	genl_split_ops
#else
#define instinct_compat_genl_ops	genl_ops
#endif

static inline struct nlattr **instinct_dump_attrs(struct netlink_callback *cb)
{
#ifdef INSTINCT_HAVE_GENL_INFO_DUMP
	return genl_info_dump(cb)->attrs;
#else
	return genl_dumpit_info(cb)->attrs;
#endif
}

#endif /* _INSTINCT_COMPAT_GENETLINK_H */
