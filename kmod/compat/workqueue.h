/* SPDX-License-Identifier: GPL-2.0-only */
/* Recent kernels have a new name for the unbound system workqueue, and warn of the old one. */
#ifndef _INSTINCT_COMPAT_WORKQUEUE_H
#define _INSTINCT_COMPAT_WORKQUEUE_H

#include <linux/workqueue.h>

#ifndef INSTINCT_HAVE_DFL_WQ
#define system_dfl_wq system_unbound_wq
#endif

#endif /* _INSTINCT_COMPAT_WORKQUEUE_H */
