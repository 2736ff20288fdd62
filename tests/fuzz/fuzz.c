// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "fuzz.h"

#define WAYS_MAX	32

static unsigned long inputs, past, went[WAYS_MAX];
static bool is_past;

/* An input that goes a new way is kept, as one is that gets to new code. */
static uint8_t ways[WAYS_MAX] __attribute__((section("__libfuzzer_extra_counters")));

/**
 * fuzz_input() - one more input
 */
void fuzz_input(void)
{
	inputs++;
	is_past = false;
}

/**
 * fuzz_went() - where the input got, or one of several things in it
 * @way: index in fuzz_ways
 */
void fuzz_went(unsigned int way)
{
	went[way]++;
	ways[way] = 1;
	if (way && !is_past) {
		is_past = true;
		past++;
	}
}

/**
 * fuzz_fail() - a finding
 * @file: of the requirement
 * @line: of it
 * @what: it
 */
void fuzz_fail(const char *file, int line, const char *what)
{
	fprintf(stderr, "%s:%d: not so: %s\n", file, line, what);
	abort();
}

/**
 * dice() - a number by chance
 * @seed: moved on
 * @sides: how many numbers there are, not 0
 *
 * Return: 0 to @sides - 1.
 */
uint32_t dice(unsigned int *seed, uint32_t sides)
{
	return rand_r(seed) % sides;
}

/**
 * input_splice() - put some bytes in the place of others
 * @input: changed
 * @at: where
 * @gone: so many go, or all that there are from there on
 * @with: what comes
 * @bytes: of it
 *
 * Return: false if there is no room.
 */
bool input_splice(struct input *input, size_t at, size_t gone, const void *with, size_t bytes)
{
	if (gone > input->size - at)
		gone = input->size - at;
	if (input->size - gone + bytes > input->max)
		return false;
	memmove(input->data + at + bytes, input->data + at + gone, input->size - at - gone);
	if (bytes)
		memcpy(input->data + at, with, bytes);
	input->size += bytes - gone;
	return true;
}

/* For tests/build/fuzz, which judges it. */
static void report(void)
{
	unsigned int way;

	fprintf(stderr, "inputs: %lu\npast the first checks: %lu\n", inputs, past);
	for (way = 0; fuzz_ways[way]; way++)
		fprintf(stderr, "way: %lu %s\n", went[way], fuzz_ways[way]);
}

/**
 * LLVMFuzzerInitialize() - called once
 * @argc: of main()
 * @argv: of main()
 *
 * Return: 0.
 */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return atexit(report);
}
