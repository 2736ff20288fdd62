/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A clock that only goes forward, and what clocks count in. */
#ifndef NOW_H
#define NOW_H

#include <stdint.h>

#define NS_PER_S	1000000000ull

int64_t now_ms(void);

#endif /* NOW_H */
