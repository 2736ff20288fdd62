/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the text format of Prometheus, version 0.0.4. */
#ifndef PROM_H
#define PROM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* A time in ns or a temperature in millidegrees fits without loss. */
#define PROM_VALUE_BYTES	40

/**
 * struct prom - a text being written
 * @out: stream to write to
 * @name: name of the current family, without its prefix
 * @type: type of the current family
 * @help: help text of the current family, one line
 * @begun: the family's header has been written, because it has a sample
 */
struct prom {
	FILE *out;
	const char *name;
	const char *type;
	const char *help;
	bool begun;
};

void prom_family(struct prom *prom, const char *name, const char *type,
		 const char *help);
void prom_sample(struct prom *prom, const char *suffix, const char *value, ...)
	__attribute__((sentinel));
void prom_count(struct prom *prom, uint64_t value, ...)
	__attribute__((sentinel));
void prom_seconds(struct prom *prom, uint64_t ns, ...)
	__attribute__((sentinel));
void prom_celsius(struct prom *prom, int64_t millidegrees, ...)
	__attribute__((sentinel));
void prom_format_seconds(uint64_t ns, char *text, size_t size);

#endif /* PROM_H */
