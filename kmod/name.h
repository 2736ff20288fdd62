/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of the uapi's enumerators, as instinctctl prints them. */
#ifndef _INSTINCT_NAME_H
#define _INSTINCT_NAME_H

#include "pure.h"

const char *instinct_name_method(enum instinct_vfio_method method);
const char *instinct_name_cause(enum instinct_vfio_cause cause);
const char *instinct_name_alarm(enum instinct_vfio_alarm alarm);
const char *instinct_name_sensor(enum instinct_vfio_sensor sensor);
const char *instinct_name_state(enum instinct_vfio_state state);

#endif /* _INSTINCT_NAME_H */
