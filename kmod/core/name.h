/* SPDX-License-Identifier: GPL-2.0-only */
/* The words that policy, events and the kernel log use for the enumerators of the uapi header. */
#ifndef _INSTINCT_NAME_H
#define _INSTINCT_NAME_H

#include "core/pure.h"

extern const char *const instinct_method_words[__INSTINCT_VFIO_METHOD_MAX];
extern const char *const instinct_cause_words[__INSTINCT_VFIO_CAUSE_MAX];
extern const char *const instinct_state_words[__INSTINCT_VFIO_STATE_MAX];

#define instinct_name_method(_method)	instinct_method_words[_method]
#define instinct_name_cause(_cause)	instinct_cause_words[_cause]
#define instinct_name_state(_state)	instinct_state_words[_state]

#endif /* _INSTINCT_NAME_H */
