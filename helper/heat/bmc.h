/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a host's BMC repeatedly, by IPMI or by Redfish; copes with one that appears late, fails,
 * hangs or changes.
 */
#ifndef BMC_H
#define BMC_H

#include "source_ipmi.h"
#include "source_redfish.h"

struct bmc;

/**
 * struct bmc_way - a way to read a BMC
 * @source: enum instinct_vfio_source
 * @by: words that follow "cannot be read" in messages
 * @fresh: a scan ends with temperatures that need not be read at once
 * @open: prepares reading; NULL on failure, with a message
 * @scan: adds sensors to a list; -EAGAIN if the next call goes on
 * @read: reads wanted sensors; -ENOENT if the list is no longer the BMC's
 * @message: gives the reason of a failure
 * @left_out: gives the reason for which a complete scan left something out, or ""; or NULL
 */
struct bmc_way {
	uint32_t source;
	const char *by;
	bool fresh;
	void *(*open)(const struct bmc *bmc, char *why, size_t size);
	int (*scan)(void *link, struct found *found);
	int (*read)(void *link, struct found *found, const bool *wanted);
	void (*message)(const struct bmc *bmc, char *text, size_t size);
	const char *(*left_out)(const void *link);
};

/**
 * struct bmc - a BMC and the outcome of the last attempts to read it
 * @way: how it is read
 * @library: for IPMI: returns the IPMI library's calls; ipmi_library() outside tests
 * @redfish: for Redfish: settings
 * @say: called with each remark for the log
 * @data: for @say
 * @changed: the BMC needs a new scan: its sensors differ from those of the last one, or that one
 *	goes on
 * @fresh: a scan has read the temperatures since bmc_read() was last called
 * @failed: the last read failed, and @say has been told
 * @partial: the last scan left something out, and @say has been told
 * @at: earliest time of the next attempt, in ms of now_ms()
 * @why: reason for having no connection, as last given to @say
 * @link: connection to the BMC, or NULL
 */
struct bmc {
	const struct bmc_way *way;
	const struct ipmi_calls *(*library)(char *why, size_t size);
	const struct redfish_conf *redfish;
	void (*say)(int priority, const char *text, void *data);
	void *data;
	bool changed;
	bool fresh;
	bool failed;
	bool partial;
	int64_t at;
	char why[TEXT_BYTES];
	void *link;
};

extern const struct bmc_way bmc_by_ipmi;
extern const struct bmc_way bmc_by_redfish;

void bmc_scan(struct bmc *bmc, const struct found *before, struct found *found);
void bmc_read(struct bmc *bmc, struct found *found, const bool *wanted);

#endif /* BMC_H */
