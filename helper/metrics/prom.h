/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text format of Prometheus, version 0.0.4. */
#ifndef PROM_H
#define PROM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* An amount of seconds in ns, or of degrees in thousandths, is exact in this. */
#define PROM_VALUE_BYTES	40

/**
 * struct prom - a text being made
 * @out: where it goes
 * @name: of the family whose samples come now, without its prefix
 * @type: of it
 * @help: of it, in one line
 * @begun: a sample of it has come, so that name, type and help are said
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
