// SPDX-License-Identifier: GPL-2.0-or-later
#include <time.h>

#include "now.h"

/**
 * now_ms() - read CLOCK_MONOTONIC
 *
 * Return: the time in ms.
 */
int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000ll + t.tv_nsec / 1000000;
}
