/* SPDX-License-Identifier: GPL-2.0-only */
/* Random numbers that repeat for the same seed. */
#ifndef DICE_H
#define DICE_H

#include <stdbool.h>
#include <stdint.h>

/* xorshift64*, whose state must not be 0. */
static inline uint64_t dice_next(uint64_t *dice)
{
	*dice = *dice ?: 0x9e3779b97f4a7c15ull;
	*dice ^= *dice >> 12;
	*dice ^= *dice << 25;
	*dice ^= *dice >> 27;
	return *dice * 0x2545f4914f6cdd1dull;
}

/* Returns a number from 0 to @sides - 1. */
static inline uint32_t dice(uint64_t *dice_state, uint32_t sides)
{
	return (dice_next(dice_state) >> 32) % sides;
}

static inline bool once_in(uint64_t *dice_state, uint32_t times)
{
	return !dice(dice_state, times);
}

/* A random element of an array. */
#define ONE_OF(state, array)	((array)[dice(state, sizeof(array) / sizeof((array)[0]))])

/* Returns a number, often a limit of an integer type or one beside it. */
static inline uint64_t dice_number(uint64_t *state)
{
	static const uint64_t edges[] = {
		0, 1, 2, 3, 4, 7, 8, 15, 16, 31, 32, 63, 64, 255, 256, 4095, 4096, 65535,
		0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 0x7fffffffffffffff,
		0x8000000000000000, 0xffffffffffffffff,
	};

	switch (dice(state, 4)) {
	case 0:
		return dice_next(state);
	case 1:
		return dice(state, 64);
	case 2:
		return ONE_OF(state, edges) + dice(state, 3) - 1;
	}
	return ONE_OF(state, edges);
}

#endif
