// SPDX-License-Identifier: GPL-2.0-only
#include "name.h"

const char *const instinct_method_words[] = {
	[INSTINCT_VFIO_METHOD_AUTO] = "auto",	    [INSTINCT_VFIO_METHOD_MODE1] = "mode1",
	[INSTINCT_VFIO_METHOD_QUIESCE] = "quiesce", [INSTINCT_VFIO_METHOD_BUS] = "bus",
	[INSTINCT_VFIO_METHOD_FLR] = "flr",
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

/* The module writes none of the words below. */
#ifndef __KERNEL__
const char *const instinct_tenancy_words[] = {
	[INSTINCT_VFIO_TENANCY_SINGLE] = "single",
	[INSTINCT_VFIO_TENANCY_MULTI] = "multi",
};

const char *const instinct_bus_port_words[] = {
	[INSTINCT_VFIO_BUS_PORT_SWDS] = "swds",
	[INSTINCT_VFIO_BUS_PORT_SWITCH] = "switch",
};

const char *const instinct_overlap_words[] = {
	[INSTINCT_VFIO_OVERLAP_NONE] = "none",
	[INSTINCT_VFIO_OVERLAP_CLOSE] = "close",
	[INSTINCT_VFIO_OVERLAP_ALL] = "all",
};

const char *const instinct_scope_words[] = {
	[INSTINCT_VFIO_SCOPE_AUTO] = "auto",
	[INSTINCT_VFIO_SCOPE_DEVICE] = "device",
	[INSTINCT_VFIO_SCOPE_HIVE] = "hive",
};

const char *const instinct_rescan_words[] = {
	[INSTINCT_VFIO_RESCAN_NO] = "no",
	[INSTINCT_VFIO_RESCAN_YES] = "yes",
};

const char *const instinct_verify_words[] = {
	[INSTINCT_VFIO_VERIFY_OFF] = "off",
	[INSTINCT_VFIO_VERIFY_ON] = "on",
};

const char *const instinct_unblock_words[] = {
	[INSTINCT_VFIO_UNBLOCK_NONE] = "none",
	[INSTINCT_VFIO_UNBLOCK_READ] = "read",
	[INSTINCT_VFIO_UNBLOCK_BUSES] = "buses",
	[INSTINCT_VFIO_UNBLOCK_RETRAIN] = "retrain",
};

const char *const instinct_acs_words[] = {
	[INSTINCT_VFIO_ACS_KERNEL] = "kernel",
	[INSTINCT_VFIO_ACS_VM_P2P] = "vm-p2p",
	[INSTINCT_VFIO_ACS_VM] = "vm",
	[INSTINCT_VFIO_ACS_BARE_METAL] = "bare-metal",
};

const char *const instinct_loss_words[] = {
	[INSTINCT_VFIO_ISOLATION_LOSS_NO] = "no",
	[INSTINCT_VFIO_ISOLATION_LOSS_YES] = "yes",
};

const char *const instinct_ats_words[] = {
	[INSTINCT_VFIO_ATS_IGNORE] = "ignore",
	[INSTINCT_VFIO_ATS_PREFERRED] = "preferred",
	[INSTINCT_VFIO_ATS_REQUIRED] = "required",
};
#endif
