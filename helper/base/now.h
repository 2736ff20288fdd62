/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The monotonic clock, and the units of clocks. */
#ifndef NOW_H
#define NOW_H

#include <stdint.h>

#define NS_PER_S	1000000000ull

int64_t now_ms(void);

#endif /* NOW_H */
