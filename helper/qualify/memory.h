/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The trial of the memory: a pattern is written before a reset, and looked for after it. */
#ifndef MEMORY_H
#define MEMORY_H

#include "methods.h"

struct qualify;
struct trial;

enum memory_verdict {
	MEMORY_UNTRIED,	/* no pattern was written */
	MEMORY_UNKNOWN,	/* a pattern was written, and nothing follows from it */
	MEMORY_GONE,	/* the reset left no word of the pattern */
	MEMORY_KEPT,	/* the reset left a part of the pattern */
};

extern const struct names memory_names;

/**
 * struct memory - outcome of the trial of the memory
 * @verdict: outcome
 * @why: reason why the trial was not made or has no outcome, or ""
 * @memory: size of the memory, bytes; 0 if it was not tried
 * @bytes: size of the part that BAR 0 shows, which was tried, bytes
 * @lines: number of lines that the memory held before the reset
 * @kept: number of those that it still held after the reset
 */
struct memory {
	enum memory_verdict verdict;
	char why[TEXT_BYTES];
	uint64_t memory;
	uint64_t bytes;
	size_t lines;
	size_t kept;
};

/**
 * struct memory_facts - facts that the verdict on the memory depends on
 * @lines: number of lines that the memory held before the reset
 * @kept: number of those that it still held after the reset
 * @resets: number of resets by the method in between, by the module's events
 * @others: number of hardware resets by other methods in between
 * @counted: number of hardware resets in between, by the module's counter
 */
struct memory_facts {
	size_t lines;
	size_t kept;
	uint64_t resets;
	uint64_t others;
	uint64_t counted;
};

enum memory_verdict memory_verdict(const struct memory_facts *facts, char *why, size_t size);
bool memory_is_refused(const struct device *dev, const struct trial *trial, char *why, size_t size);
void memory_run(struct qualify *qualify, struct trial *trial);

#endif /* MEMORY_H */
