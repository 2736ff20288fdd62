/* SPDX-License-Identifier: GPL-2.0-only */
/* What the guard makes of a config write. */
#ifndef _INSTINCT_GUARD_RULE_H
#define _INSTINCT_GUARD_RULE_H

#include "pure.h"

bool instinct_guard_rule_is_flr(u16 devctl, int where, int size, u32 val);
u32 instinct_guard_rule_without_flr(u16 devctl, int where, u32 val);
u32 instinct_guard_rule_without_d3(u16 pmcsr, int where, int size, u32 val);

#endif /* _INSTINCT_GUARD_RULE_H */
