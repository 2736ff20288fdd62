// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "fuzz.h"

#define WAYS_MAX	32

static unsigned long inputs, past, went[WAYS_MAX];
static bool is_past;

/* libFuzzer keeps an input that sets a new counter here, as if it had reached new code. */
static uint8_t ways[WAYS_MAX] __attribute__((section("__libfuzzer_extra_counters")));

/**
 * fuzz_input() - start counting for a new input
 */
void fuzz_input(void)
{
	inputs++;
	is_past = false;
}

/**
 * fuzz_went() - count an outcome of the input, or of one of its parts
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
 * fuzz_fail() - report a broken requirement and abort
 * @file: source file of the requirement
 * @line: line in @file
 * @what: text of the requirement
 */
void fuzz_fail(const char *file, int line, const char *what)
{
	fprintf(stderr, "%s:%d: not so: %s\n", file, line, what);
	abort();
}

/**
 * dice() - draw a random number
 * @seed: state of the generator
 * @sides: number of possible results, not 0
 *
 * Return: 0 to @sides - 1.
 */
uint32_t dice(unsigned int *seed, uint32_t sides)
{
	return rand_r(seed) % sides;
}

/**
 * input_splice() - replace some bytes of an input by others
 * @input: input to change
 * @at: offset of the first byte to replace
 * @gone: number of bytes to remove; more than follow @at removes all of these
 * @with: new bytes
 * @bytes: size of @with
 *
 * Return: false if @input has no room for the result.
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

/* tests/static/fuzz parses this report. */
static void report(void)
{
	unsigned int way;

	fprintf(stderr, "inputs: %lu\npast the first checks: %lu\n", inputs, past);
	for (way = 0; fuzz_ways[way]; way++)
		fprintf(stderr, "way: %lu %s\n", went[way], fuzz_ways[way]);
}

/**
 * LLVMFuzzerInitialize() - have the counts printed at exit
 * @argc: unused
 * @argv: unused
 *
 * Return: 0 on success.
 */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return atexit(report);
}
