/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A BMC that is asked again and again: found late, failing, hanging, changed. */
#ifndef BMC_H
#define BMC_H

#include "source_ipmi.h"

/**
 * struct bmc - what is known of it
 * @library: ipmi_library()
 * @say: called with remarks
 * @data: for @say
 * @changed: it has other sensors than it had: scan again
 * @fresh: its temperatures have been read by a scan since this was last cleared
 * @failed: it could not be read last time, which has been said
 * @partial: a scan did not come to its end, which has been said
 * @at: not before is it asked again, in ms
 * @why: there is no way to it, as said last
 * @ipmi: the way, NULL without
 */
struct bmc {
	const struct ipmi_calls *(*library)(char *why, size_t size);
	void (*say)(int priority, const char *text, void *data);
	void *data;
	bool changed;
	bool fresh;
	bool failed;
	bool partial;
	int64_t at;
	char why[TEXT_BYTES];
	struct ipmi *ipmi;
};

void bmc_scan(struct bmc *bmc, const struct found *before, struct found *found);
void bmc_read(struct bmc *bmc, struct found *found, const bool *wanted);

#endif /* BMC_H */
