/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A clock that only goes forward. */
#ifndef NOW_H
#define NOW_H

#include <stdint.h>

int64_t now_ms(void);

#endif /* NOW_H */
