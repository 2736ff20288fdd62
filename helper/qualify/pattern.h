/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A pattern in the memory of a GPU, which shows what a reset leaves there. */
#ifndef PATTERN_H
#define PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PATTERN_WORDS	8		/* a line of 64 bytes */
#define PATTERN_STEP	(2ull << 20)	/* bytes from a line to the next */

/**
 * struct pattern - lines over the memory of a GPU
 * @bdf: address of the GPU
 * @size_at: offset of the register with the memory's size in MiB, in BAR 5, bytes
 * @tell: callback that prints a line of progress, or NULL
 * @seed: random number, from which the lines follow
 * @memory: size of the memory, bytes
 * @bytes: size of the part that BAR 0 shows, which the lines cover, bytes
 * @held: for each line, whether it read back as written; freed by pattern_free()
 * @lines: number of lines
 * @holding: number of lines that read back as written
 * @kept: number of these of which a word was left at the second look
 */
struct pattern {
	const char *bdf;
	unsigned int size_at;
	void (*tell)(const char *text);
	uint64_t seed;
	uint64_t memory;
	uint64_t bytes;
	bool *held;
	size_t lines;
	size_t holding;
	size_t kept;
};

void pattern_line(uint64_t seed, uint64_t address, uint64_t line[PATTERN_WORDS]);
bool pattern_is_left(uint64_t seed, uint64_t address, const uint64_t line[PATTERN_WORDS]);
int pattern_write(struct pattern *pattern, char *why, size_t size);
int pattern_read(struct pattern *pattern, char *why, size_t size);
void pattern_free(struct pattern *pattern);

#endif /* PATTERN_H */
