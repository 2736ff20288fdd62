/* SPDX-License-Identifier: GPL-2.0-only */
/* Requirements, dice and counts of inputs that the fuzz targets share. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define REQUIRE(cond)							\
	do {								\
		if (!(cond))						\
			fuzz_fail(__FILE__, __LINE__, #cond);		\
	} while (0)

/*
 * Names of the outcomes of an input, NULL-terminated. Each target has its own list; the first
 * entry counts the inputs that fail the target's first checks.
 */
extern const char *const fuzz_ways[];

/**
 * struct input - an input under mutation
 * @data: its bytes
 * @size: their number
 * @max: limit of @size
 * @seed: state of dice()
 */
struct input {
	uint8_t *data;
	size_t size;
	size_t max;
	unsigned int seed;
};

bool input_splice(struct input *input, size_t at, size_t gone, const void *with, size_t bytes);
void fuzz_input(void);
void fuzz_went(unsigned int way);
_Noreturn void fuzz_fail(const char *file, int line, const char *what);
uint32_t dice(unsigned int *seed, uint32_t sides);

/* libFuzzer's interface. */
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max,
			       unsigned int seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

#endif /* FUZZ_H */
