/* SPDX-License-Identifier: GPL-2.0-only */
/* Words of the uapi's enumerators, by their values: as policy, events and logs have them. */
#ifndef _INSTINCT_NAME_H
#define _INSTINCT_NAME_H

#include "pure.h"

extern const char *const instinct_method_words[__INSTINCT_VFIO_METHOD_MAX];
extern const char *const instinct_cause_words[__INSTINCT_VFIO_CAUSE_MAX];
extern const char *const instinct_state_words[__INSTINCT_VFIO_STATE_MAX];
#ifndef __KERNEL__
extern const char *const instinct_tenancy_words[__INSTINCT_VFIO_TENANCY_MAX];
extern const char *const instinct_bus_port_words[__INSTINCT_VFIO_BUS_PORT_MAX];
extern const char *const instinct_overlap_words[__INSTINCT_VFIO_OVERLAP_MAX];
extern const char *const instinct_scope_words[__INSTINCT_VFIO_SCOPE_MAX];
extern const char *const instinct_rescan_words[__INSTINCT_VFIO_RESCAN_MAX];
extern const char *const instinct_verify_words[__INSTINCT_VFIO_VERIFY_MAX];
extern const char *const instinct_unblock_words[__INSTINCT_VFIO_UNBLOCK_MAX];
extern const char *const instinct_acs_words[__INSTINCT_VFIO_ACS_MAX];
extern const char *const instinct_loss_words[__INSTINCT_VFIO_ISOLATION_LOSS_MAX];
extern const char *const instinct_ats_words[__INSTINCT_VFIO_ATS_MAX];
#endif

#define instinct_name_method(_method)	instinct_method_words[_method]
#define instinct_name_cause(_cause)	instinct_cause_words[_cause]
#define instinct_name_state(_state)	instinct_state_words[_state]

#endif /* _INSTINCT_NAME_H */
