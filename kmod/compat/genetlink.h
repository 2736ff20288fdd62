/* SPDX-License-Identifier: GPL-2.0-only */
/* Generic netlink: since 6.2, pre_doit() gets an operation as struct genl_split_ops. */
#ifndef _INSTINCT_COMPAT_GENETLINK_H
#define _INSTINCT_COMPAT_GENETLINK_H

#include <net/genetlink.h>

#ifdef INSTINCT_HAVE_GENL_SPLIT_OPS
#define instinct_compat_genl_ops	genl_split_ops
#else
#define instinct_compat_genl_ops	genl_ops
#endif

#endif /* _INSTINCT_COMPAT_GENETLINK_H */
