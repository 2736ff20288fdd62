/* SPDX-License-Identifier: GPL-2.0-only */
/* What fuzz targets share: requirements, dice, and how far their inputs got. */
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
 * The ways that an input can go, the last one NULL. Each target has its own; the
 * first is that of inputs which do not get past its first checks.
 */
extern const char *const fuzz_ways[];

/**
 * struct input - an input that is being changed
 * @data: it
 * @size: of @data in bytes
 * @max: that it may have
 * @seed: for dice()
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

/* As libFuzzer has them. */
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max,
			       unsigned int seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

#endif /* FUZZ_H */
