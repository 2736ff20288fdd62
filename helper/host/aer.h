/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The AER counters of a PCI function, as the sysfs of this or of a captured host shows them. */
#ifndef AER_H
#define AER_H

#include <stdbool.h>
#include <stdint.h>

#define AER_KINDS_MAX	16	/* the register of correctable errors has 16 bits */
#define AER_KIND_BYTES	24

/**
 * struct aer - errors that the kernel has counted since it found the function
 * @known: sysfs has the counters
 * @correctable: correctable errors, in all
 * @nonfatal: uncorrectable errors that were not fatal, in all
 * @fatal: fatal errors, in all
 * @kind: correctable errors by the kernel's name of the kind, such as "BadTLP"
 * @kinds: number of entries in @kind
 */
struct aer {
	bool known;
	uint64_t correctable;
	uint64_t nonfatal;
	uint64_t fatal;
	struct {
		char name[AER_KIND_BYTES];
		uint64_t count;
	} kind[AER_KINDS_MAX];
	unsigned int kinds;
};

void aer_read(struct aer *aer, int folder);

#endif /* AER_H */
