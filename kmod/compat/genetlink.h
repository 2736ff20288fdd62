/* SPDX-License-Identifier: GPL-2.0-only */
/* What a dump was asked, before and after struct genl_info joined it (6.7). */
#ifndef _INSTINCT_COMPAT_GENETLINK_H
#define _INSTINCT_COMPAT_GENETLINK_H

#include <net/genetlink.h>

static inline struct nlattr **instinct_dump_attrs(struct netlink_callback *cb)
{
#ifdef INSTINCT_HAVE_GENL_INFO_DUMP
	return genl_info_dump(cb)->attrs;
#else
	return genl_dumpit_info(cb)->attrs;
#endif
}

#endif /* _INSTINCT_COMPAT_GENETLINK_H */
