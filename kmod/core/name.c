// SPDX-License-Identifier: GPL-2.0-only
#include "core/name.h"

const char *const instinct_method_words[] = {
	[INSTINCT_VFIO_METHOD_AUTO] = "auto",
	[INSTINCT_VFIO_METHOD_MODE1] = "mode1",
	[INSTINCT_VFIO_METHOD_QUIESCE] = "quiesce",
	[INSTINCT_VFIO_METHOD_BUS] = "bus",
};

const char *const instinct_cause_words[] = {
	[INSTINCT_VFIO_CAUSE_NONE] = "none",
	[INSTINCT_VFIO_CAUSE_OPEN] = "open",
	[INSTINCT_VFIO_CAUSE_CLOSE] = "close",
	[INSTINCT_VFIO_CAUSE_VFIO_RESET] = "vfio-reset",
	[INSTINCT_VFIO_CAUSE_GUEST_FLR] = "guest-flr",
	[INSTINCT_VFIO_CAUSE_SYSFS] = "sysfs",
	[INSTINCT_VFIO_CAUSE_NETLINK] = "netlink",
	[INSTINCT_VFIO_CAUSE_HOT_RESET] = "hot-reset",
	[INSTINCT_VFIO_CAUSE_HIVE] = "hive",
	[INSTINCT_VFIO_CAUSE_RECOVERY] = "recovery",
};

const char *const instinct_state_words[] = {
	[INSTINCT_VFIO_STATE_READY] = "ready",
	[INSTINCT_VFIO_STATE_RESETTING] = "resetting",
	[INSTINCT_VFIO_STATE_LOST] = "lost",
	[INSTINCT_VFIO_STATE_QUARANTINED] = "quarantined",
};
